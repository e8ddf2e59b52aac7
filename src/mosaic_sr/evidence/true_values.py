"""What errors of columns do to the value of a law: its mean and variance over the true values of each row."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression

Floats = NDArray[np.float64]

# Places and weights of an integral over a normal distribution that is exact up to the fifth power.
REACH, CENTRE, SIDE = math.sqrt(3.0), 2.0 / 3.0, 1.0 / 6.0


@np.errstate(all="ignore")
def moments(law: Expression, columns: Floats, x_sigma: Floats | None, values: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the law in each row over the true values of its columns: (rows,) both.

    columns, x_sigma: (columns, rows), means and standard deviations of the true values; None where they are known.
    values: of the law at `columns`. Each column is integrated alone: products of the errors of two are left out.
    """
    mean, variance = values.copy(), np.zeros(len(values))
    if x_sigma is None:
        return mean, variance
    for column in law.columns:
        errors = x_sigma[column]
        if not np.any(errors > 0.0):
            continue
        low, high = (_at(law, columns, column, columns[column] + side * REACH * errors) for side in (-1.0, 1.0))
        # Beyond the domain of the law, as below 0 of a logarithm, it goes on as straight as on the other side.
        low, high = (
            np.where(np.isfinite(low), low, 2.0 * values - high),
            np.where(np.isfinite(high), high, 2.0 * values - low),
        )
        shift = SIDE * (low + high - 2.0 * values)
        own = SIDE * (np.square(low - values) + np.square(high - values)) - np.square(shift)
        mean += np.where(np.isfinite(shift), shift, 0.0)
        variance += np.where(np.isfinite(own), np.maximum(own, 0.0), 0.0)
    return mean, variance


def _at(law: Expression, columns: Floats, column: int, values: Floats) -> Floats:
    moved = columns.copy()
    moved[column] = values
    return evaluate_expression(law, moved)
