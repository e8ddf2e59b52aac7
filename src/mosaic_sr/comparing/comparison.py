"""`compare`: laws that the user gives are fitted to the same rows, weighed, and looked at where they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.comparing.candidates import Candidate, check_laws, columns_read, narrowed, read_candidate
from mosaic_sr.comparing.differences import find_differences
from mosaic_sr.comparing.result import ComparedLaw, Comparison
from mosaic_sr.equation import Equation, measure
from mosaic_sr.errors import InvalidFormula, InvalidTable
from mosaic_sr.evidence import Evidence, Judged, Measured, Noise, structure_bits
from mosaic_sr.evidence.laplace import measure_evidence
from mosaic_sr.evidence.noise import noises_to_try
from mosaic_sr.evidence.posterior import normalised
from mosaic_sr.evidence.reference import residual_gain
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import Weighting, fit_parameters, spans_decades
from mosaic_sr.fitting.known import THOROUGH, fit_known
from mosaic_sr.selection.weighing import MOST_GAIN, NOISE_ROWS, ROUNDING_DEVIATION
from mosaic_sr.table import Rows, TableConfig
from mosaic_sr.table.checks import name_of_target, target_name_beside
from mosaic_sr.table.door import LEAST_ROWS
from mosaic_sr.table.given import checked_given
from mosaic_sr.table.resolution import find_resolution
from mosaic_sr.table.rows import bound
from mosaic_sr.table.table import refuse_constant_target
from mosaic_sr.units.constants import parameter_units
from mosaic_sr.units.stated import StatedUnits, state_units
from mosaic_sr.verdict import scatter_words

Floats = NDArray[np.float64]
# A candidate with its evidence, before probabilities are known.
Weighed = tuple[Candidate, Judged]

# Outliers are a twentieth of the rows in the noise model; without three times as many the rest is clean. Each trimming
# fits the nearest rows again, and two settle which these are.
KEPT_SHARE, TRIMMINGS = 0.85, 2
# Rounding of columns and of the evaluation adds to that of the target.
MOST_ROUNDING = 4.0
NONE_MAY_BE_RIGHT = (
    "what the most probable of these laws leaves follows a smooth curve, so that it is not noise alone: the true law "
    "may be another one"
)


def compare(
    laws: Sequence[str | Equation],
    X: object,
    y: object,
    *,
    sigma: object = None,
    sample_weight: object = None,
    names: Sequence[object] | None = None,
    target_name: str | None = None,
    keep_numbers: bool = False,
    X_units: object = None,
    y_units: object = None,
) -> Comparison:
    """Fit the laws to the same rows and weigh them: evidence, probability among them, where they differ.

    laws: formulas over the columns, such as "a*x/(b + x)", equations such as `law_`, or paths of law files. Names that
    are not columns are constants to fit. Numbers such as 8.03 are fitted too, unless `keep_numbers`; whole numbers,
    quarters, fractions and multiples of pi or roots stay as they are.
    sigma: standard error of y in each row.  sample_weight: how many rows each row counts for.
    names: of the columns; by default those of the frame X, or x0, x1, ..
    X_units, y_units: of the columns and of y, as in `fit`; constants then have units, and a law that no units of its
    constants make homogeneous is named in a note. Probabilities do not depend on them.
    """
    given = checked_given(X, y, sample_weight, names, "", sigma)
    target = name_of_target(y, target_name_beside(X, y) if target_name is None else target_name, given.names)
    refuse_constant_target(given, target)
    candidates = [read_candidate(law, given.names, [target], keep_numbers) for law in check_laws(laws)]
    read = columns_read(candidates)
    if not read:
        raise InvalidFormula(f"none of the laws reads a column; the columns are {', '.join(given.names[:8])}")
    rows = given.merged(read)
    most = TableConfig().most_rows
    notes = [f"the laws are compared on {most:,} of {rows.num_rows:,} rows"] if rows.num_rows > most else []
    own = [narrowed(candidate, read) for candidate in candidates]
    own_names = tuple(given.names[column] for column in read)
    units = state_units(X_units, y_units, given.names, target)
    found = _compared(own, bound(rows, most, np.random.default_rng(0)), own_names, target, notes, rows.num_rows)
    if units is None:
        return found
    return _with_units(found, own, StatedUnits(tuple(units.columns[column] for column in read), units.target))


def _with_units(found: Comparison, candidates: Sequence[Candidate], units: StatedUnits) -> Comparison:
    """The comparison with units of constants, and a note on each law that is not homogeneous."""
    laws, notes = list[ComparedLaw](), list[str]()
    for one in found.laws:
        parameters = candidates[one.number - 1].formula.parameter_of_constant.tolist()
        own = parameter_units(one.law.expression, parameters, units)
        laws.append(one if own is None else replace(one, units=own))
        notes += [f"{one.label!r} is not homogeneous in the units of the columns"] if own is None else []
    return replace(found, laws=tuple(laws), notes=(*found.notes, *notes))


def _compared(
    candidates: Sequence[Candidate], rows: Rows, names: tuple[str, ...], target: str, notes: list[str], num_rows: int
) -> Comparison:
    _refuse_few_rows(candidates, rows)
    rounding = ROUNDING_DEVIATION * find_resolution(rows.target).quantum(rows.target)
    measured = Measured(rows, rows.sigma if rows.has_sigma else None, rounding)
    weighed = sorted(_weighed(candidates, measured), key=lambda one: -one[1].score)
    shares = normalised([judged.score for _, judged in weighed], -math.inf)
    told = [
        _as_law(candidates.index(candidate) + 1, candidate, judged, share, rows, names)
        for (candidate, judged), share in zip(weighed, shares, strict=True)
    ]
    best = weighed[0][1]
    return Comparison(
        laws=tuple(told),
        differences=find_differences(told, rows.columns, best.evidence.scatter, names),
        names=names,
        target=target,
        num_rows=num_rows,
        scatter=best.evidence.scatter,
        noise=_noise_words(best.evidence, measured),
        notes=(*(note for one in candidates for note in one.notes), *notes, *_notes(best, measured)),
    )


def _refuse_few_rows(candidates: Sequence[Candidate], rows: Rows) -> None:
    if rows.num_rows < LEAST_ROWS:
        raise InvalidTable(
            f"the table has {rows.num_rows} distinct rows; at least {LEAST_ROWS} are needed, more for a reliable choice"
        )
    for one in candidates:
        count = len(one.formula.names)
        if count >= rows.num_rows:
            raise InvalidFormula(
                f"{one.label!r} has {count} constants to fit and the table {rows.num_rows} distinct rows; "
                "give more rows, or a law with fewer constants"
            )


def _weighed(candidates: Sequence[Candidate], measured: Measured) -> list[Weighed]:
    """Each law with its evidence, all under the kind of noise under which the best of them is likeliest."""
    starts = [list(_starts(one, measured.rows)) for one in candidates]
    few = measured.some(NOISE_ROWS)

    def judged(place: int, noise: Noise, on: Measured) -> Judged | None:
        parameters = candidates[place].formula.parameter_of_constant
        tries = starts[place] if noise.has_outliers else starts[place][:1]
        found = [measure_evidence(start, parameters < 0, on, noise, parameters) for start in tries]
        known = [Judged(one, structure_bits(canonical(one.expression), len(on.rows.columns))) for one in found if one]
        return max(known, key=lambda one: one.evidence.log_likelihood, default=None)

    def best_score(noise: Noise) -> tuple[int, float]:
        found = [judged(place, noise, few) for place in range(len(candidates))]
        scores = [one.score for one in found if one is not None]
        # Rows that a law explains without any error have no outliers to measure others by.
        return len(scores), max(scores, default=-math.inf)

    noise = max(noises_to_try(measured.sigma is not None), key=best_score)
    return [(one, _finite(one, judged(place, noise, measured))) for place, one in enumerate(candidates)]


def _starts(candidate: Candidate, rows: Rows) -> Iterator[Expression]:
    """The law fitted to all rows, and to those that are nearest to it, where outliers do not pull it away."""
    weighting: Weighting = "relative" if spans_decades(rows) else "uniform"
    fitted = fit_known(candidate.label, candidate.formula, rows, weighting).expression
    yield fitted
    for _ in range(TRIMMINGS):
        distances = np.abs(rows.target - evaluate_expression(fitted, rows.columns))
        nearest = np.sort(np.argsort(distances, kind="stable")[: math.ceil(KEPT_SHARE * rows.num_rows)])
        if len(nearest) <= len(candidate.formula.names):
            return
        parameters = candidate.formula.parameter_of_constant
        fit = fit_parameters(candidate.formula.expression, parameters, rows.take(nearest), THOROUGH)
        if not math.isfinite(fit.loss):
            return
        fitted = fit.expression
    yield fitted


def _finite(candidate: Candidate, judged: Judged | None) -> Judged:
    if judged is None:
        raise InvalidFormula(
            f"cannot weigh {candidate.label!r}: it has no finite value on some rows near its best constants; "
            "check the operands of log, sqrt, ^ and /"
        )
    return judged


def _as_law(
    number: int, candidate: Candidate, judged: Judged, share: float, rows: Rows, names: tuple[str, ...]
) -> ComparedLaw:
    evidence, parameters = judged.evidence, candidate.formula.parameter_of_constant
    with np.errstate(invalid="ignore"):
        errors = np.sqrt(np.diag(evidence.covariance))
    values = candidate.formula.values(evidence.expression)
    errors_of = tuple(0.0 if parameter < 0 else float(errors[parameter]) for parameter in parameters)
    fit = measure(evidence.expression, rows)
    law = Equation(
        evidence.expression, names, fit, fit, "comparison", standard_errors=errors_of, probability=share
    )  # fmt: skip
    constants = tuple(zip(candidate.formula.names, values, map(float, errors), strict=True))
    return ComparedLaw(
        number=number,
        label=candidate.label,
        law=law,
        constants=constants,
        log_evidence=evidence.log_likelihood,
        structure_bits=judged.bits,
        probability=share,
        r2=1.0 - fit.nmse,
        chi2_per_dof=_chi2_per_dof(evidence, rows, len(constants)),
    )


def _chi2_per_dof(evidence: Evidence, rows: Rows, num_constants: int) -> float | None:
    if not rows.has_sigma:
        return None
    shares = (rows.target - evaluate_expression(evidence.expression, rows.columns)) / rows.sigma
    weights = rows.weights if len(rows.weights) else np.ones(rows.num_rows)
    return float(np.sum(weights * np.square(shares)) / (np.sum(weights) - num_constants))


def _noise_words(evidence: Evidence, measured: Measured) -> str:
    is_rounding = evidence.spread * float(np.median(evidence.sizes)) <= MOST_ROUNDING * np.median(measured.rounding)
    return (
        "none beyond rounding" if is_rounding else scatter_words(evidence.scatter, float(np.ptp(measured.rows.target)))
    )


def _notes(best: Judged, measured: Measured) -> list[str]:
    """Where none of the laws may be right: the best one leaves more than noise."""
    gain = residual_gain(best, measured)
    return [NONE_MAY_BE_RIGHT] if gain is not None and gain >= MOST_GAIN else []
