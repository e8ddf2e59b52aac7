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
        return min(wanted, max(0, int(np.min(exponents)) - LEAST_EXPONENT))
    return max(wanted, min(0, int(np.max(exponents)) - MOST_EXPONENT))


def divide_in_place(values: Floats, exponent: int) -> None:
    """Takes the power of two out of the values."""
    if exponent:
        np.ldexp(values, -exponent, out=values)
