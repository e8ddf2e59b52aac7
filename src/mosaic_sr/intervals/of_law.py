"""Intervals of the constants of a law that a search has found, under the noise that it found."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation
from mosaic_sr.errors import InvalidTable
from mosaic_sr.evidence.laplace import Evidence, Measured, measure_evidence
from mosaic_sr.evidence.noise import Noise, Scatter
from mosaic_sr.intervals.form import FittedForm, fitted_form
from mosaic_sr.intervals.result import Intervals, check_method, measured_intervals
from mosaic_sr.outcome import Outcome
from mosaic_sr.selection.weighing import ROUNDING_DEVIATION, measured_rows
from mosaic_sr.table import Rows, Table
from mosaic_sr.table.checks import check_lengths, checked_target, checked_weights
from mosaic_sr.table.resolution import find_resolution
from mosaic_sr.table.stated_errors import NOT_BOTH, checked_sigma

Floats = NDArray[np.float64]


def law_intervals(
    outcome: Outcome,
    columns: Floats,
    y: object,
    method: str = "profile",
    sigma: object = None,
    weights: object = None,
    random_state: int = 0,
) -> Intervals:
    """Intervals of the constants of the law on these rows; numbers that were not fitted have none beside themselves.

    columns: (columns of the user, rows).
    """
    check_method(method)
    return _intervals(outcome, _measured(columns, y, sigma, weights), method, random_state)


def with_intervals(outcome: Outcome, table: Table, method: str) -> Outcome:
    """The outcome of a search of this table whose law has intervals of its constants, or a note why it has none."""
    if not outcome.law.expression.num_constants:
        return outcome
    few = measured_rows(table)
    columns = np.ones((len(outcome.names), few.rows.num_rows))
    columns[list(table.used)] = few.rows.columns
    try:
        found = _intervals(outcome, replace(few, rows=replace(few.rows, columns=columns)), method, random_state=0)
    except InvalidTable as error:
        return replace(outcome, notes=(*outcome.notes, f"the constants have no intervals: {error}"))
    law = replace(outcome.law, intervals=tuple(tuple(own.ravel().tolist()) for own in found.bounds))
    front = tuple(law if one is outcome.law else one for one in outcome.front)
    return replace(outcome, law=law, front=front, notes=(*outcome.notes, *found.notes))


def _intervals(outcome: Outcome, measured: Measured, method: str, random_state: int) -> Intervals:
    law, noise = outcome.law, _noise(outcome.scatter, measured)
    names = [f"c{number + 1}" for number in range(law.expression.num_constants)]
    is_fixed = np.array([error == 0.0 for _, error, _ in law.constants], dtype=np.bool_)
    form, evidence = _form(law, is_fixed, measured, noise)
    rng = np.random.default_rng(random_state)
    free = [name for name, is_held in zip(names, is_fixed, strict=True) if not is_held]
    found = measured_intervals(form, free, method, noise_words(evidence), rng)
    return _with_fixed(found, names, law.expression.constants, is_fixed)


def _measured(columns: Floats, y: object, sigma: object, weights: object) -> Measured:
    if sigma is not None and weights is not None:
        raise InvalidTable(NOT_BOTH)
    target = checked_target(y, "y")
    stated = None if sigma is None else checked_sigma(sigma, "sigma")
    counted = np.empty(0) if weights is None else checked_weights(weights, "weights")
    lengths = {"y": len(target), **({} if stated is None else {"sigma": len(stated)})}
    check_lengths(columns.shape[1], {**lengths, **({"weights": len(counted)} if len(counted) else {})}, "X")
    rounding = ROUNDING_DEVIATION * find_resolution(target).quantum(target)
    rows = Rows(np.ascontiguousarray(columns), np.ascontiguousarray(target), counted)
    if not len(counted) or np.all(counted > 0.0):
        return Measured(rows, stated, rounding)
    kept = np.flatnonzero(counted > 0.0)
    return Measured(rows.take(kept), None, rounding[kept])


def _noise(scatter: Scatter | None, measured: Measured) -> Noise:
    """The noise of the law: as the scatter of the search has it, or as the user states it."""
    has_outliers = scatter is not None and scatter.num_outliers > 0
    if measured.sigma is not None:
        return Noise("given", has_outliers=has_outliers)
    if scatter is None or not scatter.relative > 0.0:
        return Noise("additive", has_outliers=has_outliers)
    target = measured.rows.target
    largest = float(np.max(np.abs(target))) or 1.0
    usual = largest * math.sqrt(float(np.mean(np.square(target / largest))))
    return Noise("both", scatter.absolute / (scatter.relative * usual), has_outliers)


def _form(law: Equation, is_fixed: NDArray[np.bool_], measured: Measured, noise: Noise) -> tuple[FittedForm, Evidence]:
    """The law fitted under its noise: each row weighs as the size of its noise and its chance of being no outlier."""
    evidence = measure_evidence(law.expression, is_fixed, measured, noise)
    if evidence is None:
        raise InvalidTable("the law has no finite value on some of these rows; give rows on which it has one")
    rows, num_free = measured.rows, int(np.count_nonzero(~is_fixed))
    weights = measured.weights * evidence.chances * np.square(evidence.usual / evidence.sizes)
    counted = float(np.sum(measured.weights * evidence.chances))
    to_spare = math.inf if noise.kind == "given" else counted - num_free
    if not to_spare > 0.0:
        raise InvalidTable(
            f"{rows.num_rows} rows determine {num_free} constants at best, with no row left to show the noise; "
            "give more rows or sigma"
        )
    # The spread of the evidence is the mean over all rows; constants have taken up some of it.
    spread = evidence.spread if math.isinf(to_spare) else evidence.spread * math.sqrt(counted / to_spare)
    parameters = np.where(is_fixed, -1, np.cumsum(~is_fixed) - 1).astype(np.int32)
    own = Rows(rows.columns, rows.target, weights)
    return fitted_form(evidence.expression, parameters, own, spread * evidence.usual, to_spare), evidence


def noise_words(evidence: Evidence) -> str:
    """The noise that intervals assume."""
    noise, count = evidence.noise, int(np.count_nonzero(evidence.chances < 0.5))
    sizes = {
        "additive": "noise of the same size in all rows",
        "given": f"noise as sigma states it, times {evidence.spread:.2g}",
    }
    size = sizes.get(noise.kind, "noise in proportion to the value, with a constant part")
    return size + (f", {count:,} outlier{'s' if count > 1 else ''} left out" if count else "")


def _with_fixed(found: Intervals, names: list[str], values: Floats, is_fixed: NDArray[np.bool_]) -> Intervals:
    """The intervals of all constants; one that was not fitted is its own interval."""
    free, count = np.flatnonzero(~is_fixed), len(names)
    own, errors = values.copy(), np.zeros(count)
    own[free], errors[free] = found.values, found.errors
    bounds = np.broadcast_to(own[:, None, None], (count, *found.bounds.shape[1:])).copy()
    bounds[free] = found.bounds
    correlation = np.full((count, count), np.nan)
    correlation[np.ix_(free, free)] = found.correlation
    return replace(found, names=tuple(names), values=own, errors=errors, bounds=bounds, correlation=correlation)
