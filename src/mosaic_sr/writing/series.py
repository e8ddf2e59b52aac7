"""Series about a centre: polynomials with long numbers that are short ones of (x - centre), as of sin(x) about pi."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from mosaic_sr.expressions.simple_numbers import closed_forms_near
from mosaic_sr.writing.expanding import multiplied_out
from mosaic_sr.writing.numbers import MOST_DIGITS, printed_digits
from mosaic_sr.writing.sums import Base, Factors, Sum, Term, added, from_terms, number, power, product

# Powers and long numbers of a polynomial that may be a series; shorter ones are as well written about 0.
LEAST_POWER, MOST_POWER, LEAST_LONG = 3, 12, 3
# How near a fitted number is to the one of a series. The values on the rows decide, so that this may be wide.
NEAR = 1e-4
# Centres beside the one that the two highest powers tell: whole multiples of these parts of pi, up to a turn.
PARTS_OF_PI = (1, 2, 3, 4, 6)
# Whole numbers below a line, as 10! in a series, and the fractions beside them.
LARGEST_BELOW, MOST_BELOW = 1e7, 12
# A number of a series below this share of the largest one is 0.
VANISHING = 1e-6


def series_forms(one: Sum) -> Iterator[Sum]:
    """The sum with a polynomial of one base and long numbers as a series about a centre, its numbers made short."""
    whole = multiplied_out(one)
    for base in dict.fromkeys(base for _, factors in whole.terms for base, _ in factors):
        for rest, terms in _groups(whole, base).items():
            powers = {exponent: value for exponent, value, _ in terms}
            if not _may_be_series(powers):
                continue
            others = from_terms(term for term in whole.terms if all(term is not own for _, _, own in terms))
            for centre in _centres(powers):
                found = _series(_shifted(powers, centre), added(_as_sum(base), number(-centre)))
                if found is not None:
                    yield added(others, product(Sum(((1.0, rest),)), found))


def _groups(whole: Sum, base: Base) -> dict[Factors, list[tuple[int, float, Term]]]:
    """Terms by what they have beside the base, each with its whole power of the base and its number."""
    found: dict[Factors, list[tuple[int, float, Term]]] = {}
    for term in whole.terms:
        value, factors = term
        exponent = dict(factors).get(base, 0.0)
        if 0.0 <= exponent == int(exponent):
            rest = tuple(factor for factor in factors if factor[0] != base)
            found.setdefault(rest, []).append((int(exponent), value, term))
    return found


def _may_be_series(powers: dict[int, float]) -> bool:
    num_long = sum(printed_digits(value) > MOST_DIGITS for value in powers.values())
    return LEAST_POWER <= max(powers) <= MOST_POWER and num_long >= LEAST_LONG


def _centres(powers: dict[int, float]) -> Iterator[float]:
    most = max(powers)
    told = -powers.get(most - 1, 0.0) / (most * powers[most])
    found = [math.copysign(form.value, told) for form in closed_forms_near(abs(told), NEAR * abs(told))]
    turns = dict.fromkeys(Fraction(count, part) for part in PARTS_OF_PI for count in range(-2 * part, 2 * part + 1))
    yield from dict.fromkeys([*found, *(math.pi * float(turn) for turn in turns if turn)])


def _shifted(powers: dict[int, float], centre: float) -> list[float]:
    """The numbers of a polynomial about a centre, by exact arithmetic: much of them cancels."""
    about, found = Fraction(centre), [Fraction(0)] * (max(powers) + 1)
    for exponent, value in powers.items():
        for order in range(exponent + 1):
            found[order] += Fraction(value) * math.comb(exponent, order) * about ** (exponent - order)
    return [float(value) for value in found]


def _series(numbers: list[float], about: Sum) -> Sum | None:
    """A number times a series of short numbers, None where there is none."""
    largest = max(map(abs, numbers))
    kept = [value if abs(value) > VANISHING * largest else 0.0 for value in numbers]
    # A series may have its first number for a scale, or none.
    for scale in dict.fromkeys((1.0, *(_simple_or_same(abs(value)) for value in kept if value))):
        short = [_short(value / scale) for value in kept]
        if all(value is not None for value in short):
            terms = (product(number(value), power(about, float(order))) for order, value in enumerate(short) if value)
            return product(number(scale), added(*terms))
    return None


def _simple_or_same(value: float) -> float:
    return next((form.value for form in closed_forms_near(value, NEAR * value)), value)


def _short(value: float) -> float | None:
    """The number of a series that a fitted one is near: 0, one over a whole number, or a small fraction."""
    if value == 0.0:
        return 0.0
    below = round(1.0 / abs(value)) if abs(value) > 1.0 / LARGEST_BELOW else 0
    simple = [math.copysign(1.0 / below, value)] if below else []
    simple.append(float(Fraction(value).limit_denominator(MOST_BELOW)))
    return next((each for each in simple if abs(each - value) <= NEAR * abs(value)), None)


def _as_sum(base: Base) -> Sum:
    return base if isinstance(base, Sum) else Sum(((1.0, ((base, 1.0),)),))
