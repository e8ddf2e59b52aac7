"""Writes expressions as the source of a numpy expression, read off the operator rows."""

from __future__ import annotations

import ast
import keyword
import math
import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np

from mosaic_sr.expressions.definitions import body_of, parameters_of
from mosaic_sr.expressions.expression import Expression, operator_names
from mosaic_sr.expressions.grammar import ATOM_PRECEDENCE, PRECEDENCE, SIGN_PRECEDENCE
from mosaic_sr.expressions.printing import Piece
from mosaic_sr.expressions.rows import CALLS, CHOICE, COMPARISONS, INFIX_SYMBOLS, POWERS, SYMBOLIC, TREES
from mosaic_sr.operators import Operator, operator_named
from mosaic_sr.visible import is_visible

SCIPY = "special"  # the word under which functions that numpy lacks are imported
RESERVED = ("np", SCIPY, "__debug__")  # the last is the only other name that Python lets nobody assign


def to_python(expression: Expression, names: Sequence[str]) -> str:
    """Source text that computes the values from arrays called `python_names(names, python_words(expression))`.

    It needs what `python_preamble` writes.
    """
    identifiers = python_names(names, python_words(expression))
    return expression.fold(_node, lambda column: Piece(identifiers[column]), _number).text


def python_preamble(expression: Expression) -> str:
    """Source text of the imports and functions that the text of an expression uses."""
    functions = [_definition(operator) for operator in _written_out(expression)]
    modules = {_module(CALLS[name]) for name in operator_names(expression) & CALLS.keys()}
    is_scipy = SCIPY in modules or any(f"{SCIPY}." in function for function in functions)
    imports = "import numpy as np" + (f"\nfrom scipy import {SCIPY}" if is_scipy else "")
    return "\n\n\n".join([imports, *functions])


def python_words(expression: Expression) -> list[str]:
    """The functions that `python_preamble` writes."""
    return [_identifier(operator.label) for operator in _written_out(expression)]


def _written_out(expression: Expression) -> list[Operator]:
    """The operators that are no symbol and no function of numpy or scipy."""
    names = operator_names(expression) - SYMBOLIC - CALLS.keys()
    return [operator_named(name) for name in sorted(names)]


def _definition(operator: Operator) -> str:
    if operator.name in TREES:
        arguments = list("ab"[: operator.arity])
        body = _render(TREES[operator.name], {name: Piece(name) for name in arguments}).text
    else:
        arguments = python_names(parameters_of(operator.name))
        body = to_python(body_of(operator.name), parameters_of(operator.name))
    return f"def {_identifier(operator.label)}({', '.join(arguments)}):\n    return {body}"


def _module(called: str) -> str:
    return "np" if isinstance(getattr(np, called, None), np.ufunc) or called == CHOICE else SCIPY


def python_names(names: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """A distinct Python identifier for each column: its own name where that is one, else the nearest to it.

    taken: other words that the source uses.
    """
    used, suffixes = set(taken), dict[str, int]()
    identifiers = []
    for name in names:
        identifier = stem = _identifier(name)
        while identifier in used:
            suffixes[stem] = suffixes.get(stem, 1) + 1
            identifier = f"{stem}_{suffixes[stem]}"
        used.add(identifier)
        identifiers.append(identifier)
    return identifiers


def _identifier(name: str) -> str:
    # Python itself reads identifiers in this normal form.
    normal = unicodedata.normalize("NFKC", name)
    letters = "".join(c if f"a{c}".isidentifier() and is_visible(c) else "_" for c in normal)
    if not letters.isidentifier():
        return f"x_{letters}"
    return f"{letters}_" if keyword.iskeyword(letters) or letters in RESERVED else letters


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
    if operator.name not in SYMBOLIC:
        called = CALLS.get(operator.name)
        word = _identifier(operator.label) if called is None else f"{_module(called)}.{called}"
        return Piece(f"{word}({', '.join(operand.text for operand in operands)})")
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
            return Piece(f"{_module(function)}.{function}({', '.join(piece.text for piece in pieces)})")
        case ast.Compare(left=left, ops=[comparison], comparators=[right]):
            first, second = _render(left, operands), _render(right, operands)
            return Piece(f"{first.text} {COMPARISONS[type(comparison)]} {second.text}")
        case ast.IfExp(test=test, body=body, orelse=other):
            texts = [_render(part, operands).text for part in (test, body, other)]
            return Piece(f"np.{CHOICE}({', '.join(texts)})")
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
