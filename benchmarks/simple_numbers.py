"""Numbers that a printed law holds to be exact, told by their value: small fractions, also of pi, e and roots."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

# A fit to exact rows ends within so much of the simple number that is meant; a fit to noisy rows never does.
SAME = 1e-9
# Whole numbers that count as simple; 137 is a measured value, and so is 1000, which comes with a unit.
LARGEST_WHOLE = 100
# Fifths and tenths end after a digit, as measured values do that were rounded: 1.2 is one of those.
DENOMINATORS = (2, 3, 4, 6)
LARGEST_NUMERATOR = 12
# Parts of a fraction beside a special number, as in 8*pi/3 and 1/(16*pi).
PARTS = (*range(1, 13), 16)
SPECIAL = (
    math.pi,
    math.pi**2,
    math.e,
    math.sqrt(2.0),
    math.sqrt(3.0),
    math.sqrt(5.0),
    math.sqrt(math.pi),
    math.sqrt(2.0 * math.pi),
)


def is_fraction(value: float) -> bool:
    """Whether the number is a small whole number or a fraction of such."""
    if abs(value - round(value)) <= SAME * abs(value):
        return abs(round(value)) <= LARGEST_WHOLE
    return _holds(_fractions(), value)


def is_simple(value: float) -> bool:
    """Whether the number is a small fraction, or one times or over a special number."""
    return is_fraction(value) or _holds(_multiples(), value)


def _holds(ordered: NDArray[np.float64], value: float) -> bool:
    place = int(np.searchsorted(ordered, abs(value)))
    near = ordered[max(place - 1, 0) : place + 1]
    return bool((np.abs(near - abs(value)) <= SAME * abs(value)).any())


@cache
def _fractions() -> NDArray[np.float64]:
    return np.unique([above / below for below in DENOMINATORS for above in range(1, LARGEST_NUMERATOR + 1)])


@cache
def _multiples() -> NDArray[np.float64]:
    fractions = [above / below for above in PARTS for below in PARTS]
    return np.unique([fraction * factor for fraction in fractions for s in SPECIAL for factor in (s, 1.0 / s)])
