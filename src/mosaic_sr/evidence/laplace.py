"""Evidence: the log probability of the rows under a law with its constants and the spread of its noise integrated out.

The constants are integrated by Laplace's method with a prior that is flat in their logarithms, so that units decide
nothing. The spread is integrated too, which matters with few rows; that of stated standard errors is near 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from mosaic_sr.evidence import general
from mosaic_sr.evidence.noise import (
    LEAST_SHARE,
    STATED_WITHIN,
    Noise,
    Scatter,
    inlier_chances,
    log_prior,
    log_prior_of_factor,
    mixture_log_likelihood,
    robust_spread,
    stated_factor,
)
from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import improve_constants
from mosaic_sr.fitting.polish import measure_point
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Codes = NDArray[np.int32]

# Width of the prior of the logarithm of a constant, both signs: a factor of twenty either way.
PRIOR_WIDTH = 6.0
# Nobody writes a constant that makes no difference: one that the rows hardly determine costs as much as one that they
# determine to a twentieth of itself.
LEAST_COST = 4.0
# Weights of proportional noise and of outliers follow the fit; so many rounds settle them.
ROUNDS = 4
SETTLED = 1e-3
# Laws come here with constants that were fitted under another noise.
MOST_ITERATIONS = 20
# Points of the integral over the spread of a noise with outliers, and how many of its standard errors they reach.
NUM_SPREADS, REACH = 25, 6.0


@dataclass(frozen=True)
class Measured:
    """The rows that evidence is measured on.

    sigma: standard errors of the target that the user states, (rows,), or None.
    rounding: standard deviation of what rounding adds to each target, (rows,).
    sides: (rows,), -1 and 1 where the target is a limit that the true one is below or above, else 0; None for values.
    are_counts: whether the targets may be counts of independent events.
    """

    rows: Rows
    sigma: Floats | None
    rounding: Floats
    sides: Floats | None = None
    are_counts: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether targets are values and columns have no errors."""
        return self.sides is None and not self.rows.has_x_sigma

    @property
    def values(self) -> Measured:
        """The rows whose target is a value."""
        return self if self.sides is None else replace(self.take(np.flatnonzero(self.sides == 0.0)), sides=None)

    def take(self, places: NDArray[np.intp]) -> Measured:
        """The rows at these places."""
        sigma, sides = (None if own is None else own[places] for own in (self.sigma, self.sides))
        return Measured(self.rows.take(places), sigma, self.rounding[places], sides, self.are_counts)

    def some(self, num_rows: int) -> Measured:
        """At most so many rows, spread over the target."""
        if self.rows.num_rows <= num_rows:
            return self
        places = np.linspace(0, self.rows.num_rows - 1, num_rows).astype(np.intp)
        places = np.argsort(self.rows.target, kind="stable")[places]
        return self.take(places)

    @property
    def weights(self) -> Floats:
        """How many rows each row stands for: (rows,)."""
        return self.rows.weights if len(self.rows.weights) else np.ones(self.rows.num_rows)


@dataclass(frozen=True)
class Evidence:
    """A fitted law and how likely it makes the rows.

    log_likelihood: log probability of the rows, constants and spread integrated out; the structure is not counted.
    spread: the common factor of the noise.  sizes: scatter of each row in units of it: (rows,).
    chances: of each row, to be no outlier: (rows,).
    num_determined: directions of the constants that the rows determine.
    triangle: triangular factor of the slopes along the free constants, over the sizes of the noise: (any, free).
    usual: root mean square of the target.  is_fixed: which constants were not fitted: (constants,).
    tied: (constants,) the number of each among the free ones, -1 for those that were not fitted.
    own_sizes: as `sizes`, without what errors of columns add; None where these have none.
    """

    expression: Expression
    log_likelihood: float
    noise: Noise
    spread: float
    sizes: Floats
    chances: Floats
    num_determined: int
    triangle: Floats
    usual: float
    is_fixed: Mask
    tied: Codes
    own_sizes: Floats | None = None

    @property
    def scatter(self) -> Scatter:
        """The noise in units of the target."""
        num_outliers = int(np.count_nonzero(self.chances < 0.5))
        if self.noise.is_of_counts:
            return Scatter(0.0, self.spread if self.noise.kind == "overdispersed" else 0.0, counts=1.0)
        if self.noise.kind == "given":
            sizes = self.sizes if self.own_sizes is None else self.own_sizes
            return Scatter(self.spread * float(np.sqrt(np.mean(np.square(sizes)))), 0.0, num_outliers)
        if self.noise.kind == "additive":
            return Scatter(self.spread * self.usual, 0.0, num_outliers)
        floor = self.noise.additive if self.noise.kind == "both" else LEAST_SHARE
        return Scatter(self.spread * floor * self.usual, self.spread, num_outliers)

    @property
    @np.errstate(all="ignore")
    def covariance(self) -> Floats:
        """Of the free constants: (free, free); NaN where the rows do not determine them."""
        sizes = np.linalg.norm(self.triangle, axis=0)
        sizes = np.where((sizes > 0.0) & np.isfinite(sizes), sizes, 1.0)
        scaled = self.triangle / sizes
        try:
            inverse = np.linalg.inv(scaled.T @ scaled)
        except np.linalg.LinAlgError:
            return np.full((self.triangle.shape[1],) * 2, np.nan)
        return np.asarray(self.spread**2 * inverse / np.outer(sizes, sizes))


