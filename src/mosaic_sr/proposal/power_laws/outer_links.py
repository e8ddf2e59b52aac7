"""Outer links of a product: a column added to it, or a function around it, that can be undone without a free number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.operators import CODES
from mosaic_sr.table import Table

Floats = NDArray[np.float64]
Outer = Callable[[Expression], Expression]


@dataclass(frozen=True, eq=False)
class OuterLink:
    """values: (rows,), what would be the product.  outer: the law of the target from the law of the product."""

    values: Floats
    outer: Outer


def _unary(name: str) -> Outer:
    return lambda inner: apply(name, inner)


def _one_plus(inner: Expression) -> Expression:
    return apply("add", constant(1.0), inner)


def _logarithm(inner: Expression) -> Expression:
    """The logarithm of a product, which is the exponent of one that is an exponential."""
    if inner.codes[-1] == CODES["exp"]:
        return inner.subtree(len(inner) - 2)
    if inner.codes[-1] == CODES["mul"] and inner.codes[-2] == CODES["exp"] and inner.starts[-2] == 1:
        if inner.num_constants and inner.constants[0] > 0:
            return apply("add", constant(float(np.log(inner.constants[0]))), inner.subtree(len(inner) - 3))
    return apply("log", inner)


# The operator around a product and its inverse, which holds on the principal branch.
LINKS: tuple[tuple[str, Outer, Callable[[Floats], Floats]], ...] = (
    ("exp", _unary("exp"), np.log),
    ("log", _logarithm, np.exp),
    ("sin", _unary("sin"), np.arcsin),
    ("cos", _unary("cos"), np.arccos),
    ("tan", _unary("tan"), np.arctan),
    ("tanh", _unary("tanh"), np.arctanh),
    ("atan", _unary("atan"), np.tan),
    ("asin", _unary("asin"), np.sin),
    ("acos", _unary("acos"), np.cos),
    ("add", _one_plus, lambda y: y - 1.0),
    ("inv", lambda inner: apply("inv", _one_plus(inner)), lambda y: 1.0 / y - 1.0),
    ("sqrt", lambda inner: apply("sqrt", _one_plus(inner)), lambda y: np.square(y) - 1.0),
    ("inv", lambda inner: apply("inv", apply("sqrt", _one_plus(inner))), lambda y: 1.0 / np.square(y) - 1.0),
    ("log", lambda inner: apply("log", _one_plus(inner)), np.expm1),
    ("exp", lambda inner: apply("sub", apply("exp", inner), constant(1.0)), np.log1p),
)


def outer_links_of(table: Table, columns: Floats, target: Floats, operators: tuple[str, ...]) -> list[OuterLink]:
    """The links that are finite and nowhere 0 on the rows; columns and target are the table's, not the user's."""
    with np.errstate(all="ignore"):
        candidates = [*_sums(table, columns, target), *_links(table, target, operators)]
    return [
        link
        for link in candidates
        if np.all(np.isfinite(link.values)) and np.all(link.values != 0) and np.ptp(link.values) > 0
    ]


def _sums(table: Table, columns: Floats, target: Floats) -> Iterator[OuterLink]:
    """The target less a column, or more, in the user's units."""
    for index, (column, exponent) in enumerate(zip(columns, table.column_exponents, strict=True)):
        scale = float(np.ldexp(1.0, exponent - table.target_exponent))
        if np.isfinite(scale) and scale != 0:
            part = scaled(variable(index), scale)
            yield OuterLink(target - scale * column, _added("add", part))
            yield OuterLink(target + scale * column, _added("sub", part))


def _links(table: Table, target: Floats, operators: tuple[str, ...]) -> Iterator[OuterLink]:
    own = np.ldexp(target, table.target_exponent)
    scale = float(np.ldexp(1.0, -table.target_exponent))
    if np.isfinite(scale):
        yield from (
            OuterLink(inverse(own), _scaling(outer, scale)) for name, outer, inverse in LINKS if name in operators
        )


def _added(operator: str, part: Expression) -> Outer:
    return lambda inner: apply(operator, inner, part)


def _scaling(outer: Outer, scale: float) -> Outer:
    return lambda inner: scaled(outer(inner), scale)


def scaled(expression: Expression, scale: float) -> Expression:
    """The expression times a number, unless that is 1."""
    return expression if scale == 1 else apply("mul", constant(scale), expression)
