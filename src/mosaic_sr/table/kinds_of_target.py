"""Targets that are counts or proportions: notes on what the search assumes about them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Fewer rows than this may be integers, or lie in 0..1, by chance.
LEAST_ROWS = 20
# Grades, classes and answers on a scale have fewer different values, or smaller ones, than counts.
LEAST_VALUES, LEAST_MAXIMUM = 6, 10
# From here on every float64 is a whole number.
MOST_COUNTED = 2.0**53
# A proportion that comes this near to both ends feels them; between them a law has no reason to leave 0..1.
NEAR_ZERO, NEAR_ONE = 0.05, 0.95

COUNTS = (
    "the target looks like counts: the scatter of independent events (Poisson), or more, is tried beside the other "
    "kinds of noise, and the rows decide"
)
PROPORTIONS = "the target looks like proportions: it is within 0..1, but the law may leave 0..1 outside the rows"


def notes_on_target(target: Floats, has_sigma: bool) -> list[str]:
    """At most one note; target: (rows,) in the user's units.  has_sigma: whether its standard errors are known."""
    if len(target) < LEAST_ROWS:
        return []
    if _are_counts(target):
        return [] if has_sigma else [COUNTS]
    return [PROPORTIONS] if _are_proportions(target) else []


def are_target_counts(target: Floats) -> bool:
    """Whether there are enough rows, and all of them may be counts."""
    return len(target) >= LEAST_ROWS and _are_counts(target)


def _are_counts(target: Floats) -> bool:
    if target.min() < 0 or not LEAST_MAXIMUM <= target.max() < MOST_COUNTED or np.any(target != np.floor(target)):
        return False
    return len(np.unique(target)) >= LEAST_VALUES


def _are_proportions(target: Floats) -> bool:
    return bool(0.0 <= target.min() < NEAR_ZERO and NEAR_ONE < target.max() <= 1.0)
