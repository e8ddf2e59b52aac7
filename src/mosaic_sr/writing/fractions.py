"""One fraction or a sum of fractions: a common line, cancelled factors, whole parts, and fractions taken apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.writing.expanding import as_factors, joined, multiplied_out
from mosaic_sr.writing.factoring import divided, factored
from mosaic_sr.writing.polynomials import (
    Polynomial,
    Ring,
    coefficients,
    degree,
    multiply,
    ring_of,
    subtract,
    to_polynomial,
    to_sum,
)
from mosaic_sr.writing.sums import Base, Factors, Sum, Term, added, from_terms, power, product

# Unknown numbers of a fraction taken apart; their equations are solved in one step.
MOST_UNKNOWNS = 60
# Of the largest number: what the equations leave where the fraction does come apart.
SOLVED = 1e-9
Fraction = tuple[Sum, Factors]


@lru_cache(maxsize=5_000)
def one_fraction(one: Sum) -> Fraction:
    """A sum as numerator, multiplied out, and factors below the line, without common factors."""
    parts = [_fraction_of_term(term) for term in one.terms]
    below: dict[Base, float] = {}
    for _, factors in parts:
        for base, exponent in factors:
            below[base] = max(below.get(base, 0.0), exponent)
    tops = [_lifted(top, factors, below) for top, factors in parts]
    return cancelled(multiplied_out(added(*tops)), as_factors(below))


def _lifted(top: Sum, factors: Factors, below: Mapping[Base, float]) -> Sum:
    """A numerator over a common line."""
    missing = dict(below)
    for base, exponent in factors:
        missing[base] -= exponent
    return product(top, *(power(_as_sum(base), exponent) for base, exponent in missing.items() if exponent))


def _fraction_of_term(term: Term) -> Fraction:
    value, factors = term
    top, below = Sum(((value, ()),)), list[tuple[Base, float]]()
    for base, exponent in factors:
        if isinstance(base, Sum) and exponent == int(exponent):
            inner, under = one_fraction(base)
            over, line = (inner, under) if exponent > 0.0 else (_product_of(under), ((inner, 1.0),))
            top = product(top, power(over, abs(exponent)))
            below += [(each, deeper * abs(exponent)) for each, deeper in line]
        elif exponent < 0.0:
            below.append((base, -exponent))
        else:
            top = product(top, power(_as_sum(base), exponent))
    # What stands below the line may be a product again.
    flat = multiplied_out(product(*(power(_as_sum(base), -exponent) for base, exponent in below)))
    value, line = flat.terms[0] if len(flat.terms) == 1 else (1.0, ((flat, 1.0),))
    lifted = {base: exponent for base, exponent in line if exponent > 0.0}
    under = tuple((base, -exponent) for base, exponent in line if exponent < 0.0)
    return multiplied_out(product(top, Sum(((value, as_factors(lifted)),)))), under


def _as_sum(base: Base) -> Sum:
    return base if isinstance(base, Sum) else Sum(((1.0, ((base, 1.0),)),))


def _product_of(factors: Factors) -> Sum:
    return product(*(power(_as_sum(base), exponent) for base, exponent in factors))


def cancelled(top: Sum, below: Factors) -> Fraction:
    """A fraction without the factors that both sides share; what is below the line of the numerator goes below."""
    kept = dict(below)
    shared = _least_powers(top)
    for base, exponent in shared.items():
        away = min(exponent, kept.get(base, 0.0)) if exponent > 0.0 else exponent
        if away:
            kept[base] = kept.get(base, 0.0) - away
            top = multiplied_out(product(top, power(_as_sum(base), -away)))
    for base in [each for each in kept if isinstance(each, Sum)]:
        while kept[base] >= 1.0:
            quotient = divided(top, base)
            if quotient is None:
                break
            top, kept[base] = quotient, kept[base] - 1.0
    return top, as_factors(kept)


def _least_powers(one: Sum) -> dict[Base, float]:
    """Of each base the least power in all terms, negative ones even where only some terms have them."""
    bases = {base for _, factors in one.terms for base, _ in factors}
    powers = [dict(factors) for _, factors in one.terms]
    return {base: least for base in bases if (least := min(each.get(base, 0.0) for each in powers)) != 0.0}


def over(top: Sum, below: Factors) -> Sum:
    """A fraction as a sum of one term, its numerator whole."""
    return product(top, *(power(_as_sum(base), -exponent) for base, exponent in below))


def term_by_term(top: Sum, below: Factors) -> Sum:
    """A fraction as a sum of fractions, one for each term of its numerator."""
    line = tuple((base, -exponent) for base, exponent in below)
    return from_terms((value, joined(factors, line)) for value, factors in top.terms)


def whole_parts(top: Sum, below: Factors) -> Iterator[Sum]:
    """A fraction as what a factor below its line divides without rest, and the rest over it."""
    for base, exponent in below:
        if not isinstance(base, Sum) or exponent < 1.0:
            continue
        ring = ring_of(top, base)
        if ring is None:
            continue
        line = as_factors({**dict(below), base: exponent - 1.0})
        for quotient, rest in _divisions(to_polynomial(top, ring), to_polynomial(base, ring)):
            parts = [over(to_sum(quotient, ring), line)]
            parts += [over(to_sum(rest, ring), below)] if rest else []
            yield added(*parts)


def _divisions(top: Polynomial, base: Polynomial) -> Iterator[tuple[Polynomial, Polynomial]]:
    """Quotient and rest of a division by the powers of each generator."""
    for place in range(len(max(base))):
        size, most = degree(base, place), degree(top, place)
        powers = coefficients(base, place)
        if not 0 < size <= most or len(powers[-1]) != 1:
            continue
        lead, value = next(iter(powers[-1].items()))
        rest, quotient = dict(top), Polynomial()
        for power_of_place in range(most, size - 1, -1):
            for exponents in [each for each in rest if each[place] == power_of_place]:
                left = tuple(
                    exponent - lead[index] - (size if index == place else 0) for index, exponent in enumerate(exponents)
                )
                if min(left) < 0:
                    break
                quotient[left] = rest[exponents] / value
                rest = subtract(rest, multiply({left: quotient[left]}, base))
                rest.pop(exponents, None)
        if quotient:
            yield quotient, rest


def taken_apart(top: Sum, below: Factors) -> Iterator[Sum]:
    """A fraction over two factors as a sum of fractions over each and of a whole part, where there is one."""
    for place, first in enumerate(below):
        for second in below[place + 1 :]:
            others = tuple(each for each in below if each not in (first, second))
            left, right = (multiplied_out(_product_of((each,))) for each in (first, second))
            ring = ring_of(top, left, right)
            found = None if ring is None else _shares(top, left, right, ring)
            if found is not None:
                lines = (first, *others), (second, *others), others
                yield added(*(over(share, line) for share, line in zip(found, lines, strict=True)))


def _shares(top: Sum, left: Sum, right: Sum, ring: Ring) -> list[Sum] | None:
    """The sums a, b and c of a/left + b/right + c; a and b have no powers that their line divides."""
    whole, first, second = (to_polynomial(one, ring) for one in (top, left, right))
    both = multiply(first, second)
    beside = (second, first, both)
    unknowns = [(side, each) for side in range(3) for each in _room(whole, beside[side], (first, second, {})[side])]
    if not 0 < len(unknowns) <= MOST_UNKNOWNS:
        return None
    columns = [multiply({exponents: 1.0}, beside[side]) for side, exponents in unknowns]
    rows = sorted({exponents for column in (*columns, whole) for exponents in column})
    matrix = np.array([[column.get(exponents, 0.0) for column in columns] for exponents in rows])
    target = np.array([whole.get(exponents, 0.0) for exponents in rows])
    solution = solve_least_squares(matrix, target)
    if not np.abs(matrix @ solution - target).max() <= SOLVED * np.abs(target).max():
        return None
    shares: tuple[Polynomial, ...] = ({}, {}, {})
    for (side, exponents), value in zip(unknowns, solution.tolist(), strict=True):
        if abs(value) > SOLVED * np.abs(solution).max():
            shares[side][exponents] = value
    return [to_sum(share, ring) for share in shares] if shares[0] and shares[1] else None


def _room(whole: Polynomial, beside: Polynomial, line: Polynomial) -> list[tuple[int, ...]]:
    """Powers that a numerator may have: those of the whole divided by any that stands beside it."""
    pairs = (tuple(map(int.__sub__, each, part)) for each in whole for part in beside)
    lead = max(line, default=())
    found = {left for left in pairs if min(left, default=0) >= 0}
    return sorted(each for each in found if not lead or any(map(int.__lt__, each, lead)))


def factored_fraction(top: Sum, below: Factors) -> Sum:
    """A fraction with its numerator and the sums below its line as products."""
    line = [power(factored(base) or base if isinstance(base, Sum) else _as_sum(base), e) for base, e in below]
    return product(factored(top) or top, *(power(each, -1.0) for each in line)) if line else factored(top) or top
