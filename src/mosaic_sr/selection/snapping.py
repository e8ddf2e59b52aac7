"""Snapping: a fitted constant becomes a simple number when the error does not grow."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from mosaic_sr.equation import Errors, measure
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.table import Rows

# Denominators of fractions that people write.
MAX_DENOMINATOR = 12
# A snapped constant moves by at most this share of itself; the error decides within it.
REACH = 1e-3
# An error may grow by this factor: rounding scatters it, a wrong constant multiplies it.
GROWTH = 1.1
# Mean squared errors below this are rounding alone.
ROUNDING = 1e-26


def snapped(expression: Expression, rows: Rows) -> Expression:
    """The expression with each constant at the simplest nearby value that keeps the error on the rows."""
    best, errors = expression, measure(expression, rows)
    for index in range(expression.num_constants):
        for value in simple_values(float(best.constants[index])):
            constants = best.constants.copy()
            constants[index] = value
            trial = best.with_constants(constants)
            trial_errors = measure(trial, rows)
            if _stays(trial_errors, errors):
                best, errors = trial, trial_errors
                break
    shorter = canonical(best)
    return shorter if len(shorter) < len(best) and _stays(measure(shorter, rows), errors) else best


def simple_values(value: float) -> Iterator[float]:
    """Simple numbers near a value, the simplest first."""
    if not np.isfinite(value) or value == 0.0:
        return
    if abs(value) < REACH:
        yield 0.0
    for denominator in range(1, MAX_DENOMINATOR + 1):
        numerator = round(value * denominator)
        if numerator and abs(numerator / denominator - value) <= REACH * abs(value):
            yield float(Fraction(numerator, denominator))
    for digits in range(2, 7):
        rounded = float(f"{value:.{digits}g}")
        if abs(rounded - value) <= REACH * abs(value):
            yield rounded


def _stays(trial: Errors, errors: Errors) -> bool:
    return trial.nmse <= max(GROWTH * errors.nmse, ROUNDING) and trial.relative <= max(
        GROWTH * errors.relative, ROUNDING
    )
