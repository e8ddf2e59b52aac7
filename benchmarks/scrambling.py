"""Formulas scrambled by random equivalent rewrites: multiplied out, factored, nested, identities, constants moved."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr import MosaicError, evaluate_expression, parse

Floats = NDArray[np.float64]
Rewrite = Callable[[ast.expr, np.random.Generator], ast.expr | None]
# Steps that are kept; each is tried a few times, since most places do not fit most rewrites.
FEWEST_STEPS, MOST_STEPS, TRIES = 3, 8, 40
# A person would not have got this far from a law.
MOST_NODES = 80
# Both forms are right to rounding; cancelled digits are not held against a rewrite.
SAME = 1e-9


def scrambled(formula: str, names: Sequence[str], columns: Floats, rng: np.random.Generator) -> str:
    """An equivalent formula some random rewrites away, with the same values on the rows."""
    expected = evaluate_expression(parse(formula, names), columns)
    steps, kept = int(rng.integers(FEWEST_STEPS, MOST_STEPS + 1)), 0
    for _ in range(TRIES * steps):
        tree = _tree(formula)
        places = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
        place = places[int(rng.integers(len(places)))]
        other = REWRITES[int(rng.integers(len(REWRITES)))](place, rng)
        if other is None:
            continue
        text = _text(_Put(place, other).visit(tree))
        if _agrees(text, names, columns, expected):
            formula, kept = text, kept + 1
            if kept == steps:
                break
    return formula


class _Put(ast.NodeTransformer):
    """Puts another node into the place of one."""

    def __init__(self, place: ast.expr, other: ast.expr) -> None:
        self._place, self._other = place, other

    def visit(self, node: ast.AST) -> ast.AST:
        return self._other if node is self._place else super().generic_visit(node)


def _tree(formula: str) -> ast.expr:
    return ast.parse(formula.replace("^", "**"), mode="eval").body


def _text(tree: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)).replace("**", "^")


def _agrees(text: str, names: Sequence[str], columns: Floats, expected: Floats) -> bool:
    try:
        expression = parse(text, names)
    except MosaicError:
        return False
    if len(expression) > MOST_NODES:
        return False
    values = evaluate_expression(expression, columns)
    known = np.isfinite(expected)
    return bool(np.all(np.abs(values[known] - expected[known]) <= SAME * np.abs(expected[known])))


def _number(value: float) -> ast.expr:
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if value < 0.0 else ast.Constant(value)


def _binary(left: ast.expr, operator: ast.operator, right: ast.expr) -> ast.expr:
    return ast.BinOp(left, operator, right)


def _call(name: str, argument: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name), [argument], [])


def _value(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            deeper = _value(inner)
            return None if deeper is None else -deeper
    return None


def _multiply_out(node: ast.expr, _: np.random.Generator) -> ast.expr | None:
    match node:
        case ast.BinOp(left=ast.BinOp(left=a, op=ast.Add() | ast.Sub() as op, right=b), op=ast.Mult(), right=c):
            return _binary(_binary(a, ast.Mult(), c), op, _binary(b, ast.Mult(), c))
        case ast.BinOp(left=c, op=ast.Mult(), right=ast.BinOp(left=a, op=ast.Add() | ast.Sub() as op, right=b)):
            return _binary(_binary(c, ast.Mult(), a), op, _binary(c, ast.Mult(), b))
        case ast.BinOp(left=ast.BinOp(left=a, op=ast.Add() | ast.Sub() as op, right=b), op=ast.Div(), right=c):
            return _binary(_binary(a, ast.Div(), c), op, _binary(b, ast.Div(), c))
    return None


def _square_out(node: ast.expr, _: np.random.Generator) -> ast.expr | None:
    match node:
        case ast.BinOp(left=ast.BinOp(left=a, op=ast.Add() | ast.Sub() as op, right=b), op=ast.Pow(), right=power):
            if _value(power) == 2.0:
                twice = _binary(_binary(_number(2.0), ast.Mult(), a), ast.Mult(), b)
                squares = _binary(_binary(a, ast.Pow(), power), op, twice)
                return _binary(squares, ast.Add(), _binary(b, ast.Pow(), power))
    return None


def _take_out(node: ast.expr, _: np.random.Generator) -> ast.expr | None:
    """Write a + b as a*(1 + b/a)."""
    match node:
        case ast.BinOp(left=a, op=ast.Add() | ast.Sub() as op, right=b):
            return _binary(a, ast.Mult(), _binary(_number(1.0), op, _binary(b, ast.Div(), a)))
    return None


def _common_line(node: ast.expr, _: np.random.Generator) -> ast.expr | None:
    match node:
        case ast.BinOp(left=a, op=ast.Add() | ast.Sub() as op, right=ast.BinOp(left=b, op=ast.Div(), right=c)):
            return _binary(_binary(_binary(a, ast.Mult(), c), op, b), ast.Div(), c)
        case ast.BinOp(left=ast.BinOp(left=b, op=ast.Div(), right=c), op=ast.Add() | ast.Sub() as op, right=a):
            return _binary(_binary(b, op, _binary(a, ast.Mult(), c)), ast.Div(), c)
    return None


def _turn_over(node: ast.expr, _: np.random.Generator) -> ast.expr | None:
    """a/b as 1/(b/a); a/(b + c) as 1/(b/a + c/a)."""
    match node:
        case ast.BinOp(left=a, op=ast.Div(), right=ast.BinOp(left=b, op=ast.Add() | ast.Sub() as op, right=c)):
            below = _binary(_binary(b, ast.Div(), a), op, _binary(c, ast.Div(), a))
            return _binary(_number(1.0), ast.Div(), below)
        case ast.BinOp(left=a, op=ast.Div(), right=b):
            return _binary(_number(1.0), ast.Div(), _binary(b, ast.Div(), a))
    return None


def _swap_difference(node: ast.expr, _: np.random.Generator) -> ast.expr | None:
    match node:
        case ast.BinOp(left=a, op=ast.Sub(), right=b):
            return ast.UnaryOp(ast.USub(), _binary(b, ast.Sub(), a))
        case ast.BinOp(left=a, op=ast.Add(), right=b):
            return _binary(a, ast.Sub(), _binary(_number(-1.0), ast.Mult(), b))
    return None


def _split_power(node: ast.expr, rng: np.random.Generator) -> ast.expr | None:
    match node:
        case ast.BinOp(left=a, op=ast.Pow(), right=power):
            size = _value(power)
            if size is None or size != int(size) or not 2 <= size <= 9:
                return None
            if size == 4.0 and rng.random() < 0.5:
                return _binary(_binary(a, ast.Pow(), _number(2.0)), ast.Pow(), _number(2.0))
            rest = a if size == 2.0 else _binary(a, ast.Pow(), _number(size - 1.0))
            return _binary(a, ast.Mult(), rest)
    return None


def _move_constant(node: ast.expr, rng: np.random.Generator) -> ast.expr | None:
    """c*x + d as c*(x + d/c), c*x as c/k*(k*x) and c as (c - k) + k."""
    match node:
        case ast.BinOp(left=ast.BinOp(left=c, op=ast.Mult(), right=x), op=ast.Add() | ast.Sub() as op, right=d) if (
            _value(c)
        ):
            value = _value(c) or 1.0
            offset = _value(d)
            moved = _number(offset / value) if offset is not None else _binary(_number(1.0 / value), ast.Mult(), d)
            return _binary(c, ast.Mult(), _binary(x, op, moved))
        case ast.BinOp(left=c, op=ast.Mult(), right=x) if _value(c):
            scale = float(rng.integers(2, 8))
            return _binary(_number((_value(c) or 1.0) / scale), ast.Mult(), _binary(_number(scale), ast.Mult(), x))
    return None


def _other_exponential(node: ast.expr, _: np.random.Generator) -> ast.expr | None:
    """exp(c*x) as (e^c)^x, exp(a + b) as exp(a)*exp(b)."""
    match node:
        case ast.Call(func=ast.Name(id="exp"), args=[ast.BinOp(left=c, op=ast.Mult(), right=x)]) if _value(c):
            value = _value(c) or 1.0
            # A base that is 0, 1 or infinite to rounding says nothing.
            return _binary(_number(math.exp(value)), ast.Pow(), x) if 1e-3 < abs(value) < 20.0 else None
        case ast.Call(func=ast.Name(id="exp"), args=[ast.BinOp(left=a, op=ast.Add(), right=b)]):
            return _binary(_call("exp", a), ast.Mult(), _call("exp", b))
        case ast.Call(func=ast.Name(id="exp"), args=[ast.BinOp(left=a, op=ast.Sub(), right=b)]):
            return _binary(_call("exp", a), ast.Div(), _call("exp", b))
    return None


def _other_wave(node: ast.expr, rng: np.random.Generator) -> ast.expr | None:
    match node:
        case ast.Call(func=ast.Name(id="sin" | "cos" as name), args=[u]):
            if rng.random() < 0.5:
                minus = _call(name, ast.UnaryOp(ast.USub(), u))
                return minus if name == "cos" else ast.UnaryOp(ast.USub(), minus)
            quarter = _number(math.pi / 2 if name == "cos" else -math.pi / 2)
            return _call("sin" if name == "cos" else "cos", _binary(u, ast.Add(), quarter))
    return None


def _other_root(node: ast.expr, rng: np.random.Generator) -> ast.expr | None:
    match node:
        case ast.Call(func=ast.Name(id="sqrt"), args=[ast.BinOp(left=a, op=ast.Div() | ast.Mult() as op, right=b)]):
            return _binary(_call("sqrt", a), op, _call("sqrt", b))
        case ast.Call(func=ast.Name(id="sqrt"), args=[u]) if rng.random() < 0.5:
            return _binary(u, ast.Pow(), _number(0.5))
    return None


def _other_logarithm(node: ast.expr, _: np.random.Generator) -> ast.expr | None:
    match node:
        case ast.Call(func=ast.Name(id="log"), args=[ast.BinOp(left=a, op=ast.Mult(), right=b)]):
            return _binary(_call("log", a), ast.Add(), _call("log", b))
        case ast.Call(func=ast.Name(id="log"), args=[ast.BinOp(left=a, op=ast.Div(), right=b)]):
            return _binary(_call("log", a), ast.Sub(), _call("log", b))
        case ast.Call(func=ast.Name(id="tanh"), args=[u]):
            double = _call("exp", _binary(_number(2.0), ast.Mult(), u))
            return _binary(
                _binary(double, ast.Sub(), _number(1.0)), ast.Div(), _binary(double, ast.Add(), _number(1.0))
            )
    return None


REWRITES: tuple[Rewrite, ...] = (
    _multiply_out,
    _square_out,
    _take_out,
    _common_line,
    _turn_over,
    _swap_difference,
    _split_power,
    _move_constant,
    _other_exponential,
    _other_wave,
    _other_root,
    _other_logarithm,
)
