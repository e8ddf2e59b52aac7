"""The shapes f of scaling laws c x^a f(k x^b)^p, with what a descent needs of them and how they are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant

Floats = NDArray[np.float64]
Slope = Callable[[Floats, Floats], Floats]
ONE = constant(1.0)
# Exponentials beyond this are of no use for a start and would overflow on the way.
LARGEST_EXPONENT = 300.0


@dataclass(frozen=True)
class Shape:
    """value: f(z).  slope: z f'(z) / f(z), from z and f(z), which is the slope of log|f| over log z.

    operators: what it takes to write f beside products and powers.  crosses: whether f changes its sign for z > 0.
    is_exponential: whether powers of f only change the number before z.  is_sum: whether f is 1 + z or 1 - z.
    is_logarithm: whether powers of z only change the number before f.
    """

    name: str
    value: Callable[[Floats], Floats]
    slope: Slope
    write: Callable[[Expression], Expression]
    operators: frozenset[str]
    crosses: bool = False
    is_exponential: bool = False
    is_sum: bool = False
    is_logarithm: bool = False


def _exp(z: Floats) -> Floats:
    return np.exp(np.clip(z, -LARGEST_EXPONENT, LARGEST_EXPONENT))


def _expm1(z: Floats) -> Floats:
    return np.expm1(np.clip(z, -LARGEST_EXPONENT, LARGEST_EXPONENT))


def _cosh(z: Floats) -> Floats:
    return np.cosh(np.clip(z, -LARGEST_EXPONENT, LARGEST_EXPONENT))


def _sinh(z: Floats) -> Floats:
    return np.sinh(np.clip(z, -LARGEST_EXPONENT, LARGEST_EXPONENT))


def _needs(*names: str) -> frozenset[str]:
    return frozenset(names)


# The commonest first: a search ends with the first that explains the rows.
SHAPES = (
    Shape("1 + z", lambda z: 1.0 + z, lambda z, f: z / f, lambda z: apply("add", ONE, z), _needs("add"), is_sum=True),
    Shape(
        "1 - z",
        lambda z: 1.0 - z,
        lambda z, f: -z / f,
        lambda z: apply("sub", ONE, z),
        _needs("sub"),
        crosses=True,
        is_sum=True,
    ),
    Shape("exp z", _exp, lambda z, f: z, lambda z: apply("exp", z), _needs("exp"), is_exponential=True),
    Shape(
        "exp z - 1",
        _expm1,
        lambda z, f: z * (f + 1.0) / f,
        lambda z: apply("sub", apply("exp", z), ONE),
        _needs("exp", "sub"),
    ),
    Shape(
        "exp z + 1",
        lambda z: _exp(z) + 1.0,
        lambda z, f: z * (f - 1.0) / f,
        lambda z: apply("add", apply("exp", z), ONE),
        _needs("exp", "add"),
    ),
    Shape(
        "1 - exp(-z)",
        lambda z: -_expm1(-z),
        lambda z, f: z * (1.0 - f) / f,
        lambda z: apply("sub", ONE, apply("exp", apply("neg", z))),
        _needs("exp", "sub", "neg"),
    ),
    Shape("sin z", np.sin, lambda z, f: z * np.cos(z) / f, lambda z: apply("sin", z), _needs("sin"), crosses=True),
    Shape("cos z", np.cos, lambda z, f: -z * np.sin(z) / f, lambda z: apply("cos", z), _needs("cos"), crosses=True),
    Shape(
        "log z",
        lambda z: np.log(np.abs(z)),
        lambda z, f: 1.0 / f,
        lambda z: apply("log", z),
        _needs("log"),
        crosses=True,
        is_logarithm=True,
    ),
    Shape(
        "log(1 + z)",
        lambda z: np.log1p(z),
        lambda z, f: z / ((1.0 + z) * f),
        lambda z: apply("log", apply("add", ONE, z)),
        _needs("log", "add"),
    ),
    Shape("tanh z", np.tanh, lambda z, f: z * (1.0 - f * f) / f, lambda z: apply("tanh", z), _needs("tanh")),
    Shape("cosh z", _cosh, lambda z, f: z * np.tanh(z), lambda z: apply("cosh", z), _needs("cosh")),
    Shape("sinh z", _sinh, lambda z, f: z / np.tanh(z), lambda z: apply("sinh", z), _needs("sinh")),
    Shape("atan z", np.arctan, lambda z, f: z / ((1.0 + z * z) * f), lambda z: apply("atan", z), _needs("atan")),
)
