"""Shapes of one column, of which reductions are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """A function h of one column.

    slope: its derivative.  write: the expression of h, or of exp(h) where the shape is a logarithm.
    is_log: whether a sum of such shapes is written as a product.  size: operators that it adds.
    """

    name: str
    slope: Callable[[Floats], Floats]
    write: Callable[[Expression], Expression]
    is_log: bool = False
    size: int = 1


def _one_plus(x: Expression) -> Expression:
    return apply("add", constant(1.0), x)


def _one_minus(x: Expression) -> Expression:
    return apply("sub", constant(1.0), x)


def _sq(x: Expression) -> Expression:
    return apply("sq", x)


SHAPES = (
    Shape("x", np.ones_like, lambda x: x, size=0),
    Shape("square", lambda x: 2.0 * x, _sq),
    Shape("cube", lambda x: 3.0 * np.square(x), lambda x: apply("cube", x)),
    Shape("root", lambda x: 0.5 / np.sqrt(x), lambda x: apply("sqrt", x)),
    Shape("inverse", lambda x: -1.0 / np.square(x), lambda x: apply("inv", x)),
    Shape("exp", np.exp, lambda x: apply("exp", x)),
    Shape("log", lambda x: 1.0 / x, lambda x: apply("log", x)),
    Shape("sin", np.cos, lambda x: apply("sin", x)),
    Shape("cos", lambda x: -np.sin(x), lambda x: apply("cos", x)),
)
LOG_SHAPES = (
    Shape("power", lambda x: 1.0 / x, lambda x: x, is_log=True, size=0),
    Shape("sin", lambda x: 1.0 / np.tan(x), lambda x: apply("sin", x), is_log=True),
    Shape("cos", lambda x: -np.tan(x), lambda x: apply("cos", x), is_log=True),
    Shape("1+x", lambda x: 1.0 / (1.0 + x), _one_plus, is_log=True),
    Shape("1-x", lambda x: 1.0 / (x - 1.0), _one_minus, is_log=True),
    Shape("1+x^2", lambda x: 2.0 * x / (1.0 + x * x), lambda x: _one_plus(_sq(x)), is_log=True, size=2),
    Shape("1-x^2", lambda x: 2.0 * x / (x * x - 1.0), lambda x: _one_minus(_sq(x)), is_log=True, size=2),
)
# exp(c x) and exp(c x^2) are factors too, with an exponent that is any number.
EXPONENTS = SHAPES[:2]