@np.errstate(all="ignore")  # numerical trouble is a value
def measure_evidence(
    expression: Expression, is_fixed: Mask, measured: Measured, noise: Noise, tied: Codes | None = None
) -> Evidence | None:
    """The evidence of an expression whose constants are near their best; None where it has no finite value.

    is_fixed: (constants,) which constants are not fitted.
    tied: (constants,) numbers 0, 1, .. of the free constants, the same for those that are one constant, else -1; by
        default each is its own.
    """
    free = np.where(is_fixed, -1, np.cumsum(~is_fixed) - 1).astype(np.int32) if tied is None else tied
    if not measured.is_plain or noise.is_of_counts:
        return _general_evidence(expression, free, is_fixed, measured, noise)
    fitted = _fit(expression, free, measured, noise)
    if fitted is None:
        return None
    own, values, sizes, chances, spread, usual = fitted
    rows, weights = measured.rows, measured.weights
    shares = (rows.target - values) / sizes
    written = write_out(own)
    point = measure_point(
        written.expression, written.expression.constants, written.parameters(free), rows,
        weights * chances * np.square(usual / sizes),
    )  # fmt: skip
    num_free = int(free.max(initial=-1)) + 1
    # Squares of sizes such as 1e-200 would vanish.
    triangle = point.triangle[:, :num_free] / usual
    if not np.all(np.isfinite(triangle)):
        return None
    first = [int(np.argmax(free == number)) for number in range(num_free)]
    information = _information(triangle * np.abs(own.constants[first]))
    costs = math.log(PRIOR_WIDTH) + 0.5 * np.log(information / (2.0 * math.pi * spread**2))
    is_determined = costs > 0.0
    num_determined = int(np.count_nonzero(is_determined))
    # The spread is integrated together with the determined constants, so their information is taken without it.
    occam = float(np.sum(math.log(PRIOR_WIDTH) + 0.5 * np.log(information[is_determined] / (2.0 * math.pi))))
    occam += float(np.sum(np.maximum(LEAST_COST - np.maximum(costs, 0.0), 0.0)))
    likelihood = _integrated(shares, weights, spread, noise, num_determined, np.square(measured.rounding / sizes))
    total = likelihood - occam - float(weights @ np.log(sizes)) + log_prior(noise)
    if not math.isfinite(total):
        return None
    return Evidence(own, total, noise, spread, sizes, chances, num_determined, triangle, usual, is_fixed, free)


def _general_evidence(
    expression: Expression, free: Codes, is_fixed: Mask, measured: Measured, noise: Noise
) -> Evidence | None:
    """As `measure_evidence`, for errors of columns, limits of targets, and counts."""
    rows, weights = measured.rows, measured.weights
    usual = _usual(rows.target)
    sides = np.zeros(rows.num_rows) if measured.sides is None else measured.sides
    x_sigma = rows.x_sigma if rows.has_x_sigma else None
    problem = general.Problem(rows, weights, measured.sigma, measured.rounding, sides, x_sigma, usual)
    found = general.fitted(expression, free, problem, noise)
    if found is None:
        return None
    own, spread, seen = found.expression, found.spread, found.seen
    written, (_, precision) = write_out(own), seen.working(spread)
    point = measure_point(
        written.expression, written.expression.constants, written.parameters(free), rows,
        weights * precision * (usual * spread) ** 2,
    )  # fmt: skip
    num_free = int(free.max(initial=-1)) + 1
    triangle = point.triangle[:, :num_free] / usual
    if not np.all(np.isfinite(triangle)):
        return None
    first = [int(np.argmax(free == number)) for number in range(num_free)]
    information = _information(triangle * np.abs(own.constants[first]))
    costs = math.log(PRIOR_WIDTH) + 0.5 * np.log(information / (2.0 * math.pi * spread**2))
    num_determined = int(np.count_nonzero(costs > 0.0))
    occam = float(np.sum(np.maximum(costs, LEAST_COST)))
    total = general.integrated(found, weights, num_determined) - occam + log_prior(noise)
    if not math.isfinite(total):
        return None
    sizes, chances = seen.deviations(spread) / spread, seen.chances(spread)
    return Evidence(
        own, total, noise, spread, sizes, chances, num_determined, triangle, usual, is_fixed, free, seen.sizes
    )


def _usual(target: Floats) -> float:
    """Root mean square of the target."""
    largest = float(np.max(np.abs(target)))
    return largest * math.sqrt(float(np.mean(np.square(target / largest))))


