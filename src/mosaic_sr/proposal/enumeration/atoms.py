"""Atoms: terms with drawn constants as vectors over the rows, so that sums of them are found by linear algebra."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression, operator_names
from mosaic_sr.fitting import draw_constants, weights_of
from mosaic_sr.kernel.evaluate import evaluate
from mosaic_sr.table import Rows, divided, spread_over_target, squaring_exponent

Floats = NDArray[np.float64]
Vectors = NDArray[np.floating[Any]]
Term = tuple[float, Expression]

# Draws of a term by the number of its constants, without the factor before it: so many that one of them is near. Waves
# of different frequencies have nothing in common, so that they need more.
DRAWS, WAVE_DRAWS = (1, 20, 40, 60), (1, 40, 120, 160)
WAVES = frozenset(("sin", "cos", "tan"))
# Rows over which atoms are compared, atoms in all, and those of them that stand first in a pair, because one of the two
# explains much alone. All such pairs take about two seconds.
MOST_ROWS, MOST_ATOMS, MOST_FIRST = 100, 40_000, 1500
# Atoms of one term among the first, so that no term takes all places.
FIRST_PER_TERM = 12
# Rows that show the scales of the columns.
FEW_ROWS = 32
# What is left of a vector of length 1 below this is rounding.
LEAST_LENGTH = 1e-6
# Two atoms that are so much alike explain nothing together that rounding would not.
ALIKE = 0.9999
# Atoms that are compared with all others at once, few enough for the cache of a processor.
BLOCK = 16
# Drawn constants are not the best ones: what a pair leaves over says as much as it would on so few rows, and shares of
# the target below this are not told apart.
ROWS_THAT_COUNT = 25
COARSE = 1e-2


@dataclass(frozen=True, eq=False)
class Atoms:
    """Terms with drawn constants.

    terms: the terms that have atoms, with their bits.  vectors: (atoms, rows), weighted, of length 1.
    constants: of each atom.  firsts: (terms,) number of the first atom of each term; its atoms follow each other.
    target: (rows,), weighted, of length 1.
    """

    terms: tuple[Term, ...]
    vectors: NDArray[np.float32]
    constants: tuple[Floats, ...]
    firsts: NDArray[np.intp]
    target: NDArray[np.float32]

    @cached_property
    def num_free(self) -> NDArray[np.intp]:
        """How many constants each term has: (terms,)."""
        return np.array([np.count_nonzero(np.isnan(form.constants)) for _, form in self.terms])

    def term_of(self, atom: int) -> int:
        """The number of an atom's term."""
        return int(np.searchsorted(self.firsts, atom, side="right")) - 1


def draw_values(
    terms: Sequence[Term], rows: Rows, some: Rows, share: float = 1.0
) -> Iterator[tuple[Term, Floats, Floats]]:
    """Terms with draws of their constants (draws, constants) and their values in some of the rows (draws, rows).

    The first constant of each term is its factor, which is 1.  share: of the usual number of draws.
    """
    few = spread_over_target(rows, FEW_ROWS)
    for bits, form in terms:
        heed_stop()
        num_free = int(np.count_nonzero(np.isnan(form.constants))) - 1
        counts = WAVE_DRAWS if WAVES & operator_names(form) else DRAWS
        drawn = draw_constants(form, few, math.ceil(share * counts[min(num_free, len(counts) - 1)]))
        drawn[:, 0] = 1.0
        values = np.empty((len(drawn), some.num_rows))
        for own, out in zip(drawn, values, strict=True):
            evaluate(form.codes, form.slots, own, some.columns, out)
        yield (bits, form), drawn, values


def make_atoms(terms: Sequence[Term], rows: Rows, weighting: str) -> Atoms | None:
    """Atoms of terms whose first constant is a free factor; None where there are none.

    Only what varies over the rows counts, because a number may be added to any sum.
    """
    some = spread_over_target(rows, MOST_ROWS)
    roots = np.sqrt(weights_of(some.with_divided_target(squaring_exponent(some.target)), weighting))
    target = _direction(divided(some.target, squaring_exponent(some.target))[None], roots)
    kept: list[Term] = []
    vectors, constants, firsts = list[Floats](), list[Floats](), list[int]()
    for term, drawn, values in draw_values(terms, rows, some):
        directions = _direction(values, roots)
        is_usable = np.all(np.isfinite(directions), axis=1)
        if np.any(is_usable):
            kept.append(term)
            firsts.append(len(constants))
            vectors.append(directions[is_usable])
            constants += list(drawn[is_usable])
        if len(constants) >= MOST_ATOMS:
            break
    if not kept or not np.all(np.isfinite(target)):
        return None
    stacked = np.concatenate(vectors).astype(np.float32)
    return Atoms(tuple(kept), stacked, tuple(constants), np.array(firsts), target[0].astype(np.float32))


@np.errstate(all="ignore")
def _direction(values: Floats, roots: Floats) -> Floats:
    """Weighted values of length 1, without what a number explains: (vectors, rows); NaN where nothing is left."""
    weighted = values * roots
    largest = np.max(np.abs(weighted), axis=1, keepdims=True)
    weighted = weighted / largest
    offset = roots / np.linalg.norm(roots)
    weighted = weighted - np.outer(weighted @ offset, offset)
    lengths = np.linalg.norm(weighted, axis=1, keepdims=True)
    return np.asarray(np.where(lengths > LEAST_LENGTH, weighted / lengths, np.nan))


