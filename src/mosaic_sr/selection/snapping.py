"""Snapping: a fitted constant becomes a simple number when the error does not grow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def snapped(expression: Expression, stays: Callable[[Expression], bool]) -> Expression:
    """The expression with each constant at the simplest nearby value; `stays` says whether a trial is as good."""
    best = expression
    for index in range(expression.num_constants):
        for value in simple_values(float(best.constants[index])):
            constants = best.constants.copy()
            constants[index] = value
            if stays(best.with_constants(constants)):
                best = best.with_constants(constants)
                break
    shorter = canonical(best)
    return shorter if len(shorter) < len(best) and stays(shorter) else best


def no_worse(expression: Expression, rows: Rows) -> Callable[[Expression], bool]:
    """The judge for laws that leave something to explain: neither error on the rows may grow."""
    errors = measure(expression, rows)
    return lambda trial: _stays(measure(trial, rows), errors)


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
