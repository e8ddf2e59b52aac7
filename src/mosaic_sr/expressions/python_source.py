"""Writes expressions as the source of a numpy expression, read off the operator rows."""

from __future__ import annotations

import ast
import keyword
import math
import unicodedata
from collections.abc import Mapping, Sequence

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.grammar import ATOM_PRECEDENCE, PRECEDENCE, SIGN_PRECEDENCE
from mosaic_sr.expressions.printing import Piece
from mosaic_sr.expressions.rows import INFIX_SYMBOLS, POWERS, TREES
from mosaic_sr.operators import Operator


def to_python(expression: Expression, names: Sequence[str]) -> str:
    """Source text that computes the values with numpy as `np` from arrays called `python_names(names)`."""
    identifiers = python_names(names)
    return expression.fold(_node, lambda column: Piece(identifiers[column]), _number).text


def python_names(names: Sequence[str]) -> list[str]:
    """A distinct Python identifier for each column: its own name where that is one, else the nearest to it."""
    identifiers: list[str] = []
    for name in names:
        identifier = stem = _identifier(name)
        suffix = 2
        while identifier in identifiers:
            identifier, suffix = f"{stem}_{suffix}", suffix + 1
        identifiers.append(identifier)
    return identifiers


def _identifier(name: str) -> str:
    # Python itself reads identifiers in this normal form.
    letters = "".join(c if f"a{c}".isidentifier() else "_" for c in unicodedata.normalize("NFKC", name))
    if not letters.isidentifier():
        return f"x_{letters}"
    return f"{letters}_" if keyword.iskeyword(letters) or letters == "np" else letters


def _number(value: float) -> Piece:
    if math.isnan(value):
        return Piece("np.nan", number=value)
    if math.isinf(value):
        return Piece("np.inf", number=value) if value > 0 else Piece("-np.inf", SIGN_PRECEDENCE, value)
    text = repr(value)
    return Piece(text, SIGN_PRECEDENCE if text.startswith("-") else ATOM_PRECEDENCE, value)


def _node(operator: Operator, operands: list[Piece]) -> Piece:
    exponent = POWERS.get(operator.name, 0.5)
    if exponent.is_integer() and exponent > 1:
        # The row's `a * a` would write the operand twice, and nested ones exponentially often.
        return _infix("^", operands[0], Piece(f"{exponent:g}", number=exponent))
    return _render(TREES[operator.name], dict(zip("ab", operands, strict=False)))


def _render(tree: ast.expr, operands: Mapping[str, Piece]) -> Piece:
    """The row's text with its operands put in."""
    match tree:
        case ast.Name(id=name):
            return operands[name]
        case ast.Constant(value=float(value)):
            return _number(value)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            piece = _render(inner, operands)
            return Piece(f"-{piece.within(SIGN_PRECEDENCE)}", SIGN_PRECEDENCE, piece.number)
        case ast.BinOp(left=left, op=op, right=right):
            return _infix(INFIX_SYMBOLS[type(op)], _render(left, operands), _render(right, operands))
        case ast.Call(func=ast.Name(id=function), args=arguments):
            pieces = [_render(argument, operands) for argument in arguments]
            return Piece(f"np.{function}({', '.join(piece.text for piece in pieces)})")
    raise ValueError(f"no source for {ast.dump(tree)}")


def _infix(symbol: str, left: Piece, right: Piece) -> Piece:
    precedence = PRECEDENCE[symbol]
    is_number = left.number is not None and right.number is not None
    if is_number and symbol in "/^":
        # Python's own numbers raise where IEEE arithmetic gives inf or nan.
        left = Piece(f"np.float64({left.text})")
    number = math.nan if is_number else None
    if symbol == "^":
        return Piece(f"{left.within(ATOM_PRECEDENCE)}**{right.within(SIGN_PRECEDENCE)}", precedence, number)
    return Piece(f"{left.within(precedence)} {symbol} {right.within(precedence + 1)}", precedence, number)
