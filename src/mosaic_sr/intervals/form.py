"""A fitted form: what every method of intervals starts from, whatever the noise was."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import FitConfig, fit_parameters
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

# The two intervals that people report: one and about two standard errors of a normal distribution.
LEVELS = (0.68, 0.95)
# Fits start at constants that are near the best, so one start is enough; a long valley takes more steps than usual.
NEAR = FitConfig(starts=1, draws_per_start=1, max_iterations=200)


@dataclass(frozen=True, eq=False)
class FittedForm:
    """A formula with its best constants.

    parameters: (constants,) number of the parameter of each constant; equal ones are tied, -1 is held fixed.
    rows: with the weights of the fit.  scatter: standard deviation of a row of weight 1.
    to_spare: rows beyond those that constants take up, which tell the scatter; infinite where it is known.
    errors: (parameters,) standard errors, NaN where the rows do not determine one.
    correlation: (parameters, parameters), NaN likewise.
    """

    expression: Expression
    parameters: Codes
    rows: Rows
    scatter: float
    to_spare: float
    errors: Floats
    correlation: Floats

    @property
    def num_parameters(self) -> int:
        return int(self.parameters.max(initial=-1)) + 1

    @property
    def values(self) -> Floats:
        """(parameters,)."""
        return values_of(self.expression, self.parameters)

    def quantile(self, level: float) -> float:
        """Distance in standard errors within which a share `level` lies: Student's where the scatter is estimated."""
        share = 0.5 + 0.5 * level
        return float(ndtri(share) if math.isinf(self.to_spare) else stdtrit(self.to_spare, share))

    @np.errstate(all="ignore")
    def squares(self, expression: Expression) -> float:
        """Sum of weighted squared residuals in units of the scatter; infinite where a value is not finite."""
        shares = (self.rows.target - evaluate_expression(expression, self.rows.columns)) / self.scatter
        weights = self.rows.weights if len(self.rows.weights) else 1.0
        total = float(np.sum(weights * np.square(shares)))
        return total if math.isfinite(total) else math.inf


def values_of(expression: Expression, parameters: Codes) -> Floats:
    """The value of each parameter: (parameters,)."""
    count = int(parameters.max(initial=-1)) + 1
    return np.array([expression.constants[np.argmax(parameters == number)] for number in range(count)])


@np.errstate(all="ignore")
def fitted_form(
    expression: Expression, parameters: Codes, rows: Rows, scatter: float | None, to_spare: float | None = None
) -> FittedForm:
    """The form with its constants fitted on from where they are.

    scatter: of a row of weight 1; None takes it from what the fit leaves.
    to_spare: rows that tell the scatter; the rows less the parameters by default, infinite where it is given.
    """
    fit = fit_parameters(expression, parameters, rows, NEAR)
    count = int(parameters.max(initial=-1)) + 1
    # A fit that fails leaves the constants as they were.
    best = fit.expression if math.isfinite(fit.loss) else expression
    spare = to_spare if to_spare is not None else math.inf if scatter is not None else float(rows.num_rows - count)
    own = math.sqrt(fit.residual_variance) if scatter is None else scatter
    covariance = np.full((count, count), np.nan) if fit.unit_covariance is None else fit.unit_covariance
    roots = np.sqrt(np.diag(covariance))
    return FittedForm(
        expression=best,
        parameters=parameters,
        rows=rows,
        scatter=own,
        to_spare=spare,
        errors=np.asarray(own * roots),
        correlation=np.asarray(covariance / np.outer(roots, roots)),
    )


def recentred(form: FittedForm, expression: Expression) -> FittedForm:
    """The form at better constants, with the scatter that these leave where it is estimated."""
    ratio = form.squares(expression) / form.squares(form.expression)
    is_known = math.isinf(form.to_spare)
    scatter = form.scatter if is_known else form.scatter * math.sqrt(ratio)
    found = fitted_form(expression, form.parameters, form.rows, scatter, form.to_spare)
    return replace(found, scatter=scatter)