@np.errstate(all="ignore")
def best_pairs(atoms: Atoms, count: int, max_constants: int) -> list[tuple[int, int]]:
    """The best atoms of the most promising pairs of terms, as their numbers; a term may stand with itself."""
    along = atoms.vectors @ atoms.target
    first = _first_atoms(atoms, along)
    terms_of_first = np.searchsorted(atoms.firsts, first, side="right") - 1
    gains = np.zeros((len(atoms.terms), len(atoms.terms)), dtype=np.float32)
    transposed = np.ascontiguousarray(atoms.vectors.T)
    for low in range(0, len(first), BLOCK):
        heed_stop()
        own = first[low : low + BLOCK]
        joint = _gains(atoms.vectors[own], transposed, along[own], along)
        np.maximum.at(gains, terms_of_first[low : low + BLOCK], np.maximum.reduceat(joint, atoms.firsts, axis=1))
    gains = np.maximum(gains, gains.T)
    bits = np.array([own for own, _ in atoms.terms])
    scores = _scores(gains, bits[:, None] + bits)
    scores[np.tril_indices(len(scores), -1)] = -np.inf
    # Atoms that are alike gain nothing together.
    is_allowed = (np.add.outer(atoms.num_free, atoms.num_free) <= max_constants) & (gains > 0.0)
    scores[~is_allowed] = -np.inf
    order = np.argsort(-scores, axis=None, kind="stable")[: min(count, np.count_nonzero(scores > -np.inf))]
    return [_best_atoms(atoms, along, *divmod(int(place), len(scores))) for place in order.tolist()]


def _first_atoms(atoms: Atoms, along: Vectors) -> NDArray[np.intp]:
    """Atoms that explain much alone, some of each term."""
    ranks = np.concatenate(
        [
            np.argsort(np.argsort(-np.square(along[first : _end(atoms, term + 1)]), kind="stable"), kind="stable")
            for term, first in enumerate(atoms.firsts.tolist())
        ]
    )
    usable = np.flatnonzero(ranks < FIRST_PER_TERM)
    return np.sort(usable[np.argsort(-np.square(along[usable]), kind="stable")[:MOST_FIRST]])


def _end(atoms: Atoms, term: int) -> int:
    return int(atoms.firsts[term]) if term < len(atoms.firsts) else len(atoms.vectors)


def _gains(one: Vectors, other: Vectors, along_one: Vectors, along_other: Vectors) -> Vectors:
    """The share of the target that each pair of vectors explains: (one, other); other: (rows, vectors)."""
    joint = one @ other
    left = np.square(joint)
    np.subtract(1.0, left, out=left)
    joint *= -2.0 * along_one[:, None]
    joint *= along_other
    joint += np.square(along_other)
    joint += np.square(along_one)[:, None]
    joint /= left
    joint[left <= 1.0 - ALIKE**2] = 0.0
    return joint


def _scores(gains: Vectors, bits: Floats) -> Floats:
    left = np.clip(1.0 - gains.astype(np.float64), 0.0, 1.0) + COARSE
    return np.asarray(-0.5 * ROWS_THAT_COUNT * np.log(left) - math.log(2.0) * bits)


def _best_atoms(atoms: Atoms, along: Vectors, first: int, second: int) -> tuple[int, int]:
    one = slice(int(atoms.firsts[first]), _end(atoms, first + 1))
    other = slice(int(atoms.firsts[second]), _end(atoms, second + 1))
    joint = _gains(atoms.vectors[one], atoms.vectors[other].T, along[one], along[other])
    place, beside = divmod(int(np.argmax(joint)), joint.shape[1])
    return one.start + place, other.start + beside


@np.errstate(all="ignore")
def best_thirds(atoms: Atoms, pair: tuple[int, int], count: int, max_constants: int) -> list[int]:
    """The best atoms of the terms that explain most beside a pair of atoms."""
    basis = np.linalg.qr(atoms.vectors[list(pair)].T)[0]
    left = atoms.target - basis @ (basis.T @ atoms.target)
    vectors = atoms.vectors - (atoms.vectors @ basis) @ basis.T
    lengths = np.einsum("ij,ij->i", vectors, vectors)
    gains = np.where(lengths > 1.0 - ALIKE**2, np.square(vectors @ left) / lengths, 0.0)
    best = np.maximum.reduceat(gains, atoms.firsts)
    rest = float(left @ left)
    bits = np.array([own for own, _ in atoms.terms])
    scores = _scores(1.0 - rest + best, bits)
    num_left = max_constants - int(sum(atoms.num_free[atoms.term_of(atom)] for atom in pair))
    scores[(atoms.num_free > num_left) | (best <= 0.0)] = -np.inf
    terms = np.argsort(-scores, kind="stable")[: min(count, np.count_nonzero(scores > -np.inf))].tolist()
    return [int(atoms.firsts[term] + np.argmax(gains[atoms.firsts[term] : _end(atoms, term + 1)])) for term in terms]
