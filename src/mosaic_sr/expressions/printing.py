"""Writes expressions as text of this package's grammar, with no more parentheses than needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat

from mosaic_sr.expressions.digits import Precision, each_precision, rounded_text
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.grammar import (
    ATOM_PRECEDENCE,
    CONSTANT_HOLE,
    FUNCTIONS,
    INFINITY,
    NUMBERS,
    OPERATOR_OF_POWER,
    PRECEDENCE,
    SIGN_PRECEDENCE,
    VARIABLE_HOLE,
)
from mosaic_sr.expressions.lexer import NAME
from mosaic_sr.expressions.rows import INFIX, POWERS, PREFIX
from mosaic_sr.expressions.simple_numbers import closed_form
from mosaic_sr.operators import Operator


@dataclass(frozen=True)
class Piece:
    """The text of a subtree, how tightly its root binds, and its value when it is a number."""

    text: str
    precedence: int = ATOM_PRECEDENCE
    number: float | None = None

    def within(self, precedence: int) -> str:
        """The text, in parentheses unless it binds at least as tightly."""
        return self.text if self.precedence >= precedence else f"({self.text})"


def to_text(expression: Expression, names: Sequence[str], precision: Precision | None = None) -> str:
    """The formula over the columns called `names`; `parse` reads it back to an equal expression.

    With a `precision` the text is for reading: constants have that many significant digits, one number for all or one
    for each, or are in closed form, such as `1/3` and `2*pi`, which `parse` reads back to the same value; `a + -b` is
    `a - b`, and `x^-1` is `1/x`.
    """
    sum_of = _sum_as_parsed if precision is None else _sum_as_read
    digits = repeat(None) if precision is None else each_precision(precision)

    def node(operator: Operator, operands: list[Piece]) -> Piece:
        if precision is not None and POWERS.get(operator.name) == -1.0:
            return Piece(f"1/{operands[0].within(PRECEDENCE['/'] + 1)}", PRECEDENCE["/"])
        if precision is not None and operator.name in PREFIX and operands[0].precedence == ATOM_PRECEDENCE:
            return Piece(f"-{operands[0].text}", SIGN_PRECEDENCE)
        return _node(operator, operands, sum_of)

    is_free = NUMBERS.keys().isdisjoint(names)

    def number(value: float) -> Piece:
        own = next(digits)
        form = closed_form(value) if precision is not None and is_free else None
        if form is not None:
            return Piece(f"-{form.text}" if value < 0 else form.text, _form_precedence(form.text, value), value)
        return Piece(text := number_text(value, own), _literal_precedence(text), value)

    return expression.fold(node, lambda column: Piece(quote(names[column])), number, lambda: Piece(VARIABLE_HOLE)).text


def number_text(value: float, precision: int | None) -> str:
    """The number as a literal of the grammar; without a precision its shortest exact form."""
    if math.isnan(value):
        return CONSTANT_HOLE
    if math.isinf(value):
        return INFINITY if value > 0 else f"-{INFINITY}"
    text = repr(value) if precision is None else rounded_text(value, precision)
    return text.removesuffix(".0")


def quote(name: str) -> str:
    """The column's name as the grammar writes it: bare where it is one word without another meaning, else in backticks.

    Without them a column called pi would read as the number and one called sin as the function.
    """
    if NAME.fullmatch(name) and name != CONSTANT_HOLE and name not in NUMBERS and name not in FUNCTIONS:
        return name
    return "`" + name.replace("`", "``") + "`"


def _literal_precedence(text: str) -> int:
    return SIGN_PRECEDENCE if text.startswith("-") else ATOM_PRECEDENCE


def _form_precedence(text: str, value: float) -> int:
    if value > 0 and text.isidentifier():
        return ATOM_PRECEDENCE
    return PRECEDENCE["*"]


def _node(operator: Operator, operands: list[Piece], sum_of: Callable[[str, Piece, Piece], Piece]) -> Piece:
    exponent = POWERS.get(operator.name, 0.5)
    if exponent.is_integer():
        return Piece(f"{operands[0].within(ATOM_PRECEDENCE)}^{exponent:g}", PRECEDENCE["^"])
    if operator.name in PREFIX:
        return _negation(operands[0])
    symbol = INFIX.get(operator.name)
    if symbol is None or (symbol == "^" and operands[1].number in OPERATOR_OF_POWER):
        return Piece(f"{operator.label}({', '.join(operand.text for operand in operands)})")
    if symbol == "^":
        return Piece(f"{operands[0].within(ATOM_PRECEDENCE)}^{operands[1].within(SIGN_PRECEDENCE)}", PRECEDENCE["^"])
    if symbol in "+-":
        return sum_of(symbol, *operands)
    precedence = PRECEDENCE[symbol]
    return Piece(f"{operands[0].within(precedence)}{symbol}{operands[1].within(precedence + 1)}", precedence)


def _negation(operand: Piece) -> Piece:
    # A minus before a literal would be read as the sign of that number.
    is_literal = operand.number is not None and operand.precedence == ATOM_PRECEDENCE
    inner = f"({operand.text})" if is_literal else operand.within(SIGN_PRECEDENCE)
    return Piece(f"-{inner}", SIGN_PRECEDENCE)


def _sum_as_parsed(symbol: str, left: Piece, right: Piece) -> Piece:
    precedence = PRECEDENCE[symbol]
    return Piece(f"{left.text} {symbol} {right.within(precedence + 1)}", precedence)


def _sum_as_read(symbol: str, left: Piece, right: Piece) -> Piece:
    """A sum where `a + -b` is `a - b`, `a - -b` is `a + b`, and `a + (b + c)` is `a + b + c`."""
    precedence = PRECEDENCE[symbol]
    text = right.text if symbol == "+" else right.within(precedence + 1)
    if text.startswith("-"):
        symbol, text = ("-" if symbol == "+" else "+"), text[1:]
    return Piece(f"{left.text} {symbol} {text}", precedence)
