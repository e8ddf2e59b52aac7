"""Sums beyond one basis: behind chains of links, and with functions of two columns beside a background."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.context import Event
from mosaic_sr.proposal.regression.background import (
    MARGIN,
    SPARE_DIRECTIONS,
    find_nearest_terms,
    measure_left_over,
    reduce_system,
)
from mosaic_sr.proposal.regression.sparse import System, select_forward
from mosaic_sr.proposal.regression.systems import SLACK, count_affordable, make_system
from mosaic_sr.proposal.sums.basis_search import MOST_BESIDE, NUM_SEEDS, WIDE_LINKED, WIDE_TERMS, WORK, BasisSearch
from mosaic_sr.proposal.terms.atoms import Atom
from mosaic_sr.proposal.terms.dictionary import Dictionary, keep_usable_atoms, list_wide_terms, multiply_atoms
from mosaic_sr.proposal.views.chains import Chains, undo_chain, undo_chains
from mosaic_sr.proposal.views.links import Linked
from mosaic_sr.sketch import Sketch

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Chains that one basis is tried behind.
MOST_CHAINS = 4
# A target that rounding moves by more of its spread can be told from nothing.
COARSEST = 1e-3
# Columns whose plain terms make a background; each two of them add five.
MOST_PLAIN = 6


@dataclass(frozen=True, eq=False)
class Wide:
    """A wide dictionary beside a background.

    values: (atoms, rows).  terms: (terms, most atoms).  few: (terms, few rows), their values.
    """

    background: Dictionary
    atoms: tuple[Atom, ...]
    values: Floats
    terms: Indices
    few: Floats

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to combine, or too few rows to refute it."""
        return not len(self.terms) or not self.background.num_terms or self.few.shape[1] < _num_few(self.background)

    def at(self, rows: Indices, num_terms: int) -> Wide:
        """The cheapest terms at some rows."""
        return _wide(self.background.at(rows), self.atoms, self.values[:, rows], self.terms[:num_terms])


def _wide(background: Dictionary, atoms: tuple[Atom, ...], values: Floats, terms: Indices) -> Wide:
    return Wide(background, atoms, values, terms, multiply_atoms(values[:, : _num_few(background)], terms))


def _num_few(background: Dictionary) -> int:
    """Rows that refute a full basis."""
    return background.num_terms + 1 + SPARE_DIRECTIONS


def make_wide(search: BasisSearch, background: Dictionary, atoms: Sequence[Atom]) -> Wide:
    """Functions of two columns times powers, beside a background."""
    usable, values = keep_usable_atoms(atoms, search.rows.columns)
    return _wide(background, usable, values, list_wide_terms(usable, WIDE_TERMS))


