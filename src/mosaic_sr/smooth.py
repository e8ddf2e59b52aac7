"""A smooth function through scattered rows: a Gaussian process whose length along each column is learned.

It predicts each row from the others and knows its slopes, which is what tests of structure read.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from mosaic_sr.budget import heed_stop
from mosaic_sr.linear_algebra import solve_least_squares

Floats = NDArray[np.float64]

# Steps of resilient propagation; slopes hardly move after thirty.
STEPS = 30
FIRST_STEP, LEAST_STEP, MOST_STEP = 0.6, 1e-3, 2.0
# Lengths in units of a column's standard deviation: longer ones are straight lines, shorter ones are below the spacing.
LENGTHS = (0.03, 100.0)
FIRST_LENGTH = 2.0
# Share of noise in the variance; the least keeps the covariance invertible in float64, the most is a pure trend.
NUGGETS = (1e-9, 1.0)
FIRST_NUGGET = 1e-4


@dataclass(frozen=True, eq=False)
class Settings:
    """What is learned of a smooth function: a length for each column and the share of noise."""

    lengths: Floats
    nugget: float

    @classmethod
    def first(cls, num_columns: int) -> Settings:
        """Where learning starts."""
        # Distances grow with the number of columns, and lengths with them.
        return cls(np.full(num_columns, FIRST_LENGTH * np.sqrt(num_columns)), FIRST_NUGGET)


@dataclass(frozen=True, eq=False)
class SmoothFit:
    """A smooth function through rows.

    slopes: (columns, rows), derivatives at the rows.
    residuals: (rows,), each row minus its prediction from the others.
    deviations: (rows,), standard deviation of each prediction, up to one factor: large where a row has no neighbours.
    """

    settings: Settings
    slopes: Floats
    residuals: Floats
    deviations: Floats


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Linear algebra on one thread.

    Matrices of a few hundred rows are slower on several, and the sums would depend on their number.
    """
    limit: AbstractContextManager[object] = _threads().limit(limits=1)
    return limit


def standardised(values: Floats) -> tuple[Floats, Floats]:
    """Rows of an array with mean 0 and deviation 1, and the deviations; constant ones become 0."""
    spread = values.std(axis=-1)
    spread = np.where(spread > 0, spread, 1.0)
    return (values - values.mean(axis=-1, keepdims=True)) / np.expand_dims(spread, -1), spread


def learn(
    columns: Floats,
    target: Floats,
    start: Settings | None = None,
    steps: int = STEPS,
    variances: Floats | None = None,
) -> Settings:
    """Lengths and noise share of the greatest likelihood; columns: (columns, rows), both standardised.

    variances: of the noise in each row, up to a factor, of mean 1: (rows,); the same in all rows by default.
    """
    with one_thread():
        return _learn(columns, target, start, steps, _ones(target) if variances is None else variances)


def _ones(target: Floats) -> Floats:
    return np.ones(len(target))


def _learn(columns: Floats, target: Floats, start: Settings | None, steps: int, variances: Floats) -> Settings:
    squares = np.square(columns[:, :, None] - columns[:, None, :])
    rest = target - _trend(columns) @ solve_least_squares(_trend(columns), target)
    begin = Settings.first(len(columns)) if start is None else start
    logs = np.log(np.append(begin.lengths, begin.nugget))
    low, high = (np.log(np.append(np.full(len(columns), LENGTHS[i]), NUGGETS[i])) for i in (0, 1))
    step, before = np.full(len(logs), FIRST_STEP), np.zeros(len(logs))
    for _ in range(steps):
        heed_stop()
        uphill = _likelihood_slope(squares, rest, logs, variances)
        agrees = uphill * before
        step = np.clip(np.where(agrees > 0, 1.2, np.where(agrees < 0, 0.5, 1.0)) * step, LEAST_STEP, MOST_STEP)
        before = np.where(agrees < 0, 0.0, uphill)
        logs = np.clip(logs + np.sign(before) * step, low, high)
        if np.all(step < 10 * LEAST_STEP):
            break
    return Settings(np.exp(logs[:-1]), float(np.exp(logs[-1])))


def _likelihood_slope(squares: Floats, target: Floats, logs: Floats, variances: Floats) -> Floats:
    """Derivative of the likelihood, its variance profiled out, along log lengths and log noise share."""
    precisions, nugget = np.exp(-2.0 * logs[:-1]), np.exp(logs[-1])
    kernel = np.exp(-0.5 * np.tensordot(precisions, squares, axes=1))
    inverse = np.linalg.inv(kernel + nugget * np.diag(variances))
    weights = inverse @ target
    variance = max(float(target @ weights) / len(target), np.finfo(np.float64).tiny)
    pull = np.outer(weights, weights / variance) - inverse
    slopes = 0.5 * precisions * np.tensordot(squares, pull * kernel, axes=2)
    return np.append(slopes, 0.5 * nugget * float(np.diag(pull) @ variances))


