"""Curves: sums of products of curves with free numbers inside, scanned on grids of these numbers and then fitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from mosaic_sr.proposal.curves.search import CurveConfig, CurveSearch, Found
from mosaic_sr.proposal.question import Pause, Question
from mosaic_sr.sketch import Sketch

__all__ = ["CurveConfig", "propose_curves"]

# A law of one term has four numbers, and as many rows again have to tell it from others.
LEAST_ROWS = 12
# Of each scan, handed on.
NUM_SKETCHES = 3


def propose_curves(config: CurveConfig, question: Question, rng: np.random.Generator) -> Iterator[list[Sketch]]:
    """The best laws of each scan: one term, one behind a link, a product or a sum of two curves, then longer sums."""
    del rng  # nothing is left to chance
    if question.rows.num_rows < LEAST_ROWS or not {"add", "mul"} <= set(question.operators):
        return
    search = CurveSearch(config, question)
    if search.is_empty:
        return
    yield _sketches(search.one_term())
    turns = (
        (search.behind_links(), search.separate(), search.products()),
        (search.of_pairs(), search.sums()),
        (search.shifted_products(), search.beside_backgrounds(), *map(search.extended, config.beam)),
    )
    for turn in turns:
        yield from map(_sketches, chain.from_iterable(turn))
        yield Pause()


def _sketches(found: Sequence[Found]) -> list[Sketch]:
    return [Sketch(each.expression, -float(rank), "curves") for rank, each in enumerate(found[:NUM_SKETCHES])]
