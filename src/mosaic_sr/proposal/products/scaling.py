"""Scaling laws: y = c x^a f(k x^b)^p ..., a product in front of functions of few groups of columns, and sums of groups.

Much of physics has this form, because units must agree: decay, relaxation, saturation, relativistic and thermal
factors, and with f = 1 + z every sum of two products under any power. The exponents need not be known: all of them
are descended to at once, and rounded to simple ones where the rows allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.exactness import NEARLY_EXACT
from mosaic_sr.expressions.expression import Expression, operator_names
from mosaic_sr.proposal.context import Event, ProposalContext, Signal, sparing
from mosaic_sr.proposal.products.descent import Descent, DescentConfig, descend
from mosaic_sr.proposal.products.functions import (
    EXPONENTIAL,
    FUNCTIONS,
    FUNCTIONS_OF_SUMS,
    SUMS_OF_THREE,
    SUMS_OF_TWO,
    ScalingForm,
    make_paired_forms,
    make_single_forms,
)
from mosaic_sr.proposal.products.rounding import has_simple_powers, simplify_descent, simplify_descents
from mosaic_sr.proposal.products.scaling_rows import find_telling_rows, make_scaling_rows
from mosaic_sr.proposal.products.scaling_writing import write_descent
from mosaic_sr.sketch import Sketch, rank_sketches
from mosaic_sr.table import Rows

# A deviation of log|y| above which an approximation is not worth handing on.
MOST_DEVIATION = 0.2
# A time limit is heard after so many forms, a few tenths of a second.
FORMS_BETWEEN = 5
# With a pause after each: the more groups, the longer it takes, and the rarer the law.
STAGES = (
    make_single_forms((*SUMS_OF_TWO, *FUNCTIONS, *FUNCTIONS_OF_SUMS)),
    [*make_paired_forms(SUMS_OF_TWO, SUMS_OF_TWO), *make_single_forms(SUMS_OF_THREE)],
    [*make_paired_forms(SUMS_OF_TWO, FUNCTIONS), *make_paired_forms((EXPONENTIAL,), FUNCTIONS[1:])],
)
MOST_COLUMNS = 7  # beyond, random starts rarely come near
ROWS_PER_UNKNOWN = 2.0  # as many rows as unknowns are always met; the others are the proof
NUM_ROWS = 120  # four for each unknown of five columns; the time grows with them
NUM_SKETCHES = 3  # handed on where none is exact
# More find a twentieth more laws of their kind and take twice as long.
ONE_GROUP = DescentConfig(24, 10, 5, 30)
MORE_GROUPS = DescentConfig(48, 15, 20, 40)


def propose_scaling(
    forms: Sequence[ScalingForm], most_groups: int, context: ProposalContext, rng: np.random.Generator
) -> Iterator[Event]:
    """Laws of some forms that explain the rows, and at last the best approximations."""
    columns = _columns(context)
    rows = _usable_rows(context, columns, NUM_ROWS)
    if rows.num_rows and not rows.has_constant_target:
        yield from sparing(_ScalingSearch(most_groups, context, rows, columns).laws(forms, rng), FORMS_BETWEEN)


def _columns(context: ProposalContext) -> NDArray[np.intp]:
    """The most relevant columns."""
    return np.sort(np.argsort(-context.scores, kind="stable")[:MOST_COLUMNS])


def _usable_rows(context: ProposalContext, columns: NDArray[np.intp], num_rows: int) -> Rows:
    """At most so many rows that have logarithms which say something."""
    rows = context.table.some_training(num_rows)
    rows = rows.take(np.flatnonzero((rows.target != 0) & np.all(rows.columns[columns] != 0, axis=0)))
    return rows.take(np.flatnonzero(find_telling_rows(rows.target))) if rows.num_rows else rows


def _as_sketches(laws: Iterable[Expression], known: set[str]) -> list[Sketch]:
    """The laws that the allowed operators can write."""
    return rank_sketches((law for law in laws if operator_names(law) <= known), "products")


class _ScalingSearch:
    """The rows and columns that are looked at."""

    def __init__(self, most_groups: int, context: ProposalContext, rows: Rows, columns: NDArray[np.intp]) -> None:
        self._most_groups, self._context, self._rows, self._columns = most_groups, context, rows, columns
        self._scaling_rows = make_scaling_rows(rows.columns[columns], rows.target)

    def laws(self, forms: Iterable[ScalingForm], rng: np.random.Generator) -> Iterator[Event]:
        """Sketches of forms that explain the rows as they are found, at last the best approximations."""
        rough: list[Descent] = []
        for form in self._usable(forms):
            effort = ONE_GROUP if form.num_groups == 1 else MORE_GROUPS
            descent = descend(self._scaling_rows, form, effort, rng)
            if descent.error <= NEARLY_EXACT:
                yield self._sketches(
                    [descent if has_simple_powers(descent) else simplify_descent(descent, self._scaling_rows)]
                )
            else:
                rough += [descent] if descent.error <= MOST_DEVIATION else []
                yield Signal.HEARTBEAT
        yield self._sketches(simplify_descents(rough, self._scaling_rows)[:NUM_SKETCHES])

    def _usable(self, forms: Iterable[ScalingForm]) -> Iterator[ScalingForm]:
        """Forms that the operators can write and the rows determine; where y changes its sign, those that do so."""
        known, scaling_rows = set(self._context.operators), self._scaling_rows
        for form in forms:
            num_unknowns = (1 + form.num_groups) * (1 + scaling_rows.logs.shape[1]) + len(form.factors)
            is_determined = len(scaling_rows.target) >= ROWS_PER_UNKNOWN * num_unknowns
            is_possible = form.num_groups <= self._most_groups and (form.crosses or not scaling_rows.crosses)
            if form.operators <= known and is_determined and is_possible:
                yield form

    def _sketches(self, descents: list[Descent]) -> list[Sketch]:
        """The laws that the allowed operators can write."""
        laws = [write_descent(descent, self._scaling_rows, self._rows, self._columns) for descent in descents]
        return _as_sketches([law for law in laws if law is not None], set(self._context.operators))
