"""Evidence of rows with errors of columns, with limits of targets, or of counts.

As in `laplace`, but no part of the likelihood has a closed form: the size of the noise is sought and integrated by
numbers, and constants are fitted by least squares to targets and weights that follow the law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from mosaic_sr.evidence.noise import Noise, log_prior_of_factor
from mosaic_sr.evidence.row_likelihood import Seen
from mosaic_sr.evidence.true_values import moments
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import FitConfig, fit_parameters
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

# Rounds of fits; limits settle slowly where many rows have them.
ROUNDS = 12
# A fit has settled where the log likelihood gains less.
SETTLED = 1e-3
# Polished, because a fit of linear constants alone stays where it is if it would gain less than a tenth.
BRIEF = FitConfig(starts=1, draws_per_start=1, max_iterations=20)
# Noise below this share of what the law leaves over is none: the errors of columns explain all of it.
LEAST_SPREAD = 1e-3
# Shares of the value by which counts may scatter beyond independent events: one in a thousand, to three times it.
OVERDISPERSED = (1e-3, 3.0)
# Points of the integral over the spread, and how many of its standard errors they reach.
NUM_SPREADS, REACH = 25, 6.0
# Steps by which the best spread is bracketed and narrowed down: to a thousandth.
GOLDEN, NUM_STEPS = 0.5 * (math.sqrt(5.0) - 1.0), 24


@dataclass(frozen=True)
class Problem:
    """Rows to explain, all arrays (rows,) but the columns and their errors: (columns, rows).

    sides: 0 for values, -1 and 1 for limits.  x_sigma: None where columns have no errors.
    """

    rows: Rows
    weights: Floats
    sigma: Floats | None
    rounding: Floats
    sides: Floats
    x_sigma: Floats | None
    usual: float


@dataclass(frozen=True)
class Fitted:
    """A law fitted under a noise; spread: the most probable common factor of the noise."""

    expression: Expression
    seen: Seen
    spread: float
    log_likelihood: float


def fitted(expression: Expression, parameters: Codes, problem: Problem, noise: Noise) -> Fitted | None:
    """The law with the constants under which the rows are likeliest; None where it has no finite values."""
    best: Fitted | None = None
    present, num_free = expression, int(parameters.max(initial=-1)) + 1
    for _ in range(ROUNDS if num_free else 1):
        found = _measured(present, problem, noise)
        if found is None:
            break
        gain = math.inf if best is None else found.log_likelihood - best.log_likelihood
        best = found if gain > 0.0 else best
        if gain < SETTLED or not num_free:
            break
        target, weights = found.seen.working(found.spread)
        values = evaluate_expression(present, problem.rows.columns)
        # In units of the target the weights are near 1, whatever its size.
        own = problem.weights * weights * problem.usual**2
        if not (np.all(np.isfinite(own)) and np.all(np.isfinite(target)) and np.any(own > 0.0)):
            break
        # The law is fitted at the mean of the true values; what its curve adds is taken from the target.
        rows = Rows(problem.rows.columns, target - (found.seen.mean - values), own)
        present = fit_parameters(present, parameters, rows, BRIEF).expression
    return best


def _measured(law: Expression, problem: Problem, noise: Noise) -> Fitted | None:
    values = evaluate_expression(law, problem.rows.columns)
    if not np.all(np.isfinite(values)):
        return None
    mean, variance = moments(law, problem.rows.columns, problem.x_sigma, values)
    sizes = noise.sizes(mean, problem.usual, problem.sigma)
    seen = Seen(noise, problem.rows.target, mean, variance, sizes, problem.rounding, problem.sides)
    score = scorer(seen, problem.weights)
    spread = _best_spread(score, seen)
    found = score(spread)
    return Fitted(law, seen, spread, found) if math.isfinite(found) else None


def scorer(seen: Seen, weights: Floats) -> Callable[[float], float]:
    """The log likelihood of all rows for a common factor of the noise, with the prior of stated errors."""

    def score(spread: float) -> float:
        total = float(weights @ seen.log_likelihoods(spread))
        return total + float(log_prior_of_factor(np.array([spread]))[0]) if seen.noise.kind == "given" else total

    return score


def _bounds(seen: Seen) -> tuple[float, float]:
    """Between which factors the noise is sought."""
    if seen.noise.kind == "overdispersed":
        return OVERDISPERSED
    is_value = seen.sides == 0.0
    shares = np.abs(seen.target - seen.mean)[is_value] / seen.sizes[is_value]
    largest = max(float(np.sqrt(np.mean(np.square(shares)))), np.finfo(np.float64).tiny)
    least = max(LEAST_SPREAD * largest, float(np.median(seen.rounding / seen.sizes)))
    return (min(least, 0.03), max(3.0 * largest, 3.0)) if seen.noise.kind == "given" else (least, 3.0 * largest)


def _best_spread(score: Callable[[float], float], seen: Seen) -> float:
    """The most probable common factor of the noise, by golden sections of its logarithm."""
    if seen.noise.kind == "poisson":
        return 1.0
    low, high = map(math.log, _bounds(seen))
    first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_first, at_second = score(math.exp(first)), score(math.exp(second))
    for _ in range(NUM_STEPS):
        if at_first > at_second:
            high, second, at_second = second, first, at_first
            first = high - GOLDEN * (high - low)
            at_first = score(math.exp(first))
        else:
            low, first, at_first = first, second, at_second
            second = low + GOLDEN * (high - low)
            at_second = score(math.exp(second))
    return math.exp(0.5 * (low + high))


def integrated(found: Fitted, weights: Floats, num_determined: int) -> float:
    """Log of the integral over the spread of the likelihood, and of the volume of the determined constants over that at
    the best spread.
    """
    score = scorer(found.seen, weights)
    if found.seen.noise.kind == "poisson":
        return found.log_likelihood
    least = math.log(_bounds(found.seen)[0])
    centre = math.log(found.spread)
    steps = np.linspace(-REACH, REACH, NUM_SPREADS) * _width(score, found.spread)
    steps = steps[centre + steps >= least] if np.any(centre + steps >= least) else steps[-1:]
    usual = float(np.mean(np.log(found.seen.deviations(found.spread))))
    logs = []
    for step in steps.tolist():
        spread = math.exp(centre + step)
        volume = float(np.mean(np.log(found.seen.deviations(spread)))) - usual
        logs.append(score(spread) + num_determined * volume)
    total = float(logsumexp(logs) + math.log(2.0 * REACH * _width(score, found.spread) / (NUM_SPREADS - 1)))
    if found.seen.noise.kind != "overdispersed":
        return total
    # Beside independent events, which have no spread, the prior of the share has to add up to 1.
    return total - math.log(math.log(OVERDISPERSED[1] / OVERDISPERSED[0]))


def _width(score: Callable[[float], float], spread: float) -> float:
    """The standard error of the logarithm of the spread, from the curvature of its likelihood; at most 0.5."""
    step = 0.05
    curvature = (2.0 * score(spread) - score(spread * math.exp(step)) - score(spread * math.exp(-step))) / step**2
    return 1.0 / math.sqrt(max(curvature, 4.0)) if math.isfinite(curvature) else 0.5
