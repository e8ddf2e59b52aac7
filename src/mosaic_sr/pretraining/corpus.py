"""The synthetic corpus: laws, their token sequences and point sets, made block by block from a seed.

A block depends on its seed and index alone, so training resumes exactly by remembering how many blocks it has used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.pretraining.laws import CorpusConfig
from mosaic_sr.pretraining.mistakes import MAX_FIXES, MAX_LAW_TOKENS
from mosaic_sr.pretraining.point_sets import PointSet, draw_samples
from mosaic_sr.proposal.prior.residuals import NUM_RESIDUAL_FEATURES
from mosaic_sr.proposal.prior.vocabulary import PAD_ID, token_ids


@dataclass(frozen=True)
class Block:
    """Samples of one block, in training order.

    points: (samples, rows, inputs); full: (samples, tokens); sketch: (samples, tokens); matters: (samples, 10).
    Of laws with mistakes, if the corpus has them: residuals: (samples, rows, features); law: (samples, 2,
    tokens), as `law_ids` has them;
    fixes: (samples, fixes, 4), node, action, leaf and inner function of each, -1 for none; missing: (samples,), their
    number. Otherwise these are empty.
    """

    points: NDArray[np.float32]
    full: NDArray[np.int64]
    sketch: NDArray[np.int64]
    matters: NDArray[np.float32]
    residuals: NDArray[np.float32]
    law: NDArray[np.int64]
    fixes: NDArray[np.int64]
    missing: NDArray[np.int64]

    def part(self, chosen: slice) -> Block:
        """Some of the samples."""
        return Block(*(getattr(self, field.name)[chosen] for field in fields(self)))


def block_rng(seed: int, index: int) -> np.random.Generator:
    """The generator of one block."""
    return np.random.default_rng(np.random.SeedSequence([seed, index]))


def make_block(config: CorpusConfig, seed: int, index: int) -> Block:
    """The block with this index: each pass over its equations shows another point set of each."""
    rng = block_rng(seed, index)
    num_points = int(rng.choice(config.num_points))
    samples = [
        draw_samples(rng, config, num_points, config.sets_per_equation) for _ in range(config.equations_per_block)
    ]
    # Neighbours in length share a batch, so that short sketches are not padded to the longest.
    samples.sort(key=lambda sample: len(sample[0].sketch))
    passes = range(config.sets_per_equation)
    drawn = [sets[number] for number in passes for _, sets in samples]
    return Block(
        points=np.stack([point_set.points for point_set in drawn]),
        full=np.stack([token_ids(law.full, config.max_full_tokens + 2) for _ in passes for law, _ in samples]),
        sketch=np.stack([token_ids(law.sketch, config.max_sketch_tokens + 2) for _ in passes for law, _ in samples]),
        matters=np.stack([point_set.matters for point_set in drawn]),
        **_mistakes_of(drawn),
    )


def _mistakes_of(drawn: list[PointSet]) -> dict[str, NDArray[Any]]:
    """The laws with mistakes as arrays, or arrays without a value for each sample."""
    count = len(drawn)
    found = [point_set.mistakes for point_set in drawn if point_set.mistakes is not None]
    if len(found) < count:
        return {
            "residuals": np.zeros((count, 0, NUM_RESIDUAL_FEATURES), np.float32),
            "law": np.zeros((count, 2, 0), np.int64),
            "fixes": np.zeros((count, 0, 4), np.int64),
            "missing": np.zeros(count, np.int64),
        }
    fixes = np.full((count, MAX_FIXES, 4), -1, dtype=np.int64)
    law = np.full((count, 2, MAX_LAW_TOKENS), PAD_ID, dtype=np.int64)
    for index, mistakes in enumerate(found):
        fixes[index, : len(mistakes.fixes)] = mistakes.fixes
        law[index, :, : mistakes.law.shape[1]] = mistakes.law
    return {
        "residuals": np.stack([mistakes.residuals for mistakes in found]),
        "law": law,
        "fixes": fixes,
        "missing": np.array([len(mistakes.fixes) for mistakes in found]),
    }


def batches(block: Block, batch_size: int, rng: np.random.Generator) -> Iterator[Block]:
    """The block cut into batches of similar length, in random order."""
    starts = np.arange(0, len(block.sketch) - batch_size + 1, batch_size)
    for start in rng.permutation(starts):
        yield block.part(slice(start, start + batch_size))
