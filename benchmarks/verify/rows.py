"""Reads the text of an operator's row in any arithmetic; the text is walked as a tree, never run as code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

# the names that only numpy's older versions know
SHORT_NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}


@dataclass(frozen=True)
class Arithmetic:
    """What numbers, functions, quotients and powers mean; sums and products are Python's."""

    number: Callable[[float], Any]
    call: Callable[[str, Any], Any]
    divide: Callable[[Any, Any], Any]
    power: Callable[[Any, Any], Any]

    def compute(self, row: str, operands: Sequence[Any]) -> Any:
        """The value of an operator's row, a text in `a` and `b`, at the operands."""
        return self._walk(_tree(row), {"a": operands[0], "b": operands[-1]})

    def _walk(self, tree: ast.expr, values: dict[str, Any]) -> Any:
        match tree:
            case ast.Name(id=name):
                return values[name]
            case ast.Constant(value=value):
                return self.number(value)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._walk(operand, values)
            case ast.Call(func=ast.Name(id=name), args=[argument]):
                return self.call(SHORT_NAMES.get(name, name), self._walk(argument, values))
            case ast.BinOp(left=left, op=symbol, right=right):
                return self._combine(symbol, self._walk(left, values), self._walk(right, values))
        raise ValueError(f"an operator's row has a form unknown here: {ast.dump(tree)}")

    def _combine(self, symbol: ast.operator, left: Any, right: Any) -> Any:
        match symbol:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return self.divide(left, right)
        return self.power(left, right)


@cache
def _tree(row: str) -> ast.expr:
    return ast.parse(row, mode="eval").body