def _fit(
    expression: Expression, parameters: Codes, measured: Measured, noise: Noise
) -> tuple[Expression, Floats, Floats, Floats, float, float] | None:
    """The expression fitted under the noise, its values, sizes of the noise, chances of inliers, spread, usual size."""
    rows, weights, own = measured.rows, measured.weights, expression
    usual = _usual(rows.target)
    num_free = int(parameters.max(initial=-1)) + 1
    chances, spread = np.ones(rows.num_rows), math.inf
    values = evaluate_expression(own, rows.columns)
    if not np.all(np.isfinite(values)):
        return None
    is_simple = noise.kind in ("additive", "given") and not noise.has_outliers
    for _ in range(1 if is_simple else ROUNDS):
        sizes = noise.sizes(values, usual, measured.sigma)
        if noise.has_outliers:
            shares = (rows.target - values) / sizes
            chances = inlier_chances(shares, robust_spread(shares, weights))
        if num_free:
            # In units of the target the weights are near 1, whatever its size.
            own_weights = weights * np.maximum(chances, 1e-6) * np.square(usual / sizes)
            if not (np.all(np.isfinite(own_weights)) and np.any(own_weights > 0.0)):
                return None  # the law is so far off that no row counts
            own = improve_constants(own, parameters, Rows(rows.columns, rows.target, own_weights), MOST_ITERATIONS)
        values = evaluate_expression(own, rows.columns)
        if not np.all(np.isfinite(values)):
            return None
        sizes = noise.sizes(values, usual, measured.sigma)
        before, spread = spread, _spread((rows.target - values) / sizes, weights, noise)
        if not spread > 0.0 or abs(before - spread) <= SETTLED * spread:
            break
    rounding = math.sqrt(float(np.average(np.square(measured.rounding / sizes), weights=weights)))
    shares = (rows.target - values) / sizes
    spread = max(spread, rounding, np.finfo(np.float64).tiny)
    if not math.isfinite(spread):
        return None
    if noise.kind == "given":
        count = float(weights.sum())
        spread = stated_factor(spread, count, max(count - num_free, 1.0))
    chances = inlier_chances(shares, spread) if noise.has_outliers else chances
    return own, values, sizes, chances, spread, usual


def _spread(shares: Floats, weights: Floats, noise: Noise) -> float:
    if noise.has_outliers:
        return robust_spread(shares, weights)
    return math.sqrt(float(np.average(np.square(shares), weights=weights)))


def _information(slopes: Floats) -> Floats:
    """Eigenvalues of the information about the logarithms of the constants, for a spread of 1: (free,)."""
    if slopes.shape[1] == 0:
        return np.empty(0)
    sizes = np.linalg.norm(slopes, axis=0)
    largest = float(sizes.max(initial=0.0))
    if not largest > 0.0:
        return np.full(slopes.shape[1], np.finfo(np.float64).tiny)
    scaled = slopes / largest
    values = np.linalg.eigvalsh(scaled.T @ scaled)
    return np.asarray(np.maximum(values, 1e-30) * largest**2)


def _integrated(
    shares: Floats, weights: Floats, spread: float, noise: Noise, num_determined: int, rounding: Floats
) -> float:
    """Log of the integral over the spread, with a prior that is flat in its logarithm, or that of stated errors."""
    count = float(weights.sum())
    to_spare = max(count - num_determined, 1.0)
    squares = max(float(weights @ (np.square(shares) + rounding)), np.finfo(np.float64).tiny)
    if not noise.has_outliers and noise.kind != "given":
        return (
            float(gammaln(0.5 * to_spare)) - math.log(2.0) - 0.5 * to_spare * math.log(0.5 * squares)
            - 0.5 * count * math.log(2.0 * math.pi)
        )  # fmt: skip
    steps = np.linspace(-REACH, REACH, NUM_SPREADS) * _width(spread, noise, to_spare)
    spreads = spread * np.exp(steps)
    if noise.has_outliers:
        logs = mixture_log_likelihood(shares, weights, spreads) + num_determined * np.log(spreads)
    else:
        logs = -to_spare * np.log(spreads) - 0.5 * squares / np.square(spreads) - 0.5 * count * math.log(2.0 * math.pi)
    if noise.kind == "given":
        logs = logs + log_prior_of_factor(spreads)
    return float(logsumexp(logs) + math.log(steps[1] - steps[0]))


def _width(spread: float, noise: Noise, to_spare: float) -> float:
    """The standard error of the logarithm of the spread."""
    if noise.kind != "given":
        return 1.0 / math.sqrt(2.0 * to_spare)
    # At the most probable factor the rows pull as hard one way as the prior pulls the other.
    pull = math.log(STATED_WITHIN) ** -2
    return 1.0 / math.sqrt(2.0 * max(to_spare + pull * math.log(spread), 0.0) + pull)
