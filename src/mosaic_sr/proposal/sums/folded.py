"""Sums behind folds, links that take several arguments to one value, such as a sine over more than half a turn.

No inverse serves all rows then. A few rows and every choice of their branches give a short sum each; the right choice
predicts the other rows, and with them their branches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.context import Event
from mosaic_sr.proposal.sums.basis_search import BasisSearch
from mosaic_sr.proposal.terms.dictionary import Dictionary
from mosaic_sr.proposal.views.folds import Folded, folded_targets
from mosaic_sr.proposal.views.links import Linked
from mosaic_sr.sketch import Sketch

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Choices of branches for one basis of many, three of each of three rows, and for a basis of its own.
FEW_CHOICES, MOST_CHOICES = 32, 1100
# Cheap terms of which all pairs are tried.
NUM_PAIRED = 16
# Rows that refute a choice of branches.
NUM_TESTS = 8
# Rows from which those of a basis are chosen.
NUM_SCREENED = 64
# What a sum from few rows may miss others by, relative to the spread of the branches; few rows make it inexact.
MOST_MISSED, PER_TOLERANCE = 1e-6, 30.0
# Least volume of the rows of a basis, relative to their norms, from which its terms are solved.
LEAST_PIVOT = 1e-5
# Folded targets that one basis may lead to before it would lead to anything.
MOST_FOUND = 3


def behind_folds(search: BasisSearch, basis: Dictionary, operators: Sequence[str]) -> Iterator[Event]:
    """Sums of the terms of short bases behind folds."""
    if search.rows.num_rows < NUM_SCREENED:
        return
    groups = _groups(search, folded_targets(search.rows.target, search.table.target_resolution, operators))
    for terms, most in _short_bases(basis, len(search.rows.columns)):
        chosen = Dictionary(basis.atoms, basis.terms[terms], basis.values[:, terms])
        for group in groups:
            yield list(_foretold(search, chosen, group, most))


@dataclass(frozen=True, eq=False)
class _Group:
    """Folds with the same number of branches.

    branches: (folds, branches, screened rows).  allowed: (folds,), what sums may miss.
    """

    folds: list[Folded]
    branches: Floats
    allowed: Floats


def _groups(search: BasisSearch, targets: Sequence[Folded]) -> list[_Group]:
    by_count: dict[int, list[Folded]] = {}
    for folded in targets:
        by_count.setdefault(len(folded.branches), []).append(folded)
    most_missed = max(MOST_MISSED, PER_TOLERANCE * search.tolerance)
    groups = []
    for folds in by_count.values():
        branches = np.array([folded.branches[:, :NUM_SCREENED] for folded in folds])
        # A few rows near a pole would let in whatever agrees with the others.
        low, high = np.nanquantile(branches, [0.25, 0.75], axis=(1, 2))
        groups.append(_Group(folds, branches, most_missed * (high - low)))
    return groups


def _short_bases(basis: Dictionary, num_columns: int) -> Iterator[tuple[list[int], int]]:
    """The columns with and without their products, and each one and two of the cheapest terms, with their choices."""
    cheap = range(min(NUM_PAIRED, basis.num_terms))
    plain = [term for term in range(basis.num_terms) if _degree(basis, term) == 1][:num_columns]
    pairs = [term for term in range(basis.num_terms) if _degree(basis, term) == 2]
    yield from (([term], FEW_CHOICES) for term in cheap)
    yield plain, MOST_CHOICES
    yield from (([*pair], FEW_CHOICES) for pair in combinations(cheap, 2))
    yield [*plain, *pairs], MOST_CHOICES


def _degree(basis: Dictionary, term: int) -> int:
    """The number of factors where all are columns, else 0."""
    factors = basis.factors(term)
    return len(factors) if all(len(factor) == 1 for factor in factors) else 0


def _foretold(search: BasisSearch, basis: Dictionary, group: _Group, most: int) -> Iterator[Sketch]:
    """Laws behind those folds whose branches in few rows predict the others; most: choices of branches."""
    num_terms = basis.num_terms + 1
    num_branches = max((n for n in range(2, group.branches.shape[1] + 1) if n**num_terms <= most), default=0)
    if not num_branches:
        return
    columns = np.concatenate([np.ones((search.rows.num_rows, 1)), basis.values], axis=1)
    pivots = _pivots(columns[:NUM_SCREENED])
    if pivots is None:
        return
    choices = _choices(num_branches, num_terms)
    values = group.branches[:, choices, pivots]  # (folds, choices, terms)
    which, choice = np.nonzero(np.isfinite(values.sum(axis=2)))
    coefficients = values[which, choice] @ np.linalg.inv(columns[pivots]).T
    others = sorted(set(range(NUM_SCREENED)) - set(pivots.tolist()))
    for row in others[:NUM_TESTS]:
        gaps = np.abs(group.branches[which, :, row] - (coefficients @ columns[row])[:, None])
        is_close = np.fmin.reduce(gaps, axis=1) <= group.allowed[which]
        which, coefficients = which[is_close], coefficients[is_close]
    for place, own in list(zip(which.tolist(), coefficients, strict=True))[:MOST_FOUND]:
        yield from search.from_dense(basis, _unfolded(group.folds[place], columns @ own), search.margin)


@cache
def _choices(num_branches: int, num_rows: int) -> Indices:
    """Every choice of a branch for each row: (choices, rows)."""
    return np.array(list(product(range(num_branches), repeat=num_rows)), dtype=np.intp)


def _pivots(columns: Floats) -> Indices | None:
    """As many rows as columns, each far from those before it; None where the columns depend on each other."""
    left = columns / np.linalg.norm(columns, axis=0)
    found: list[int] = []
    for _ in range(columns.shape[1]):
        norms = np.linalg.norm(left, axis=1)
        best = int(np.argmax(norms))
        if norms[best] < LEAST_PIVOT:
            return None
        found.append(best)
        direction = left[best] / norms[best]
        left = left - np.outer(left @ direction, direction)
    return np.array(found)


def _unfolded(folded: Folded, predicted: Floats) -> Linked:
    """The target in the branches nearest to what is predicted (rows,)."""
    gaps = np.abs(folded.branches - predicted)
    nearest = np.argmin(np.where(np.isfinite(gaps), gaps, math.inf), axis=0)
    rows = np.arange(len(predicted))
    return Linked(folded.outer, folded.branches[nearest, rows], folded.floors[nearest, rows])
