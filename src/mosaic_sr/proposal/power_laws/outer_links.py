"""Outer links of a product: a column added to it, or functions around it, that can be undone without a free number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.proposal.views.steps import Outer, is_allowed, step_of, wrapped
from mosaic_sr.table import Table

Floats = NDArray[np.float64]

ONE_MORE: Outer = ("add", 1.0)
# What stands around a product, the innermost operator first; powers of products are products.
LINKS: tuple[tuple[Outer, ...], ...] = (
    ("exp",), ("log",), ("sin",), ("cos",), ("tan",), ("tanh",), ("atan",), ("asin",), ("acos",),
    (ONE_MORE,), (ONE_MORE, "inv"), (ONE_MORE, "sqrt"), (ONE_MORE, "sqrt", "inv"), (ONE_MORE, "log"),
    ("exp", ("add", -1.0)),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class OuterLink:
    """values: (rows,), what would be the product.  write: the law of the target from the law of the product."""

    values: Floats
    write: Callable[[Expression], Expression]


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
    for outer in LINKS:
        step = step_of(*outer)
        if np.isfinite(scale) and is_allowed(outer, operators) and step.admits(own.min(), own.max()):
            yield OuterLink(step.undo(own), _around(outer, scale))


def _added(operator: str, part: Expression) -> Callable[[Expression], Expression]:
    return lambda inner: apply(operator, inner, part)


def _around(outer: tuple[Outer, ...], scale: float) -> Callable[[Expression], Expression]:
    return lambda inner: scaled(wrapped(inner, outer), scale)


def scaled(expression: Expression, scale: float) -> Expression:
    """The expression times a number, unless that is 1."""
    return expression if scale == 1 else apply("mul", constant(scale), expression)