def count_plain(search: BasisSearch) -> int:
    """How many cheap terms make a stiff basis: nine of each column and five of each two, as the rows allow."""
    num_columns = min(len(search.rows.columns), MOST_PLAIN)
    wanted = 9 * num_columns + 5 * math.comb(num_columns, 2)
    return max(min(wanted, search.rows.num_rows // 2 - SPARE_DIRECTIONS), 0)


def find_chains(search: BasisSearch, num_terms: int, operators: Sequence[str]) -> Chains:
    """The target behind chains, in rows enough to refute a basis of so many terms; none where there are too few."""
    few = search.rows.target[: num_terms + 1 + SPARE_DIRECTIONS]
    if len(few) <= 2 * SPARE_DIRECTIONS:
        return Chains([], np.empty((0, len(few))), np.empty((0, len(few))), np.empty(0, dtype=np.intp))
    return undo_chains(few, search.table.target_resolution, operators)


def search_behind_chains(search: BasisSearch, basis: Dictionary, chains: Chains) -> Iterator[Event]:
    """Sums behind chains of two links, from the cheap terms of a basis and then from all."""
    most = min(basis.num_terms, search.rows.num_rows - 1 - SPARE_DIRECTIONS)
    for count in dict.fromkeys((min(count_plain(search), most), most)):
        if count > 0 and chains.chains:
            yield list(_chained(search, basis.head(count), chains))


def _chained(search: BasisSearch, basis: Dictionary, chains: Chains) -> Iterator[Sketch]:
    """Sums from one basis behind those chains that lead into its span."""
    few = chains.head(_num_few(basis))
    left = measure_left_over(basis.values[: _num_few(basis)], few.targets)
    for place in _likely(left, few, search.tolerance):
        linked = undo_chain(chains.chains[place], search.rows.target, search.table.target_resolution)
        if linked is None:
            continue
        found = list(search.from_dense(basis, linked, search.margin))
        yield from found
        if any(map(search.is_exact_law, found)):
            return


def _likely(left: Floats, chains: Chains, column_tolerance: float) -> list[int]:
    """The chains of whose targets nothing but rounding is left, the clearest cases first; left: (chains,), norms."""
    spread = np.linalg.norm(chains.targets - chains.targets.mean(axis=1)[:, None], axis=1)
    allowed = column_tolerance * spread + SLACK * np.linalg.norm(chains.floors, axis=1)
    places = np.flatnonzero((left <= MARGIN * allowed) & (allowed < COARSEST * spread))
    # Short chains come first, unless they leave ten times as much of what rounding may.
    decades = np.ceil(np.log10(np.maximum(left[places] / allowed[places], 1.0)))
    return [int(place) for place in places[np.argsort(decades, kind="stable")][:MOST_CHAINS]]


def search_beside(search: BasisSearch, wide: Wide, linked: Linked) -> Iterator[Sketch]:
    """Sums of any terms of a background and a few wide ones."""
    if wide.is_empty:
        return
    head = make_system(wide.background.values, linked, search.tolerance).head(wide.few.shape[1])
    few = wide.few[:WIDE_LINKED] if linked.outer else wide.few
    system, places = reduce_system(head, few if np.all(head.offset == 1.0) else few * head.offset)
    if system.tolerance >= 1.0 or not len(places):
        return
    most_terms = count_affordable(SPARE_DIRECTIONS, len(places), system.tolerance, MOST_BESIDE)
    for combinations in select_forward(system, most_terms, WORK):
        close = [c for c in combinations if c.error <= search.margin * system.tolerance][:NUM_SEEDS]
        found = [sketch for one in close for sketch in _with(search, wide, linked, places[list(one.support)])]
        exact = [sketch for sketch in found if search.is_exact_law(sketch)]
        # A wide margin lets in what is merely close; only laws are worth the time of others then.
        yield from found if search.margin == MARGIN else exact
        if exact:
            return


def search_one_beside(search: BasisSearch, wide: Wide, chains: Chains) -> Iterator[Sketch]:
    """Sums with one wide term beside the background, behind any link or chain."""
    if not chains.chains or wide.is_empty:
        return
    num_rows = wide.few.shape[1]
    few = chains.head(num_rows)
    system = System(np.ones(num_rows), wide.background.values[:num_rows], few.targets[0], search.tolerance)
    terms, places = reduce_system(system, wide.few)
    if not len(places):
        return
    best, left = find_nearest_terms(system, terms.values, few.targets)
    for place in _likely(left, few, search.tolerance):
        linked = undo_chain(chains.chains[place], search.rows.target, search.table.target_resolution)
        if linked is not None:
            yield from _with(search, wide, linked, places[[best[place]]])


def _with(search: BasisSearch, wide: Wide, linked: Linked, places: Indices) -> Iterator[Sketch]:
    """Sums of the background and some wide terms."""
    terms = wide.terms[places]
    basis = wide.background.beside(wide.atoms, terms, multiply_atoms(wide.values, terms))
    if np.all(np.isfinite(basis.values)):
        yield from search.from_dense(basis, linked, search.margin)
