"""What a law leaves of a table, as the encoder reads it beside the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NUM_RESIDUAL_FEATURES = 3
# Below this share of the target's variance everything is rounding.
LEAST_NMSE = 1e-16


def residual_features(target: Floats, values: Floats) -> NDArray[np.float32]:
    """Features of each row: (rows, 3).

    The residual in the units in which the rows show the target; over its own median size, squashed; and how much of the
    variance it leaves, by decades, the same in every row.
    """
    largest = float(np.abs(target).max()) or 1.0
    sign = -1.0 if np.median(target) < 0.0 else 1.0
    residual = sign * (target - values)
    middle = max(float(np.median(np.abs(residual))), 1e-300)
    variance = float(np.var(target)) or 1.0
    left = float(np.mean((residual / np.sqrt(variance)) ** 2))
    level = np.full(len(target), np.log10(np.clip(left, LEAST_NMSE, 1e4)) / 4.0)
    shown = np.clip(residual / largest, -10.0, 10.0)
    squashed = np.arcsinh(np.clip(residual / middle, -1e6, 1e6)) / 2.0
    return np.stack([shown, squashed, level], axis=-1).astype(np.float32)
