"""Factors of polynomials whose numbers carry rounding: powers, common parts, quadratics and roots of one generator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from mosaic_sr.writing.numbers import clean
from mosaic_sr.writing.polynomials import (
    Polynomial,
    coefficients,
    content,
    degree,
    divide,
    finer,
    multiply,
    normed,
    ring_of,
    root,
    subtract,
    times_number,
    to_polynomial,
    to_sum,
    without,
)
from mosaic_sr.writing.sums import ONE, Sum, number, power, product

# Powers of a whole sum that people write.
ORDERS = (2, 3, 5)
# A root of a polynomial in float64 is this close to the number that it is.
NEAR_ROOT = 1e-6
MOST_FACTORS = 12


@lru_cache(maxsize=5_000)
def factored(one: Sum) -> Sum | None:
    """A polynomial of generators as a product; None where it has no factors, or is no polynomial."""
    ring = ring_of(one)
    if ring is None or len(one.terms) < 2:
        return None
    whole = to_polynomial(one, ring)
    shared = content(whole)
    parts = [to_sum({shared: 1.0}, ring)] if any(shared) else []
    factors = [to_sum(part, ring) for part in factors_of(normed(without(whole, shared)))]
    factors = [deeper for part in factors for deeper in _in_finer_units(part)]
    if len(parts) + len(factors) < 2:
        return None
    lead = number(whole[max(whole)])
    lead = _made_up(lead, [*parts, *factors], one)
    return product(lead, *parts, *_powers(factors))


def _made_up(lead: Sum, parts: list[Sum], whole: Sum) -> Sum:
    """The number before the factors: sums may have put another term first than polynomials do."""
    ring = ring_of(whole, *parts)
    if ring is None:
        return lead
    found: Polynomial = {(0,) * len(ring.bases): 1.0}
    for part in parts:
        found = multiply(found, to_polynomial(part, ring))
    target = to_polynomial(whole, ring)
    lead_term = max(target)
    return number(target[lead_term] / found[lead_term]) if lead_term in found else lead


def _powers(factors: list[Sum]) -> list[Sum]:
    counts: dict[Sum, int] = {}
    for factor in factors:
        counts[factor] = counts.get(factor, 0) + 1
    return [power(factor, float(count)) for factor, count in counts.items()]


def _in_finer_units(one: Sum) -> list[Sum]:
    """Factors of a polynomial in squares, as of x^2 - y^2."""
    ring = ring_of(one)
    if ring is None or finer(ring) == ring or len(one.terms) > 3:
        return [one]
    fine = finer(ring)
    return [to_sum(part, fine) for part in factors_of(normed(to_polynomial(one, fine)))]


def factors_of(one: Polynomial) -> list[Polynomial]:
    """Factors of a polynomial that no generator divides, as often as they occur, each with the number 1 first."""
    if len(one) < 2:
        return [one]
    for order in ORDERS:
        base = root(one, order)
        if base is not None:
            return factors_of(normed(base)) * order
    places = [place for place in range(len(max(one))) if degree(one, place) > 0]
    for place in sorted(places, key=lambda place: degree(one, place)):
        part = next(_parts(one, place), None)
        if part is None:
            if degree(one, place) == 1:
                return [one]
            continue
        rest = divide(one, part)
        if rest is not None and len(part) > 1 and len(rest) > 1:
            return sorted([*factors_of(normed(part)), *factors_of(normed(rest))], key=lambda each: sorted(each))
    return [one]


def _parts(one: Polynomial, place: int) -> Iterator[Polynomial]:
    """Polynomials that may divide one, told from its powers of a generator."""
    powers = coefficients(one, place)
    smallest = min((each for each in powers if each), key=len)
    if len(smallest) > 1:
        shared = content(smallest)
        for factor in factors_of(normed(without(smallest, shared))):
            if len(factor) > 1 and divide(one, factor) is not None:
                yield factor
    if len(powers) == 3:
        yield from _quadratic_parts(one, place, powers)
    if len(powers) > 2 and all(len(each) <= 1 and not any(max(each, default=())) for each in powers):
        yield from _linear_parts(one, place, powers)


def _quadratic_parts(one: Polynomial, place: int, powers: list[Polynomial]) -> Iterator[Polynomial]:
    """The factors of a*v^2 + b*v + c whose discriminant is a square."""
    free, linear, square = powers
    discriminant = subtract(multiply(linear, linear), times_number(multiply(square, free), 4.0))
    if not discriminant:
        return
    difference = root(discriminant, 2)
    if difference is None:
        return
    step = tuple(int(index == place) for index in range(len(max(one))))
    for sign in (1.0, -1.0):
        part = multiply({step: 2.0}, square)
        for other, side in ((linear, -1.0), (difference, -sign)):
            part = subtract(part, times_number(other, side))
        part = normed(without(part, content(part)))
        if divide(one, part) is not None:
            yield part


def _linear_parts(one: Polynomial, place: int, powers: list[Polynomial]) -> Iterator[Polynomial]:
    """V - r for short real roots r of a polynomial of one generator."""
    numbers = [next(iter(each.values()), 0.0) for each in powers]
    size = len(max(one))
    if not all(math.isfinite(value / numbers[-1]) for value in numbers):
        return
    for found in np.roots(np.array(numbers[::-1]) / numbers[-1]).tolist():
        if abs(complex(found).imag) > NEAR_ROOT * abs(found):
            continue
        for digits in (1, 2, 3, 4, 6):
            near = clean(float(f"{complex(found).real:.{digits}g}"))
            if near != 0.0 and abs(near - found) <= NEAR_ROOT * abs(near):
                step = tuple(int(index == place) for index in range(size))
                part = {step: 1.0, (0,) * size: -near}
                if divide(one, part) is not None:
                    yield part
                break


def divided(whole: Sum, part: Sum) -> Sum | None:
    """The quotient of two sums where the division leaves nothing."""
    if whole == part:
        return ONE
    ring = ring_of(whole, part)
    if ring is None:
        return None
    found = divide(to_polynomial(whole, ring), to_polynomial(part, ring))
    return None if found is None else to_sum(found, ring)
