"""`Parts`: products of powers of the columns with a given unit, groups without one, and differences of like columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.by_units import product_in_user_units
from mosaic_sr.table import Rows, Table
from mosaic_sr.units.dimensionless import Reduced, length
from mosaic_sr.units.rational import Vector

Floats = NDArray[np.float64]

# Powers of groups in one part, by the number of independent groups: so that there are some hundred parts, which hold
# most terms of textbook laws. With more groups only the nearest are made.
_HALF, _THREE_HALVES = Fraction(1, 2), Fraction(3, 2)
POWERS = (
    tuple(sign * each for each in (_HALF, Fraction(1), _THREE_HALVES, Fraction(2), Fraction(3), Fraction(4))
          for sign in (1, -1)),
    tuple(sign * each for each in (_HALF, Fraction(1), _THREE_HALVES, Fraction(2), Fraction(3)) for sign in (1, -1)),
    tuple(sign * each for each in (_HALF, Fraction(1), Fraction(2)) for sign in (1, -1)),
    (Fraction(1), Fraction(-1)),
)  # fmt: skip
# Of these the shortest.
MOST_PARTS = 300
# The length of the square of a difference: two columns and a power.
LENGTH_OF_SQUARE = 3.0
# And the shortest before the square of a difference, which has most of a term in it.
MOST_BEFORE_SQUARES = 12


@dataclass(frozen=True)
class Part:
    """A product of powers: its exponents, and what it takes to write it."""

    exponents: Vector
    expression: Expression

    @cached_property
    def length(self) -> float:
        return length(self.exponents)


@dataclass(frozen=True)
class Angle:
    """A column without a unit or the difference of two, and the places of these."""

    places: tuple[int, ...]
    expression: Expression


@dataclass(frozen=True, eq=False)
class Parts:
    """What units allow over some rows."""

    reduced: Reduced
    table: Table
    rows: Rows

    @cached_property
    def groups(self) -> tuple[Part, ...]:
        """Groups without a unit, a basis first."""
        known = zip(self.reduced.groups, self.reduced.group_sizes, strict=True)
        return tuple(self._part(vector, size) for vector, size in known)

    @cached_property
    def inverse_groups(self) -> tuple[Part, ...]:
        """One over each group."""
        known = zip(self.reduced.groups, self.reduced.group_sizes, strict=True)
        return tuple(self._part(tuple(-each for each in vector), 1.0 / size) for vector, size in known)

    @property
    def num_independent(self) -> int:
        return self.reduced.num_independent

    @cached_property
    def angles(self) -> tuple[Angle, ...]:
        """Columns without a unit."""
        singles = [group for group in self.groups if sum(map(bool, group.exponents)) == 1]
        return tuple(Angle((_places(group.exponents)[0],), group.expression) for group in singles)

    @cached_property
    def differences_of_angles(self) -> tuple[Angle, ...]:
        """Differences of two columns without a unit."""
        return tuple(
            Angle((*one.places, *other.places), apply("sub", one.expression, other.expression))
            for one, other in combinations(self.angles, 2)
        )

    @cached_property
    def like_columns(self) -> tuple[dict[int, float], ...]:
        """Sets of columns that measure the same, each with the factor that brings it to the unit of the others."""
        sets: dict[int, dict[int, float]] = {}
        for vector, size in zip(self.reduced.groups, self.reduced.group_sizes, strict=True):
            if sorted(each for each in vector if each) != [-1, 1]:
                continue
            above, below = vector.index(Fraction(1)), vector.index(Fraction(-1))
            one, other = sets.get(above, {above: 1.0}), sets.get(below, {below: 1.0})
            if one is not other:
                factor = size * other[below] / one[above]
                joined = other | {place: own * factor for place, own in one.items()}
                sets |= dict.fromkeys(joined, joined)
        return tuple({id(own): own for own in sets.values()}.values())

    def with_squares(self, power: Fraction) -> list[tuple[Expression, float]]:
        """Products that measure a power of what the target does, with the square of a difference of like columns.

        Each with its length; as terms of their own such squares would be three.
        """
        found = []
        for like in self.like_columns:
            before = self._over_squares(power, like)
            for one, other in combinations(sorted(like), 2):
                first, second = (self._column(place, like[place]) for place in (one, other))
                square = apply("sq", apply("sub", first, second))
                found += [(apply("mul", part.expression, square), part.length + LENGTH_OF_SQUARE) for part in before]
        return found

    def _over_squares(self, power: Fraction, like: dict[int, float]) -> list[Part]:
        """The shortest products that measure a power of what the target does over the square of a like column."""
        unit = 2.0 ** -(float(power) * self.table.target_exponent)
        found: dict[Vector, float] = {}
        for vector, size in (self._multiply(power, powers) for powers in self._choices()):
            for place, own in like.items():
                left = tuple(each - 2 * (number == place) for number, each in enumerate(vector))
                found[left] = size * unit / own**2
        short = sorted(found, key=lambda vector: (length(vector), vector))[:MOST_BEFORE_SQUARES]
        return [self._part(vector, found[vector]) for vector in short]

    def _column(self, place: int, size: float) -> Expression:
        vector = tuple(Fraction(number == place) for number in range(len(self.reduced.groups[0])))
        return product_in_user_units(self.table, vector, size)

    def of_front(self, power: Fraction) -> list[Part]:
        """The shortest products that measure a power of what the target does."""
        found = dict(self._multiply(power, powers) for powers in self._choices())
        short = sorted(found, key=lambda vector: (length(vector), vector))[:MOST_PARTS]
        unit = 2.0 ** -(float(power) * self.table.target_exponent)
        return [self._part(vector, found[vector] * unit) for vector in short]

    def _choices(self) -> Iterator[tuple[Fraction, ...]]:
        count = self.num_independent
        powers = POWERS[min(count, len(POWERS)) - 1]
        if count <= len(POWERS):
            yield from product((Fraction(0), *powers), repeat=count)
            return
        # Of many groups two at a time.
        for one in range(count):
            for other in range(one):
                for first, second in product((Fraction(0), *powers), repeat=2):
                    yield tuple(first if place == one else second if place == other else Fraction(0)
                                for place in range(count))  # fmt: skip

    def _part(self, vector: Vector, size: float) -> Part:
        return Part(vector, product_in_user_units(self.table, vector, size))

    def of_target(self, vector: Vector) -> Part:
        """The product in front times powers of the independent groups."""
        total, size = self._multiply(Fraction(1), vector)
        return self._part(total, size * 2.0**-self.table.target_exponent)

    def _multiply(self, power: Fraction, powers: Sequence[Fraction]) -> tuple[Vector, float]:
        """The exponents of a power of the product in front times powers of the groups, and the number before it."""
        vector = tuple(power * each for each in self.reduced.fronts[0])
        size = self.reduced.front_sizes[0] ** float(power)
        for each, group, own in zip(powers, self.reduced.groups, self.reduced.group_sizes, strict=False):
            vector = tuple(one + each * other for one, other in zip(vector, group, strict=True))
            size *= own ** float(each)
        return vector, size

    def values(self, expression: Expression) -> Floats:
        """Values on the rows."""
        return evaluate_expression(expression, self.rows.columns)


def _places(vector: Vector) -> list[int]:
    return [place for place, each in enumerate(vector) if each]
