"""Quantities that two columns may make together, with their slopes, powers and scales."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.column_pairs import PAIRINGS
from mosaic_sr.expressions.expression import Expression, apply, variable
from mosaic_sr.expressions.powers import root_of

Floats = NDArray[np.float64]
Slopes = Callable[[Floats, Floats], tuple[Floats | float, Floats | float]]


@dataclass(frozen=True)
class Quantity:
    """What two columns make.

    expression: over columns 0 and 1.  bits: of choosing it.  slopes: its derivatives along both, up to a factor.
    powers: of both columns in it.  divisor: the one of both that it is divided by.
    """

    expression: Expression
    bits: float
    slopes: Slopes
    powers: tuple[int, int]
    divisor: int | None = None

    def is_usable(self, first: Floats, second: Floats) -> bool:
        """Whether it has no pole; of a quotient and its inverse the first, where both have none."""
        if self.divisor is None:
            return True
        has_pole = _crosses_zero(first if self.divisor == 0 else second)
        return not has_pole and (self.divisor == 1 or _crosses_zero(second))

    def scales(self, first: float, second: float) -> tuple[float, float, float]:
        """Factors of both columns in it, and its exponent, for the exponents of both.

        Columns are divided by powers of two, so that their difference is none of the user's columns.
        """
        one, other = self.powers
        if root_of(self.expression) not in ("add", "sub"):
            return 1.0, 1.0, one * first + other * second
        if one > other:
            return 1.0, 2.0 ** (other * second - one * first), one * first
        return 2.0 ** ((one * first - other * second) / one), 1.0, other * second


def _crosses_zero(values: Floats) -> bool:
    return bool(values.min() <= 0.0 <= values.max())


X, Z = variable(0), variable(1)
X2, Z2 = apply("sq", X), apply("sq", Z)
BITS = dict(PAIRINGS)
# Rarer than the others by a bit or more.
BITS_WITH_SQUARE = 8.0
QUANTITIES = (
    Quantity(apply("mul", X, Z), BITS["mul"], lambda x, z: (z, x), (1, 1)),
    Quantity(apply("div", X, Z), BITS["div"], lambda x, z: (z, -x), (1, -1), divisor=1),
    Quantity(apply("div", Z, X), BITS["div"], lambda x, z: (z, -x), (-1, 1), divisor=0),
    Quantity(apply("add", X, Z), BITS["add"], lambda x, z: (1.0, 1.0), (1, 1)),
    Quantity(apply("sub", X, Z), BITS["sub"], lambda x, z: (1.0, -1.0), (1, 1)),
    Quantity(apply("mul", X, Z2), BITS_WITH_SQUARE, lambda x, z: (z, 2.0 * x), (1, 2)),
    Quantity(apply("mul", X2, Z), BITS_WITH_SQUARE, lambda x, z: (2.0 * z, x), (2, 1)),
    Quantity(apply("div", X, Z2), BITS_WITH_SQUARE, lambda x, z: (z, -2.0 * x), (1, -2), divisor=1),
    Quantity(apply("div", Z2, X), BITS_WITH_SQUARE, lambda x, z: (z, -2.0 * x), (-1, 2), divisor=0),
    Quantity(apply("div", X2, Z), BITS_WITH_SQUARE, lambda x, z: (2.0 * z, -x), (2, -1), divisor=1),
    Quantity(apply("div", Z, X2), BITS_WITH_SQUARE, lambda x, z: (2.0 * z, -x), (-2, 1), divisor=0),
    Quantity(apply("add", X2, Z2), BITS_WITH_SQUARE, lambda x, z: (x, z), (2, 2)),
    Quantity(apply("add", X, Z2), BITS_WITH_SQUARE, lambda x, z: (1.0, 2.0 * z), (1, 2)),
    Quantity(apply("add", X2, Z), BITS_WITH_SQUARE, lambda x, z: (2.0 * x, 1.0), (2, 1)),
)
