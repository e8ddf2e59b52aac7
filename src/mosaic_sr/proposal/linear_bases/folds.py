"""Folds: links that take several arguments to one value, such as a sine over more than half a turn.

No inverse serves all rows then. A few rows and every choice of their branches give a short sum each; the right choice
predicts the other rows, and with them their branches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.context import Event
from mosaic_sr.proposal.linear_bases.chains import INNER, Step, undone
from mosaic_sr.proposal.sums.basis_search import BasisSearch
from mosaic_sr.proposal.sums.links import LARGEST, Link, Linked, Outer, is_allowed, wrapped
from mosaic_sr.proposal.terms.dictionary import Dictionary
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Resolution

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
# Rounding beyond this share of a branch hides every sum in it.
COARSEST = 1e-3
# Folded targets that one basis may lead to before it would lead to anything.
MOST_FOUND = 3


@dataclass(frozen=True)
class Fold:
    """A function and its inverses.

    branches: the arguments of a value, nearest to zero first.  shifts: what may stand between it and another link.
    """

    outer: tuple[Outer, ...]
    branches: tuple[Callable[[Floats], Floats], ...]
    low: float
    high: float
    shifts: tuple[Step, ...] = (Step((), np.positive),)


# Beside what is squared a one of either sign; signs make no other branches.
BESIDE_ONE = (
    Step((), np.positive),
    Step((("add", 1.0),), lambda v: v - 1.0),
    Step((("add", -1.0),), lambda v: v + 1.0),
)
FOLDS = (
    Fold(
        ("sin",),
        (
            np.arcsin,
            lambda v: math.pi - np.arcsin(v),
            lambda v: -math.pi - np.arcsin(v),
            lambda v: 2 * math.pi + np.arcsin(v),
        ),
        -1.0,
        1.0,
    ),
    Fold(
        ("cos",),
        (
            np.arccos,
            lambda v: -np.arccos(v),
            lambda v: 2 * math.pi - np.arccos(v),
            lambda v: 2 * math.pi + np.arccos(v),
        ),
        -1.0,
        1.0,
    ),
    Fold(("sq",), (np.sqrt, lambda v: -np.sqrt(v)), 0.0, math.inf, BESIDE_ONE),
    Fold(("cosh",), (np.arccosh, lambda v: -np.arccosh(v)), 1.0, math.inf),
    Fold(("abs",), (np.positive, np.negative), 0.0, math.inf, BESIDE_ONE),
)


@dataclass(frozen=True, eq=False)
class Folded:
    """The target behind a fold and another link.

    outer: operators, the innermost first.  branches, floors: (branches, rows); what no argument leads to is NaN.
    """

    outer: tuple[Outer, ...]
    branches: Floats
    floors: Floats


def folded_targets(target: Floats, resolution: Resolution, operators: Sequence[str]) -> list[Folded]:
    """The target (rows,) behind every fold, alone, inside another link, or around it."""
    exponent = resolution.exponent
    scale: tuple[Outer, ...] = (("mul", 2.0**-exponent),) if exponent else ()
    own = np.ldexp(target, exponent)
    half = np.ldexp(0.5 * resolution.quantum(target), exponent)
    allowed = [step for step in INNER if is_allowed(step.outer, operators)]
    found: list[Folded] = []
    for fold in FOLDS:
        if not is_allowed(fold.outer, operators):
            continue
        for step in allowed:
            if np.min(own) >= step.low and np.max(own) <= step.high:
                inside = _folded(fold, *undone(step, own, half))
                if inside is not None:
                    found.append(Folded((*fold.outer, *step.outer, *scale), *inside))
        around = _folded(fold, own, half)
        if around is not None:
            found += [
                Folded((*step.outer, *shift.outer, *fold.outer, *scale), *_within(step, *_within(shift, *around)))
                for shift in fold.shifts
                if is_allowed(shift.outer, operators)
                for step in allowed
                if step.outer
            ]
    return [one for one in found if _is_usable(one)]


def _folded(fold: Fold, values: Floats, floors: Floats) -> tuple[Floats, Floats] | None:
    """All arguments of values (rows,) and their floors: (branches, rows) each."""
    if not np.all((values >= fold.low) & (values <= fold.high)):
        return None
    parts = [undone(Step(fold.outer, branch), values, floors) for branch in fold.branches]
    return np.array([part for part, _ in parts]), np.array([floor for _, floor in parts])


def _within(step: Step, branches: Floats, floors: Floats) -> tuple[Floats, Floats]:
    """Branches behind one step more."""
    inner, floor = undone(step, branches, floors)
    with np.errstate(invalid="ignore"):
        is_fit = (branches >= step.low) & (branches <= step.high) & (np.abs(inner) < LARGEST)
    return np.where(is_fit, inner, np.nan), floor


def _is_usable(folded: Folded) -> bool:
    """Whether each row has an argument, some have two, and rounding is small beside the widest branch."""
    is_reached = np.isfinite(folded.branches)
    num_branches = np.sum(is_reached, axis=0)
    if not np.all(num_branches >= 1) or not np.any(num_branches >= 2):
        return False
    spreads = [np.ptp(own[reached]) for own, reached in zip(folded.branches, is_reached, strict=True) if reached.any()]
    return bool(np.median(folded.floors[is_reached]) < COARSEST * max(spreads))


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
    law = wrapped(variable(0), folded.outer)
    link = Link("fold", folded.outer, np.positive, lambda inner: evaluate_expression(law, inner[None, :]))
    return Linked(link, folded.branches[nearest, rows], folded.floors[nearest, rows], 1.0)
