"""Where two laws are compared: the sample itself, the sample widened tenfold, and far beyond; signs are always kept."""

from __future__ import annotations

from collections.abc import Sequence

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


def stretch(sample: Columns, variables: Sequence[int], rng: np.random.Generator) -> Columns:
    """Rows in which one of the variables is far outside its sample, one row for each variable and power of ten."""
    moves = [(variable, exponent) for variable in variables for exponent in FAR_EXPONENTS]
    points = widen(choose_rows(sample, len(moves), rng), 0.5, rng)
    for row, (variable, exponent) in enumerate(moves):
        points[variable, row] *= 10.0**exponent
    return points


def to_points(columns: Columns) -> list[list[Number]]:
    """The rows in many digits, one list of values for each."""
    return [[to_number(value) for value in row] for row in columns.T.tolist()]
