"""Which product of curves explains most of what is left of a target, and the numbers inside that explain it best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.kernel.moments import fit_work_size, write_derivatives
from mosaic_sr.proposal.regression.best_subsets import make_pairs
from mosaic_sr.proposal.regression.gauss_newton import refine
from mosaic_sr.proposal.regression.projection import make_background, remove_span
from mosaic_sr.proposal.sums.curve_sheets import ScoredProduct, Sheet

Floats = NDArray[np.float64]

# Squares of a curve beside the background, as a share of its own, below which rounding is all that is left of it.
LEAST_LEFT = 1e-10
# Squared sine of the angle between two curves below which they are one on a grid.
LEAST_ANGLE = 1e-4
# Curves whose products with all of a sheet fit into a processor's own memory.
BLOCK = 64


@dataclass(frozen=True, eq=False)
class Rest:
    """What a background leaves of a target.

    columns: (columns, rows).  weights: (rows,).  basis: (basis, rows), orthonormal.  left: (rows,), of norm 1.
    size: norm of what is left.  share: its square as a share of that of the target without its mean.
    """

    columns: Floats
    weights: Floats
    basis: Floats
    left: Floats
    size: float
    share: float

    def of(self, terms: Floats) -> Floats:
        """What is left of other terms: (terms, rows)."""
        return remove_span(terms * self.weights, self.basis.T, num_passes=1)


def make_rest(columns: Floats, target: Floats, weights: Floats, background: Floats) -> Rest:
    """What the background, (terms, rows), leaves of a target."""
    beside = make_background(background * weights)
    left = target * weights
    whole = float(np.linalg.norm(left - weights * (weights @ left) / (weights @ weights)))
    left = beside.without(left)
    size = float(np.linalg.norm(left))
    basis = np.ascontiguousarray(beside.directions.T)
    return Rest(columns, weights, basis, left / max(size, 1e-300), size, (size / max(whole, 1e-300)) ** 2)


def find_best_terms(rest: Rest, one: Sheet, two: Sheet, num_terms: int, num_alike: int) -> Iterator[ScoredProduct]:
    """The best products of a curve of each sheet, one for each pair of kinds, the best first.

    num_alike: at most so many with one curve or several, and one number or several.
    """
    shares = np.zeros((len(one.products), len(two.products)))
    for start in range(0, len(shares), BLOCK):
        heed_stop()
        # Of the pairs within a sheet, those are left out that begin with the later kind.
        first = int(one.starts[np.searchsorted(one.starts, start, side="right") - 1]) if one is two else 0
        block = slice(start, start + BLOCK)
        shares[block, first:] = _shares(rest, one.values[block], two.values[first:])
    for share, row, column in _best_of_kinds(shares, one, two, num_terms, num_alike):
        yield ScoredProduct(share, (*one.products[row], *two.products[column]))


def find_best_sums(rest: Rest, sheet: Sheet, num_sums: int) -> Iterator[tuple[ScoredProduct, ScoredProduct]]:
    """The best sums of two products of a sheet, one for each pair of kinds; both have the share of their sum."""
    heed_stop()
    directions = _directions(rest, sheet.values)
    shares = make_pairs(directions, LEAST_ANGLE).explain(directions @ rest.left)
    for share, row, column in _best_of_kinds(shares, sheet, sheet, num_sums, num_sums):
        yield ScoredProduct(share, sheet.products[row]), ScoredProduct(share, sheet.products[column])


def _directions(rest: Rest, values: Floats) -> Floats:
    """What the background leaves of some terms, of norm 1; 0 where that is rounding: (terms, rows)."""
    terms = rest.of(values)
    sizes = np.sum(np.square(terms), axis=1)
    least = LEAST_LEFT * np.sum(np.square(values * rest.weights), axis=1) + 1e-300
    norms = np.sqrt(np.maximum(sizes, least))
    return np.asarray(np.where(sizes > least, 1.0 / norms, 0.0)[:, None] * terms)


def _best_of_kinds(
    shares: Floats, one: Sheet, two: Sheet, count: int, num_alike: int
) -> Iterator[tuple[float, int, int]]:
    """Share and place of the best entries, one for each pair of kinds, the best first."""
    best = np.maximum.reduceat(np.maximum.reduceat(shares, one.starts, axis=0), two.starts, axis=1)
    if one is two:
        best = np.triu(best)  # each pair once
    rows, columns = one.slices, two.slices
    order = np.argsort(-best, axis=None, kind="stable")[:count]
    order = order[best.ravel()[order] > 0]
    are_several = [np.add.outer(*own).ravel()[order] > 1 for own in zip(one.counts, two.counts, strict=True)]
    shapes = 2 * are_several[0] + are_several[1]
    kept = np.concatenate([np.flatnonzero(shapes == shape)[:num_alike] for shape in range(4)])
    for index in order[np.sort(kept)].tolist():
        (top, bottom), (left, right) = rows[index // len(columns)], columns[index % len(columns)]
        block = shares[top:bottom, left:right]
        row, column = divmod(int(np.argmax(block)), right - left)
        yield float(block[row, column]), top + row, left + column


def _shares(rest: Rest, one: Floats, two: Floats) -> Floats:
    """The share of the rest that each product of curves explains: (curves of one, curves of two)."""
    weighted = one * rest.weights
    sizes = np.square(weighted) @ np.square(two).T
    least = LEAST_LEFT * sizes
    least += 1e-300
    if len(two) < len(rest.basis):
        for place, curve in enumerate(two):
            sizes[:, place] -= np.sum(np.square((weighted * curve) @ rest.basis.T), axis=1)
    else:
        for direction in rest.basis:
            along = (weighted * direction) @ two.T
            sizes -= np.square(along, out=along)
    shares: Floats = (one * (rest.left * rest.weights)) @ two.T
    np.square(shares, out=shares)
    shares[sizes <= least] = 0.0
    shares /= np.maximum(sizes, least, out=sizes)
    return shares


@dataclass(frozen=True, eq=False)
class Refined:
    """An expression with the numbers inside that explain most, the factor before it, and the share that is left."""

    expression: Expression
    factor: float
    left: float


def refine_numbers(start: Expression, rest: Rest, most_steps: int) -> Refined:
    """Numbers near where they are; the factor and the background are at their best at every step."""
    heed_stop()
    numbers = start.constants.copy()
    factor, left = refine(
        start.codes, start.slots, numbers, rest.columns, rest.weights, rest.basis, rest.left, most_steps
    )
    return Refined(start.with_constants(numbers), factor, left)


def evaluate_slopes(expression: Expression, columns: Floats) -> Floats:
    """The value of an expression, then its derivative by each constant: (1 + constants, rows)."""
    num_rows, num_constants = columns.shape[1], expression.num_constants
    found = np.empty((1 + num_constants, num_rows))
    work = np.empty(fit_work_size(len(expression), num_constants))
    write_derivatives(
        expression.codes, expression.slots, expression.constants, columns, 0, num_rows, found[0], found[1:], work
    )
    return found
