"""Powers of two that bring columns near 1; multiplying by them is exact in float64."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Columns within two decades of 1 stay as they are, so that sin(x) of an ordinary column stays sin(x).
ORDINARY = (1e-2, 1e2)
# In terms of `frexp`: normal float64 numbers have exponents from -1021 to 1024.
LEAST_EXPONENT, MOST_EXPONENT = -1021, 1024
# A power of two to divide by, and its inverse, are numbers themselves.
LARGEST_EXPONENT = 1000
# Squares of numbers within 2**±200 keep all their digits, and so do those of what a good law leaves of them.
SQUARABLE = 200


def choose_exponent(values: Floats, also: Floats) -> int:
    """The power of two to divide by: 0 for ordinary values, else the one nearest to their median magnitude.

    Held back where it would push any number of `values` or `also` out of float64's normal range.
    """
    magnitudes = np.abs(values[values != 0])
    if len(magnitudes) == 0:
        return 0
    median = float(np.partition(magnitudes, len(magnitudes) // 2)[len(magnitudes) // 2])
    if ORDINARY[0] <= median <= ORDINARY[1]:
        return 0
    wanted = math.frexp(median)[1]
    exponents = np.frexp(np.concatenate([magnitudes, np.abs(also[also != 0])]))[1]
    if wanted > 0:
        return min(wanted, LARGEST_EXPONENT, max(0, int(np.min(exponents)) - LEAST_EXPONENT))
    return max(wanted, -LARGEST_EXPONENT, min(0, int(np.max(exponents)) - MOST_EXPONENT))


def divide_in_place(values: Floats, exponent: int) -> None:
    """Takes the power of two out of the values."""
    if exponent:
        np.ldexp(values, -exponent, out=values)


def squaring_exponent(values: Floats) -> int:
    """The power of two to divide by before squares are taken: 0 where squares lose nothing, else that of the largest.

    Squares of numbers such as 1e-200 vanish, and those of 1e200 are infinite.
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    exponent = math.frexp(largest)[1] if math.isfinite(largest) else 0
    return 0 if largest == 0.0 or abs(exponent) <= SQUARABLE else exponent


def divided(values: Floats, exponent: int) -> Floats:
    """The values without that power of two; themselves where it is 0."""
    return np.ldexp(values, -exponent) if exponent else values


def deviation(values: Floats) -> float:
    """The standard deviation, of numbers of any size."""
    exponent = squaring_exponent(values)
    return float(np.ldexp(np.std(divided(values, exponent)), exponent))
