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
