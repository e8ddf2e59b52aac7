"""Simple numbers near fitted ones: a fraction near one, and of several the most credible points of a lattice.

Exponents that are fitted together are known better together than one by one: where x^1.7*z^-1.6 is seen, x^2*z^-2 may
be within the errors though neither 2 nor -2 is within its own once the other stays.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Sixths are the finest fractions among the exponents of the named laws in our catalogue.
LARGEST_DENOMINATOR = 6
# Exponents of exact data come out to 7 digits and better; those of rough fits are never taken for another by this much.
LEAST_TOLERANCE, MOST_TOLERANCE = 1e-7, 0.03
# Standard errors within which an exponent is taken for a simple one: chance exceeds them once in 16,000 cases.
STANDARD_ERRORS = 4.0
# Exponents that people write, and what each takes to tell in nats: none is the rule, and 1 and 2 are more usual than
# roots and higher powers.
_COSTS = {0.0: 0.0, 1.0: 1.4, 2.0: 2.1, 0.5: 2.8, 3.0: 3.5, 1.5: 3.5, 4.0: 4.2, 2.5: 4.9, 5.0: 4.9}
VALUES = np.array([sign * size for size in _COSTS for sign in (1.0, -1.0) if size or sign > 0])
COSTS = np.array([_COSTS[abs(value)] for value in VALUES])
# Partial choices that are kept while one exponent after the other is chosen: more did not find better ones.
WIDTH = 64


def find_simple_number(value: float, error: float) -> float | None:
    """The fraction of least denominator that the value may stand for, or None."""
    return find_fraction(value, min(max(LEAST_TOLERANCE, STANDARD_ERRORS * error), MOST_TOLERANCE))


def simplify_number(value: float, error: float) -> float:
    """The simple number that the value may stand for, else the value."""
    simple = find_simple_number(value, error)
    return value if simple is None else simple


def find_fraction(value: float, tolerance: float) -> float | None:
    """The fraction of least denominator within a tolerance, or None."""
    if not math.isfinite(value):
        return None
    for denominator in range(1, LARGEST_DENOMINATOR + 1):
        nearest = round(value * denominator) / denominator
        if abs(value - nearest) <= tolerance:
            return nearest
    return None


def round_to_half(values: Floats | float) -> Floats:
    """The nearest multiples of a half, the unit of most exponents in laws: for fits too rough to tell finer ones."""
    return np.asarray(np.rint(2.0 * values) / 2.0)


def count_nats(exponents: Floats) -> float:
    """What it takes to tell simple exponents."""
    return float(sum(_COSTS.get(abs(float(each)), max(_COSTS.values())) for each in exponents))


def find_exponents(estimates: Floats, covariance: Floats, count: int) -> list[Floats]:
    """The most credible choices of simple exponents, best first; covariance: of the estimates."""
    factor = _upper_factor(covariance)
    if factor is None:
        return []
    chosen, nats = np.empty((1, 0)), np.zeros(1)
    for place in reversed(range(len(estimates))):
        # The distance of this exponent from where those chosen so far pull it, in standard deviations.
        pulled = (chosen - estimates[place + 1 :]) @ factor[place, place + 1 :]
        away = pulled[:, None] + factor[place, place] * (VALUES - estimates[place])
        total = nats[:, None] + 0.5 * np.square(away) + COSTS
        best = np.argsort(total, axis=None, kind="stable")[:WIDTH]
        rows, values = np.unravel_index(best, total.shape)
        chosen, nats = np.column_stack([VALUES[values], chosen[rows]]), total.ravel()[best]
    return list(chosen[:count])


def _upper_factor(covariance: Floats) -> Floats | None:
    """R with R^T R the inverse of the covariance; None where it has none."""
    if not np.all(np.isfinite(covariance)):
        return None
    try:
        lower = np.linalg.cholesky(np.linalg.inv(covariance))
    except np.linalg.LinAlgError:
        return None
    return np.asarray(lower.T)
