"""Products that a plain logarithm does not show: behind an outer link."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, scaled, variable
from mosaic_sr.expressions.powers import operands_of, root_of
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.products.log_regression import find_supports
from mosaic_sr.proposal.products.product_search import Product, ProductSearch, Write
from mosaic_sr.proposal.regression.best_subsets import Support
from mosaic_sr.proposal.views.steps import CURVED, Outer, is_allowed, make_step, wrap
from mosaic_sr.table import Table

Floats = NDArray[np.float64]
# What would be the product, (rows,), and the law of the target from the law of the product.
OuterLink = tuple[Floats, Write]

# Candidates of a scan that are looked at closely.
MOST_CLOSE = 6
# Comparisons of pairs over all links together: a few tenths of a second.
MOST_PAIRS = 10_000_000
ONE_MORE: Outer = ("add", 1.0)
# What stands around a product, the innermost operator first; powers of products are products.
LINKS: tuple[tuple[Outer, ...], ...] = (
    *((name,) for name in CURVED),
    (ONE_MORE,), (ONE_MORE, "inv"), (ONE_MORE, "sqrt"), (ONE_MORE, "sqrt", "inv"), (ONE_MORE, "log"),
    ("exp", ("add", -1.0)),
)  # fmt: skip


def find_linked_products(search: ProductSearch, context: ProposalContext) -> Iterator[list[Product]]:
    """Products behind the links that the columns and one factor explain best, then with two factors."""
    links = find_outer_links(context.table, search.rows.columns, search.rows.target, context.operators)
    if not links:
        return
    logs = np.log(np.abs(np.array([values for values, _ in links])))
    rests = search.remainder.of(logs)
    gains = np.square(search.remainder.directions @ rests.T)
    places = np.argmax(gains, axis=0)
    left = np.sum(np.square(rests), axis=1) - gains[places, np.arange(len(places))]
    shares = left / np.maximum(np.sum(np.square(logs - logs.mean(axis=1)[:, None]), axis=1), 1e-300)
    for index in np.argsort(shares, kind="stable")[:MOST_CLOSE].tolist():
        found: list[Support] = [(), (int(places[index]),)]
        values, write = links[index]
        yield search.made(found[: 1 + search.most_factors(1)], values, write, num_rough=0)
    if len(links) * np.count_nonzero(search.remainder.is_new) ** 2 > MOST_PAIRS:
        return
    for (values, write), log in zip(links, logs, strict=True):
        *_, found = [
            found,
            *find_supports(search.remainder, search.remainder.of(log[None])[0], search.most_factors(2), 3),
        ]
        yield search.made(found, values, write, num_rough=0)


def _adding(added: Expression) -> Write:
    return lambda inner: apply("add", inner, added)


def find_outer_links(table: Table, columns: Floats, target: Floats, operators: tuple[str, ...]) -> list[OuterLink]:
    """The links that are finite and nowhere 0 on the rows; columns and target are the table's, not the user's."""
    with np.errstate(all="ignore"):
        candidates = [*_sums(table, columns, target), *_links(table, target, operators)]
    return [
        (values, write)
        for values, write in candidates
        if np.all(np.isfinite(values)) and np.all(values != 0) and np.ptp(values) > 0
    ]


def _sums(table: Table, columns: Floats, target: Floats) -> Iterator[OuterLink]:
    """The target less a column, or more, in the user's units."""
    for index, (column, exponent) in enumerate(zip(columns, table.column_exponents, strict=True)):
        scale = float(np.ldexp(1.0, exponent - table.target_exponent))
        if np.isfinite(scale) and scale != 0:
            part = scaled(variable(index), scale)
            yield target - scale * column, _adding(part)
            yield target + scale * column, _adding(apply("neg", part))


def _links(table: Table, target: Floats, operators: tuple[str, ...]) -> Iterator[OuterLink]:
    own = np.ldexp(target, table.target_exponent)
    scale = float(np.ldexp(1.0, -table.target_exponent))
    for outer in LINKS:
        step = make_step(*outer)
        if np.isfinite(scale) and is_allowed(outer, operators) and step.admits(own.min(), own.max()):
            yield step.undo(own), _around(outer, scale)


def _around(outer: tuple[Outer, ...], scale: float) -> Write:
    if outer == ("log",):
        return lambda inner: scaled(_logarithm(inner), scale)
    return lambda inner: scaled(wrap(inner, outer), scale)


def _logarithm(inner: Expression) -> Expression:
    """The logarithm of a product, which is the exponent of one that is a number times an exponential."""
    parts = operands_of(inner) if root_of(inner) == "mul" else [inner]
    numbers = [part.constants[0] for part in parts if len(part) == 1 and part.num_constants]
    if root_of(parts[-1]) != "exp" or len(numbers) != len(parts) - 1 or min(numbers, default=1.0) <= 0:
        return apply("log", inner)
    return apply("add", constant(float(np.log(np.prod(numbers)))), operands_of(parts[-1])[0])
