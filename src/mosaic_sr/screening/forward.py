"""Forward selection: the group of columns that goes best with what is left joins those chosen, if it predicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.screening.scan import Group, Scan
from mosaic_sr.screening.triples import best_triple
from mosaic_sr.smooth import fit_smooth, learn, standardised

Floats = NDArray[np.float64]

# More columns than this are screened; up to here the search itself weighs them all, together.
MANY_COLUMNS = 50
# Columns that are chosen at most: a law that reads more is not found from a few hundred rows of so many columns.
MOST_CHOSEN = 8
# Columns whose pairs are compared at most: by the count of operations, four times the work of 2,000 columns.
MOST_PAIRED = 4_000
# Rows that a smooth function is put through: a third of a second each time.
MOST_ROWS = 500
# Numbers farther out than so many deviations count as this far, or a few rows would decide.
FARTHEST = 3.0
# Steps in which lengths are learned; a choice of columns shows long before the lengths are sharp.
STEPS = 15
# The least fall of the error of a prediction from the other rows that a new group must bring: on tables of the suite
# wide-1, groups that were chance brought 1.6 and 2.6 %.
LEAST_FALL = 0.03
# A column goes again when the error without it grows by less than this.
LEAST_LOSS = 0.02
# Groups in a row that bring nothing before the selection ends.
MOST_FAILURES = 4
# Unexplained variance below which the chosen columns count as all there are: on tables of wide-1 complete choices left
# 2 % at most, and the one that lacked three columns 18 %.
EXPLAINED = 0.15
# Unexplained variance from which all triples are tried.
MUCH_LEFT = 0.05
# What is left of a standardised target where nothing more can be told from 500 rows with 1 % noise.
NOTHING_LEFT = 0.03
# Correlation from which a column may stand for another one, and from which a smooth function cannot tell which is
# right: then both are searched, at most so many for each column.
ALIKE, TOO_ALIKE, MOST_NEIGHBOURS = 0.8, 0.95, 2


@dataclass(frozen=True)
class Screened:
    """Columns in the order in which they were chosen, and the share of the target's variance that they leave."""

    columns: tuple[int, ...]
    unexplained: float

    @property
    def suffice(self) -> bool:
        """Whether the chosen columns explain the target but for a small part."""
        return bool(self.columns) and self.unexplained < EXPLAINED


def screen_columns(columns: Floats, target: Floats) -> Screened:
    """The few of many columns that together predict the target; columns: (columns, rows), target: (rows,)."""
    columns, target = columns[:, :MOST_ROWS], target[:MOST_ROWS]
    pool = _pool(columns, target)
    chosen = _Selection(columns[pool], target)
    failures: list[Group] = []
    while len(failures) < MOST_FAILURES and len(chosen.columns) < MOST_CHOSEN and chosen.error > NOTHING_LEFT:
        group = chosen.next_group(failures) or chosen.next_triple()
        if group is None:
            break
        if not chosen.add(group):
            failures.append(group)
    chosen.drop_needless()
    chosen.exchange()
    found = (*chosen.columns, *chosen.neighbours())
    return Screened(tuple(int(pool[column]) for column in found), min(1.0, chosen.error**2))


def _pool(columns: Floats, target: Floats) -> NDArray[np.intp]:
    """The columns whose pairs are compared: all, or those that go best with the target or with its size.

    Where a product is large its factors are, so that the size of the target shows each of them alone.
    """
    if len(columns) <= MOST_PAIRED:
        return np.arange(len(columns))
    scan = Scan(columns)
    scores = np.maximum(scan.correlations(target), scan.correlations(np.abs(target - np.median(target))))
    return np.sort(np.argsort(-scores, kind="stable")[:MOST_PAIRED])


class _Selection:
    """The columns chosen so far, and how far each row is from what the others predict with them."""

    def __init__(self, columns: Floats, target: Floats) -> None:
        self._scan = Scan(columns)
        self._numbers, self._target = _bounded(columns), _bounded(target)
        self.columns: list[int] = []
        self._residuals, self.error = self._target, 1.0
        self._has_asked_triples = False

    def next_group(self, failures: list[Group]) -> Group | None:
        """The best group beyond chance that has a column not chosen yet and has not failed."""
        tried = {frozenset(group.columns) for group in failures}
        for group in self._scan.groups(self._residuals, self.columns):
            is_new = not set(group.columns) <= set(self.columns) and frozenset(group.columns) not in tried
            if is_new and group.excess > 0.0:
                return group
        return None

    def next_triple(self) -> Group | None:
        """The best of all triples, asked once and only where much is left; it takes seconds."""
        if self._has_asked_triples or self.error**2 < MUCH_LEFT:
            return None
        self._has_asked_triples = True
        group = best_triple(self._scan.straight.astype(np.float64), self._residuals)
        return group if group is not None and group.excess > 0.0 else None

    def add(self, group: Group) -> bool:
        """Take the group in where it predicts rows better."""
        wider = [*self.columns, *(column for column in group.columns if column not in self.columns)]
        return self._take(wider, (1.0 - LEAST_FALL) * self.error)

    def drop_needless(self) -> None:
        """Leave out columns without which rows are predicted as well, the last chosen first."""
        for column in reversed(self.columns.copy()):
            fewer = [other for other in self.columns if other != column]
            if fewer:
                self._take(fewer, (1.0 + LEAST_LOSS) * self.error)

    def exchange(self) -> None:
        """Put a neighbour in the place of a column where it predicts rows better."""
        for place, column in enumerate(self.columns.copy()):
            correlations = self._correlations(column)
            for other in np.flatnonzero(correlations > ALIKE).tolist():
                exchanged = [*self.columns[:place], other, *self.columns[place + 1 :]]
                self._take(exchanged, self.error)

    def neighbours(self) -> list[int]:
        """Columns so much like a chosen one that the search has to decide."""
        found: dict[int, None] = {}
        for column in self.columns:
            correlations = self._correlations(column)
            likest = np.argsort(-correlations, kind="stable")[:MOST_NEIGHBOURS].tolist()
            found |= dict.fromkeys(other for other in likest if correlations[other] > TOO_ALIKE)
        return list(found)

    def _correlations(self, column: int) -> Floats:
        """Of all columns with one, 0 for those that are chosen: (columns,), without signs."""
        correlations = np.abs(self._numbers @ self._numbers[column]) / self._numbers.shape[1]
        correlations[self.columns] = 0.0
        return np.asarray(correlations)

    def _take(self, columns: list[int], most: float) -> bool:
        """Choose these columns where they predict rows with an error below `most`."""
        residuals = _left_out_errors(self._numbers[columns], self._target)
        error = float(np.sqrt(np.mean(np.square(residuals))))
        if not error < most:
            return False
        self.columns, self._residuals, self.error = columns, residuals, error
        return True


def _left_out_errors(columns: Floats, target: Floats) -> Floats:
    """Each row's target minus what a smooth function of the other rows predicts."""
    return fit_smooth(columns, target, learn(columns, target, steps=STEPS)).residuals


def _bounded(values: Floats) -> Floats:
    """Mean 0 and deviation 1 along the last axis, without far numbers."""
    return standardised(np.clip(standardised(values)[0], -FARTHEST, FARTHEST))[0]
