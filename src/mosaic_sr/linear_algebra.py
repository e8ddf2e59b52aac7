"""LAPACK behind a door: on numbers that are not finite some of its routines never return."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def solve_least_squares(design: Floats, target: Floats, rcond: float | None = None) -> Floats:
    """The coefficients (columns,) that bring design @ coefficients closest to the target; NaN where that means nothing.

    rcond: singular values below this share of the largest count as 0; None for machine precision times the size.
    """
    if not (np.all(np.isfinite(design)) and np.all(np.isfinite(target))):
        return np.full(design.shape[1], np.nan)
    return np.asarray(np.linalg.lstsq(design, target, rcond=rcond)[0])


def thin_svd(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Left vectors, singular values, right vectors of the thin decomposition; all NaN where that means nothing."""
    if not np.all(np.isfinite(matrix)):
        rows, columns = matrix.shape
        size = min(rows, columns)
        return np.full((rows, size), np.nan), np.full(size, np.nan), np.full((size, columns), np.nan)
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    return left, values, right


def singular_values(matrix: Floats) -> Floats:
    """The singular values alone, largest first; NaN where that means nothing."""
    if not np.all(np.isfinite(matrix)):
        return np.full(min(matrix.shape), np.nan)
    return np.asarray(np.linalg.svd(matrix, compute_uv=False))
