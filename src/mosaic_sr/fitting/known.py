"""Fits of a formula that a person wrote: thorough, with as few negative constants as possible, or refused by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.fitting.fit import Fit, FitConfig, FitStatus, Weighting, fit_parameters
from mosaic_sr.fitting.named import NamedFormula
from mosaic_sr.table import Rows

# A user waits for one fit, so it may look far longer than one of a search: still well under a second.
THOROUGH = FitConfig(starts=64, draws_per_start=32, max_iterations=400)

REMEDIES = {
    FitStatus.TOO_FEW_ROWS: "there are more constants than rows; give more rows or replace some constants by numbers",
    FitStatus.OVERFLOW: "the formula overflows on some rows for all starting values; rescale the columns",
    FitStatus.NOT_A_NUMBER: "the formula has no value on some rows; check the operands of log, sqrt, ^ and /",
}
REMARKS = {
    FitStatus.ITERATION_LIMIT: "the fit was still improving when it stopped; the constants may not be the best ones",
    FitStatus.RANK_DEFICIENT: "some constants are not identifiable: other values fit the rows equally well",
}


def fit_known(text: str, formula: NamedFormula, rows: Rows, weighting: Weighting = "uniform") -> Fit:
    """The fit of a formula; one that has no finite values on the rows is refused by its text."""
    config = replace(THOROUGH, weighting=weighting)
    fit = fit_parameters(formula.expression, formula.parameter_of_constant, rows, config)
    if fit.status in REMEDIES:
        raise InvalidFormula(f"cannot fit {text!r}: {REMEDIES[fit.status]}")
    return _with_fewer_signs(fit, formula, rows, replace(config, starts=1))


def _with_fewer_signs(fit: Fit, formula: NamedFormula, rows: Rows, config: FitConfig) -> Fit:
    """An equally good fit with fewer negative constants, where there is one: a*sin(b*x) has two solutions."""
    for parameter in range(len(formula.names)):
        flipped = np.where(formula.parameter_of_constant == parameter, -1.0, 1.0) * fit.expression.constants
        if np.sum(flipped < 0.0) >= np.sum(fit.expression.constants < 0.0):
            continue
        other = fit_parameters(fit.expression.with_constants(flipped), formula.parameter_of_constant, rows, config)
        is_as_good = other.residual_variance <= fit.residual_variance * (1.0 + 1e-6) or other.loss <= 1e-28
        if is_as_good and np.sum(other.expression.constants < 0.0) < np.sum(fit.expression.constants < 0.0):
            fit = other
    return fit
