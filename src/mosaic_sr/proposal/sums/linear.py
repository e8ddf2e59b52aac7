"""The linear finder: laws that are, behind one or two outer links, a sparse sum of products of known functions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from mosaic_sr.expressions.expression import variable
from mosaic_sr.proposal.context import Event, ProposalContext, sparing
from mosaic_sr.proposal.regression.systems import count_distinct, find_column_tolerance
from mosaic_sr.proposal.sums.basis_search import (
    HIGHEST_DEGREE,
    LARGE_TERMS,
    LINKED_TERMS,
    MOST_COLUMNS,
    NUM_ROWS,
    SMALL_TERMS,
    WIDE_CHAINED,
    BasisSearch,
)
from mosaic_sr.proposal.sums.far_sums import (
    count_plain,
    find_chains,
    make_wide,
    search_behind_chains,
    search_beside,
    search_one_beside,
)
from mosaic_sr.proposal.terms.atoms import make_large_atoms, make_power_atoms, make_small_atoms, make_wide_atoms
from mosaic_sr.proposal.terms.dictionary import Dictionary, make_dictionary, make_polynomial
from mosaic_sr.proposal.views.chains import choose_chain_rows
from mosaic_sr.proposal.views.links import undo_links
from mosaic_sr.table import Rows

# Beside a quarter of them, so many rows are left to refute a full basis.
SPARE_ROWS = 8
# Bases that are searched between two looks at the time; each takes some hundredths of a second.
STEPS_PER_ROUND = 8


def propose_linear(context: ProposalContext) -> Iterator[Event]:
    """Exact combinations as soon as a basis holds them; at last the best short sums as seeds for others."""
    if {"add", "mul"} <= set(context.operators):
        yield from sparing(_batches(context), STEPS_PER_ROUND)


def _batches(context: ProposalContext) -> Iterator[Event]:
    """The sketches of each basis, small ones first."""
    search, columns = _search(context)
    rows, targets = search.rows, search.targets
    if not targets:
        return  # over so many decades no sum of terms can be told from its largest
    for basis in make_polynomial_bases(rows, columns):
        yield list(search.dense(basis))
    small = _small(search, columns, context)
    yield list(search.dense(small))
    yield list(search.sparse(small, targets[0]))
    yield from _far(search, small, columns, context)
    columns = search.ranked(columns)
    for count in range(1, min(len(columns), MOST_NARROWED + 1)):
        for basis in make_polynomial_bases(rows, columns[:count]):
            yield list(search.dense(basis))
        yield list(search.dense(_small(search, columns[:count], context)))
    for make_atoms in (make_power_atoms, make_large_atoms):
        atoms = make_atoms(columns[:MOST_COMBINED], context.operators)
        basis = make_dictionary(atoms, rows.columns, LARGE_TERMS)
        for linked in targets[:LARGE_LINKS]:
            own = basis if not linked.outer else basis.head(LINKED_TERMS)
            yield list(search.sparse(own, linked))
    yield search.seeds()


def _search(context: ProposalContext) -> tuple[BasisSearch, list[int]]:
    """The search of this table and its columns, the most relevant first."""
    rows = context.table.some_training(NUM_ROWS)
    targets = list(undo_links(rows.target, context.table.target_resolution, context.operators))
    tolerance, distinct = find_column_tolerance(context.table), count_distinct(rows.columns)
    columns = np.argsort(-context.scores, kind="stable")[:MOST_COLUMNS].tolist()
    return BasisSearch(context.table, rows, tolerance, targets, distinct), columns


def _small(search: BasisSearch, columns: Sequence[int], context: ProposalContext) -> Dictionary:
    """The cheapest terms, as many as the rows can refute."""
    most = max(min(SMALL_TERMS, 3 * search.rows.num_rows // 4 - SPARE_ROWS), 1)
    return make_dictionary(make_small_atoms(columns, context.operators), search.rows.columns, most)


def _far(search: BasisSearch, small: Dictionary, columns: Sequence[int], context: ProposalContext) -> Iterator[Event]:
    """The sketches behind chains of links and of functions of two columns."""
    inner = choose_chain_rows(search.rows.target, search.table.target_resolution.exponent)
    inside = search.at(inner)
    chains = find_chains(inside, small.num_terms, context.operators)
    yield from search_behind_chains(inside, small.at(inner), chains.beyond_links)
    background = small.head(count_plain(search))
    wide = make_wide(search, background, make_wide_atoms(search.ranked(columns), context.operators))
    for linked in search.targets[:LARGE_LINKS]:
        yield list(search_beside(search, wide, linked))
    yield list(search_one_beside(inside, wide.at(inner, WIDE_CHAINED), chains))


# With so many of the columns that good sums read, bases are tried again: fewer columns leave room for higher degrees.
MOST_NARROWED = 3
# Large bases combine so many columns.
MOST_COMBINED = 6
# The large basis is searched behind the first links alone: the others are seldom the outermost of a long sum.
LARGE_LINKS = 4


def make_polynomial_bases(rows: Rows, columns: Sequence[int]) -> Iterator[Dictionary]:
    """Full polynomials of growing degree, as long as the rows determine them twice over."""
    degrees = {1: (3, 6, HIGHEST_DEGREE), 2: (2, 4, 8), 3: (2, 4, 6)}.get(len(columns), (2, 3, 4))
    for degree in degrees:
        if 2 * math.comb(len(columns) + degree, degree) > rows.num_rows:
            return
        yield make_polynomial([variable(column) for column in columns], rows.columns, degree)
