"""Numbers as people write them: what a number costs in print, fractions of short numbers, and rounding taken back."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from mosaic_sr.expressions.digits import ALL_DIGITS
from mosaic_sr.expressions.simple_numbers import closed_form, closed_forms_near

# A few roundings of float64 after one another: numbers closer than this are the same number.
SAME_NUMBER = 2e-14
# Significant digits that survive these roundings, and the most that a number of a person has.
SAFE_DIGITS, MOST_DIGITS = 13, 9
# Below a line: whole numbers whose inverse has decimals that do not end, up to the numerator's power of ten.
ENDLESS = (3, 7, 9, 11, 13, 17, 19, 21, 27)
# Below a line in print.
BELOW = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16)
# Digits of the numerator of such a fraction; with more of them chance would find fractions everywhere.
MOST_ABOVE = 6
# Digits of a number below a line; 10! is still one that people write out.
MOST_BELOW = 7
# Digits and size of a base such as 1.85 in 1.85^(t/10); others would be powers of such a one.
MOST_OF_BASE, LEAST_BASE = 4, 0.1


class Unwritable(ArithmeticError):
    """Numbers meet to a value that is not finite or vanishes, so that no other form is looked for."""


@lru_cache(maxsize=100_000)
def clean(value: float) -> float:
    """The number without the rounding of the arithmetic that made it: a short one where one is as close as that."""
    if value == 0.0:
        return 0.0
    if not math.isfinite(value):
        raise Unwritable
    size = abs(value)
    found = _short(size, MOST_DIGITS)
    if found is None:
        found = next(_fractions_near(size), None)
    if found is None:
        found = next((form.value for form in closed_forms_near(size, SAME_NUMBER * size)), size)
    return math.copysign(found, value)


def _short(size: float, most: int) -> float | None:
    """The number of few digits that a number is but for rounding."""
    short = float(f"{size:.{SAFE_DIGITS}g}")
    is_same = abs(short - size) <= SAME_NUMBER * size
    return short if is_same and significant_digits(short) <= most else None


def _fractions_near(size: float) -> Iterator[float]:
    for below in ENDLESS:
        above = _short(size * below, MOST_ABOVE)
        if above is not None:
            yield above / below
    # Underflow is no inverse.
    inverse = _short(1.0 / size, MOST_ABOVE) if 1e-300 < size < 1e300 else None
    if inverse is not None:
        yield 1.0 / inverse


@lru_cache(maxsize=100_000)
def significant_digits(value: float) -> int:
    """Digits of the shortest decimals of a number, without zeros at the ends; those of a whole number all count."""
    shortest = Decimal(repr(abs(value)))
    digits = len(shortest.normalize().as_tuple().digits)
    # 120 has three digits, 1e20 has one.
    return max(digits, shortest.adjusted() + 1) if value == math.floor(value) and abs(value) < 1e6 else digits


def is_short_base(value: float) -> bool:
    """Whether a number was set as the base of a power: it has few digits, and its logarithm has many."""
    is_set = LEAST_BASE < value < 1.0 / LEAST_BASE and value != 1.0 and significant_digits(value) <= MOST_OF_BASE
    return is_set and significant_digits(clean(math.log(value))) > MOST_DIGITS


@lru_cache(maxsize=100_000)
def printed_digits(value: float, most: int = ALL_DIGITS) -> int:
    """What a number costs in print: its digits, or those of its closed form, with one for each name in it and two for
    each operator, which is a node and makes two numbers of one.

    most: digits that its error leaves, if that is known.
    """
    form = closed_form(value)
    digits = significant_digits(value)
    if form is not None:
        words, signs = re.findall(r"[a-z]+", form.text), re.findall(r"[*/^]", form.text)
        digits = min(digits, sum(map(str.isdigit, form.text)) + len(words) + 2 * len(signs))
    return min(digits, most)


@lru_cache(maxsize=100_000)
def as_fraction(size: float, most: int = ALL_DIGITS) -> tuple[float, float]:
    """A positive number as numerator and denominator, the pair of fewest digits; the denominator is mostly 1.

    most: digits that the error leaves; a number that has an error and no short form is no fraction.
    """
    best, least = (size, 1.0), (float(printed_digits(size, most)), printed_digits(size))
    for above, below in _fractions(size):
        # A second number is an operator and a leaf more, unless the numerator is 1 and not written.
        extra = 0.0 if above == 1.0 else 2.0 + printed_digits(above)
        cost = printed_digits(below) + extra, printed_digits(below)
        if cost < least:
            best, least = (above, below), cost
    return best


def _fractions(size: float) -> Iterator[tuple[float, float]]:
    if not 1e-300 < size < 1e300:
        return
    inverse = clean(1.0 / size)
    is_whole = inverse == math.floor(inverse)
    is_short = significant_digits(inverse) <= MOST_BELOW and (is_whole or significant_digits(size) > MOST_DIGITS)
    if clean(1.0 / inverse) == size and (is_short or closed_form(inverse) is not None):
        yield 1.0, inverse
    for below in BELOW:
        above = _short(size * below, MOST_ABOVE)
        if above is not None and clean(above / below) == size:
            yield above, float(below)
    turns = _short(math.pi / size, MOST_ABOVE)
    if turns is not None:
        # A period of 365 is 2*pi/365 and not pi/182.5.
        many = 1.0 if turns == math.floor(turns) else 2.0
        if clean(math.pi / turns) == size:
            yield many * math.pi, many * turns
    for above in (math.pi, 1.0 / math.pi):
        other = _short(size / above, MOST_ABOVE)
        if other is not None and clean(other * above) == size:
            yield (other, math.pi) if above < 1.0 else (math.pi * other, 1.0)
