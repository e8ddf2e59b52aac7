"""How far predictions are from the truth on test rows, and the two published criteria of numerical recovery."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# The published criteria: SRSD-Feynman counts a test R2 above this, the six classic sets a test NMSE below this.
R2_ABOVE = 0.999
NMSE_BELOW = 1e-6


def nmse(target: Floats, prediction: Floats) -> float:
    """Mean squared error over the variance of the target; NaN when any value is not finite.

    A constant target has no variance: the result is 0 where it is met exactly, else infinite.
    """
    if not (np.isfinite(target).all() and np.isfinite(prediction).all()):
        return float("nan")
    # Squares of physical targets reach 1e77 and 1e-76: scale both by one power of two, then each part by its largest.
    exponent = -int(np.frexp(np.max(np.abs(target), initial=0.0))[1])
    with np.errstate(over="ignore"):
        scaled_target, scaled_prediction = np.ldexp(target, exponent), np.ldexp(prediction, exponent)
        error, error_scale = _over_largest(scaled_target - scaled_prediction)
        spread, spread_scale = _over_largest(scaled_target - np.mean(scaled_target))
        if error_scale == 0.0:
            return 0.0
        if spread_scale == 0.0 or not np.isfinite(error_scale):
            return float("inf")
        ratio = np.float64(error_scale / spread_scale)
        return float(np.square(ratio) * (np.mean(np.square(error)) / np.mean(np.square(spread))))


def is_accurate(suite: str, r2: float | None, nmse: float | None) -> bool:
    """Whether a run counts as numerically recovered under the criterion published for its suite."""
    if suite.startswith("srsd"):
        return r2 is not None and r2 > R2_ABOVE
    return nmse is not None and nmse < NMSE_BELOW


def _over_largest(values: Floats) -> tuple[Floats, float]:
    """The values divided by the largest magnitude among them, and that magnitude."""
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0.0 or not np.isfinite(largest):
        return values, largest
    return values / largest, largest
