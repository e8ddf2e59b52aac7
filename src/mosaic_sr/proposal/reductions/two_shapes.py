"""Spans: a target as a combination of two functions of one column, whose coefficients are functions of the others.

y = f1(x) g1(B) + f2(x) g2(B) determines only what f1 and f2 span. Simple shapes of the column are looked for in it;
with two of them the coefficients are known, and each is a table without the column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.powers import power
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.reductions.separation import (
    LEAST_FREE,
    LEAST_GAIN,
    ROWS_PER_NUMBER,
    SWEEPS,
    BlockFunctions,
    grown,
    least_squares,
    share_of,
    size_of,
)
from mosaic_sr.smooth import one_thread

Floats = NDArray[np.float64]

# Exponents of the shapes, the commoner ones first.
EXPONENTS = (1.0, 2.0, -1.0, 0.5, 3.0, -2.0, -0.5, 1.5, -3.0, 4.0)
FUNCTIONS = ("exp", "log", "sin", "cos")
# A shape lies in the span when it leaves no more than so many times what the form leaves.
LENIENCE = 10.0
# Below, it is rounding that is left.
LEAST_ERROR = 1e-10
# Pairs of more are too many to be fitted, and where so many lie in a span it is known too roughly.
MOST_SHAPES = 6


@dataclass(frozen=True)
class Cut:
    """A column and the others."""

    column: tuple[int, ...]
    rest: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Span:
    """Two functions of a column and their coefficients, functions of the rest: (rows, 2) each.

    error: size of what is not predicted, as a share of the deviation.  levels: of the functions of column and rest.
    """

    cut: Cut
    functions: Floats
    coefficients: Floats
    error: float
    levels: tuple[int, ...] = (0, 0)


def find_span(blocks: BlockFunctions, target: Floats, cut: Cut, known: Floats | None = None) -> Span | None:
    """The target as such a combination, with the degrees that predict rows best; None where there are too few rows.

    known: the two functions of the column, (rows, 2), where they are.
    """
    with one_thread():
        return _find_span(blocks, target, cut, known)


def _find_span(blocks: BlockFunctions, target: Floats, cut: Cut, known: Floats | None) -> Span | None:
    unit = blocks.units[cut.column[0]]
    first = np.column_stack([np.ones(len(unit)), unit]) if known is None else known
    start = _fitted(blocks, target, Span(cut, first, first, np.inf), (0, 0), known is not None)
    if start is None:
        return None
    return grown(start, lambda before, levels: _fitted(blocks, target, before, levels, known is not None))


def _fitted(
    blocks: BlockFunctions, target: Floats, start: Span, levels: tuple[int, ...], is_known: bool
) -> Span | None:
    """Coefficients and functions solved for in turn, from those of another fit; functions that are known stay."""
    own, beside = blocks.basis(start.cut.column, levels[0]), blocks.basis(start.cut.rest, levels[1])
    if own is None or beside is None or (is_known and levels[0]):
        return None
    if 2 * (beside.shape[1] + (0 if is_known else own.shape[1])) * ROWS_PER_NUMBER > len(target):
        return None
    functions, error, deviation = start.functions, np.inf, float(target.std())
    for _ in range(1 if is_known else SWEEPS):
        heed_stop()
        coefficients, leverage = _solved(beside, functions, target)
        if not is_known:
            functions, other = _solved(own, coefficients, target)
            leverage = leverage + other
            functions = np.linalg.qr(functions)[0] * np.sqrt(len(target))
            coefficients, _ = _solved(beside, functions, target)
        left = target - np.sum(functions * coefficients, axis=1)
        before, error = error, size_of(left) / deviation
        if not error < (1.0 - LEAST_GAIN) * before:
            break
    share = share_of(left / np.maximum(1.0 - leverage, LEAST_FREE), target)
    return Span(start.cut, functions, coefficients, share, levels)


def _solved(basis: Floats, partners: Floats, target: Floats) -> tuple[Floats, Floats]:
    """The functions that go with two partners, (rows, 2) each, and the leverage of each row."""
    numbers, leverage = least_squares(np.concatenate([basis * each[:, None] for each in partners.T], axis=1), target)
    return basis @ numbers.reshape(2, -1).T, leverage


def best_shapes(
    blocks: BlockFunctions, target: Floats, span: Span
) -> tuple[Span, tuple[Expression, Expression]] | None:
    """The two simple shapes, of size 1 in the rows, with which rows are predicted best, and the span of these."""
    found = []
    for pair in combinations(_shapes_in(span, blocks.columns)[:MOST_SHAPES], 2):
        sizes = [size_of(evaluate_expression(shape, blocks.columns)) for shape in pair]
        one, two = (apply("mul", constant(1.0 / size), shape) for shape, size in zip(pair, sizes, strict=True))
        known = np.column_stack([evaluate_expression(shape, blocks.columns) for shape in (one, two)])
        again = find_span(blocks, target, span.cut, known)
        if again is not None:
            found.append((again, (one, two)))
    return min(found, key=lambda each: each[0].error, default=None)


def _shapes_in(span: Span, columns: Floats) -> list[Expression]:
    """Simple shapes of the column that are combinations of the two functions, those that leave least first."""
    found: list[tuple[float, Expression]] = []
    limit = max(LENIENCE * span.error, LEAST_ERROR)
    for shape in _shapes(variable(span.cut.column[0])):
        values = evaluate_expression(shape, columns)
        if not np.isfinite(values).all() or not size_of(values) > 0:
            continue
        numbers = solve_least_squares(span.functions, values)
        left = size_of(values - span.functions @ numbers) / size_of(values)
        if left <= limit:
            found.append((max(left, LEAST_ERROR), shape))
    return [shape for _, shape in sorted(found, key=lambda each: each[0])]


def _shapes(column: Expression) -> Iterator[Expression]:
    yield constant(1.0)
    for exponent in EXPONENTS:
        yield power(column, exponent) if exponent > 0 else apply("inv", power(column, -exponent))
    for name in FUNCTIONS:
        yield apply(name, column)
    yield apply("exp", apply("neg", column))
