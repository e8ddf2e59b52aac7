"""The compiled loops that keep unusable and repeated entries out of a library.

Machine code is made again when a file changes that its source imports, so this file imports little.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import compiled

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# Where two rows outweigh all others by more than this, the others are lost in rounding and all such columns are alike.
LEAST_BALANCE = 1e-5


@compiled("void(float64[:, ::1], boolean[::1])")
def mark_balanced(values: Floats, balanced: Bools) -> None:
    """Write whether the third largest deviation from the middle value is a fair share of the largest."""
    num_rows = values.shape[1]
    deviations = np.empty(3)
    for column in range(len(values)):
        ordered = np.sort(values[column])
        middle = ordered[num_rows // 2]
        # The largest deviations are at both ends.
        low, high = 0, num_rows - 1
        for rank in range(3):
            below, above = middle - ordered[low], ordered[high] - middle
            deviations[rank] = max(below, above)
            low, high = (low + 1, high) if below > above else (low, high - 1)
        balanced[column] = deviations[2] > LEAST_BALANCE * deviations[0]


@compiled("void(int64[::1], int64[::1], boolean[::1])")
def claim(seen: NDArray[np.int64], keys: NDArray[np.int64], is_new: Bools) -> None:
    """Look each key up in the open table `seen`, whose length is a power of two and whose free places hold 0."""
    mask = len(seen) - 1
    for index in range(len(keys)):
        key = keys[index]
        place = key & mask
        while seen[place] != 0 and seen[place] != key:
            place = (place + 1) & mask
        is_new[index] = seen[place] == 0
        seen[place] = key
