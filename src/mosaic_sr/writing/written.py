"""A formula as a scientist would write it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.digits import ALL_DIGITS
from mosaic_sr.expressions.expression import Expression, operator_names
from mosaic_sr.expressions.reading_order import in_reading_order
from mosaic_sr.operators import CODES, NAMES
from mosaic_sr.writing.engine import LEAST_GAIN, Engine
from mosaic_sr.writing.expanding import TooLong
from mosaic_sr.writing.numbers import Unwritable, printed_digits
from mosaic_sr.writing.phrases import PRINTS_NUMBER
from mosaic_sr.writing.sameness import Comparison
from mosaic_sr.writing.series import series_forms
from mosaic_sr.writing.shortening import shortened
from mosaic_sr.writing.sums import from_expression
from mosaic_sr.writing.wording import Writer

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Search:
    """How far forms are looked for.

    budget: forms that one search writes.  searches: each from the form that the one before has found.
    """

    budget: int
    searches: int


# Most laws need a tenth of these forms, and all of them take about a third of a second; the last search finds nothing.
THOROUGH = Search(600, 4)
# For laws beside the law, of which there may be twenty.
BRIEF = Search(150, 2)
# Longer formulas are written as they are: their forms are too many.
MOST_NODES = 150


def written(
    expression: Expression,
    columns: Floats | None = None,
    most_digits: int = ALL_DIGITS,
    is_allowed: Callable[[Expression], bool] = lambda _: True,
    operators: Sequence[str] = NAMES,
    search: Search = THOROUGH,
) -> Expression:
    """The equivalent form that costs least to read; it has a value wherever the formula has one, to rounding the same.

    columns: (columns, rows) on which the values are compared; drawn where there are none.
    most_digits: that the errors of fitted constants leave them, all where they are not known.
    is_allowed: what a law may be.  operators: the names that it may use besides those that it has.
    """
    limits = _Bounds(most_digits, is_allowed, operator_names(expression).union(operators), search)
    return _Writing(expression, columns, limits).form()


@dataclass(frozen=True)
class _Bounds:
    """What a form may be, as `written` was told."""

    most_digits: int
    is_allowed: Callable[[Expression], bool]
    operators: frozenset[str]
    search: Search


class _Writing:
    """The search for the form of one formula."""

    def __init__(self, expression: Expression, columns: Floats | None, bounds: _Bounds) -> None:
        self._given, self._bounds = expression, bounds
        self._comparison = Comparison(expression, columns)

    def form(self) -> Expression:
        best = in_reading_order(self._given)[0]
        if len(best) > MOST_NODES or not np.all(np.isfinite(best.constants)):
            return best
        try:
            best = self._as_series(best)
            for _ in range(self._bounds.search.searches):
                before, best = best, self._searched(self._short(best))
                if best == before:
                    break
        except Unwritable:
            return best
        return best

    def _searched(self, start: Expression) -> Expression:
        """A cheaper form, else the start itself in the order of a writer."""
        writer = Writer(self._bounds.most_digits)
        own = from_expression(start)
        engine = Engine(writer, self._bounds.operators, self._bounds.search.budget)
        engine.best(own)
        cheaper = [one for one in engine.finalists if writer.cost(one) < writer.cost(own) - LEAST_GAIN]
        forms = (writer.expression(one) for one in (*cheaper, own))
        return next((form for form in forms if self._holds(form)), start)

    def _as_series(self, start: Expression) -> Expression:
        """The formula with its long polynomials as series about a centre, where that is cheaper to read."""
        if self._bounds.most_digits < ALL_DIGITS:
            return start
        writer = Writer(self._bounds.most_digits)
        try:
            forms = [writer.expression(one) for one in series_forms(from_expression(start))]
        except (TooLong, OverflowError):
            return start
        cheaper = sorted((form for form in forms if printed_cost(form) < printed_cost(start)), key=printed_cost)
        return next((form for form in cheaper if self._holds(form)), start)

    def _short(self, expression: Expression) -> Expression:
        """Numbers at short ones; those that have errors keep to what was fitted."""
        return shortened(expression, self._holds) if self._bounds.most_digits >= ALL_DIGITS else expression

    def _holds(self, expression: Expression) -> bool:
        return self._bounds.is_allowed(expression) and self._comparison.holds(expression)


def printed_cost(expression: Expression, most_digits: int = ALL_DIGITS) -> int:
    """Nodes as they are printed, x^2 as three of them, and the printed digits of constants."""
    digits: int = sum(
        printed_digits(value, most_digits) for value in expression.constants.tolist() if math.isfinite(value)
    )
    codes = expression.codes.tolist()
    named = 2 * sum(codes.count(CODES[name]) for name in PRINTS_NUMBER)
    return len(expression) + digits + int(named)
