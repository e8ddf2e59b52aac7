"""The door to the constant fitter: a formula and rows go in, a `Fit` comes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting.balance import Balanced, balance
from mosaic_sr.fitting.polish import Point, measure_point, polish, unit_covariance, weighted_squares
from mosaic_sr.kernel import levenberg
from mosaic_sr.kernel.levenberg import TOLERANCE
from mosaic_sr.kernel.linear import LINEAR, PLAN_ROWS, TALLY
from mosaic_sr.kernel.moments import fit_work_size
from mosaic_sr.kernel.multistart import fit_from_starts
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Weighting = Literal["uniform", "relative", "both"]

# A sum of squares below this share of the target's own is rounding.
ROUNDING = 1e-32
# Variance of a stored target relative to its square: half a unit of its last digit either way, evenly.
TARGET_ROUNDING = float(np.finfo(np.float64).eps) ** 2 / 12.0
# Of longer tables this many rows, evenly spaced, stand for the order of the target.
MOST_SORTED = 4096


class FitStatus(IntEnum):
    """How a fit ended; the loss says how good it is."""

    CONVERGED = levenberg.CONVERGED
    NO_CONSTANTS = levenberg.NO_CONSTANTS
    ITERATION_LIMIT = levenberg.ITERATION_LIMIT
    RANK_DEFICIENT = levenberg.RANK_DEFICIENT
    OVERFLOW = levenberg.OVERFLOW
    NOT_A_NUMBER = levenberg.NOT_A_NUMBER
    TOO_FEW_ROWS = levenberg.TOO_FEW_ROWS


@dataclass(frozen=True)
class FitConfig:
    """How hard to look for constants.

    weighting: "relative" divides residuals by |y|, for targets that span decades; "both" fits under each weighting and
    keeps the fit whose two losses have the smaller product.
    """

    starts: int = 16  # as the published method
    draws_per_start: int = 8  # a screened draw costs a fiftieth of a start on the few rows
    weighting: Weighting = "uniform"
    max_iterations: int = 60  # warm fits take under ten; beyond sixty a fit crawls along a valley
    screening_rows: int = 32  # enough to rank draws of a few constants, and they stay in the first cache
    is_polished: bool = True  # search leaves the orthogonal steps to its last fit

    def __post_init__(self) -> None:
        for name in ("starts", "draws_per_start", "max_iterations"):
            if getattr(self, name) < 1:
                raise InvalidSettings(f"{name} must be at least 1, got {getattr(self, name)}")
        if not 2 <= self.screening_rows <= 128:
            raise InvalidSettings(f"screening_rows must be in 2..128, got {self.screening_rows}")
        if self.weighting not in ("uniform", "relative", "both"):
            raise InvalidSettings(f"weighting must be uniform, relative or both, got {self.weighting!r}")


@dataclass(frozen=True)
class Fit:
    """A formula with fitted constants.

    loss: mean squared error over the variance of the target.  relative_loss: mean of ((f - y) / y)² where y is not 0.
    unit_covariance: (parameters, parameters) when 1 / weight is the variance of each row; NaN where `is_determined` is
    not.  residual_variance: mean weighted square that the fit leaves, or that of rounding where it is larger; NaN
    without rows to spare.  standard_errors: (parameters,) as the residuals tell them, NaN where they do not; numbers
    also where their squares are none.  evaluations: passes over the few or over all rows.
    """

    expression: Expression
    status: FitStatus
    loss: float
    relative_loss: float
    unit_covariance: Floats | None
    residual_variance: float
    is_determined: NDArray[np.bool_]
    standard_errors: Floats
    evaluations: int

    @property
    def covariance(self) -> Floats | None:
        """Covariance of the parameters as the residuals tell it; None when no row is left over to tell."""
        if self.unit_covariance is None or np.isnan(self.residual_variance):
            return None
        with np.errstate(all="ignore"):
            return self.unit_covariance * self.residual_variance


def fit_constants(expression: Expression, rows: Rows, config: FitConfig, rng: np.random.Generator | None = None) -> Fit:
    """The expression with every constant fitted to the rows.

    Constants that are NaN are drawn at each start; when none is, the present values are the first start.
    rng: moves the sequence of starts, which is the same at each call without it.
    """
    own = np.arange(expression.num_constants, dtype=np.int32)
    return fit_parameters(expression, own, rows, config, rng)


def fit_parameters(
    expression: Expression,
    parameter_of_constant: Codes,
    rows: Rows,
    config: FitConfig,
    rng: np.random.Generator | None = None,
) -> Fit:
    """As `fit_constants`, with constants of equal parameter number tied and those of number -1 held fixed.

    parameter_of_constant: (constants,) numbers 0, 1, .. without gaps, or -1.
    """
    heed_stop()
    shift = 0.0 if rng is None else float(rng.random())
    weightings = ("uniform", "relative") if config.weighting == "both" else (config.weighting,)
    task = balance(expression, parameter_of_constant, rows)
    written = write_out(task.expression)
    own = written.parameters(task.parameter_of_constant)
    fits = [_fit_once(written.expression, own, task.rows, config, name, shift) for name in weightings]
    best = min(fits, key=lambda fit: fit.loss * fit.relative_loss if np.isfinite(fit.loss) else np.inf)
    constants = written.constants_of(best.expression.constants, task.expression.num_constants)
    best = replace(best, expression=task.expression.with_constants(constants))
    return best if task.rows is rows else _in_units(best, expression, task)


def _in_units(fit: Fit, expression: Expression, task: Balanced) -> Fit:
    """The fit of a balanced task in the units of the expression and its rows."""
    fitted = expression.with_constants(task.constants(fit.expression))
    units, squares = task.parameter_exponents, 2 * task.target_exponent
    covariance = None
    with np.errstate(all="ignore"):
        if fit.unit_covariance is not None:
            covariance = np.ldexp(fit.unit_covariance, np.add.outer(units, units) - squares)
        return replace(
            fit,
            expression=fitted,
            unit_covariance=covariance,
            residual_variance=float(np.ldexp(fit.residual_variance, squares)),
            standard_errors=np.ldexp(fit.standard_errors, units),
        )


def _fit_once(
    expression: Expression, parameter_of_constant: Codes, rows: Rows, config: FitConfig, weighting: str, shift: float
) -> Fit:
    weights = rows.fit_weights if weighting == "uniform" else weights_of(rows, weighting)
    constants, is_linear, status, evaluations = _search(
        expression, parameter_of_constant, rows, weights, config, weighting, shift
    )
    if status in (FitStatus.TOO_FEW_ROWS, FitStatus.OVERFLOW, FitStatus.NOT_A_NUMBER):
        nothing = np.zeros(int(parameter_of_constant.max(initial=-1)) + 1, dtype=np.bool_)
        unknown = np.full(len(nothing), np.nan)
        return Fit(expression, status, np.inf, np.inf, None, np.nan, nothing, unknown, evaluations)
    point, steps = measure_point(expression, constants, parameter_of_constant, rows, weights), 0
    if config.is_polished:
        point, steps = polish(expression, point, parameter_of_constant, is_linear, rows, weights)
    covariance, is_determined = unit_covariance(point)
    variance = residual_variance(point, rows, weights, len(is_determined))
    if status is FitStatus.CONVERGED and not np.all(is_determined):
        status = FitStatus.RANK_DEFICIENT
    if status is FitStatus.RANK_DEFICIENT and np.all(is_determined):
        status = FitStatus.CONVERGED
    loss, relative_loss = _losses(point, rows)
    return Fit(
        expression=expression.with_constants(point.constants),
        status=status,
        loss=loss,
        relative_loss=relative_loss,
        unit_covariance=covariance,
        residual_variance=variance,
        is_determined=is_determined,
        standard_errors=_standard_errors(covariance, variance, len(is_determined)),
        evaluations=evaluations + 1 + steps,
    )


def _standard_errors(covariance: Floats | None, variance: float, count: int) -> Floats:
    if covariance is None:
        return np.full(count, np.nan)
    with np.errstate(all="ignore"):
        return np.asarray(np.sqrt(np.diag(covariance * variance)))


def residual_variance(point: Point, rows: Rows, weights: Floats, num_parameters: int) -> float:
    """Mean weighted square that a fit of so many parameters leaves; NaN where no row is left over to tell.

    An error of zero on rounded targets leaves the constants as uncertain as the rounding does.
    """
    to_spare = rows.num_rows - num_parameters
    rounding = TARGET_ROUNDING * weighted_squares(rows.target, weights if len(weights) else None, 0.0) / rows.num_rows
    return max(point.fitted / to_spare, rounding) if to_spare > 0 else np.nan


def _search(
    expression: Expression,
    parameter_of_constant: Codes,
    rows: Rows,
    weights: Floats,
    config: FitConfig,
    weighting: str,
    shift: float,
) -> tuple[Floats, NDArray[np.bool_], FitStatus, int]:
    """The compiled fit: constants, which parameters enter linearly, outcome and evaluations."""
    few_rows = rows.take(screening_indices(rows, config.screening_rows))
    other = "uniform" if weighting == "relative" else "relative"
    num_constants = expression.num_constants
    constants = expression.constants.copy()
    plan = np.zeros((PLAN_ROWS, len(expression)), dtype=np.int64)
    floor = ROUNDING * weighted_squares(rows.target, weights if len(weights) else None, 0.0)
    few_weights = np.array([weights_of(few_rows, name) for name in (weighting, other)])
    status, _ = fit_from_starts(
        expression.codes, expression.slots, constants, parameter_of_constant,
        few_rows.columns, few_rows.target, few_weights,
        rows.columns, rows.target, weights,
        config.starts, config.draws_per_start, config.max_iterations, floor, TOLERANCE, shift,
        plan, np.empty(fit_work_size(len(expression), num_constants)), np.empty((config.starts, num_constants + 1)),
    )  # fmt: skip
    is_linear = np.zeros(int(parameter_of_constant.max(initial=-1)) + 1, dtype=np.bool_)
    is_linear[parameter_of_constant[plan[LINEAR, :num_constants] == 1]] = True
    return constants, is_linear, FitStatus(status), int(plan[TALLY, 0])


def screening_indices(rows: Rows, count: int) -> NDArray[np.int64]:
    """Rows that show the ranges of columns and target: extremes of each column, the rest even in the target's order."""
    if rows.num_rows <= count:
        return np.arange(rows.num_rows)
    extremes = [index for column in rows.columns[: count // 4] for index in (column.argmin(), column.argmax())]
    extremes += [rows.target.argmin(), rows.target.argmax()]
    chosen = dict.fromkeys(int(index) for index in extremes)
    pool = np.linspace(0, rows.num_rows - 1, min(rows.num_rows, MOST_SORTED)).astype(np.int64)
    order = [int(index) for index in pool[np.argsort(rows.target[pool], kind="stable")] if int(index) not in chosen]
    kept = np.linspace(0, len(order) - 1, count - len(chosen)).round().astype(np.int64)
    return np.array(sorted([*chosen, *(order[index] for index in kept)]), dtype=np.int64)


def weights_of(rows: Rows, weighting: str) -> Floats:
    """Weights of the rows in a fit: (rows,); relative ones are divided by y² and 0 where that is not finite."""
    weights = rows.fit_weights if len(rows.fit_weights) else np.ones(rows.num_rows)
    if weighting == "uniform":
        return weights
    with np.errstate(divide="ignore", over="ignore"):
        relative = weights / np.square(rows.target)
    return np.where(np.isfinite(relative), relative, 0.0)


def loss_weights(rows: Rows) -> Floats:
    """Weights under which the sum of squares is the mean squared error over the variance: (rows,)."""
    own = weights_of(rows, "uniform")
    spread = float(np.sum(own * np.square(rows.target - np.average(rows.target, weights=own))))
    return own / spread if spread > 0 else own


def _losses(point: Point, rows: Rows) -> tuple[float, float]:
    """Both losses of a point; a constant target is measured against its own square."""
    weights = rows.fit_weights if len(rows.fit_weights) else None
    total = float(rows.num_rows if weights is None else weights.sum())
    mean = float(np.average(rows.target, weights=weights))
    scale = weighted_squares(rows.target, weights, mean) or weighted_squares(rows.target, weights, 0.0) or total
    counted = float(np.count_nonzero(rows.target) if weights is None else weights[rows.target != 0].sum())
    return point.squares / scale, point.relative_squares / counted if counted else 0.0
