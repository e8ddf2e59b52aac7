"""Sums of powers of single columns above and below the line: few unknowns for high degrees and many columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import variable
from mosaic_sr.proposal.terms.atoms import ONE, Atom
from mosaic_sr.proposal.terms.dictionary import Dictionary, multiply_atoms, pad_terms
from mosaic_sr.table import Rows

Indices = NDArray[np.intp]

# Degree of a sum of pure powers; beyond it the powers of a column have less than half of their digits to themselves.
HIGHEST = 5
# Degree beside which products of two columns are tried.
DEGREE_WITH_PAIRS = 4
# Rows that have to refute a relation: one that holds by chance leaves far more than rounding in any of them.
SPARE_ROWS = 2
# Divisions of columns between P and Q that are tried where rows are few: those of six columns.
MOST_DIVISIONS = 62


@dataclass(frozen=True, eq=False)
class PureBasis:
    """A basis, which of its terms may stand in P, and which in Q."""

    basis: Dictionary
    above: Indices
    below: Indices


def make_pure_bases(columns: Sequence[int], rows: Rows) -> Iterator[PureBasis]:
    """Pure powers in P and Q, low degrees first, with products of two columns, then columns divided between P and Q."""
    room = rows.num_rows - SPARE_ROWS
    for degree in range(2, HIGHEST + 1):
        basis = _pure(columns, rows, degree, has_pairs=False)
        if 2 * (1 + basis.num_terms) <= room:
            yield PureBasis(basis, np.arange(basis.num_terms), np.arange(basis.num_terms))
    for degree in range(3, DEGREE_WITH_PAIRS + 1):
        basis = _pure(columns, rows, degree, has_pairs=True)
        if len(columns) > 1 and 2 * (1 + basis.num_terms) <= room:
            yield PureBasis(basis, np.arange(basis.num_terms), np.arange(basis.num_terms))
    for degree in range(DEGREE_WITH_PAIRS, HIGHEST + 1):
        basis = _pure(columns, rows, degree, has_pairs=False)
        if 2 * (1 + basis.num_terms) > room:
            yield from _divided(basis, columns, room)


def _divided(basis: Dictionary, columns: Sequence[int], room: int) -> Iterator[PureBasis]:
    """Each column in P or in Q alone, then all columns in P and some in Q."""
    everything = np.arange(basis.num_terms)
    by_column = {column: [t for t in range(basis.num_terms) if column in basis.columns(t)] for column in columns}
    some = [group for size in range(1, len(columns)) for group in combinations(columns, size)][:MOST_DIVISIONS]
    for group in some:
        below = np.array(sorted(term for column in group for term in by_column[column]), dtype=np.intp)
        for above in (np.setdiff1d(everything, below), everything):
            if 2 + len(above) + len(below) <= room:
                yield PureBasis(basis, above, below)


def _pure(columns: Sequence[int], rows: Rows, degree: int, has_pairs: bool) -> Dictionary:
    """Powers of each column up to a degree, low degrees first, and products of two columns."""
    atoms = (ONE, *(Atom(variable(column), 1.0) for column in columns))
    places = range(1, len(atoms))
    groups = [(place,) * size for size in range(1, degree + 1) for place in places]
    if has_pairs:
        groups[len(columns) : len(columns)] = list(combinations(places, 2))
    terms = pad_terms(groups)
    products = multiply_atoms(np.concatenate([np.ones((1, rows.num_rows)), rows.columns[list(columns)]]), terms)
    with np.errstate(over="ignore", invalid="ignore"):
        is_usable = np.all(np.isfinite(products), axis=1) & (np.ptp(products, axis=1) > 0)
    return Dictionary(atoms, terms[is_usable], np.ascontiguousarray(products[is_usable].T))
