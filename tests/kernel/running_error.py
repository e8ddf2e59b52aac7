"""How far two right evaluations of a program may be apart: a bound that runs along with numpy's values, row by row.

Each function adds its own rounding to what the errors of its operands make of its value (Higham, Accuracy and Stability
of Numerical Algorithms, section 3.3), so that a difference of nearly equal numbers brings a large bound by itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from kernel_reference import read

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.rows import numpy_function
from mosaic_sr.operators import Operator

# In units of the last place. numpy's vector loops are Intel's of low accuracy, which stay within 4, as libm does; the
# kernel's functions are held to 4.
LARGEST_ULPS = 8.0
ULP = float(np.finfo(np.float64).eps)
# How far two right values of one function may be apart, as a share of them.
ONE_FUNCTION = LARGEST_ULPS * ULP
# Results below the smallest normal number keep fewer digits.
SMALLEST = LARGEST_ULPS * float(np.finfo(np.float64).smallest_subnormal)
# What must not change its sign within the error, because a pole lies there, or a border between numbers and NaN: whole
# powers of negative numbers exist, 1 to any power is 1, and so is anything to the power of 0.
BORDERS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "divide": lambda a, b: (b,),
    "power": lambda a, b: (
        a,
        np.where(a < 0.0, np.sin(np.pi * b), 1.0),
        np.where(np.isnan(b), a - 1.0, 1.0),
        np.where(np.isnan(a), b, 1.0),
    ),
    "tan": lambda a: (np.cos(a),),
}
# Of these a range of a radian and more may hold any value; all others change most at the end of a range.
PERIODIC = {"sin", "cos", "tan"}


@dataclass(frozen=True, eq=False)
class Bounded:
    """Values, and how far from them another right evaluation may be."""

    values: np.ndarray
    error: np.ndarray


def bounded(name: str, *operands: Bounded | float) -> Bounded:
    """A function of bounded operands: its values, and their largest change at the corners of the operands' ranges."""
    function, borders = numpy_function(name), BORDERS.get(name, lambda *_: ())
    given = [each if isinstance(each, Bounded) else exact(each) for each in operands]
    centre = [operand.values for operand in given]
    values, sides = function(*centre), borders(*centre)
    error = sum(0.0 * operand.error for operand in given)  # NaN where one is infinite
    for signs in itertools.product((-1.0, 1.0), repeat=len(given)):
        corner = [operand.values + sign * operand.error for operand, sign in zip(given, signs, strict=True)]
        error = np.maximum(error, _change(values, function(*corner)))
        for side, other in zip(sides, borders(*corner), strict=True):
            error = np.where(side * other <= 0.0, np.inf, error)
    if name in PERIODIC:
        error = np.where(given[0].error < 1.0, error, np.inf)
    own = np.where(np.isfinite(values), ONE_FUNCTION * np.abs(values) + SMALLEST, 0.0)
    return Bounded(values, np.where(np.isnan(error), np.inf, error) + own)


def exact(values: Any) -> Bounded:
    """What is not rounded."""
    return Bounded(np.asarray(values, dtype=np.float64), np.zeros(np.shape(values)))


def _change(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """How far values move; not at all where they stay infinite or NaN, NaN where they become so."""
    stays = (before == after) | (np.isnan(before) & np.isnan(after))
    return np.where(stays, 0.0, np.abs(after - before))


def numpys_values_and_error(expression: Expression, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The value of the expression at each row, and how far from it another evaluation may be; infinite if anywhere."""

    def apply_bounded(operator: Operator, operands: list[Bounded]) -> Bounded:
        return read(operator.value, lambda name: partial(bounded, name), **dict(zip("ab", operands, strict=False)))

    with np.errstate(all="ignore"):
        found = expression.fold(apply_bounded, lambda column: exact(columns[column]), exact)
    return tuple(np.broadcast_to(each, columns.shape[1]) for each in (found.values, found.error))
