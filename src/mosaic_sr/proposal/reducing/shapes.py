"""Shapes of one column and links of the target, of which reductions are made."""

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


@dataclass(frozen=True)
class Link:
    """A function of the target under which a term may come off; `undo` writes its inverse.

    value, slope: of the target.  size: operators that the inverse adds.  needs: where it is one to one.
    """

    name: str
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    undo: Callable[[Expression], Expression]
    size: int = 1
    needs: Callable[[Floats], NDArray[np.bool_]] = np.isfinite

    def covers(self, target: Floats) -> bool:
        """Whether the link and its inverse are one to one on the target."""
        return bool(np.all(self.needs(target)))


def _is_not_zero(y: Floats) -> NDArray[np.bool_]:
    return np.asarray(y != 0)


def _is_positive(y: Floats) -> NDArray[np.bool_]:
    return np.asarray(y > 0)


PLAIN = Link("plain", lambda y: y, np.ones_like, lambda t: t, size=0)
# The target stays what it is and is divided by the factor; only the test is made on logarithms.
FACTOR = Link("factor", lambda y: np.log(np.abs(y)), lambda y: 1.0 / y, lambda t: t, size=0, needs=_is_not_zero)
LINKS = (
    PLAIN,
    Link("inverse", lambda y: 1.0 / y, lambda y: -1.0 / np.square(y), lambda t: apply("inv", t), needs=_is_not_zero),
    Link("square", np.square, lambda y: 2.0 * y, lambda t: apply("sqrt", t), needs=_is_positive),
    Link("exp", np.exp, np.exp, lambda t: apply("log", t)),
)
# Products over many decades, which no polynomial follows, are sums behind it.
LOGARITHM = Link("log", np.log, lambda y: 1.0 / y, lambda t: apply("exp", t), needs=_is_positive)
