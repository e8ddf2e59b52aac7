"""Numbers that people write in closed form: fractions, and fractions of pi, e and small roots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

# Parts of the fractions before a special number; 16 for 16*pi and 1/(16*pi).
PARTS = (*range(1, 13), 16)
# Bits of pi, above or below the line, and of the others: of 650 numbers other than 0 and 1 in the formulas that the
# structure prior was counted on, ten are pi and one is the root of 3. With the named laws, pi stands there 41 times, in
# a root five times, squared once.
BITS_OF_PI, BITS_OF_ROOT_OF_PI, BITS_OF_OTHERS = 4.0, 7.0, 8.0
# The text after the numerator and its LaTeX, with the value, a factor above or below the line, and its bits.
SPECIAL = (
    ("pi", r"\pi", math.pi, BITS_OF_PI),
    ("e", r"\mathrm{e}", math.e, BITS_OF_OTHERS),
    ("sqrt(2)", r"\sqrt{2}", math.sqrt(2.0), BITS_OF_OTHERS),
    ("sqrt(3)", r"\sqrt{3}", math.sqrt(3.0), BITS_OF_OTHERS),
    ("sqrt(5)", r"\sqrt{5}", math.sqrt(5.0), BITS_OF_OTHERS),
    ("sqrt(pi)", r"\sqrt{\pi}", math.sqrt(math.pi), BITS_OF_ROOT_OF_PI),
    ("sqrt(2*pi)", r"\sqrt{2 \pi}", math.sqrt(2.0 * math.pi), BITS_OF_ROOT_OF_PI),
    ("pi^2", r"\pi^{2}", math.pi * math.pi, BITS_OF_OTHERS),
)
# Denominators of fractions that people write.
DENOMINATORS = range(1, 13)
# Those among them whose fractions have decimals that end, and few of them.
FINITE_DENOMINATORS = (2, 4, 8)
# Numerators of fractions in the table; whole numbers go further by rounding.
NUMERATORS = range(1, 61)
BITS_PER_DIGIT = math.log2(10.0)
# Numbers with more digits than this are fitted, not set.
MOST_DIGITS = 9
# Beyond this a half or a quarter is written in decimals.
MOST_NUMERATOR = 60.0


@dataclass(frozen=True)
class SimpleNumber:
    """A positive number in closed form; `bits` is what it costs to write, so that unlikely forms need more proof."""

    value: float
    bits: float
    text: str
    latex: str


def bits_of_whole(number: int) -> float:
    """Bits of a positive whole number in a code that prefers small ones."""
    return 2.0 * math.log2(number) + 1.0


@lru_cache(maxsize=100_000)
def number_bits(value: float, bits_of_decimals: float = 0.0) -> float | None:
    """Bits of a number that a person could have written, None for one that only a fit could have.

    bits_of_decimals: what it costs, beside its digits, to be none of the usual numbers, as powers of ten are.
    """
    if value == 0.0:
        return 1.0
    form = closed_form(value)
    if form is not None:
        return form.bits
    costs = [_decimal_bits(value, bits_of_decimals), *_fraction_bits(abs(value))]
    if float(value).is_integer() and abs(value) < 10.0**MOST_DIGITS:
        costs.append(bits_of_whole(int(abs(value))))
    least = min(costs)
    return least if math.isfinite(least) else None


def is_rounded(value: float) -> bool:
    """Whether a number has a few decimal digits and is none that people write in another way, as 1/4, 2/3 or 2*pi."""
    is_fraction = any((abs(value) * below).is_integer() for below in FINITE_DENOMINATORS)
    return not is_fraction and closed_form(value) is None and number_bits(value) is not None


def _decimal_bits(value: float, bits_of_decimals: float) -> float:
    """Bits of the digits and of the place of the point, and of being no power of ten."""
    shortest = Decimal(repr(value)).normalize()
    digits = shortest.as_tuple().digits
    if len(digits) > MOST_DIGITS:
        return math.inf
    own = 0.0 if digits == (1,) else bits_of_decimals
    return own + BITS_PER_DIGIT * len(digits) + math.log2(1 + abs(shortest.adjusted()))


def _fraction_bits(magnitude: float) -> Iterator[float]:
    """Bits as a fraction whose decimals end: a half, a quarter or an eighth of a whole number."""
    for below in FINITE_DENOMINATORS:
        above = magnitude * below
        if above.is_integer() and above <= MOST_NUMERATOR:
            yield bits_of_whole(int(above)) + bits_of_whole(below)


def is_fraction(value: float) -> bool:
    """Whether the number is a small whole number of halves, quarters or eighths, such as 3/4."""
    return any(abs(value) * below in PARTS for below in FINITE_DENOMINATORS)


def closed_form(value: float) -> SimpleNumber | None:
    """The closed form of exactly this magnitude, where it says more than the decimals do."""
    return _forms().get(abs(value))


def closed_forms_near(value: float, reach: float) -> Iterator[SimpleNumber]:
    """Closed forms whose value is within `reach` of the magnitude."""
    values, forms = _sorted_forms()
    first, last = np.searchsorted(values, [abs(value) - reach, abs(value) + reach])
    yield from forms[int(first) : int(last)]


@cache
def _sorted_forms() -> tuple[NDArray[np.float64], tuple[SimpleNumber, ...]]:
    ordered = tuple(sorted(_forms().values(), key=lambda form: form.value))
    return np.array([form.value for form in ordered]), ordered


@cache
def _forms() -> dict[float, SimpleNumber]:
    """By value; the cheapest form of each."""
    forms: dict[float, SimpleNumber] = {}
    for form in (*_fractions(), *_multiples()):
        known = forms.get(form.value)
        if known is None or form.bits < known.bits:
            forms[form.value] = form
    return forms


def _fractions() -> Iterator[SimpleNumber]:
    """Fractions whose decimals do not end."""
    for below in DENOMINATORS:
        for above in NUMERATORS:
            if math.gcd(above, below) == 1 and any(below % prime == 0 for prime in (3, 7, 11)):
                bits = bits_of_whole(above) + bits_of_whole(below)
                yield SimpleNumber(above / below, bits, f"{above}/{below}", rf"\frac{{{above}}}{{{below}}}")


def _multiples() -> Iterator[SimpleNumber]:
    for text, latex, special, own_bits in SPECIAL:
        for below in PARTS:
            for above in (part for part in PARTS if math.gcd(part, below) == 1):
                bits = bits_of_whole(above) + bits_of_whole(below) + own_bits
                lead, latex_lead = ("", "") if above == 1 else (f"{above}*", f"{above} ")
                over = "" if below == 1 else f"/{below}"
                shown = f"{latex_lead}{latex}"
                shown = shown if below == 1 else rf"\frac{{{shown}}}{{{below}}}"
                yield SimpleNumber(above * special / below, bits, f"{lead}{text}{over}", shown)
                under, latex_under = (text, latex) if below == 1 else (f"({below}*{text})", f"{below} {latex}")
                yield SimpleNumber(
                    above / (below * special), bits, f"{above}/{under}", rf"\frac{{{above}}}{{{latex_under}}}"
                )
