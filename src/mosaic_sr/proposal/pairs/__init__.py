"""Pairs: laws that join two of many small expressions of the columns by an operation with free coefficients.

The expressions are enumerated by value and held against views of the target, two at a time. Its border: beside these
coefficients no number in the law is free.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, scaled, variable
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.pairs.library import build_library
from mosaic_sr.proposal.pairs.meeting import NUM_FUNCTIONALS
from mosaic_sr.proposal.pairs.moves import make_moves
from mosaic_sr.proposal.pairs.search import Screen, find_laws
from mosaic_sr.proposal.pairs.views import (
    FUNCTIONS,
    KnownPart,
    View,
    keep_usable,
    scale_to_user,
    take_part,
    take_part_and_undo,
    take_two_parts,
    undo_one,
    undo_two,
)
from mosaic_sr.sketch import Sketch

__all__ = ["PairConfig", "Round", "make_screen", "propose_pairs"]

# Rows at which entries are compared: 4 ratios of functionals that vanish on up to 4 columns, twice over.
NUM_KEY_ROWS = 16
# A search covers some 1e13 pairs, each with at most four free constants. On rows beyond these a chance hit has to agree
# to 1e-9 (1e-6 in single precision) each: with four of them it has a probability below 1e-9 for the whole search.
LEAST_ROWS = 8
# Two free terms more.
LEAST_ROWS_FOR_PARTS = 12


# Entries projected between two signs of life: about two tenths of a second.
QUIET_WORK = 600_000
# A hit held against all rows takes as long as so many entries.
WORK_PER_CHECK = 25_000
# Hits of one view that are held against all rows, and of one that comes after so many: columns or a target that hardly
# vary meet everything, and so many exact laws tell as much.
MOST_CHECKED, FEW_CHECKED, MANY_CHECKS = 12, 1, 300
# Exact laws of one table that are handed on: where there are more, the rows do not tell them apart.
MOST_LAWS = 20


@dataclass(frozen=True)
class Round:
    """A library of that capacity and the views that are held against it.

    num_parts: entries tried as a known part of the law.  num_few: entries tried as such under a function and in pairs.
    has_doubles: whether two outer functions are undone.
    """

    capacity: int
    num_parts: int
    num_few: int
    has_doubles: bool


@dataclass(frozen=True)
class PairConfig:
    """Small libraries meet many views, large ones few: each round takes about two seconds."""

    rounds: tuple[Round, ...] = (
        Round(4_000, 40, 12, has_doubles=True),
        Round(30_000, 24, 0, has_doubles=True),
        Round(150_000, 6, 0, has_doubles=False),
    )

    def first_round(self) -> PairConfig:
        """The small library alone, for tables that are many."""
        return PairConfig(self.rounds[:1])


def propose_pairs(config: PairConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Laws that are exact on the rows, as they are found; small ones first."""
    if context.rows.num_rows < LEAST_ROWS:
        return
    for number, round_ in enumerate(config.rounds):
        if number:
            yield Signal.PAUSE
        screen = yield from make_screen(context, round_.capacity, rng)
        work = num_checked = num_laws = 0
        for view in keep_usable(_views(context, screen, round_), context.rows.target):
            laws = list(find_laws(screen, view, MOST_CHECKED if num_checked < MANY_CHECKS else FEW_CHECKED))
            sketches = [Sketch(law, -float(number), "pairs") for law in laws if law is not None]
            work += len(screen.library) + WORK_PER_CHECK * len(laws)
            num_checked, num_laws = num_checked + len(laws), num_laws + len(sketches)
            if sketches or work >= QUIET_WORK:
                yield sketches
                work = 0
            if num_laws >= MOST_LAWS:
                return


def _views(context: ProposalContext, screen: Screen, round_: Round) -> Iterator[View]:
    first, target = scale_to_user(context.table.target_exponent), context.rows.target
    functions = [name for name in FUNCTIONS if name in context.operators]
    yield from undo_one(first, functions, target)
    if context.rows.num_rows < LEAST_ROWS_FOR_PARTS:
        return
    entries = range(min(len(screen.library), round_.num_parts))
    parts = [KnownPart(entry, screen.library.expression(entry), screen.values(entry)) for entry in entries]
    yield from take_part(first, parts)
    if round_.has_doubles:
        yield from undo_two(first, functions, target)
    yield from take_two_parts(first, parts[: round_.num_few])
    yield from take_part_and_undo(first, parts[: round_.num_few], functions, target)


def make_screen(context: ProposalContext, capacity: int, rng: np.random.Generator) -> Generator[Event, None, Screen]:
    """A library of that capacity over the table's columns, and the rows to hold it against."""
    rows, table = context.rows, context.table
    # Rows come coarse to fine over the target; the first two are its extremes, where poles and cut-offs are.
    key_rows = np.arange(rows.num_rows)[2 if rows.num_rows >= NUM_KEY_ROWS + 2 else 0 :][:NUM_KEY_ROWS]
    leaves, columns = _leaves(context)
    rules = make_moves(context.operators)
    costs = _leaf_costs(context.scores)
    library = yield from build_library(leaves, columns[:, key_rows], costs, rules, capacity, rng)
    return Screen(table, rows, key_rows, rng.standard_normal((len(key_rows), NUM_FUNCTIONALS)), library)


def _leaves(context: ProposalContext) -> tuple[list[Expression], NDArray[np.float64]]:
    """The columns in the user's units, because sums of columns have them: formulas and values (columns, rows)."""
    exponents = [exponent if abs(exponent) < 300 else 0 for exponent in context.table.column_exponents]
    columns = np.stack([np.ldexp(c, e) for c, e in zip(context.rows.columns, exponents, strict=True)])
    leaves = [scaled(variable(column), math.ldexp(1.0, exponent)) for column, exponent in enumerate(exponents)]
    return leaves, columns


def _leaf_costs(scores: NDArray[np.float64]) -> list[int]:
    """1 for the most relevant columns; of many columns the others count more, so that the library stays deep."""
    places = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
    return [1 + max(0, int(place) - 3) // 3 for place in places]
