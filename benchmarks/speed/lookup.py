"""Speed of the look-up: distinct columns and two-part expressions per second, on one thread."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np

from benchmarks.speed.row import Row, seconds
from mosaic_sr import Table
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.pairs import make_screen
from mosaic_sr.proposal.pairs.search import Screen, find_hits
from mosaic_sr.proposal.pairs.views import scale_to_user
from mosaic_sr.relevance import relevance

CAPACITY = 150_000
NUM_COLUMNS = 3


def rows() -> Iterator[Row]:
    """All figures of this part."""
    context = _question()
    screen = _screen(context)
    elapsed = seconds(lambda times: [_screen(context) for _ in range(times)], rounds=5)
    distinct = len(screen.library)
    yield Row(f"look-up: {distinct:,} distinct columns of {NUM_COLUMNS}, per second", distinct / elapsed, goal=">= 5e4")
    target = context.rows.target[screen.key_rows]
    view = scale_to_user(0)
    once = seconds(lambda times: [find_hits(screen, view, target, 1e-15) for _ in range(times)], rounds=10)
    # Entries that are no affine copies, plain and times the target, and all as divisors.
    columns = 2 * int(np.sum(screen.library.is_first)) + distinct
    yield Row("  two-part expressions with free constants, per second", 0.5 * columns**2 / once, goal=">= 1e9")
    tracemalloc.start()
    _screen(context)
    yield Row("  memory of the library while it grows, MB", tracemalloc.get_traced_memory()[1] / 1e6, goal="<= 150")
    tracemalloc.stop()


def _question() -> ProposalContext:
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3.0, (400, NUM_COLUMNS))
    # A target of chance: nothing is found, so that the whole search is on the clock.
    table = Table.from_arrays(X, rng.uniform(1.0, 2.0, len(X)), rng=rng)
    return ProposalContext(table, table.some_training(200), relevance(table.training), NAMES, lambda smaller: None)


def _screen(context: ProposalContext) -> Screen:
    growth = make_screen(context, CAPACITY, np.random.default_rng(0))
    while True:
        try:
            next(growth)
        except StopIteration as end:
            screen: Screen = end.value
            return screen
