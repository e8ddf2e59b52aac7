"""Constants for an own loss: weighted least squares again and again, then steps along the slope of the loss."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import FitConfig, fit_parameters
from mosaic_sr.fitting.slopes import slopes
from mosaic_sr.losses.loss import Loss
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

# Rounds of reweighting for one law among many, and for the law that is told: absolute errors settle slowly.
ROUGH_ROUNDS, ROUNDS = 12, 60
SETTLED = 1e-9
# Polished, because a fit of linear constants alone stays where it is if it would gain less than a tenth.
BRIEF = FitConfig(starts=1, draws_per_start=1, max_iterations=20)
# Errors below this share of the usual one count as this share: an absolute error of 0 would weigh infinitely much.
LEAST_SHARE = 1e-6
# Rows may differ in weight by this factor; beyond it the fit loses its digits.
MOST_WEIGHT = 1e8
# Bootstrap samples for standard errors: they are then known to a tenth of themselves.
SAMPLES = 60


@dataclass(frozen=True)
class Refit:
    """An expression with constants that make the mean loss small."""

    expression: Expression
    loss: float


def refit(expression: Expression, is_fixed: NDArray[np.bool_], rows: Rows, loss: Loss, rounds: int = ROUNDS) -> Refit:
    """The best of what reweighted least squares find, starting at the present constants."""
    best = Refit(expression, mean_loss(expression, rows, loss))
    if np.all(is_fixed):
        return best
    parameters = np.where(is_fixed, -1, np.cumsum(~is_fixed) - 1).astype(np.int32)
    present = expression
    for _ in range(rounds):
        weights = _weights(present, rows, loss)
        if weights is None:
            break
        fit = fit_parameters(present, parameters, Rows(rows.columns, rows.target, weights), BRIEF)
        trial = Refit(fit.expression, mean_loss(fit.expression, rows, loss))
        gain, present = best.loss - trial.loss, trial.expression
        best = trial if gain > 0.0 else best
        if not gain > SETTLED * abs(best.loss):
            break
    return best


def polished(found: Refit, is_fixed: NDArray[np.bool_], rows: Rows, loss: Loss) -> Refit:
    """The refit after steps of a quasi-Newton method, where these lower the loss."""
    from scipy.optimize import minimize  # slow to import, and only own losses need it

    free = np.flatnonzero(~is_fixed)
    start = found.expression.constants.copy()
    sizes = np.where(start[free] != 0.0, np.abs(start[free]), 1.0)
    if not len(free) or not (math.isfinite(found.loss) and found.loss > 0.0):
        return found
    weights = rows.weights if len(rows.weights) else np.ones(rows.num_rows)

    def with_moved(move: Floats) -> Expression:
        values = start.copy()
        values[free] += sizes * move
        return found.expression.with_constants(values)

    @np.errstate(all="ignore")
    def value_and_slope(move: Floats) -> tuple[float, Floats]:
        law = with_moved(move)
        values = evaluate_expression(law, rows.columns)
        value = loss.mean(rows.target, values, rows.weights) / found.loss
        along = slopes(law, rows.columns)[free] @ (weights * loss.slope(rows.target, values)) / weights.sum()
        return (value, along * sizes / found.loss) if math.isfinite(value) else (math.inf, np.zeros(len(free)))

    with np.errstate(all="ignore"):
        end = minimize(value_and_slope, np.zeros(len(free)), jac=True, method="BFGS")
    law = with_moved(end.x)
    reached = mean_loss(law, rows, loss)
    return Refit(law, reached) if reached < found.loss else found


def covariance(found: Refit, is_fixed: NDArray[np.bool_], rows: Rows, loss: Loss, rng: np.random.Generator) -> Floats:
    """Of the constants, from refits to bootstrap samples of the rows: (constants, constants), 0 for fixed ones."""
    count = found.expression.num_constants
    weights = rows.weights if len(rows.weights) else np.ones(rows.num_rows)
    drawn = []
    for _ in range(SAMPLES if not np.all(is_fixed) else 0):
        counts = rng.multinomial(rows.num_rows, np.full(rows.num_rows, 1.0 / rows.num_rows))
        places = np.flatnonzero(counts)
        sample = replace(rows.take(places), weights=weights[places] * counts[places])
        drawn.append(refit(found.expression, is_fixed, sample, loss, ROUGH_ROUNDS).expression.constants)
    return np.cov(np.array(drawn).T).reshape(count, count) if drawn else np.zeros((count, count))


def mean_loss(expression: Expression, rows: Rows, loss: Loss) -> float:
    """The mean loss on the rows; infinite where the law has no value in one of them."""
    with np.errstate(all="ignore"):
        return loss.mean(rows.target, evaluate_expression(expression, rows.columns), rows.weights)


@np.errstate(all="ignore")
def _weights(expression: Expression, rows: Rows, loss: Loss) -> Floats | None:
    """Weights under which the slope of the squares is that of the loss; None where the law has no values."""
    values = evaluate_expression(expression, rows.columns)
    gaps = values - rows.target
    if not np.all(np.isfinite(gaps)):
        return None
    least = LEAST_SHARE * float(np.median(np.abs(gaps)))
    sized = np.where(np.abs(gaps) > least, gaps, least)
    own = np.maximum(loss.slope(rows.target, rows.target + sized) / sized, 0.0)
    weights = own * rows.weights if len(rows.weights) else own
    usual = float(np.median(weights[weights > 0.0])) if np.any(weights > 0.0) else 0.0
    return np.clip(weights / usual, 0.0, MOST_WEIGHT) if usual > 0.0 else None
