"""What the kernel is compared with: the text of the operator table read with numpy's or mpmath's functions."""

from __future__ import annotations

import ast
import os
from typing import Any

import mpmath
import numpy as np

from mosaic_sr.operators import Operator

# Without compilation the same code runs a thousand times slower, so that tests take fewer rows.
IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"

SHARED = ("sin", "cos", "tan", "exp", "log", "tanh", "sinh", "cosh", "sqrt", "power")
NUMPY: dict[str, Any] = {
    **{name: getattr(np, name) for name in (*SHARED, "arctan", "arcsin", "arccos", "abs", "maximum", "copysign")},
    **{name: getattr(np, name) for name in ("add", "subtract", "multiply", "divide", "negative")},
}
MPMATH: dict[str, Any] = {
    **{name: getattr(mpmath, name) for name in SHARED},
    "arctan": mpmath.atan,
    "arcsin": mpmath.asin,
    "arccos": mpmath.acos,
    "abs": abs,
    "maximum": max,
    "copysign": lambda magnitude, sign: magnitude if sign >= 0 else -magnitude,
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "negative": lambda a: -a,
}
WORDS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}


def read(text: str, functions: dict[str, Any], **operands: Any) -> Any:
    """The value of a row's text."""

    def walk(node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return operands[name]
            case ast.UnaryOp(operand=operand):
                return functions["negative"](walk(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return functions[WORDS[type(op)]](walk(left), walk(right))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return functions[name](*map(walk, arguments))
        raise ValueError(text)

    return walk(ast.parse(text, mode="eval").body)


def apply_reference(operator: Operator, operands: list[Any]) -> Any:
    """The value of an operator by numpy."""
    return read(operator.value, NUMPY, **dict(zip("ab", operands, strict=False)))
