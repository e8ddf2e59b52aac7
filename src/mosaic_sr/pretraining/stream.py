"""Batches for training, made ahead of time by worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch.utils.data import DataLoader, Dataset

from mosaic_sr.pretraining.corpus import Block, batches, block_rng, make_block
from mosaic_sr.pretraining.laws import CorpusConfig

# Spawned workers neither inherit the training's threads nor its memory.
_START_METHOD = "spawn"
_MAX_BLOCKS = 10**9
_ORDER_SEED = 1_000_003  # keeps the order of batches apart from the content of blocks


class Blocks(Dataset[Block]):
    """The endless sequence of blocks of a corpus."""

    def __init__(self, config: CorpusConfig, seed: int) -> None:
        self.config = config
        self.seed = seed

    def __len__(self) -> int:
        return _MAX_BLOCKS

    def __getitem__(self, index: int) -> Block:
        return make_block(self.config, self.seed, index)


def stream(
    blocks: Blocks, batch_size: int, indices: range, skip: int, num_workers: int
) -> Iterator[tuple[int, int, Block]]:
    """Batches of the blocks with these indices as (rank of the block, number of the batch, batch).

    skip: batches of the first block that were already used.
    """
    loader = DataLoader(
        blocks,
        batch_size=None,
        sampler=indices,
        num_workers=num_workers,
        collate_fn=_unchanged,
        multiprocessing_context=_START_METHOD if num_workers else None,
        prefetch_factor=2 if num_workers else None,
    )
    for rank, block in enumerate(loader):
        order = block_rng(blocks.seed + _ORDER_SEED, indices[rank])
        for number, batch in enumerate(batches(block, batch_size, order)):
            if rank > 0 or number >= skip:
                yield rank, number, batch


def _unchanged(block: Any) -> Any:
    return block