def log_likelihood(
    columns: Floats,
    target: Floats,
    settings: Settings,
    variances: Floats | None = None,
    width: float | None = None,
) -> float:
    """Log probability of the rows under the smooth function, variance at its best; as in `learn`.

    width: of the flat prior over which each number of the trend is integrated; by default they are at their best, too.
    """
    with one_thread():
        trend = _trend(columns)
        rest = target - trend @ solve_least_squares(trend, target)
        scaled = columns / settings.lengths[:, None]
        squares = np.square(scaled[:, :, None] - scaled[:, None, :]).sum(axis=0)
        noise = np.diag(_ones(target) if variances is None else variances)
        factor = np.linalg.cholesky(np.exp(-0.5 * squares) + settings.nugget * noise)
        whitened = np.linalg.solve(factor, rest)
        variance = max(float(whitened @ whitened) / len(target), np.finfo(np.float64).tiny)
        along = np.linalg.solve(factor, trend)
    count = len(target)
    best = float(-0.5 * count * (np.log(2.0 * np.pi * variance) + 1.0) - np.log(np.diag(factor)).sum())
    if width is None:
        return best
    information = np.linalg.slogdet(along.T @ along / (2.0 * np.pi * variance))[1]
    return best - float(trend.shape[1] * np.log(width)) - 0.5 * float(information)


def fit_smooth(columns: Floats, target: Floats, settings: Settings) -> SmoothFit:
    """The smooth function with these settings; columns: (columns, rows), both standardised."""
    with one_thread():
        return _fit(columns, target, settings)


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Rows without most of their noise.

    values: (rows,), the smooth function.  distances: (rows,), of each row from its prediction from the others, in
    standard deviations of that prediction.  noise: variance of the noise that was taken.
    share: of the noise's variance that the values still have.
    """

    values: Floats
    distances: Floats
    noise: float
    share: float


def smoothed(columns: Floats, target: Floats, settings: Settings, variances: Floats | None = None) -> Smoothed:
    """The smooth function at the rows; columns, target and variances as in `learn`."""
    variances = _ones(target) if variances is None else variances
    with one_thread():
        trend = _trend(columns)
        rest = target - trend @ solve_least_squares(trend, target)
        inverse = np.linalg.inv(_kernel(columns, settings) + settings.nugget * np.diag(variances))
    weights, precisions = inverse @ rest, np.diag(inverse)
    variance = max(float(rest @ weights) / len(rest), np.finfo(np.float64).tiny)
    noises = settings.nugget * variances
    return Smoothed(
        target - noises * weights,
        weights / np.sqrt(variance * precisions),
        settings.nugget * variance,
        1.0 - float(np.mean(noises * precisions)),
    )


def _kernel(columns: Floats, settings: Settings) -> Floats:
    """Covariances of the rows, without noise: (rows, rows)."""
    scaled = columns / settings.lengths[:, None]
    sizes = np.square(scaled).sum(axis=0)
    return np.asarray(np.exp(np.minimum(scaled.T @ scaled - 0.5 * (sizes[:, None] + sizes), 0.0)))


def _fit(columns: Floats, target: Floats, settings: Settings) -> SmoothFit:
    trend = _trend(columns)
    straight = solve_least_squares(trend, target)
    rest = target - trend @ straight
    scaled = columns / settings.lengths[:, None]
    squares = np.square(scaled[:, :, None] - scaled[:, None, :]).sum(axis=0)
    kernel = np.exp(-0.5 * squares)
    inverse = np.linalg.inv(kernel + settings.nugget * np.eye(len(target)))
    weights = inverse @ rest
    # d/du sum_m w_m k(u, u_m) = sum_m w_m k(u, u_m) (u_m - u) / length^2
    bent = (kernel @ (weights * scaled).T).T - scaled * (kernel @ weights)
    slopes = straight[1:, None] + bent / settings.lengths[:, None]
    precisions = np.diag(inverse)
    with np.errstate(invalid="ignore", divide="ignore"):
        return SmoothFit(settings, slopes, weights / precisions, 1.0 / np.sqrt(precisions))


def _trend(columns: Floats) -> Floats:
    """A constant and the columns: (rows, columns + 1)."""
    return np.column_stack([np.ones(columns.shape[1]), columns.T])
