"""Laws that units suggest: a number times a product with the unit of the target, and the law of dimensionless groups.

The target divided by such a product is a function of the groups, which are fewer than the columns: their table is
searched in place of the whole one. On noisy rows sums and products of few parts come first. Without units nothing is
said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.proposal.by_units import Grouped, grouped_columns, write_fronts
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.homogeneous import find_homogeneous_laws
from mosaic_sr.proposal.smaller_tables import Number, SmallerTable, TakenPart, set_even_errors
from mosaic_sr.sketch import Sketch, rank_sketches

NAME = "dimensions"
# The stage of the search paths.
REFINEMENT = "refinement"
MOST_GROUPS = 5  # beyond, the table of groups is hardly easier than the whole
MOST_SOLVES = 2  # products in front; each takes a second or more


def propose_dimensions(context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """The products, then the laws that follow from those of the groups; a signal before each search."""
    del rng  # nothing is left to chance
    dimensions = context.limits.dimensions
    if dimensions is None or dimensions.reduced is None or not {"mul", "div"} <= set(context.operators):
        return
    fronts = write_fronts(context.table, dimensions.reduced)
    products = [apply("mul", constant(math.nan), front) for front in fronts if front.columns]
    yield rank_sketches(products, NAME)
    grouped = grouped_columns(context.table, dimensions.reduced)
    if grouped is None:
        return
    if context.looks_noisy:
        for laws in find_homogeneous_laws(dimensions.reduced, context):
            yield rank_sketches(laws, NAME, is_fitted=True)
    if grouped.num_independent > min(MOST_GROUPS, context.table.num_columns):
        return
    if context.looks_noisy:
        yield Signal.PAUSE
        yield from _whole_search(grouped, context)
        return
    for front in grouped.fronts[:MOST_SOLVES]:
        # The other finders find most laws in less time than the search of another table takes.
        yield Signal.PAUSE
        law = _smaller(grouped, front).solve(context.table, context.solve)
        if law is not None:
            yield [Sketch(law, 0.0, NAME)]
            return


def _whole_search(grouped: Grouped, context: ProposalContext) -> Iterator[Event]:
    """Laws of noisy rows that a search of the table of groups has found, after each of its turns."""
    smaller = _smaller(grouped, grouped.fronts[0])
    derived = smaller.table(set_even_errors(context.table))
    if derived is None:
        return
    handed_on: set[bytes] = set()
    before = ""
    for stage, laws in context.delve(derived):
        found = [law for law in laws if law.expression.structure_key not in handed_on and law.expression.columns]
        handed_on |= {law.expression.structure_key for law in found}
        yield rank_sketches((smaller.law(law, derived) for law in found), NAME)
        if before != stage and REFINEMENT in (before, stage):
            yield Signal.PAUSE
        before = stage


def _smaller(grouped: Grouped, front: Expression) -> SmallerTable:
    """The table of the groups, whose target is divided by a product."""
    parts = tuple(Number(group) for group in grouped.quantities[: grouped.num_independent])
    return SmallerTable(parts, (TakenPart(Number(front)),) if front.columns else ())
