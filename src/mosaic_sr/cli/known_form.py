"""The work behind `mosaic constants`: read, fit, print, and write as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.cli.output import say
from mosaic_sr.cli.words import check_missing
from mosaic_sr.errors import InvalidSettings, InvalidTable
from mosaic_sr.expressions.digits import digits_left, with_error
from mosaic_sr.expressions.text import to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.files import refuse_overwriting, refuse_unwritable, write_atomically
from mosaic_sr.fitting import Fit, Weighting, weights_of
from mosaic_sr.fitting.known import REMARKS, fit_known
from mosaic_sr.fitting.named import NamedFormula, notes_on_names, parse_named
from mosaic_sr.inputs import Input, find_input
from mosaic_sr.intervals import Intervals, check_method, fitted_form, measured_intervals
from mosaic_sr.law_values import finite
from mosaic_sr.report import beside_unit
from mosaic_sr.table import GAP_RULES, FileColumns, Rows, column_names, divided, read_file, squaring_exponent
from mosaic_sr.units.constants import parameter_units
from mosaic_sr.units.headers import formula_units
from mosaic_sr.units.stated import StatedUnits

Floats = NDArray[np.float64]

# What intervals assume about the noise.
NOISE_WORDS = {
    "uniform": "noise of the same size in all rows",
    "relative": "noise in proportion to the target",
    "sigma": "noise as sigma states it",
}
# Digits of a fitted constant in the formula, where its error leaves more; and those of a number that the user has set.
MOST_SHOWN, ALL_DIGITS = 8, 15

NOT_HOMOGENEOUS = "no units of its constants make the formula homogeneous in the units of the columns"
# Names in a message; of a million columns nobody reads more.
SHOWN_NAMES = 20


@dataclass(frozen=True)
class KnownForm:
    """What the user asked for."""

    formula: str
    file: Path
    target: str
    sigma: str | None
    weights: str
    json: Path | None
    ignored: tuple[str, ...] = ()
    missing: str = "drop"
    intervals: str | None = None
    seed: int = 0
    units: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Report:
    """What the user gets; errors are standard errors, None where the rows do not determine the constant.

    shown: the fitted formula for a reader, with the digits that the errors leave; files have all of them, in `fitted`.
    units: of the constants that have one, where the units of columns are known.
    """

    formula: str
    fitted: str
    shown: str
    target: str
    status: str
    rows: int
    constants: dict[str, float]
    errors: dict[str, float | None]
    not_identifiable: list[str]
    r2: float
    nmse: float
    relative_error: float
    chi2_per_dof: float | None
    notes: list[str]
    intervals: Intervals | None = None
    units: dict[str, str] = field(default_factory=dict)


def run_known_form(request: KnownForm) -> None:
    """Fit and print; a request that is refused prints and writes nothing."""
    _check_settings(request)
    file = find_input(request.file)
    names = column_names(file, request.target, request.ignored)
    used, notes = _columns_in_use(request, names)
    read = GAP_RULES[request.missing](_read(request, file, used))
    units, on_units = formula_units(request.units, used, names, request.target, read.units, read.label)
    report = _fit(request, used, read.columns, [*read.notes, *on_units, *notes], units)
    if request.json is not None:
        write_atomically(request.json, json.dumps(_as_json(report), indent=2, allow_nan=False) + "\n")
    for line in _as_lines(report):
        say(line)


def _columns_in_use(request: KnownForm, names: list[str]) -> tuple[list[str], list[str]]:
    """The columns that the formula reads, and notes on how its names were read."""
    features = [name for name in names if name not in (request.target, request.sigma)]
    formula = parse_named(request.formula, features)
    notes = notes_on_names(formula, names)
    if request.sigma is not None and (request.sigma not in names or request.sigma == request.target):
        raise InvalidTable(
            f"--sigma {request.sigma!r} is not a feature column; the columns are {', '.join(names[:SHOWN_NAMES])}"
        )
    return [features[column] for column in formula.expression.columns], notes


def _read(request: KnownForm, file: Input, used: list[str]) -> FileColumns:
    """The columns in use, the target and its standard errors; what else the file holds need not be numbers."""
    wanted = [*used, request.sigma] if request.sigma is not None else used
    # A formula without columns still explains the rows of the target.
    return read_file(file, request.target, wanted) if wanted else read_file(file, None, [request.target])


def _check_settings(request: KnownForm) -> None:
    if request.weights not in ("uniform", "relative"):
        raise InvalidSettings(f"--weights must be uniform or relative, got {request.weights!r}")
    if request.sigma is not None and request.weights == "relative":
        raise InvalidSettings("--sigma already weighs the rows; leave --weights out")
    check_missing(request.missing, GAP_RULES)
    if request.intervals is not None:
        check_method(request.intervals)
    refuse_unwritable(request.json)
    refuse_overwriting(request.json, request.file)


def _sigma(request: KnownForm, columns: Mapping[str, Floats]) -> Floats | None:
    """The standard errors of the target, (rows,)."""
    if request.sigma is None:
        return None
    if not np.all(columns[request.sigma] > 0.0):
        raise InvalidTable(f"column {request.sigma!r} must be positive in every row to be a standard error")
    return columns[request.sigma]


def _fit(
    request: KnownForm, names: list[str], columns: Mapping[str, Floats], notes: list[str], units: StatedUnits | None
) -> Report:
    formula = parse_named(request.formula, names)
    target, sigma = columns[request.target], _sigma(request, columns)
    features = np.array([columns[name] for name in names]).reshape(len(names), len(target))
    weights = np.empty(0) if sigma is None else 1.0 / np.square(sigma)
    weighting: Weighting = "relative" if request.weights == "relative" else "uniform"
    rows = Rows(features, target, weights)
    fit = fit_known(request.formula, formula, rows, weighting)
    remark = REMARKS.get(fit.status)
    report = _report(request, formula, names, rows, fit, sigma)
    found = None if request.intervals is None else _intervals(request, formula, rows, fit, weighting)
    report = replace(report, notes=[*notes, remark] if remark else notes, intervals=found)
    return report if units is None else _with_units(report, formula, fit, units)


def _with_units(report: Report, formula: NamedFormula, fit: Fit, units: StatedUnits) -> Report:
    """The report with the units of its constants, or a note that the formula is not homogeneous."""
    found = parameter_units(fit.expression, formula.parameter_of_constant.tolist(), units)
    if found is None:
        return replace(report, notes=[*report.notes, NOT_HOMOGENEOUS])
    return replace(report, units={name: unit for name, unit in zip(formula.names, found, strict=True) if unit})


def _intervals(request: KnownForm, formula: NamedFormula, rows: Rows, fit: Fit, weighting: Weighting) -> Intervals:
    """Intervals of the constants, under the noise that the weights of the rows stand for."""
    has_sigma = request.sigma is not None
    if not has_sigma and rows.num_rows <= len(formula.names):
        raise InvalidTable(
            f"{rows.num_rows} rows leave none to show the noise beside {len(formula.names)} constants; "
            "intervals need more rows, or --sigma"
        )
    weighted = replace(rows, weights=weights_of(rows, weighting))
    form = fitted_form(fit.expression, formula.parameter_of_constant, weighted, 1.0 if has_sigma else None)
    noise = NOISE_WORDS["sigma" if has_sigma else weighting]
    return measured_intervals(form, formula.names, str(request.intervals), noise, np.random.default_rng(request.seed))


def _report(
    request: KnownForm, formula: NamedFormula, names: list[str], rows: Rows, fit: Fit, sigma: Floats | None
) -> Report:
    residual = rows.target - evaluate_expression(fit.expression, rows.columns)
    exponent = squaring_exponent(rows.target)
    target = divided(rows.target, exponent)
    spread = float(np.sum(np.square(target - target.mean()))) or float(np.sum(np.square(target))) or 1.0
    nmse = float(np.sum(np.square(divided(residual, exponent)))) / spread
    to_spare = rows.num_rows - len(formula.names)
    chi2 = None if sigma is None or to_spare < 1 else float(np.sum(np.square(residual / sigma))) / to_spare
    values, errors = formula.values(fit.expression), _errors(fit, sigma is not None)
    return Report(
        formula=request.formula,
        fitted=to_text(fit.expression, names),
        shown=to_text(fit.expression, names, _digits(fit, formula, errors)),
        target=request.target,
        status=fit.status.name.lower(),
        rows=rows.num_rows,
        constants=dict(zip(formula.names, values, strict=True)),
        errors=dict(zip(formula.names, errors, strict=True)),
        not_identifiable=[name for name, known in zip(formula.names, fit.is_determined, strict=True) if not known],
        r2=1.0 - nmse,
        nmse=nmse,
        relative_error=math.sqrt(fit.relative_loss),
        chi2_per_dof=chi2,
        notes=[],
    )


def _errors(fit: Fit, has_sigma: bool) -> list[float | None]:
    """Standard errors; with known sigmas they come from these alone, without them from the residuals."""
    if not has_sigma:
        return [error if error >= 0.0 else None for error in fit.standard_errors.tolist()]
    if fit.unit_covariance is None:
        return [None] * len(fit.is_determined)
    return [math.sqrt(variance) if variance >= 0.0 else None for variance in np.diagonal(fit.unit_covariance)]


def _digits(fit: Fit, formula: NamedFormula, errors: list[float | None]) -> list[int]:
    """Digits of each number of the formula for a reader; those that the user has set are shown as they are."""
    fitted = zip(fit.expression.constants.tolist(), formula.parameter_of_constant.tolist(), strict=True)
    known = [(value, errors[parameter] if parameter >= 0 else None) for value, parameter in fitted]
    return [ALL_DIGITS if error is None else min(digits_left(value, error), MOST_SHOWN) for value, error in known]


def _as_json(report: Report) -> dict[str, Any]:
    """The report with numbers that JSON can hold."""
    untold = ("intervals", "shown", *([] if report.units else ["units"]))
    plain = {name: finite(value) for name, value in vars(report).items() if name not in untold}
    return plain if report.intervals is None else {**plain, "intervals": report.intervals.described()}


def _as_lines(report: Report) -> list[str]:
    width = max((len(name) for name in report.constants), default=0)
    lines = [f"{report.target} = {report.shown}", ""]
    for name, value in report.constants.items():
        error = report.errors[name]
        shown = "not identifiable" if name in report.not_identifiable else "too few rows for an error"
        text = f"{value:.10g} ± {shown}" if error is None else with_error(value, error)
        lines.append(f"  {name:{width}}  {beside_unit(text, report.units.get(name, ''))}")
    if report.intervals is not None:
        lines += ["", *(f"  {line}" for line in report.intervals.lines())]
    lines += ["" if report.constants else "  the formula has no constants to fit", f"  rows            {report.rows}"]
    lines += [f"  R²              {report.r2:.10g}", f"  NMSE            {report.nmse:.4g}"]
    lines += [f"  relative error  {report.relative_error:.4g}"]
    if report.chi2_per_dof is not None:
        lines.append(f"  chi²/dof        {report.chi2_per_dof:.4g}")
    notes = [f"  note: {note}" for note in report.notes]
    return [*lines, "", *notes] if notes else lines
