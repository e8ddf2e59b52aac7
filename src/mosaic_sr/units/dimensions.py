"""`Dimensions`: what the columns and the target of a table measure, and what a law may make of it.

A dimension is one whole number or fraction: the exponents of the base units are its digits in a large base. Products
of quantities add these numbers and powers multiply them, as they do with lists of exponents, at a tenth of the time.

An expression is homogeneous where the dimensions of all its parts fit. A constant may have any dimension, which costs
one; unless constants are pure numbers. A constant stands in one place only, so that what a part costs with each
dimension follows from its operands: no equations have to be solved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import CONSTANT, HOLE, VARIABLE, operator_of
from mosaic_sr.units.costs import ANYTHING, IMPOSSIBLE, Cost, cost_of, of_constant, of_known, of_one_of
from mosaic_sr.units.dimensionless import Reduced, reduce_by_units
from mosaic_sr.units.stated import StatedUnits
from mosaic_sr.units.table_of_units import BASES
from mosaic_sr.units.unit import Exponents

# The base of the digits: exponents times `PARTS`, and times the denominators of two fitted exponents, stay far below.
BASE = 2**64
# Roots up to the sixth of a base unit are whole numbers of these parts, which are faster than fractions.
PARTS = 60

Dimension = int | Fraction


def dimension_of(exponents: Exponents) -> Dimension:
    """The number that stands for exponents of base units."""
    total = sum((exponent * PARTS * BASE**place for place, exponent in enumerate(exponents)), Fraction(0))
    return int(total) if total.denominator == 1 else total


def exponents_of(dimension: Dimension, count: int, denominator: int) -> tuple[Fraction, ...]:
    """The exponents that a dimension stands for; denominator: a multiple of all of theirs."""
    whole = int(dimension * denominator)
    exponents = []
    for _ in range(count):
        digit = (whole + BASE // 2) % BASE - BASE // 2
        exponents.append(Fraction(digit, denominator * PARTS))
        whole = (whole - digit) // BASE
    return tuple(exponents)


@dataclass(frozen=True)
class Dimensions:
    """What the columns of a table measure.

    columns: one dimension per column, None where it is not known.  target: that of the target.
    are_constants_pure: whether constants have no unit.
    reduced: the columns as groups without a unit; None where a unit is not known.
    """

    columns: tuple[Dimension | None, ...]
    target: Dimension | None
    are_constants_pure: bool = False
    reduced: Reduced | None = None

    @classmethod
    def of_columns(cls, units: StatedUnits, used: Sequence[int], are_constants_pure: bool) -> Dimensions:
        """Those of the columns `used` of the user, in this order."""
        own = [units.columns[column] for column in used]
        known = tuple(None if unit is None else dimension_of(unit.exponents) for unit in own)
        target = None if units.target is None else dimension_of(units.target.exponents)
        return cls(known, target, are_constants_pure, reduce_by_units(units, used))

    def spread(self, used: Sequence[int]) -> Dimensions:
        """Those of the user's columns, where this table has the columns `used` of them."""
        columns: list[Dimension | None] = [None] * (max(used) + 1)
        for column, dimension in zip(used, self.columns, strict=True):
            columns[column] = dimension
        return replace(self, columns=tuple(columns), reduced=None)

    @property
    def are_known(self) -> bool:
        """Whether all columns and the target have a dimension."""
        return self.target is not None and None not in self.columns

    @property
    def exponent_rows(self) -> NDArray[np.float64] | None:
        """Exponents of base units, (columns + 1, bases), the target's last; None where laws need more than these."""
        if not self.are_constants_pure or not self.are_known:
            return None
        known = [own for own in (*self.columns, self.target) if own is not None]
        denominator = math.lcm(*(Fraction(own).denominator for own in known))
        return np.array([[float(each) for each in exponents_of(own, len(BASES), denominator)] for own in known])

    @property
    def has_one_law(self) -> bool:
        """Whether a number times one product of the columns is the only homogeneous law."""
        return self.are_constants_pure and self.reduced is not None and not self.reduced.groups

    def of_quantities(self, quantities: Sequence[Expression], front: Expression | None) -> Dimensions:
        """Those of a table with these quantities of the columns for its own, whose target is divided by the front."""
        target = self.target
        if front is not None:
            size = self._only(front)
            target = None if target is None or size is None else target - size
        return replace(self, columns=tuple(map(self._only, quantities)), target=target, reduced=None)

    def _only(self, quantity: Expression) -> Dimension | None:
        """The dimension of a quantity; None where it is not known."""
        known = [own for own, price in self.cost(quantity).known.items() if not price]
        return known[0] if len(known) == 1 else None

    def fits(self, quantity: Expression) -> bool:
        """Whether a quantity has a dimension without a unit for any constant in it."""
        return self.cost(quantity).least == 0.0

    def num_units(self, expression: Expression) -> float:
        """How many constants need a unit for the expression to be homogeneous; infinite where it cannot be.

        A number alone may be anything: it is the mean of a target, whatever that measures.
        """
        if not expression.columns and not expression.num_holes:
            return 0.0
        return self.price(self.cost(expression))

    def price(self, cost: Cost) -> float:
        """How many constants of a law of that cost need a unit; a factor of 1 before it, which is not written, may."""
        if self.target is None:
            return cost.least
        own = cost.of(self.target)
        return own if self.are_constants_pure else min(own, cost.least + 1.0)

    def may_be(self, expression: Expression) -> bool:
        """Whether a law can be homogeneous."""
        return self.num_units(expression) < math.inf

    def cost(self, expression: Expression) -> Cost:
        """What each dimension of the expression costs."""
        if expression.has_defined:
            expression = write_out(expression).expression
        stack: list[Cost] = []
        for code, slot in zip(expression.codes.tolist(), expression.slots.tolist(), strict=True):
            if code == VARIABLE:
                stack.append(self.of_column(slot))
            elif code == CONSTANT:
                stack.append(of_constant(float(expression.constants[slot]), self.are_constants_pure))
            elif code == HOLE:
                stack.append(self._of_any_column)
            else:
                operator = operator_of(code)
                operands = stack[len(stack) - operator.arity :]
                del stack[len(stack) - operator.arity :]
                cost = cost_of(operator.name, operands, self.are_constants_pure)
                if cost is IMPOSSIBLE:
                    return IMPOSSIBLE
                stack.append(cost)
        return stack[0]

    def of_column(self, column: int) -> Cost:
        """What each dimension of a column costs."""
        dimension = self.columns[column] if column < len(self.columns) else None
        return ANYTHING if dimension is None else of_known(dimension)

    @property
    def _of_any_column(self) -> Cost:
        known = {dimension for dimension in self.columns if dimension is not None}
        return ANYTHING if None in self.columns else of_one_of(known)
