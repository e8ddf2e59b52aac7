"""Numbers that a fit has left a few roundings away from a short one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.simple_numbers import closed_forms_near
from mosaic_sr.writing.numbers import ENDLESS, clean, printed_digits

# Fits of exact rows come this close to a number; whether that is rounding is for the rows to say.
NEAR = 1e-8
# Numbers with fewer digits are short already; those of a person have at most so many.
LONG, SHORT = 10, 6
# Digits of the numerator of a fraction.
FEW = 3
# Whole numbers below a line, as 10! in a series.
LARGEST_INVERSE = 1e7


def shortened(expression: Expression, holds: Callable[[Expression], bool]) -> Expression:
    """The formula with each long number at the shortest one that keeps the values, equal numbers together."""
    for value in dict.fromkeys(expression.constants.tolist()):
        if not np.isfinite(value) or printed_digits(value) < LONG:
            continue
        for short in _short_numbers(value):
            trial = expression.with_constants(np.where(expression.constants == value, short, expression.constants))
            if holds(trial):
                expression = trial
                break
    return expression


def _short_numbers(value: float) -> Iterator[float]:
    """Short numbers near a long one, the simplest first."""
    size, sign = abs(value), np.sign(value)
    found = [form.value for form in closed_forms_near(size, NEAR * size)]
    for digits in range(1, SHORT + 1):
        found += [float(f"{size * below:.{digits}g}") / below for below in (1, *(ENDLESS if digits <= FEW else ()))]
    if 1.0 / size < LARGEST_INVERSE and round(1.0 / size):
        found.append(1.0 / round(1.0 / size))
    near = dict.fromkeys(clean(each) for each in found if abs(each - size) <= NEAR * size)
    yield from (float(sign * each) for each in sorted(near, key=printed_digits))
