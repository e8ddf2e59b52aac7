"""What the kernel is compared with: the text of the operator table read with numpy's or mpmath's functions."""

from __future__ import annotations

import ast
import operator
import os
from collections.abc import Callable
from typing import Any

import mpmath

from mosaic_sr.expressions.rows import numpy_function
from mosaic_sr.operators import Operator

# Without compilation the same code runs a thousand times slower, so that tests take fewer rows.
IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"

# What mpmath has no function for, by numpy's names.
OTHERS: dict[str, Any] = {
    "abs": abs,
    "maximum": max,
    "minimum": min,
    "copysign": lambda magnitude, sign: magnitude if sign >= 0 else -magnitude,
    "where": lambda test, first, second: first if test else second,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "negative": operator.neg,
}
WORDS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}
COMPARISONS = {ast.Gt: "greater", ast.GtE: "greater_equal"}


def function_in_many_digits(name: str) -> Any:
    """The function that numpy calls by that name, in mpmath's arithmetic."""
    return OTHERS.get(name) or getattr(mpmath, name.replace("arc", "a"))


def read(text: str, function: Callable[[str], Any], **operands: Any) -> Any:
    """The value of a row's text; function: what numpy's names stand for, those of + and > included."""

    def walk(node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return operands[name]
            case ast.UnaryOp(operand=operand):
                return function("negative")(walk(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return function(WORDS[type(op)])(walk(left), walk(right))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return function(name)(*map(walk, arguments))
            case ast.Compare(left=left, ops=[comparison], comparators=[right]):
                return function(COMPARISONS[type(comparison)])(walk(left), walk(right))
            case ast.IfExp(test=test, body=body, orelse=other):
                return function("where")(walk(test), walk(body), walk(other))
        raise ValueError(text)

    return walk(ast.parse(text, mode="eval").body)


def apply_reference(operator: Operator, operands: list[Any]) -> Any:
    """The value of an operator by numpy."""
    return read(operator.value, numpy_function, **dict(zip("ab", operands, strict=False)))
