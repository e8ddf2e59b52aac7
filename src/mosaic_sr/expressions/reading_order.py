"""Operands of sums and products in the order of their columns, as a person would list them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mosaic_sr.expressions.expression import Expression, make_expression, order_of
from mosaic_sr.expressions.rows import POWERS
from mosaic_sr.operators import CODES, CONSTANT, VARIABLE, Operator

# (code, slot, value of a constant, its place among the constants before)
Token = tuple[int, int, float, int]
# Operands of these may change places along a whole chain; what is taken away one after the other may, too.
CHAINED = ("add", "mul")
SUCCESSIVE = ("sub", "div")


@dataclass(frozen=True)
class _Part:
    """A subtree: its operator and operands, those of a chain of one operator side by side; or the token of a leaf."""

    name: str = ""
    operands: tuple[_Part, ...] = ()
    leaf: tuple[Token, ...] = ()

    @property
    def is_number(self) -> bool:
        return bool(self.leaf) and self.leaf[0][0] == CONSTANT

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Postfix, chains from the left."""
        if self.leaf:
            return self.leaf
        root: Token = (CODES[self.name], 0, 0.0, -1)
        if len(self.operands) == 1:
            return (*self.operands[0].tokens, root)
        first, *others = self.operands
        return (*first.tokens, *(token for other in others for token in (*other.tokens, root)))

    @cached_property
    def key(self) -> tuple[object, ...]:
        """What stands first: the shorter one without its exponent and its number, then the one of the first column."""
        bare = _bare(self).tokens
        return len(bare), _readable(bare), len(self.tokens), _readable(self.tokens)


def in_reading_order(expression: Expression) -> tuple[Expression, list[int]]:
    """The same law with the operands of sums and products in the order of their columns; numbers keep their places.

    Returned with the places that its constants had before.
    """
    places = iter(range(expression.num_constants))
    tokens = expression.fold(
        _ordered,
        lambda column: _Part(leaf=((VARIABLE, column, 0.0, -1),)),
        lambda value: _Part(leaf=((CONSTANT, 0, value, next(places)),)),
    ).tokens
    constants = [token for token in tokens if token[0] == CONSTANT]
    codes, slots = [token[0] for token in tokens], [token[1] for token in tokens]
    return make_expression(codes, slots, [token[2] for token in constants]), [token[3] for token in constants]


def _ordered(operator: Operator, operands: list[_Part]) -> _Part:
    if operator.name not in (*CHAINED, *SUCCESSIVE):
        return _Part(operator.name, tuple(operands))
    # Only chains from the left are opened: a * (b * c) may be finite where a * b is not.
    first, *others = operands
    chain = (*(first.operands if first.name == operator.name else (first,)), *others)
    num_kept = 0 if operator.name in CHAINED else 1
    return _Part(operator.name, (*chain[:num_kept], *_sorted(chain[num_kept:], operator.name)))


def _sorted(operands: Sequence[_Part], name: str) -> tuple[_Part, ...]:
    # A quotient that is the first factor needs no parentheses.
    in_order = sorted(operands, key=lambda part: (name == "mul" and part.name != "div", part.key))
    others = iter([part for part in in_order if not part.is_number])
    return tuple(part if part.is_number else next(others) for part in operands)


def _bare(part: _Part) -> _Part:
    """The base of a power, and what a number multiplies."""
    is_power = part.name in POWERS or (part.name == "pow" and part.operands[1].is_number)
    if is_power or part.name == "neg":
        return _bare(part.operands[0])
    if part.name == "mul":
        rest = tuple(operand for operand in part.operands if not operand.is_number)
        if 0 < len(rest) < len(part.operands):
            return _bare(rest[0]) if len(rest) == 1 else _Part("mul", rest)
    return part


def _readable(tokens: Iterable[Token]) -> tuple[tuple[int, int, float], ...]:
    return tuple((order_of(code), slot, value) for code, slot, value, _ in tokens)
