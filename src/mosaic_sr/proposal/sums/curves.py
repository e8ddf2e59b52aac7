"""Curves: sums of products of curves with free numbers inside, scanned on grids of these numbers and then fitted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mosaic_sr.exactness import NEARLY_EXACT
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.sums.curve_search import CurveSearch, FittedCurve
from mosaic_sr.proposal.views.links import undo_links
from mosaic_sr.sketch import Sketch, rank_sketches

# A law of one term has four numbers, and as many rows again have to tell it from others.
LEAST_ROWS = 12
# Of each scan, handed on.
NUM_SKETCHES = 3


def propose_curves(context: ProposalContext) -> Iterator[Event]:
    """The best laws of each scan: one term, one behind a link, a sum or a product of curves."""
    if context.rows.num_rows < LEAST_ROWS or not {"add", "mul"} <= set(context.operators):
        return
    aim = next(undo_links(context.rows.target, context.table.target_resolution, context.operators), None)
    if aim is None or aim.outer:
        return  # over so many decades no sum can be told from its largest term
    search = CurveSearch(context)
    if search.is_empty:
        return
    for batches in (iter([search.one_term()]), search.behind_links(), search.separate(), search.products()):
        yield from _handed_on(batches)
    yield Signal.PAUSE
    yield from _handed_on(search.sums())


def _handed_on(batches: Iterator[list[FittedCurve]]) -> Iterator[Event]:
    """What is nearly exact as it is found, and of a stage without such its best law, as a seed.

    More approximations would crowd out the shorter seeds of others.
    """
    best: list[FittedCurve] = []
    for found in batches:
        yield _sketches(each for each in found[:NUM_SKETCHES] if each.error < NEARLY_EXACT**2)
        best = sorted([*best, *found], key=lambda each: each.error)[:1]
    yield _sketches(each for each in best if each.error >= NEARLY_EXACT**2)


def _sketches(found: Iterable[FittedCurve]) -> list[Sketch]:
    return rank_sketches((each.expression for each in found), "sums")
