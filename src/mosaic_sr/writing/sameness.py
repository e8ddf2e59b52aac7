"""Whether two formulas have the same values to rounding, told from a bound that runs along with their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.rows import TREES, numpy_value
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import Operator

Floats = NDArray[np.float64]
# In units of the last place: what one function may err, and how far apart two right evaluations may be in them.
ULP = float(np.finfo(np.float64).eps)
ROUNDING, APART = 4.0 * ULP, 8.0
# Share of a value that may be lost where a form adds up what the given one does not.
CANCELLED = 1e-11
# Rows that are compared; more of them tell hardly more and take longer.
MOST_ROWS = 48
# Where no rows are given: numbers of either sign from a fifth to five, by a fixed seed.
SEED, SPREAD, DRAWN_ROWS = 20, 1.6, 48


@dataclass(frozen=True, eq=False)
class Bounded:
    """Values, and how far from them another right evaluation may be."""

    values: Floats
    error: Floats


class Comparison:
    """Compares formulas with one of them on a few rows; columns: (columns, rows), those of no row are drawn."""

    def __init__(self, expression: Expression, columns: Floats | None) -> None:
        self._columns = drawn_columns(expression) if columns is None else _thinned(columns)
        self._own = bounded_values(expression, self._columns)

    def holds(self, other: Expression) -> bool:
        """Whether the other formula has the same values wherever the own one has any."""
        values = evaluate_expression(other, self._columns)
        is_known = np.isfinite(self._own.values)
        if np.any(~np.isfinite(values[is_known])):
            return False
        apart = np.abs(values[is_known] - self._own.values[is_known])
        # A form that cancels more digits than the given one is no rounding of it.
        allowed = APART * self._own.error[is_known] + CANCELLED * np.abs(self._own.values[is_known])
        return bool(np.all(apart <= np.where(np.isfinite(allowed), allowed, np.inf)))


def drawn_columns(expression: Expression) -> Floats:
    """Rows for a formula that came without: half of them positive, half of either sign."""
    rng = np.random.default_rng(SEED)
    count = max(expression.columns, default=0) + 1
    sizes = np.exp(rng.uniform(-SPREAD, SPREAD, (count, DRAWN_ROWS)))
    signs = np.where(np.arange(DRAWN_ROWS) % 2 == 0, 1.0, rng.choice([-1.0, 1.0], (count, DRAWN_ROWS)))
    return sizes * signs


def _thinned(columns: Floats) -> Floats:
    rows = columns.shape[1]
    if rows <= MOST_ROWS:
        return columns
    return columns[:, np.linspace(0, rows - 1, MOST_ROWS).astype(np.int64)]


def bounded_values(expression: Expression, columns: Floats) -> Bounded:
    """Values of a formula and the bound of their rounding."""
    zeros = np.zeros(columns.shape[1])
    with np.errstate(all="ignore"):
        return write_out(expression).expression.fold(
            _node,
            lambda column: Bounded(columns[column], zeros),
            lambda value: Bounded(zeros + value, zeros + ULP * abs(value)),
        )


def _node(operator: Operator, operands: Sequence[Bounded]) -> Bounded:
    """A function at its operands and at the corners of their errors."""
    tree = TREES[operator.name]
    values = _value(tree, [operand.values for operand in operands])
    error = np.zeros_like(values)
    for signs in product((-1.0, 1.0), repeat=len(operands)):
        corner = [each.values + sign * each.error for each, sign in zip(operands, signs, strict=True)]
        error = np.fmax(error, np.abs(_value(tree, corner) - values))
    return Bounded(values, error + ROUNDING * np.abs(values))


def _value(tree: object, operands: Sequence[Floats]) -> Floats:
    found: Floats = numpy_value(tree, dict(zip("ab", operands, strict=False)))  # type: ignore[arg-type]
    return found
