"""Which views of the target are held against the library, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.pairs.search import Screen
from mosaic_sr.proposal.views.parts import (
    FUNCTIONS,
    View,
    divided,
    lessened,
    multiplied,
    shifted,
    undone_views,
)
from mosaic_sr.proposal.views.steps import COMMON

Floats = NDArray[np.float64]

# Undone one after the other they give the target back or an affine copy of it, or are one function in disguise.
OPPOSITES = {("inv", "inv"), ("exp", "log"), ("log", "exp"), ("sq", "sqrt"), ("sqrt", "sq"), ("exp", "inv")}
OPPOSITES |= {("sin", "cos"), ("inv", "exp"), ("sin", "asin"), ("cos", "acos")}


def outers(operators: Sequence[str]) -> tuple[str, ...]:
    """The outer functions that are allowed."""
    return tuple(name for name in FUNCTIONS if name in operators)


def outer_views(first: View, functions: Sequence[str], target: Floats) -> Iterator[View]:
    """The target, and it with one function undone."""
    yield first
    for outer in functions:
        yield from undone_views(first, outer, target)


def double_views(first: View, functions: Sequence[str], target: Floats) -> Iterator[View]:
    """The target with two functions undone, or with one undone after a step by 1."""
    common = [outer for outer in functions if outer in COMMON]
    for outer in functions:
        for view in undone_views(first, outer, target):
            for inner in common:
                if (outer, inner) not in OPPOSITES:
                    yield from undone_views(view, inner, target)
    for number in (1.0, -1.0):
        for outer in common:
            if outer != "inv":
                yield from undone_views(shifted(first, number), outer, target)


def part_views(first: View, screen: Screen, entries: Sequence[int]) -> Iterator[View]:
    """The target less a small entry in each way in which it may take part: factor, divisor, term."""
    for entry in entries:
        formula, values = screen.library.expression(entry), screen.values(entry)
        cost = int(screen.library.costs[entry])
        yield first.with_extras(entry, cost=cost)
        yield divided(first, values, formula, cost)
        yield multiplied(first, values, formula, cost)
        yield first.with_extras(entry, is_times=True, cost=cost + 1)
        # With the coefficient 1, so that the rest may be a product.
        yield lessened(first, values, formula, cost, 1.0)
        yield lessened(first, values, formula, cost, -1.0)


def two_part_views(first: View, screen: Screen, entries: Sequence[int]) -> Iterator[View]:
    """The target with two small entries free as terms, or with one as a factor or divisor and another as a term."""
    costs = screen.library.costs
    for one, other in combinations(entries, 2):
        yield first.with_extras(one, other, cost=int(costs[one] + costs[other]))
    for one in entries:
        formula, values, cost = screen.library.expression(one), screen.values(one), int(costs[one])
        for peeled in (divided(first, values, formula, cost), multiplied(first, values, formula, cost)):
            for other in entries:
                yield peeled.with_extras(other, cost=int(costs[other]))


def part_outer_views(
    first: View, screen: Screen, entries: Sequence[int], functions: Sequence[str], target: Floats
) -> Iterator[View]:
    """The target less a small entry, then with one function undone."""
    # A quotient of sums needs no inverse.
    curves = [outer for outer in functions if outer != "inv"]
    for entry in entries:
        formula, values = screen.library.expression(entry), screen.values(entry)
        cost = int(screen.library.costs[entry])
        peeled = (
            divided(first, values, formula, cost),
            multiplied(first, values, formula, cost),
            lessened(first, values, formula, cost, 1.0),
            lessened(first, values, formula, cost, -1.0),
        )
        for view in peeled:
            for outer in curves:
                yield from undone_views(view, outer, target)
