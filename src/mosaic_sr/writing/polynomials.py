"""Polynomials as exponents over generators: exact division, roots and factors, with numbers that carry rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from mosaic_sr.writing.numbers import Unwritable, clean
from mosaic_sr.writing.sums import Base, Sum, from_terms

Exponents: TypeAlias = tuple[int, ...]
Polynomial: TypeAlias = dict[Exponents, float]
# What is left of numbers that cancel, as a share of them.
CANCELLED = 1e-11
# Roots such as x^(5/6) are whole powers of x^(1/6); finer ones are no polynomial's.
FINEST = 6
# Steps of a division or of a root; laws have fewer terms.
MOST_STEPS = 200


class Ring(NamedTuple):
    """The generators of polynomials: bases to the power of their units."""

    bases: tuple[Base, ...]
    units: tuple[Fraction, ...]


def ring_of(*sums: Sum) -> Ring | None:
    """The generators of some sums; None where an exponent is negative or no fraction."""
    exponents: dict[Base, set[Fraction]] = {}
    for one in sums:
        for _, factors in one.terms:
            for base, exponent in factors:
                part = Fraction(exponent).limit_denominator(FINEST)
                if exponent < 0.0 or abs(float(part) - exponent) > 1e-12:
                    return None
                exponents.setdefault(base, set()).add(part)
    bases = tuple(sorted(exponents, key=lambda base: base.key))
    return Ring(bases, tuple(_unit(exponents[base]) for base in bases))


def _unit(parts: set[Fraction]) -> Fraction:
    """The greatest fraction of which all are whole multiples."""
    below = math.lcm(*(part.denominator for part in parts))
    return Fraction(math.gcd(*(int(part * below) for part in parts)), below)


def finer(ring: Ring) -> Ring:
    """The same generators in units of 1 where they were larger."""
    return Ring(ring.bases, tuple(min(unit, Fraction(1)) for unit in ring.units))


def to_polynomial(one: Sum, ring: Ring) -> Polynomial:
    """A sum over generators that fit it."""
    places = {base: place for place, base in enumerate(ring.bases)}
    found: Polynomial = {}
    for value, factors in one.terms:
        exponents = [0] * len(ring.bases)
        for base, exponent in factors:
            exponents[places[base]] = round(exponent / float(ring.units[places[base]]))
        found[tuple(exponents)] = value
    return found


def to_sum(one: Polynomial, ring: Ring) -> Sum:
    """A polynomial as a sum."""
    return from_terms(
        (
            clean(value),
            tuple(
                (base, float(exponent * unit))
                for base, unit, exponent in zip(ring.bases, ring.units, exponents, strict=True)
                if exponent
            ),
        )
        for exponents, value in one.items()
    )


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product, without terms that cancel."""
    found: Polynomial = {}
    sizes: Polynomial = {}
    for one, value in left.items():
        for other, share in right.items():
            exponents = tuple(map(int.__add__, one, other))
            found[exponents] = found.get(exponents, 0.0) + value * share
            sizes[exponents] = max(sizes.get(exponents, 0.0), abs(value * share))
    return {exponents: value for exponents, value in found.items() if abs(value) > CANCELLED * sizes[exponents]}


def subtract(left: Polynomial, right: Polynomial) -> Polynomial:
    """The difference, without terms that cancel."""
    found = dict(left)
    for exponents, value in right.items():
        before = found.get(exponents, 0.0)
        after = before - value
        if abs(after) > CANCELLED * max(abs(before), abs(value)):
            found[exponents] = after
        else:
            found.pop(exponents, None)
    return found


def times_number(one: Polynomial, value: float) -> Polynomial:
    """Each term times a number."""
    return {exponents: share * value for exponents, share in one.items()}


def divide(whole: Polynomial, part: Polynomial) -> Polynomial | None:
    """The quotient where the division leaves nothing, else None."""
    if not part or len(part) > len(whole) + MOST_STEPS:
        return None
    lead = max(part)
    rest, found = dict(whole), Polynomial()
    for _ in range(MOST_STEPS):
        if not rest:
            return found
        first = max(rest)
        exponents = tuple(map(int.__sub__, first, lead))
        if min(exponents, default=0) < 0:
            return None
        found[exponents] = rest[first] / part[lead]
        rest = subtract(rest, multiply({exponents: found[exponents]}, part))
        rest.pop(first, None)
    return None


def root(one: Polynomial, order: int) -> Polynomial | None:
    """The polynomial whose power of that order this is, with a positive number first; None where there is none."""
    lead = max(one)
    if any(exponent % order for exponent in lead) or (one[lead] < 0.0 and order % 2 == 0):
        return None
    size = math.copysign(abs(one[lead]) ** (1.0 / order), one[lead])
    found: Polynomial = {tuple(exponent // order for exponent in lead): size}
    first = max(found)
    below = {tuple(exponent * (order - 1) for exponent in first): order * size ** (order - 1)}
    for _ in range(MOST_STEPS):
        rest = subtract(one, raised(found, order))
        if not rest:
            return found
        quotient = divide({max(rest): rest[max(rest)]}, below)
        if quotient is None or len(found) > len(one):
            return None
        (exponents, value), *_ = quotient.items()
        if exponents in found or exponents >= first:
            return None
        found[exponents] = value
    return None


def raised(one: Polynomial, order: int) -> Polynomial:
    """A whole power."""
    found = one
    for _ in range(order - 1):
        found = multiply(found, one)
    return found


def degree(one: Polynomial, place: int) -> int:
    """The largest power of a generator."""
    return max(exponents[place] for exponents in one)


def coefficients(one: Polynomial, place: int) -> list[Polynomial]:
    """What multiplies each power of a generator, from the 0th."""
    found: list[Polynomial] = [{} for _ in range(degree(one, place) + 1)]
    for exponents, value in one.items():
        found[exponents[place]][(*exponents[:place], 0, *exponents[place + 1 :])] = value
    return found


def content(one: Polynomial) -> Exponents:
    """The powers that all terms share."""
    return tuple(map(min, zip(*one, strict=True)))


def without(one: Polynomial, shared: Sequence[int]) -> Polynomial:
    """The polynomial divided by powers of generators."""
    return {tuple(map(int.__sub__, exponents, shared)): value for exponents, value in one.items()}


def normed(one: Polynomial) -> Polynomial:
    """The polynomial whose first number is 1."""
    lead = one[max(one)]
    if lead == 0.0 or not math.isfinite(lead):
        raise Unwritable
    return times_number(one, 1.0 / lead)
