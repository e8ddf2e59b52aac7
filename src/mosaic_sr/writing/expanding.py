"""Sums multiplied out: whole powers of sums, exponentials of one term as one, magnitudes without their even powers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from mosaic_sr.writing.numbers import clean
from mosaic_sr.writing.sums import Base, Call, Factors, Sum, Term, added, from_terms, power_of, scaled

# A person multiplies out no more terms than this, and the time to do it grows with their square.
MOST_TERMS = 150
# Higher powers of a sum stay whole.
LARGEST_POWER = 12.0


class TooLong(ArithmeticError):
    """The sum has too many terms to be worth writing."""


def multiplied_out(one: Sum) -> Sum:
    """The sum with products and whole powers of sums multiplied out; what stands below a line keeps whole, as
    a multiple of a sum whose first number is 1, so that equal ones meet.
    """
    return _multiplied_out(one)


def distributed(one: Sum) -> Sum:
    """The sum with each term over the first sum that it has as a plain factor; powers of sums stay whole and meet."""
    terms = list[Term]()
    for value, factors in one.terms:
        place = next((place for place, (base, e) in enumerate(factors) if isinstance(base, Sum) and e == 1.0), None)
        if place is None:
            terms.append((value, factors))
            continue
        whole, rest = factors[place][0], (*factors[:place], *factors[place + 1 :])
        terms += times([(value, rest)], whole.terms if isinstance(whole, Sum) else ())
    return from_terms(terms)


@lru_cache(maxsize=20_000)
def _multiplied_out(one: Sum) -> Sum:
    terms = list[Term]()
    for value, factors in one.terms:
        terms += _opened(value, factors)
        if len(terms) > MOST_TERMS:
            raise TooLong
    return from_terms(terms)


def _opened(value: float, factors: Factors) -> Iterable[Term]:
    """A term multiplied out."""
    whole, kept = list[tuple[Sum, int]](), list[tuple[Base, float]]()
    for base, exponent in factors:
        if not isinstance(base, Sum):
            kept.append((base, exponent))
        elif _opens(exponent):
            whole.append((base, int(exponent)))
        else:
            lead, rest = primitive(_multiplied_out(base), exponent)
            value = clean(value * lead)
            kept.append((rest, exponent)) if len(rest.terms) > 1 else kept.extend(_raised(rest, exponent))
    terms: list[Term] = [(value, gathered(tuple(kept)))]
    for base, exponent in whole:
        opened = _multiplied_out(base)
        for _ in range(exponent):
            terms = times(terms, opened.terms)
    if any(_is_open(term) for term in terms):
        return [deeper for inner in terms for deeper in (_opened(*inner) if _is_open(inner) else (inner,))]
    return terms


def _is_open(term: Term) -> bool:
    return any(isinstance(base, Sum) and _opens(exponent) for base, exponent in term[1])


def _opens(exponent: float) -> bool:
    """Whether a power of a sum is multiplied out."""
    return 1.0 <= exponent <= LARGEST_POWER and exponent == int(exponent)


def _raised(one: Sum, exponent: float) -> Factors:
    """The factors of a power of a single term with the number 1."""
    factors = one.terms[0][1]
    if exponent == int(exponent):
        return tuple((base, clean(inner * exponent)) for base, inner in factors)
    return ((one, exponent),)


def primitive(one: Sum, exponent: float) -> tuple[float, Sum]:
    """A number and a sum whose first number is 1, or ±1 under a root, so that their product is the power."""
    lead = one.terms[0][0]
    if exponent != int(exponent):
        lead = abs(lead)
    return (1.0, one) if lead in (0.0, 1.0) else (power_of(lead, exponent), scaled(one, 1.0 / lead))


def times(left: Iterable[Term], right: Iterable[Term]) -> list[Term]:
    """The products of all pairs of terms, like ones merged."""
    others = tuple(right)
    pairs = ((clean(one * other), joined(first, second)) for one, first in left for other, second in others)
    merged = from_terms(pairs).terms
    if len(merged) > MOST_TERMS:
        raise TooLong
    return list(merged)


@lru_cache(maxsize=100_000)
def joined(left: Factors, right: Factors) -> Factors:
    """The product of two products of powers."""
    if not left or not right:
        return left or right
    return gathered((*left, *right))


@lru_cache(maxsize=100_000)
def gathered(factors: Factors) -> Factors:
    """Powers of equal bases merged, exponentials in one."""
    exponents: dict[Base, float] = {}
    growth = list[Sum]()
    for base, exponent in factors:
        if isinstance(base, Call) and base.name == "exp":
            growth.append(scaled(multiplied_out(base.arguments[0]), exponent))
            continue
        exponents[base] = clean(exponents.get(base, 0.0) + exponent)
    _without_magnitudes(exponents)
    if growth:
        argument = added(*growth)
        if not argument.is_number or argument.number != 0.0:
            exponents[Call("exp", argument)] = 1.0
    return as_factors(exponents)


def _without_magnitudes(exponents: dict[Base, float]) -> None:
    """abs(x)^2 is x^2."""
    for base in [one for one in exponents if isinstance(one, Call) and one.name == "abs"]:
        inner = base.arguments[0]
        is_single = len(inner.terms) == 1 and inner.terms[0][0] == 1.0
        if exponents[base] % 2.0 == 0.0 and is_single:
            exponent = exponents.pop(base)
            for one, deeper in inner.terms[0][1]:
                exponents[one] = exponents.get(one, 0.0) + deeper * exponent


def as_factors(exponents: Mapping[Base, float]) -> Factors:
    """Powers in their fixed order."""
    kept = [(base, exponent) for base, exponent in exponents.items() if exponent != 0.0]
    return tuple(sorted(kept, key=lambda factor: factor[0].key))
