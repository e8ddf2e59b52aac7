"""Standard deviations of predictions: the noise, errors of the constants, and rivals that may be right instead."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mosaic_sr.equation import Equation
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.evidence.noise import Scatter, inlier_chances
from mosaic_sr.evidence.true_values import moments
from mosaic_sr.fitting.slopes import slopes
from mosaic_sr.outcome import Outcome

Floats = NDArray[np.float64]

EPSILON = float(np.finfo(np.float64).eps)
# A row is called an outlier when it is more likely one than not.
LEAST_CHANCE = 0.5


@np.errstate(all="ignore")
def standard_deviations(outcome: Outcome, columns: Floats) -> Floats:
    """How far a new row may lie from the value of the law: (rows,), NaN where the law has no value.

    columns: (columns of the user, rows).  A rival without a value in a row does not count there.
    """
    columns = np.ascontiguousarray(columns, dtype=np.float64)
    centre = outcome.law.predict(columns)
    total, counted = np.zeros(len(centre)), np.zeros(len(centre))
    for law, share in weighted_laws(outcome):
        values = centre if law is outcome.law else law.predict(columns)
        own = np.hypot(np.hypot(noise_about(outcome, law, values), constant_errors(law, columns)), values - centre)
        is_known = np.isfinite(own)
        total = np.hypot(total, np.where(is_known, math.sqrt(share) * own, 0.0))
        counted += np.where(is_known, share, 0.0)
    return np.asarray(np.where(np.isfinite(centre), total / np.sqrt(counted), np.nan))


def interval_factor(level: float) -> float:
    """How many standard deviations an interval of this probability reaches to either side."""
    if not 0.0 < level < 1.0:
        raise InvalidSettings(f"interval must be a probability between 0 and 1, such as 0.9, got {level}")
    return float(ndtri(0.5 + 0.5 * level))


@np.errstate(all="ignore")
def outlier_rows(
    law: Equation, scatter: Scatter, columns: Floats, target: Floats, x_sigma: Floats | None = None
) -> NDArray[np.intp]:
    """Places of the rows that are more likely outliers than not; columns: (columns, rows), target: (rows,).

    x_sigma: standard deviations of the true values of the columns, where these have errors.
    """
    values, variance = moments(law.expression, columns, x_sigma, law.predict(columns))
    shares = (target - values) / np.hypot(scatter.deviations(values), np.sqrt(variance))
    return np.flatnonzero(inlier_chances(shares, 1.0) < LEAST_CHANCE)


def weighted_laws(outcome: Outcome) -> list[tuple[Equation, float]]:
    """The law and its rivals with weights that add up to 1: laws that are not listed leave theirs to these.

    A law without columns has no probability: it has what the others leave, and no more than the law before it.
    """
    law = outcome.law
    if outcome.scatter is None:
        return [(law, 1.0)]
    laws = (law, *law.ties)
    rest = max(1.0 - sum(one.probability or 0.0 for one in laws), 0.0)
    shares: list[float] = []
    for one in laws:
        unknown = min([rest, *shares[-1:]])
        shares.append(unknown if one.probability is None else one.probability)
    total = sum(shares)
    return [(one, share / total) for one, share in zip(laws, shares, strict=True)] if total > 0.0 else [(law, 1.0)]


def noise_about(outcome: Outcome, law: Equation, values: Floats) -> Floats:
    """Scatter of rows about values of a law: that of noisy rows, else what the law leaves, and rounding: (rows,)."""
    if outcome.scatter is not None:
        return outcome.scatter.deviations(values)
    left = math.sqrt(law.training.nmse) * outcome.target_deviation if math.isfinite(law.training.nmse) else 0.0
    return np.hypot(left, EPSILON * values)


def constant_errors(law: Equation, columns: Floats) -> Floats:
    """What the errors of the constants do to the value: (rows,); what rows do not determine counts as no error."""
    count = law.expression.num_constants
    if count == 0:
        return np.zeros(columns.shape[1])
    errors, correlation = _errors_of(law)
    moves = slopes(law.expression, columns) * errors[:, None]
    moves = np.where(errors[:, None] > 0.0, moves, 0.0)
    # Squares of numbers such as 1e200 would not be finite.
    largest = np.max(np.abs(moves), axis=0)
    shares = moves / np.where(largest > 0.0, largest, 1.0)
    return np.asarray(largest * np.sqrt(np.maximum(np.einsum("ir,ij,jr->r", shares, correlation, shares), 0.0)))


def _errors_of(law: Equation) -> tuple[Floats, Floats]:
    """Standard errors of the constants, (constants,), and their correlation, (constants, constants)."""
    count = law.expression.num_constants
    covariance = np.array(law.covariance, dtype=np.float64)
    if covariance.shape != (count, count) or not np.all(np.isfinite(covariance)):
        errors = np.array([error for _, error, _ in law.constants])
        return np.where(np.isfinite(errors), errors, 0.0), np.eye(count)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    sizes = np.where(errors > 0.0, errors, 1.0)
    return errors, covariance / sizes / sizes[:, None]
