"""Rows without most of their noise, for finders that take logarithms, roots, reciprocals or null vectors of the target.

Noise biases whatever is curved in the target. A smooth function through many noisy rows has a fraction of their noise
and knows no form: what a finder reads off its values starts a fit to the rows themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.smooth import Settings, Smoothed, learn, log_likelihood, smoothed, standardised
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

# Settings are learned on the first rows; the function goes through all. The time grows with the cube of their number:
# half a second for 1,000.
ROWS_TO_LEARN, MOST_SMOOTHED = 200, 1000
# Rows further than this from their prediction, in its standard deviations, are left out: chance gives one in a million.
FARTHEST = 5.0
# Noise below this share of the target's variance, 1 % of its deviation, hardly biases a logarithm.
LEAST_NOISE = 1e-4
# Smooth values are of use where half of the noise or more is gone: a quarter of its variance is left.
MOST_LEFT = 0.25


@dataclass(frozen=True, eq=False)
class SmoothedRows:
    """Rows as they were measured and on a smooth function; outliers are in neither.

    error: standard deviation of the smooth values, if the law is as smooth as they are.
    """

    measured: Rows
    smooth: Rows
    error: float


def smooth_rows(rows: Rows) -> SmoothedRows | None:
    """The rows on a smooth function; None where that takes little noise."""
    smooth = _smoothed(rows)
    near = _near(smooth)
    if len(near) < rows.num_rows:
        # Outliers also misled what was learned.
        rows = rows.take(near)
        smooth = _smoothed(rows)
    target, spread = standardised(rows.target)
    if smooth.noise < LEAST_NOISE or smooth.share > MOST_LEFT:
        return None
    values = np.asarray(rows.target + spread * (smooth.values - target))
    return SmoothedRows(rows, replace(rows, target=values), float(spread * np.sqrt(smooth.noise * smooth.share)))


def drop_outliers(rows: Rows) -> Rows:
    """The rows that are near a smooth function through the others."""
    return rows.take(_near(_smoothed(rows)))


def _near(smooth: Smoothed) -> NDArray[np.intp]:
    return np.flatnonzero(np.abs(smooth.distances) <= FARTHEST)


def _smoothed(rows: Rows) -> Smoothed:
    target, variances = standardised(rows.target)[0], noise_variances(rows)
    columns, settings = _coordinates(rows, target, variances)
    return smoothed(columns, target, settings, variances)


def noise_variances(rows: Rows) -> Floats:
    """Variances of the noise in the rows, up to a factor, of mean 1."""
    return np.square(rows.sigma) / np.mean(np.square(rows.sigma)) if rows.has_sigma else np.ones(rows.num_rows)


def _coordinates(rows: Rows, target: Floats, variances: Floats) -> tuple[Floats, Settings]:
    """The columns, or the logarithms of those that are positive, whichever is more likely; and what was learned."""
    is_positive = np.all(rows.columns > 0, axis=1)
    plain = standardised(rows.columns)[0]
    # The number 1 stands for a column that has no logarithm.
    logs = standardised(np.log(np.where(is_positive[:, None], rows.columns, 1.0)))[0]
    choices = [plain] + ([np.where(is_positive[:, None], logs, plain)] if np.any(is_positive) else [])
    some = slice(0, ROWS_TO_LEARN)
    learned = [(columns, learn(columns[:, some], target[some], variances=variances[some])) for columns in choices]
    return max(learned, key=lambda each: log_likelihood(each[0][:, some], target[some], each[1], variances[some]))
