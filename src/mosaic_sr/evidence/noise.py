"""The noise model: how the scatter of the target depends on its size, and whether some rows are outliers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import wrightomega

from mosaic_sr.kernel.jit import FLOATS, compiled

Floats = NDArray[np.float64]
NoiseKind = Literal["additive", "proportional", "both", "given", "poisson", "overdispersed"]

# Half of all outliers are this many times as far off as other rows, or farther: their distances have Cauchy's
# distribution, whose long tail does not ask where a gross error ends. Where scatter is a share of the value, an outlier
# that is small beside the largest target may be a million times the scatter of the smallest ones.
OUTLIER_SPREAD = 20.0
# The share of rows that are outliers where there are any: the usual figure for data that nobody has cleaned.
OUTLIER_SHARE = 0.05
# Values this far below the usual size scatter no less: no instrument is exact at zero.
LEAST_SHARE = 1e-3
# Stated standard errors are right within about this factor: the width of the log-normal prior of their common factor.
STATED_WITHIN = 1.5
# Where targets are counts, their noise is as likely that of independent events as any other.
OF_COUNTS = {"poisson": 0.75, "overdispersed": 0.25}
# Additive parts that are tried beside a proportional one, in shares of the root mean square of the target.
ADDITIVE_SHARES = (0.03, 0.1, 0.3)
# Log density of an outlier beside that of another row, where both are at the law.
OUTLIER_AT_LAW = math.log(OUTLIER_SHARE / OUTLIER_SPREAD) + 0.5 * math.log(2.0 / math.pi)
# Half the square of a distance from the law in units of the scatter: beyond, it overflows.
FARTHEST = 1e300
# A spread is known to a share of one over the root of twice the rows; steps below this change no evidence that is told.
SETTLED_SPREAD = 1e-5


@dataclass(frozen=True)
class Noise:
    """The scatter of each row, up to one factor for all rows.

    kind: `additive` is the same in all rows, `proportional` a share of the law's value, `both` their sum, and `given`
        are the standard errors that the user states, whose common factor is near 1. Of counts, `poisson` is the scatter
        of independent events, and `overdispersed` has a share of the value beside it.
    additive: of `both`, the additive part as a share of the root mean square of the target.
    has_outliers: whether a few rows are far off.
    """

    kind: NoiseKind = "additive"
    additive: float = 0.0
    has_outliers: bool = False

    @property
    def is_of_counts(self) -> bool:
        return self.kind in ("poisson", "overdispersed")

    def sizes(self, values: Floats, usual: float, sigma: Floats | None) -> Floats:
        """The scatter of the rows in units of one common factor: (rows,).

        values: of the law.  usual: root mean square of the target.  sigma: the user's standard errors.
        """
        if self.kind == "given" and sigma is not None:
            return sigma
        if self.is_of_counts:
            return np.sqrt(np.maximum(values, 1.0))
        if self.kind == "additive":
            return np.full(len(values), usual)
        floor = usual * (self.additive if self.kind == "both" else LEAST_SHARE)
        return np.hypot(values, floor)


@dataclass(frozen=True)
class Scatter:
    """How far rows lie from a law: the standard deviation is hypot(absolute, relative * value).

    num_outliers: rows that are farther off than this explains.
    counts: of counts, the variance of independent events in units of the value: 1; else 0.
    """

    absolute: float
    relative: float = 0.0
    num_outliers: int = 0
    counts: float = 0.0

    def deviations(self, values: Floats) -> Floats:
        """Standard deviation of rows about values of the law: (rows,)."""
        plain = np.hypot(self.absolute, self.relative * values)
        return np.hypot(plain, np.sqrt(self.counts * np.abs(values))) if self.counts > 0.0 else plain


def noises_to_try(is_given: bool, are_counts: bool = False) -> tuple[Noise, ...]:
    """All noise models, without and with outliers; where the user states errors, only these.

    are_counts: whether the targets may be counts of independent events.
    """
    plain = (
        [Noise("given")]
        if is_given
        else [Noise(), Noise("proportional"), *(Noise("both", share) for share in ADDITIVE_SHARES)]
    )
    of_counts = [Noise("poisson"), Noise("overdispersed")] if are_counts and not is_given else []
    return (*plain, *(Noise(noise.kind, noise.additive, has_outliers=True) for noise in plain), *of_counts)


def log_prior(noise: Noise) -> float:
    """Log of how likely a noise model is before any row is read: additive is usual, outliers are not."""
    kinds = {"additive": 0.5, "proportional": 0.35, "both": 0.15 / len(ADDITIVE_SHARES), "given": 1.0, **OF_COUNTS}
    return math.log(kinds[noise.kind] * (0.15 if noise.has_outliers else 0.85))


def log_prior_of_factor(factors: Floats) -> Floats:
    """Log density, in their logarithms, of common factors of stated standard errors: log-normal about 1."""
    width = math.log(STATED_WITHIN)
    return np.asarray(-0.5 * np.square(np.log(factors) / width) - math.log(width * math.sqrt(2.0 * math.pi)))


def stated_factor(spread: float, count: float, to_spare: float) -> float:
    """The most probable common factor of stated standard errors.

    spread: the factor that fits best, of so many rows.  to_spare: rows beyond those that constants take up.
    """
    # With t = log(factor) and the width w of its prior, count * (spread / factor)² - to_spare = t / w², which Wright's
    # omega function solves without overflow.
    squared = math.log(STATED_WITHIN) ** 2
    argument = math.log(2.0 * squared * count) + 2.0 * math.log(spread) + 2.0 * to_spare * squared
    return math.exp(0.5 * float(wrightomega(argument)) - to_spare * squared)


def inlier_chances(shares: Floats, spread: float) -> Floats:
    """The chance of each row to be no outlier: (rows,); shares: residuals over the sizes of the noise."""
    squares = 0.5 * np.square(shares / spread)
    odds_off = log_density_of_outliers(squares) - math.log(1.0 - OUTLIER_SHARE) + np.minimum(squares, FARTHEST)
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(odds_off, 700.0))))


def log_density_of_outliers(squares: Floats) -> Floats:
    """Log density of the rows as outliers, times their share, up to the factor that a normal distribution has.

    squares: half the squared distances from the law in units of the scatter.
    """
    return np.asarray(OUTLIER_AT_LAW - np.log1p(2.0 / OUTLIER_SPREAD**2 * np.minimum(squares, FARTHEST)))


def robust_spread(shares: Floats, weights: Floats) -> float:
    """The common factor of the noise, estimated without the rows that are far off."""
    return float(_settle_spread(shares, weights, 1.4826 * float(np.median(np.abs(shares)))))


@compiled(f"float64({FLOATS}, {FLOATS}, float64)")
def _settle_spread(shares: Floats, weights: Floats, spread: float) -> float:
    """The root of the mean square of the rows, each by its chance to be no outlier, from a first guess of it."""
    odds = OUTLIER_AT_LAW - math.log(1.0 - OUTLIER_SHARE)
    for _ in range(8):
        if not spread > 0.0:
            break
        total, count = 0.0, 0.0
        for row in range(len(shares)):
            squares = min(0.5 * (shares[row] / spread) ** 2, FARTHEST)
            off = odds + squares - math.log1p(2.0 / OUTLIER_SPREAD**2 * squares)
            kept = weights[row] / (1.0 + math.exp(min(off, 700.0)))
            total += kept * shares[row] ** 2
            count += kept
        before, spread = spread, math.sqrt(total / count)
        if abs(spread - before) <= SETTLED_SPREAD * before:
            break
    return spread


def mixture_log_likelihood(shares: Floats, weights: Floats, spreads: Floats) -> Floats:
    """Log likelihood of the rows for several common factors of the noise, outliers included: (spreads,)."""
    squares = 0.5 * np.square(shares[:, None] / spreads)
    inlier = math.log(1.0 - OUTLIER_SHARE) - squares
    rows = np.logaddexp(inlier, log_density_of_outliers(squares)) - np.log(spreads) - 0.5 * math.log(2.0 * math.pi)
    return np.asarray(weights @ rows)
