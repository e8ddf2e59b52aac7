"""The log likelihood of each row under a law: normal scatter, outliers, errors of columns, limits and counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, log_ndtr, xlogy

from mosaic_sr.evidence.noise import (
    OUTLIER_SHARE,
    OUTLIER_SPREAD,
    Noise,
    inlier_chances,
    log_density_of_outliers,
)

Floats = NDArray[np.float64]

LOG_ROOT = 0.5 * math.log(2.0 * math.pi)
# A law of counts that is not above 0 expects at least this many: a thousandth of an event.
LEAST_COUNT = 1e-3
# Scatter beyond that of counts below this share of the value is none.
NO_MORE = 1e-6


@dataclass(frozen=True)
class Seen:
    """What is known of the rows before the size of the noise.

    mean, variance: of the law over the true values of its columns.  target: values, and limits where `sides` is not 0.
    sizes: of the noise up to its common factor.  rounding: standard deviation of what rounding adds.  All (rows,).
    """

    noise: Noise
    target: Floats
    mean: Floats
    variance: Floats
    sizes: Floats
    rounding: Floats
    sides: Floats

    def deviations(self, spread: float) -> Floats:
        """The standard deviation of each target about the mean of the law: (rows,)."""
        if self.noise.is_of_counts:
            expected = np.maximum(self.mean, LEAST_COUNT)
            return np.sqrt(expected + self._beyond_counts(spread))
        if self.noise.kind == "given":
            return np.hypot(spread * np.hypot(self.sizes, np.sqrt(self.variance)), self.rounding)
        return np.sqrt(np.square(spread * self.sizes) + self.variance + np.square(self.rounding))

    def _beyond_counts(self, spread: float) -> Floats:
        """Variance beyond that of counts: (rows,)."""
        own = np.square(spread * self.mean) if self.noise.kind == "overdispersed" else 0.0
        return self.variance + own

    @np.errstate(all="ignore")
    def log_likelihoods(self, spread: float) -> Floats:
        """Of each row for a common factor of the noise: (rows,)."""
        deviations = self.deviations(spread)
        shares = (self.target - self.mean) / deviations
        plain = self._of_counts(spread) if self.noise.is_of_counts else self._of_shares(shares) - np.log(deviations)
        return np.where(self.sides == 0.0, plain, self._of_limits(-self.sides * shares))

    def _of_shares(self, shares: Floats) -> Floats:
        squares = 0.5 * np.square(shares)
        if not self.noise.has_outliers:
            return -squares - LOG_ROOT
        return np.logaddexp(math.log(1.0 - OUTLIER_SHARE) - squares, log_density_of_outliers(squares)) - LOG_ROOT

    def _of_limits(self, within: Floats) -> Floats:
        """Log probability to be beyond a limit; within: how many deviations the mean of the law is beyond it."""
        inside = log_ndtr(within)
        if not self.noise.has_outliers:
            return np.asarray(inside)
        # Of Cauchy's distribution.
        outside = math.log(OUTLIER_SHARE / math.pi) + np.log(np.arctan2(1.0, -within / OUTLIER_SPREAD))
        return np.asarray(np.logaddexp(math.log(1.0 - OUTLIER_SHARE) + inside, outside))

    def _of_counts(self, spread: float) -> Floats:
        """Poisson's distribution, or the negative binomial one where there is more scatter."""
        expected = np.maximum(self.mean, LEAST_COUNT)
        poisson = xlogy(self.target, expected) - expected - gammaln(self.target + 1.0)
        beyond = self._beyond_counts(spread)
        shape = np.square(expected) / np.maximum(beyond, NO_MORE**2 * np.square(expected))
        wider = (
            gammaln(self.target + shape) - gammaln(shape) - gammaln(self.target + 1.0)
            - shape * np.log1p(expected / shape) + xlogy(self.target, expected / (shape + expected))
        )  # fmt: skip
        return np.asarray(np.where(beyond > NO_MORE * expected, wider, poisson))

    def chances(self, spread: float) -> Floats:
        """The chance of each row to be no outlier; 1 for limits: (rows,)."""
        if not self.noise.has_outliers:
            return np.ones(len(self.target))
        found = inlier_chances((self.target - self.mean) / self.deviations(spread), 1.0)
        return np.where(self.sides == 0.0, found, 1.0)

    @np.errstate(all="ignore")
    def working(self, spread: float) -> tuple[Floats, Floats]:
        """Targets and weights of the least squares whose step is Newton's on the likelihood: (rows,) both.

        A value is its own target. A limit that the law is well beyond has no weight, one that it misses pulls.
        """
        deviations = self.deviations(spread)
        weights = self.chances(spread) / np.square(deviations)
        if not np.any(self.sides):
            return self.target, weights
        within = self.sides * (self.mean - self.target) / deviations
        # Mills's ratio: the derivative of the log probability.
        pull = np.exp(-0.5 * np.square(within) - LOG_ROOT - log_ndtr(within))
        curvature = np.clip(pull * (pull + within), 1e-9, 1.0)
        moved = self.mean + self.sides * deviations * pull / curvature
        is_limit = self.sides != 0.0
        return np.where(is_limit, moved, self.target), np.where(is_limit, curvature / np.square(deviations), weights)
