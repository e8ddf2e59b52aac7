"""Splits: the forms of fewer columns in which a table's rows are predicted, found from the rows alone."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.proposal.context import Event, Signal
from mosaic_sr.proposal.reductions.separation import MOST_COLUMNS, BlockForm, BlockFunctions, Separation, separate
from mosaic_sr.proposal.views.steps import IDENTITY, Step, make_step
from mosaic_sr.table import Rows, Table

Floats = NDArray[np.float64]

# Errors as a share of the deviation: above, a form has not met the rows. A function of columns that a form keeps apart
# shows in every row, so a wrong form comes below only where it is nearly right.
MOST_ERROR = 1e-3
# Below this error the unknown functions are as good as read off.
SHARP = 1e-9
# Below this, forms are told apart by their length only.
LEAST_ERROR = 1e-12
# Each unknown function more must lower the error by this factor: a product is a product plus nothing.
PER_FUNCTION = 30.0
# A form takes some hundredths of a second, and a time limit is heard at an empty list.
FORMS_PER_SIGN = 8
# Finders leave smaller tables alone.
FEWEST_VALUES = 12
# Outer functions of sums; products over many decades, which no polynomial follows, are sums behind the last.
LINKS = (make_step("inv"), make_step("sqrt"), make_step("log"), make_step("exp"))
NUM_ROWS = 600  # enough for polynomials of some dozens of terms in each of two parts
LEAST_ROWS = 40  # fewer do not tell polynomials from what they stand for
MOST_SPLIT_COLUMNS = 5  # forms grow with them, and polynomials of what is beside one column


@dataclass(frozen=True, eq=False)
class Split:
    """A table's rows in a separated form of the linked target."""

    table: Table
    rows: Rows
    blocks: BlockFunctions
    link: Step
    separation: Separation

    @property
    def form(self) -> BlockForm:
        return self.separation.form

    @property
    def rank(self) -> float:
        """Smaller errors first, fewer functions among equals."""
        num_functions = len(self.form.factors) + len(self.form.terms) + len(self.link.outer)
        return max(self.separation.error, LEAST_ERROR) * PER_FUNCTION**num_functions

    @property
    def target(self) -> Floats:
        """Of the rows, linked."""
        return self.link.undo(self.rows.target)

    @property
    def is_sharp(self) -> bool:
        """Whether the functions are known so well that their laws show exactly."""
        return self.separation.error < SHARP

    def num_values(self, place: int) -> int:
        """Values that a block takes in the rows."""
        return int(np.unique(self.rows.columns[list(self.form.blocks[place])], axis=1).shape[1])

    def has_few_values(self, place: int) -> bool:
        """Whether a table of them would be too small for finders."""
        return self.num_values(place) < FEWEST_VALUES

    def difficulty(self, place: int) -> tuple[bool, int, int]:
        """Parts with too few values come last, and those of several columns, which are known less well."""
        return self.has_few_values(place), len(self.form.blocks[place]), place

    @property
    def error(self) -> float:
        """Size of what is not predicted, in units of the linked target."""
        return self.separation.error * float(np.std(self.target))


# Splits once all forms have been tried, and an empty list after each few of them.
Trying = Generator[Event, None, list[Split]]


def find_plain_splits(table: Table) -> Trying:
    """Sums and products in which the rows of a table are predicted, the likeliest first."""
    columns = tuple(range(table.num_columns))
    return (yield from _met(table, [(IDENTITY, form) for form in _pure_forms(columns)]))


def find_further_splits(table: Table) -> Trying:
    """Functions beside products, and sums behind links, in which the rows are predicted, the likeliest first."""
    columns = tuple(range(table.num_columns))
    sums = [form for form in _pure_forms(columns) if form.terms]
    found = yield from _met(table, [(IDENTITY, form) for form in _mixed_forms(columns)])
    if any(split.is_sharp for split in found):
        return found
    behind = yield from _met(table, [(link, form) for link in LINKS for form in sums])
    return sorted([*found, *behind], key=_rank)


def _met(table: Table, forms: Sequence[tuple[Step, BlockForm]]) -> Trying:
    rows = table.some_training(NUM_ROWS)
    is_small = rows.num_rows < LEAST_ROWS or not 2 <= table.num_columns <= MOST_SPLIT_COLUMNS
    if is_small or np.any(np.ptp(rows.columns, axis=1) == 0) or rows.has_constant_target:
        return []
    blocks, found = BlockFunctions(rows.columns), []
    for number, (link, form) in enumerate(forms, start=1):
        heed_stop()
        if number % FORMS_PER_SIGN == 0:
            yield Signal.HEARTBEAT
        with np.errstate(all="ignore"):
            target = link.undo(rows.target)
            spread = float(np.std(target))
        if link.admits(np.min(rows.target), np.max(rows.target)) and 0 < spread < np.inf:
            separation = separate(blocks, target, form)
            if separation is not None and separation.error < MOST_ERROR:
                found.append(Split(table, rows, blocks, link, separation))
    return sorted(found, key=_rank)


def _rank(split: Split) -> float:
    return split.rank


def _pure_forms(columns: tuple[int, ...]) -> list[BlockForm]:
    """Sums and products of functions of single columns, then those of some columns and of the rest."""
    blocks = [tuple((column,) for column in columns), *(_halves(columns) if len(columns) > 2 else [])]
    every = [tuple(range(len(each))) for each in blocks]
    sums = [BlockForm(each, terms=places) for each, places in zip(blocks, every, strict=True)]
    return [*sums, *(BlockForm(form.blocks, factors=form.terms) for form in sums)]


def _mixed_forms(columns: tuple[int, ...]) -> list[BlockForm]:
    """f(A) g(B) + h(B) for some columns and the rest."""
    return [BlockForm(blocks, factors=(0, 1), terms=(term,)) for blocks in _halves(columns) for term in (0, 1)]


def _halves(columns: tuple[int, ...]) -> list[tuple[tuple[int, ...], ...]]:
    """All ways to cut the columns in two that polynomials can follow."""
    halves: list[tuple[tuple[int, ...], ...]] = []
    for count in range(1, len(columns) // 2 + 1):
        for block in combinations(columns, count):
            rest = tuple(column for column in columns if column not in block)
            if len(rest) <= MOST_COLUMNS and (2 * count < len(columns) or block < rest):
                halves.append((block, rest))
    return halves
