"""`Phrase`: a written part of a formula, its nodes and its cost; cheaper to build by the thousand than expressions."""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_sr.expressions.expression import order_of
from mosaic_sr.operators import CODES


class Phrase:
    """An operator over phrases, a column or a number.

    size: nodes.  cost: nodes and printed digits of constants, with what a reader dislikes.  order: compares phrases of
    equal size by their operators and columns.
    """

    __slots__ = ("cost", "leaf", "name", "operands", "order", "size")

    def __init__(
        self, name: str, operands: tuple[Phrase, ...], leaf: float | int, size: int, cost: float, order: str
    ) -> None:
        self.name, self.operands, self.leaf = name, operands, leaf
        self.size, self.cost, self.order = size, cost, order

    def copied(self) -> Phrase:
        """A phrase of the same words whose cost may change."""
        return Phrase(self.name, self.operands, self.leaf, self.size, self.cost, self.order)

    def postfix(self) -> Iterator[str | int | float]:
        """Operators by name, columns as whole numbers, constants as floats."""
        for operand in self.operands:
            yield from operand.postfix()
        yield self.name or self.leaf


# Operators that print a number: x^2, x^3, 1/x.
PRINTS_NUMBER = ("sq", "cube", "inv")


def phrase(name: str, *operands: Phrase) -> Phrase:
    """An operator over its operands."""
    size = 1 + sum(operand.size for operand in operands)
    cost = (3.0 if name in PRINTS_NUMBER else 1.0) + sum(operand.cost for operand in operands)
    order = " ".join([*(operand.order for operand in operands), f"o{order_of(CODES[name]):012d}"])
    return Phrase(name, operands, 0, size, cost, order)


def column_phrase(index: int) -> Phrase:
    """A column."""
    return Phrase("", (), index, 1, 1.0, f"c{index:06d}")


def number_phrase(value: float, digits: int) -> Phrase:
    """A constant that takes so many digits in print."""
    return Phrase("", (), float(value), 1, 1.0 + digits, f"n{value!r}")
