"""How fast the learned prior answers, and whether its corpus is made faster than training uses it up."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import cycle, islice

import numpy as np

from benchmarks.speed.row import Row
from mosaic_sr.pretraining.corpus import Block, batches, block_rng, make_block
from mosaic_sr.pretraining.laws import CorpusConfig
from mosaic_sr.proposal.prior import PriorConfig, ask_prior
from mosaic_sr.proposal.prior.session import SHIPPED, load_session

ROUNDS = 5
NUM_BLOCKS = 5  # one for each size of point sets, on average
NUM_STEPS = 60  # some thirty seconds of training


def rows() -> Iterator[Row]:
    """All figures of this part."""
    yield Row("loading the prior's weights, s", min(_load_seconds() for _ in range(ROUNDS)), goal="<= 1")
    yield Row("48 sketches from 200 rows, s", min(_ask_seconds(seed) for seed in range(ROUNDS)), goal="<= 1.5")
    yield from _corpus_rows("corpus", CorpusConfig(), "small")
    if find_spec("torch"):
        from mosaic_sr.pretraining.presets import GUIDED

        yield from _corpus_rows("corpus of guided", GUIDED.corpus, GUIDED.name)


def _corpus_rows(name: str, config: CorpusConfig, preset: str) -> Iterator[Row]:
    """How fast blocks are made, and how fast the training of a preset uses them."""
    make_block(config, 0, 0)  # compiled before the clock starts
    started = time.perf_counter()
    blocks = [make_block(config, 0, index) for index in range(1, NUM_BLOCKS + 1)]
    made = sum(len(block.sketch) for block in blocks) / (time.perf_counter() - started)
    yield Row(f"{name}: laws per second, one core", made / config.sets_per_equation)
    used = _trained_a_second(blocks, preset) if find_spec("torch") else None
    ratio = None if used is None else made / used
    yield Row(f"{name}: point sets per second, one core, vs what training uses", made, used, ratio, ">= 3")


def _load_seconds() -> float:
    load_session.cache_clear()
    started = time.perf_counter()
    load_session(SHIPPED)
    return time.perf_counter() - started


def _ask_seconds(seed: int) -> float:
    rng = np.random.default_rng(seed)
    columns = rng.uniform(0.5, 2.0, size=(3, 200))
    target = columns[0] * np.sin(columns[1]) + np.exp(-columns[2]) / columns[0]
    started = time.perf_counter()
    answer = ask_prior(columns, target, PriorConfig(), rng)
    assert len(answer.sketches) == PriorConfig().decoding.num_sketches
    return time.perf_counter() - started


def _trained_a_second(blocks: list[Block], preset_name: str) -> float:
    """Point sets that steps of training on one thread use up in a second, the making of data left out."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    from mosaic_sr.pretraining.presets import preset_named
    from mosaic_sr.pretraining.stages import stage_numbered, to_batch

    torch.set_num_threads(1)
    preset, stage = preset_named(preset_name), stage_numbered(2)
    settings, model = preset.stages[2], stage.make_model(preset.model)
    optimiser = torch.optim.AdamW(model.parameters(), lr=settings.learning_rate)
    ready = [batch for block in blocks for batch in islice(batches(block, settings.batch_size, block_rng(0, 0)), 3)]
    count, started = 0, time.perf_counter()
    with sdpa_kernel(SDPBackend.MATH):
        for batch in islice(cycle(ready), NUM_STEPS):
            loss, _ = stage.loss(model, to_batch(batch, torch.device("cpu")), settings.auxiliary_weight)
            loss.backward()
            optimiser.step()
            optimiser.zero_grad()
            count += len(batch.sketch)
    return count / (time.perf_counter() - started)
