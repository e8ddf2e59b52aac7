"""Digits that a person reads: as many of a constant as its error leaves, as an integer for all or one per constant."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TypeAlias

# Significant digits of all constants, or of each in reading order.
Precision: TypeAlias = int | Sequence[int]
# Beyond this a float64 has no digits.
ALL_DIGITS = 17
# Between these sizes numbers are written without a power of ten.
PLAIN_SIZES = (1e-4, 1e7)
# An error below this share of its constant is rounding: that of one number is 1e-16, and a fit may multiply it by some
# thousands. So many digits are shown then.
ROUNDING, CERTAIN_DIGITS = 1e-12, 12


def each_precision(precision: Precision) -> Iterator[int]:
    """The digits of one constant after the other."""
    return repeat(precision) if isinstance(precision, int) else iter(precision)


def digits_left(value: float, error: float) -> int:
    """Significant digits of a constant up to the second digit of its standard error; all where that is not known."""
    if not (math.isfinite(error) and math.isfinite(value)) or error <= 0.0 or value == 0.0:
        return ALL_DIGITS
    left = math.floor(math.log10(abs(value))) - math.floor(math.log10(error)) + 2
    return min(max(left, 1), ALL_DIGITS)


def rounded_text(value: float, digits: int, keeps_zeros: bool = False) -> str:
    """A number with so many significant digits, without a power of ten where it is of a usual size.

    keeps_zeros: whether zeros at the end stay, which say how much is known.
    """
    text = f"{value:#.{digits}g}".rstrip(".") if keeps_zeros else f"{value:.{digits}g}"
    if "e" not in text or not PLAIN_SIZES[0] <= abs(value) < PLAIN_SIZES[1]:
        return text
    return f"{float(text):.0f}"


def is_rounding(value: float, error: float) -> bool:
    """Whether nothing but rounding leaves a constant uncertain."""
    return 0.0 <= error <= ROUNDING * abs(value)


def with_error(value: float, error: float) -> str:
    """Value ± error, the value to the second digit of its error; without an error that is not known or rounding."""
    if not math.isfinite(error) or not math.isfinite(value) or error == 0.0:
        return f"{value:.10g}"
    if is_rounding(value, error):
        return f"{value:.{CERTAIN_DIGITS}g}"
    digits = digits_left(value, error) if value else 2
    return f"{rounded_text(value, digits, keeps_zeros=True)} ± {rounded_text(error, 2, keeps_zeros=True)}"
