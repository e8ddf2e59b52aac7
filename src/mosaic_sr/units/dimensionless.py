"""Dimensionless groups (Buckingham): a homogeneous law with pure constants is a product of columns times a function of
products without a unit, which are fewer than the columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice, product

from mosaic_sr.units.rational import Vector, is_independent, null_vectors, solution
from mosaic_sr.units.stated import StatedUnits

# Groups beyond a basis are those that are written as shortly; so many in all.
MOST_GROUPS = 6
# Products in front of the function: the true one is nearly always among the shortest.
MOST_FRONTS = 4
# Multiples of basis vectors from which short ones are made; exponents of laws are hardly larger than 4.
MULTIPLES = (-2, -1, 0, 1, 2)
# Where the basis is larger its vectors are combined two by two only.
MOST_COMBINED = 4
LARGEST_EXPONENT = 6
# Sets of columns that serve as units: any will do, and in one or the other a law is shorter.
MOST_MEASURES, MOST_LOOKED_AT = 4, 200


@dataclass(frozen=True)
class Reduced:
    """Products of powers of the columns, each as their exponents.

    groups: without a unit, a basis of all of them first.  fronts: with the unit of the target.
    group_sizes, front_sizes: factors that convert them, as 1/3.6 for a quotient of km/h and m/s; mostly 1.
    measures: columns that can serve as units of all others; a law in which they are 1 says all that it does.
    """

    groups: tuple[Vector, ...]
    num_independent: int
    fronts: tuple[Vector, ...]
    group_sizes: tuple[float, ...]
    front_sizes: tuple[float, ...]
    measures: tuple[tuple[int, ...], ...] = ()


def reduce_by_units(units: StatedUnits, used: Sequence[int]) -> Reduced | None:
    """Groups and products in front for the columns `used`; None where no product fits, or units are not known."""
    own = [units.columns[column] for column in used]
    if units.target is None or any(unit is None for unit in own):
        return None
    columns = [unit.exponents for unit in own if unit is not None]
    front = solution(columns, units.target.exponents)
    if front is None or all(unit is not None and unit.is_dimensionless for unit in own):
        return None
    basis = null_vectors(columns)
    short = _short_vectors(basis)
    chosen, fronts = _independent_first(short, len(basis)), _fronts(front, short)
    scales = [unit.scale for unit in own if unit is not None]
    sizes = [[_size(scales, vector) for vector in vectors] for vectors in (chosen, fronts)]
    in_target = [size / units.target.scale for size in sizes[1]]
    measures = tuple(islice(_measures(columns, len(columns) - len(basis), basis), MOST_MEASURES))
    return Reduced(tuple(chosen), len(basis), tuple(fronts), tuple(sizes[0]), tuple(in_target), measures)


def _measures(columns: Sequence[Vector], rank: int, basis: Sequence[Vector]) -> Iterator[tuple[int, ...]]:
    """Sets of columns in whose products all units can be written; dimensionless columns are in none."""
    free = [place for place in range(len(columns)) if any(columns[place])]
    # A column that is in no group is in every such set.
    fixed = [place for place in free if not any(vector[place] for vector in basis)]
    others = [place for place in free if place not in fixed]
    for chosen in islice(combinations(others, rank - len(fixed)), MOST_LOOKED_AT):
        if is_independent([columns[place] for place in (*fixed, *chosen)]):
            yield tuple(sorted((*fixed, *chosen)))


def _size(scales: Sequence[float], exponents: Vector) -> float:
    return float(math.prod(scale ** float(exponent) for scale, exponent in zip(scales, exponents, strict=True)))


def usable_columns(units: StatedUnits, used: Sequence[int]) -> list[int] | None:
    """Places in `used` of the columns that a homogeneous law with pure constants can read; None where no such law is.

    A column can be read where it is in a group or in the product in front, whose exponent is fixed if it is in none.
    """
    own = [units.columns[column] for column in used]
    if units.target is None or any(unit is None for unit in own):
        return list(range(len(used)))
    columns = [unit.exponents for unit in own if unit is not None]
    front = solution(columns, units.target.exponents)
    if front is None:
        return None
    basis = null_vectors(columns)
    return [place for place in range(len(used)) if front[place] or any(vector[place] for vector in basis)]


def _short_vectors(basis: Sequence[Vector]) -> list[Vector]:
    """Short combinations of a basis, the shortest first, each once up to its sign and multiples.

    A product of two groups is none: laws have it as a product.
    """
    found: dict[Vector, float] = {}
    for multiples in _combinations(len(basis)):
        vector = _primitive(_sum(basis, multiples))
        if vector is not None and vector not in found:
            found[vector] = length(vector)
    supports = {_support(vector) for vector in found}
    minimal = {own for own in supports if not any(other < own for other in supports)}
    kept = [vector for vector in found if _support(vector) in minimal]
    return sorted(kept, key=lambda vector: (found[vector], vector[::-1]))


def _support(vector: Vector) -> frozenset[int]:
    """The columns that a product reads."""
    return frozenset(place for place, exponent in enumerate(vector) if exponent)


def _combinations(count: int) -> list[tuple[int, ...]]:
    if count <= MOST_COMBINED:
        return list(product(MULTIPLES, repeat=count))
    found = []
    for one in range(count):
        for other in range(one, count):
            for first, second in product(MULTIPLES, repeat=2):
                vector = [0] * count
                vector[one] += first
                vector[other] += second if other != one else 0
                found.append(tuple(vector))
    return list(dict.fromkeys(found))


def _sum(vectors: Sequence[Vector], multiples: Sequence[int]) -> Vector:
    return tuple(
        sum((factor * value for factor, value in zip(multiples, values, strict=True)), Fraction(0))
        for values in zip(*vectors, strict=True)
    )


def _primitive(vector: Vector) -> Vector | None:
    """The same with whole exponents without a common divisor and more above than below the line; None for nothing."""
    nonzero = [value for value in vector if value]
    if not nonzero:
        return None
    common = math.lcm(*(value.denominator for value in nonzero))
    divisor = math.gcd(*(int(value * common) for value in nonzero))
    factor = Fraction(common, divisor)
    if (sum(nonzero), nonzero[0]) < (0, 0):
        factor = -factor
    own = tuple(value * factor for value in vector)
    return own if max(map(abs, own)) <= LARGEST_EXPONENT else None


def _independent_first(short: Sequence[Vector], rank: int) -> list[Vector]:
    """The shortest vectors that are a basis, and then others that are no longer than the longest of these."""
    basis: list[Vector] = []
    for vector in short:
        if len(basis) < rank and is_independent([*basis, vector]):
            basis.append(vector)
    if not basis:
        return []
    longest = max(map(length, basis))
    others = [vector for vector in short if vector not in basis and length(vector) <= longest]
    return [*basis, *others][: max(MOST_GROUPS, len(basis))]


def _fronts(front: Vector, short: Sequence[Vector]) -> list[Vector]:
    """The shortest products with the unit of the target."""
    found = {front}
    reach: set[Vector] = {front}
    # A product in front may need several groups beside the first one that was found.
    for _ in range(3):
        near = {
            tuple(own + factor * value for own, value in zip(start, vector, strict=True))
            for start in reach
            for vector in short[: 2 * MOST_GROUPS]
            for factor in (Fraction(-1), Fraction(1), Fraction(-1, 2), Fraction(1, 2))
        }
        found |= near
        reach = set(sorted(near, key=lambda vector: (length(vector), vector[::-1]))[: 4 * MOST_FRONTS])
    # One that has a group in it is another product times a group, which the function may be.
    groups = [_support(vector) for vector in short]
    plain = [vector for vector in found if not any(group <= _support(vector) for group in groups)]
    return sorted(plain or found, key=lambda vector: (length(vector), vector[::-1]))[:MOST_FRONTS]


def length(vector: Vector) -> float:
    """What it takes to write a product of powers: its factors, and exponents other than 1."""
    total = 0.0
    for size in (abs(value) for value in vector if value):
        power = 0.0 if size == 1 else 1.0 if size.denominator == 1 else 2.0
        total += 1.0 + power + max(float(size) - 2.0, 0.0) / 2.0
    return total
