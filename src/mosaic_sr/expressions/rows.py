"""The operator rows as syntax trees: what the grammar, the printers and sympy read off an operator's text."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mosaic_sr.operators import OPERATORS

# The rows are texts of this package; they are parsed to trees and walked, never evaluated.
TREES: dict[str, ast.expr] = {row.name: ast.parse(row.value, mode="eval").body for row in OPERATORS}

INFIX_SYMBOLS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^"}

COMPARISONS: dict[type[ast.cmpop], str] = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}


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
    """The function's name when the row is just `function(a)` or `function(a, b)`."""
    match tree:
        case ast.Call(func=ast.Name(id=name), args=[ast.Name(id="a")] | [ast.Name(id="a"), ast.Name(id="b")]):
            return name
    return None


def _functions(tree: ast.expr) -> frozenset[str]:
    """The names of all functions that a row calls."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return frozenset(called.id for called in calls if isinstance(called, ast.Name))


def _is_negation(tree: ast.expr) -> bool:
    return isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub)


# operator name -> symbol, for the operators written between their operands
INFIX: dict[str, str] = {name: symbol for name, tree in TREES.items() if (symbol := _infix_symbol(tree))}
# operator name -> exponent, for the operators that are a fixed power of their operand
POWERS: dict[str, float] = {name: power for name, tree in TREES.items() if (power := _exponent(tree)) is not None}
# operator name -> the function's name in the row, for the operators that are one function call
CALLS: dict[str, str] = {name: function for name, tree in TREES.items() if (function := _function(tree))}
# the operators written as a leading minus
PREFIX: frozenset[str] = frozenset(name for name, tree in TREES.items() if _is_negation(tree))
# the operators that formulas write by symbols; the others are written as calls, by their own word or the function's
SYMBOLIC: frozenset[str] = frozenset((*INFIX, *POWERS, *PREFIX))
# operator name -> all functions that its row calls
CALLED: dict[str, frozenset[str]] = {name: _functions(tree) for name, tree in TREES.items()}
# Functions that are straight but for a kink, and the root.
STRAIGHT_FUNCTIONS = frozenset({"sqrt", "abs", "maximum", "minimum", "copysign", "sign"})

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
}
CHOICE = "where"  # numpy's word for `x if condition else y`


def compute(
    tree: ast.expr, operands: Mapping[str, Any], number: Callable[[float], Any], function: Callable[[str], Any]
) -> Any:
    """The row's value in another arithmetic, given its operands, its numbers and its functions by numpy's names."""
    match tree:
        case ast.Name(id="pi"):
            return number(math.pi)
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
        case ast.Compare(left=left, ops=[comparison], comparators=[right]):
            first = compute(left, operands, number, function)
            return _COMPARE[type(comparison)](first, compute(right, operands, number, function))
        case ast.IfExp(test=test, body=body, orelse=other):
            return function(CHOICE)(*(compute(part, operands, number, function) for part in (test, body, other)))
    raise ValueError(f"no arithmetic for {ast.dump(tree)}")


def numpy_function(called: str) -> Any:
    """The function of that name on arrays: numpy's, or scipy.special's where numpy has none."""
    if called == CHOICE:
        return np.where
    own = getattr(np, called, None)
    if isinstance(own, np.ufunc):
        return own
    from scipy import special

    return getattr(special, called)


def numpy_value(tree: ast.expr, operands: Mapping[str, Any]) -> Any:
    """The row's value in numpy, element by element."""
    return compute(tree, operands, np.float64, numpy_function)
