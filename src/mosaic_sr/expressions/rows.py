"""The operator rows as syntax trees: what the grammar, the printers and sympy read off an operator's text."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from mosaic_sr.operators import OPERATORS

# The rows are texts of this package; they are parsed to trees and walked, never evaluated.
TREES: dict[str, ast.expr] = {row.name: ast.parse(row.value, mode="eval").body for row in OPERATORS}

INFIX_SYMBOLS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^"}


def _infix_symbol(tree: ast.expr) -> str | None:
    """The symbol between the operands when the row is just `a symbol b`."""
    match tree:
        case ast.BinOp(left=ast.Name(id="a"), op=op, right=ast.Name(id="b")):
            return INFIX_SYMBOLS[type(op)]
    return None


def _exponent(tree: ast.expr) -> float | None:
    """The exponent when the row is a fixed power of `a`, as `a * a` or `1.0 / a` are."""
    match tree:
        case ast.Name(id="a"):
            return 1.0
        case ast.Constant(value=1.0):
            return 0.0
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner]):
            exponent = _exponent(inner)
            return None if exponent is None else exponent / 2
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            first, second = _exponent(left), _exponent(right)
            if first is None or second is None:
                return None
            return first + second if isinstance(op, ast.Mult) else first - second
    return None


def _function(tree: ast.expr) -> str | None:
    """The function's name when the row is just `function(a, ...)`."""
    match tree:
        case ast.Call(func=ast.Name(id=name)):
            return name
    return None


def _is_negation(tree: ast.expr) -> bool:
    return isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub)


# operator name -> symbol, for the operators written between their operands
INFIX: dict[str, str] = {name: symbol for name, tree in TREES.items() if (symbol := _infix_symbol(tree))}
# operator name -> exponent, for the operators that are a fixed power of their operand
POWERS: dict[str, float] = {name: power for name, tree in TREES.items() if (power := _exponent(tree)) is not None}
# operator name -> numpy's name, for the operators that are one function call
CALLS: dict[str, str] = {name: function for name, tree in TREES.items() if (function := _function(tree))}
# the operators written as a leading minus
PREFIX: frozenset[str] = frozenset(name for name, tree in TREES.items() if _is_negation(tree))

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def compute(
    tree: ast.expr, operands: Mapping[str, Any], number: Callable[[float], Any], function: Callable[[str], Any]
) -> Any:
    """The row's value in another arithmetic, given its operands, its numbers and its functions by numpy's names."""
    match tree:
        case ast.Name(id=name):
            return operands[name]
        case ast.Constant(value=float(value)):
            return number(value)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -compute(inner, operands, number, function)
        case ast.BinOp(left=left, op=op, right=right):
            first = compute(left, operands, number, function)
            return _ARITHMETIC[type(op)](first, compute(right, operands, number, function))
        case ast.Call(func=ast.Name(id=called), args=arguments):
            return function(called)(*(compute(argument, operands, number, function) for argument in arguments))
    raise ValueError(f"no arithmetic for {ast.dump(tree)}")
