"""Reads the text of an operator's row in any arithmetic; the text is walked as a tree, never run as code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Function = Callable[[Any, Any], Any]

# the names that only numpy's older versions know
SHORT_NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}
COMPARISONS: dict[type[ast.cmpop], Function] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
}


@dataclass(frozen=True)
class Arithmetic:
    """What numbers, functions, quotients and powers mean; sums and products are Python's."""

    number: Callable[[float], Any]
    call: Callable[..., Any]
    divide: Function
    power: Function
    _functions: dict[str, Function] = field(default_factory=dict, compare=False)

    def function(self, row: str) -> Function:
        """The function of two operands that an operator's row means; unary ones ignore the second."""
        if row not in self._functions:
            self._functions[row] = self._read(ast.parse(row, mode="eval").body)
        return self._functions[row]

    def _read(self, tree: ast.expr) -> Function:
        match tree:
            case ast.Name(id="a"):
                return lambda a, b: a
            case ast.Name(id="b"):
                return lambda a, b: b
            case ast.Constant(value=int() | float() as value):
                number = self.number(value)
                return lambda a, b: number
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self._read(operand)
                return lambda a, b: -inner(a, b)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                short, operands = SHORT_NAMES.get(name, name), [self._read(argument) for argument in arguments]
                return lambda a, b: self.call(short, *(each(a, b) for each in operands))
            case ast.IfExp(test=ast.Compare(left=left, ops=[comparison], comparators=[right]), body=body, orelse=other):
                holds = self._combine(COMPARISONS[type(comparison)], left, right)
                yes, no = self._read(body), self._read(other)
                return lambda a, b: yes(a, b) if holds(a, b) else no(a, b)
            case ast.BinOp(left=left, op=symbol, right=right):
                return self._combine(self._meaning(symbol), left, right)
        raise ValueError(f"an operator's row has a form unknown here: {ast.dump(tree)}")

    def _combine(self, combine: Function, left: ast.expr, right: ast.expr) -> Function:
        if isinstance(left, ast.Name) and isinstance(right, ast.Name) and (left.id, right.id) == ("a", "b"):
            return combine
        first, second = self._read(left), self._read(right)
        return lambda a, b: combine(first(a, b), second(a, b))

    def _meaning(self, symbol: ast.operator) -> Function:
        meanings = {
            ast.Add: operator.add,
            ast.Sub: operator.sub,
            ast.Mult: operator.mul,
            ast.Div: self.divide,
            ast.Pow: self.power,
        }
        return meanings[type(symbol)]
