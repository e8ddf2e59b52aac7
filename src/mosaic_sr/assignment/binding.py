"""Bindings of a sketch: its variable holes filled with columns, and which bindings are twins of each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.operators import HOLE, VARIABLE, Operator

Floats = NDArray[np.float64]
# Operators whose operands may be taken together in any way.
ASSOCIATIVE = ("add", "mul")
# A subtree under comparison: its name, and the texts of its operands.
_Part = tuple[str, tuple[str, ...]]


def bound(sketch: Expression, columns: Sequence[int]) -> Expression:
    """The sketch with its first holes, in reading order, filled; holes beyond `columns` stay open."""
    codes, slots = sketch.codes.copy(), sketch.slots.copy()
    holes = np.flatnonzero(codes == HOLE)[: len(columns)]
    codes[holes] = VARIABLE
    slots[holes] = columns
    return make_expression(codes, slots, sketch.constants)


def twin_key(expression: Expression) -> str:
    """Text that is equal for expressions which differ only in the order of commuting operands."""
    return _text(expression.fold(_node, lambda column: (f"x{column}", ()), _number, lambda: ("?", ())))


def _node(operator: Operator, operands: list[_Part]) -> _Part:
    if not operator.commutes:
        return operator.name, tuple(_text(operand) for operand in operands)
    texts: list[str] = []
    for operand in operands:
        is_same = operand[0] == operator.name and operator.name in ASSOCIATIVE
        texts.extend(operand[1] if is_same else (_text(operand),))
    return operator.name, tuple(sorted(texts))


def _number(value: float) -> _Part:
    return ("C" if math.isnan(value) else repr(value), ())


def _text(part: _Part) -> str:
    name, operands = part
    return f"{name}({','.join(operands)})" if operands else name


@dataclass(frozen=True, eq=False)
class ColumnPrior:
    """How likely each column is to stand in a hole.

    weights: (columns,), positive.  reuse: factor on the weight of a column that an earlier hole has already.
    """

    weights: Floats
    reuse: float

    def chances(self, columns: Sequence[int]) -> Floats:
        """Probability of each column for the hole after those bound to `columns`: (columns,)."""
        weights = self.weights.copy()
        weights[list(set(columns))] *= self.reuse
        return np.asarray(weights / weights.sum())

    def greedy(self, num_holes: int) -> tuple[int, ...]:
        """The likeliest columns in reading order, from the start again when there are more holes."""
        order = np.argsort(-self.weights, kind="stable")
        return tuple(order[np.arange(num_holes) % len(order)].tolist())

    def all_choices(self, num_holes: int) -> Iterator[tuple[int, ...]]:
        """Every way to fill the holes, likely columns first."""
        yield from product(np.argsort(-self.weights, kind="stable").tolist(), repeat=num_holes)
