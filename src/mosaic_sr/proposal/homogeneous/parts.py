"""`Parts`: products of powers of the columns with a given unit, and groups without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
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


@dataclass(frozen=True)
class Part:
    """A product of powers: its exponents, and what it takes to write it."""

    exponents: Vector
    expression: Expression

    @cached_property
    def length(self) -> float:
        return length(self.exponents)


@dataclass(frozen=True, eq=False)
class Parts:
    """What units allow over some rows.  groups: the independent ones.  angles: those that are single columns."""

    reduced: Reduced
    table: Table
    rows: Rows

    @cached_property
    def groups(self) -> tuple[Part, ...]:
        """Groups without a unit, a basis first."""
        known = zip(self.reduced.groups, self.reduced.group_sizes, strict=True)
        return tuple(self._part(vector, size) for vector, size in known)

    @property
    def num_independent(self) -> int:
        return self.reduced.num_independent

    @property
    def angles(self) -> list[Part]:
        """Columns without a unit."""
        return [group for group in self.groups if sum(map(bool, group.exponents)) == 1]

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
