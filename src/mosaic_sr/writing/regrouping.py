"""Other groupings of the terms of a sum: common factors, shared numbers, completed powers, centres, scales."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from mosaic_sr.writing.expanding import as_factors, joined, multiplied_out
from mosaic_sr.writing.factoring import divided, factored
from mosaic_sr.writing.numbers import MOST_DIGITS, Unwritable, as_fraction, clean, significant_digits
from mosaic_sr.writing.sums import (
    Base,
    Column,
    Factors,
    Sum,
    Term,
    added,
    from_factors,
    from_terms,
    number,
    power,
    power_of,
    product,
    scaled,
)

# A column that stands for another part while a polynomial is shifted; no table has as many columns.
PLACEHOLDER = Column(10**6)
# Powers that are completed: squares and cubes.
COMPLETED = (2, 3)
# The highest power of a polynomial whose centre is looked for.
MOST_POWER = 10
Cost = Callable[[Sum], float]


def collected(one: Sum) -> Iterator[Sum]:
    """For each base that several terms have, those terms as it times a sum; the same for shared numbers."""
    bases = dict.fromkeys(base for _, factors in one.terms for base, _ in factors)
    for base in bases:
        for side in (1.0, -1.0):
            group = [term for term in one.terms if any(each == base and e * side > 0.0 for each, e in term[1])]
            if len(group) > 1:
                others = from_terms(term for term in one.terms if term not in group)
                common = common_powers(group)
                whole_powers = tuple((each, float(math.floor(e))) for each, e in common if math.floor(e))
                for powers in dict.fromkeys((common, whole_powers)):
                    rest = _without(group, powers)
                    for inner in dict.fromkeys((factored(rest) or rest, rest)):
                        yield added(product(from_factors(1.0, powers), inner), others)
    sizes = [abs(value) for value, _ in one.terms]
    for size in dict.fromkeys(each for each in sizes if sizes.count(each) > 1 and each != 1.0):
        group = [term for term in one.terms if abs(term[0]) == size]
        whole = product(number(size), scaled(from_terms(group), 1.0 / size))
        yield added(whole, from_terms(term for term in one.terms if term not in group))
    for place, term in enumerate(one.terms):
        opened = multiplied_out(Sum((term,)))
        if len(opened.terms) > 1:
            yield added(opened, from_terms(one.terms[:place] + one.terms[place + 1 :]))


def _without(group: Sequence[Term], common: Factors) -> Sum:
    """What is left of terms without common powers."""
    away = tuple((base, -exponent) for base, exponent in common)
    return from_terms((value, joined(factors, away)) for value, factors in group)


def common_powers(group: Sequence[Term]) -> Factors:
    """The powers that all terms have, negative ones to their least."""
    powers = [dict(factors) for _, factors in group]
    found: dict[Base, float] = {}
    for base in powers[0]:
        exponents = [each.get(base, 0.0) for each in powers]
        if min(exponents) > 0.0 or max(exponents) < 0.0:
            found[base] = min(exponents) if min(exponents) > 0.0 else max(exponents)
    return as_factors(found)


def completed(one: Sum) -> Iterator[Sum]:
    """a^2 + 2*a*b as (a + b)^2 - b^2, for each square with one and with all of its neighbours; cubes likewise."""
    for order in COMPLETED:
        for value, factors in one.terms:
            if not factors or any(exponent % order for _, exponent in factors):
                continue
            root = tuple((base, exponent / order) for base, exponent in factors)
            below = tuple((base, -exponent * (order - 1)) for base, exponent in root)
            beside = [(share / (order * value), joined(other, below)) for share, other in one.terms if other != factors]
            beside = [term for term in beside if _is_whole(term[1], root)]
            for parts in [*([term] for term in beside), *([beside] if len(beside) > 1 else [])]:
                whole = from_terms([(1.0, root), *parts])
                done = product(number(value), power(whole, float(order)))
                yield added(done, one, scaled(multiplied_out(done), -1.0))


def completed_products(one: Sum) -> Iterator[Sum]:
    """a*b + c*a + d*b as (a + d)*(b + c) - c*d."""
    shares = {factors: value for value, factors in one.terms}
    for value, factors in one.terms:
        for place, first in enumerate(factors):
            rest = factors[:place] + factors[place + 1 :]
            beside, other = shares.get((first,)), shares.get(rest)
            if rest and beside is not None and other is not None:
                left = added(Sum(((1.0, (first,)),)), number(other / value))
                right = added(Sum(((1.0, rest),)), number(beside / value))
                done = product(number(value), left, right)
                yield added(done, one, scaled(multiplied_out(done), -1.0))


def _is_whole(factors: Factors, root: Factors) -> bool:
    """Whether a neighbour is a product of whole powers that is not the root again."""
    return factors != root and all(exponent > 0.0 for _, exponent in factors)


def centred(one: Sum) -> Iterator[Sum]:
    """A polynomial of a base as one of (base - centre) whose second power from above vanishes."""
    for base in dict.fromkeys(base for _, factors in one.terms for base, _ in factors):
        powers = _powers_of(one, base)
        most = max(powers)
        if not 2 <= most <= MOST_POWER or min(powers) < 0 or most - 1 not in powers:
            continue
        centre = divided(powers[most - 1], scaled(powers[most], float(most)))
        if centre is None:
            continue
        there = _as_sum(PLACEHOLDER)
        shifted = [product(each, power(added(there, scaled(centre, -1.0)), float(e))) for e, each in powers.items()]
        yield put_in(multiplied_out(added(*shifted)), PLACEHOLDER, added(_as_sum(base), centre))


def _powers_of(one: Sum, base: Base) -> dict[int, Sum]:
    """What multiplies each whole power of a base; a negative key where some power is not whole or is negative."""
    found: dict[int, list[Term]] = {}
    for value, factors in one.terms:
        exponent = dict(factors).get(base, 0.0)
        key = int(exponent) if exponent == int(exponent) else -1
        found.setdefault(key, []).append((value, tuple(each for each in factors if each[0] != base)))
    return {key: from_terms(terms) for key, terms in found.items()}


def put_in(one: Sum, base: Base, part: Sum) -> Sum:
    """The sum with a base of its terms replaced."""
    return added(
        *(
            product(Sum(((value, ()),)), *(power(part if each == base else _as_sum(each), e) for each, e in factors))
            for value, factors in one.terms
        )
    )


def _as_sum(base: Base) -> Sum:
    return base if isinstance(base, Sum) else Sum(((1.0, ((base, 1.0),)),))


def rescaled(one: Sum, cost: Cost) -> Sum:
    """Each term with its sums in the multiples that cost least together with the number before them; then the whole."""
    best = added(*(_rescaled_term(term, cost) for term in one.terms))
    if len(best.terms) == 1:
        return best
    whole = (_divided_by(best, scale) for scale in _scales(best, 1.0, 1.0))
    return min((best, *(each for each in whole if each is not None)), key=cost)


def _divided_by(one: Sum, scale: float) -> Sum | None:
    """A number times a sum divided by it."""
    try:
        return product(number(scale), scaled(one, 1.0 / scale))
    except (Unwritable, ZeroDivisionError, OverflowError):
        return None


def _rescaled_term(term: Term, cost: Cost) -> Sum:
    best = Sum((term,))
    for base, exponent in term[1]:
        if isinstance(base, Sum):
            found = (_with_scale(best, base, exponent, scale) for scale in _scales(base, exponent, best.terms[0][0]))
            best = min((best, *(each for each in found if each is not None)), key=cost)
            if len(best.terms) != 1:
                break
    return best


def _scales(base: Sum, exponent: float, before: float) -> Iterator[float]:
    """Numbers that a sum may be divided by."""
    numbers = [value for value, _ in base.terms]
    lines = [int(below) for value in numbers if (below := as_fraction(abs(value))[1]) == int(below)]
    whole = math.lcm(*(line for line in lines if line < 1000))
    sizes = dict.fromkeys((*map(abs, numbers), 1.0 / whole))
    tops = [value * whole for value in numbers]
    if all(value == int(value) and abs(value) < 1e6 for value in tops):
        sizes[math.gcd(*map(int, tops)) / whole] = None
    if before > 0.0:
        inside = clean(before ** (-1.0 / exponent))
        # Two long numbers for one would say no more.
        if abs(exponent) <= 1.0 or significant_digits(inside) <= MOST_DIGITS:
            sizes[inside] = None
    for size in sizes:
        yield size
        if exponent == int(exponent):
            yield -size


def _with_scale(one: Sum, base: Sum, exponent: float, scale: float) -> Sum | None:
    """A term with one of its sums divided by a number, and the number before it made up for that."""
    value, factors = one.terms[0]
    others = [each for each in factors if each[0] != base]
    try:
        divided_base = scaled(base, 1.0 / clean(scale))
        return product(from_factors(clean(value * power_of(scale, exponent)), others), power(divided_base, exponent))
    except (Unwritable, ZeroDivisionError, OverflowError):
        return None
