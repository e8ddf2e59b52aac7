"""Powers over the first `count` rows of a block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import POINTER, compiled

Floats = NDArray[np.float64]


@compiled(f"void({POINTER}, {POINTER}, {POINTER}, int64)")
def power_rows_rows_block(a: Floats, b: Floats, out: Floats, count: int) -> None:
    """Write a[i] ** b[i]."""
    for row in range(count):
        out[row] = a[row] ** b[row]


@compiled(f"void(float64, {POINTER}, {POINTER}, int64)")
def power_number_rows_block(a: float, b: Floats, out: Floats, count: int) -> None:
    """Write a ** b[i]."""
    for row in range(count):
        out[row] = a ** b[row]


@compiled(f"void({POINTER}, float64, {POINTER}, int64)")
def power_rows_number_block(a: Floats, b: float, out: Floats, count: int) -> None:
    """Write a[i] ** b; small integer exponents by multiplication, which stays within 2 ulp for these."""
    if b == 2.0:
        for row in range(count):
            out[row] = a[row] * a[row]
    elif b == 3.0:
        for row in range(count):
            out[row] = a[row] * a[row] * a[row]
    elif b == 4.0:
        for row in range(count):
            out[row] = (a[row] * a[row]) * (a[row] * a[row])
    elif b == 1.0:
        for row in range(count):
            out[row] = a[row]
    elif b == -1.0:
        for row in range(count):
            out[row] = 1.0 / a[row]
    elif b == -2.0:
        for row in range(count):
            out[row] = 1.0 / (a[row] * a[row])
    else:
        for row in range(count):
            out[row] = a[row] ** b
