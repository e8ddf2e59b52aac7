"""Where two laws are compared: the sample itself, the sample widened tenfold, and far beyond; signs are always kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.verify.arithmetic import Number, to_number

Columns = NDArray[np.float64]

# Powers of ten by which one variable at a time leaves the sample, so that every term comes to matter somewhere.
FAR_EXPONENTS = (-40, -30, -20, -12, -6, -3, 3, 6, 12, 20, 30, 40)


def choose_rows(sample: Columns, count: int, rng: np.random.Generator) -> Columns:
    """`count` rows of the sample in random order, repeated when there are fewer: (columns, count)."""
    order = rng.permutation(sample.shape[1])
    return sample[:, np.resize(order, count)]


def widen(sample: Columns, decades: float, rng: np.random.Generator) -> Columns:
    """Every value of the sample times a random factor within so many decades, its sign kept."""
    return sample * 10.0 ** rng.uniform(-decades, decades, sample.shape)


def stretch(sample: Columns, variable: int, rng: np.random.Generator) -> tuple[Columns, Columns]:
    """Rows near the sample, and the same rows with one variable far outside, one for each power of ten."""
    near = widen(choose_rows(sample, len(FAR_EXPONENTS), rng), 0.5, rng)
    far = near.copy()
    far[variable] *= 10.0 ** np.array(FAR_EXPONENTS)
    return near, far


def to_points(columns: Columns) -> list[list[Number]]:
    """The rows in many digits, one list of values for each."""
    return [[to_number(value) for value in row] for row in columns.T.tolist()]
