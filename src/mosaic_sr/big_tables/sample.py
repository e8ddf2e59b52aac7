"""Rows drawn from a stream for a search: extremes of every column, a fair draw, and a draw even over the columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.table import TableConfig

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# As many as a search reads of any table.
NUM_ROWS = TableConfig().most_rows
# Rows drawn fairly while the file passes by, from which those of the search are chosen: enough to fill bins that hold
# a thousandth of the rows.
MOST_KEPT = 5 * NUM_ROWS
# Rows with the smallest and with the largest numbers of each column. More would show the search the noise of the target
# rather than its range.
NUM_EXTREMES = 8
# Bins of equal width along a column: rare ranges weigh as much as frequent ones.
NUM_BINS = 32
# Share of the rows that are a fair draw; the others are even over the columns. By the target rows are never chosen,
# extremes apart: that would choose them by their noise.
FAIR_SHARE = 0.5


class RowSample:
    """The rows kept so far. The same seed keeps the same rows, whatever the blocks are."""

    def __init__(self, num_columns: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._kept, self._extremes = _Pile(num_columns), _Pile(num_columns)
        self._ranks = np.empty(0)
        self._bound = np.inf
        self._ends = np.tile([[np.inf], [-np.inf]], (1, num_columns))

    def add(self, numbers: Floats, rows: Ints, usable: NDArray[np.bool_]) -> None:
        """Take in a block: numbers (columns, rows), where its rows stand, and which of them may be kept."""
        ranks = self._rng.random(len(rows))  # for all rows, so that a block more or less changes no other
        if not usable.all():
            numbers, rows, ranks = numbers[:, usable], rows[usable], ranks[usable]
        chosen = np.flatnonzero(ranks < self._bound)
        self._kept.add(numbers, rows, chosen)
        self._ranks = np.append(self._ranks, ranks[chosen])
        if len(self._ranks) > 2 * MOST_KEPT:
            self._thin()
        self._add_extremes(numbers, rows)

    def _thin(self) -> None:
        """Keep the rows of the lowest ranks: a fair draw of all rows so far."""
        if len(self._ranks) <= MOST_KEPT:
            return
        lowest = np.sort(np.argpartition(self._ranks, MOST_KEPT)[:MOST_KEPT])
        self._kept.keep(lowest)
        self._ranks = self._ranks[lowest]
        self._bound = float(self._ranks.max())

    def _add_extremes(self, numbers: Floats, rows: Ints) -> None:
        for place, values in enumerate(numbers):
            low, high = self._ends[:, place]
            for chosen, order in ((values < low, values), (values > high, -values)):
                candidates = np.flatnonzero(chosen)
                if len(candidates) > NUM_EXTREMES:
                    own = np.argsort(order[candidates], kind="stable")[:NUM_EXTREMES]
                    candidates = candidates[own]
                self._extremes.add(numbers, rows, candidates)
        if len(self._extremes) > 0:
            self._prune_extremes()

    def _prune_extremes(self) -> None:
        """Leave the extremes of all blocks so far, and note where they begin."""
        numbers, keep = self._extremes.numbers(), set[int]()
        for place, values in enumerate(numbers):
            order = np.argsort(values, kind="stable")
            keep.update(order[:NUM_EXTREMES].tolist(), order[-NUM_EXTREMES:].tolist())
            self._ends[:, place] = values[order[:NUM_EXTREMES]].max(), values[order[-NUM_EXTREMES:]].min()
        self._extremes.keep(np.array(sorted(keep)))

    def rows(self) -> tuple[Ints, Floats]:
        """Where the rows for the search stand, in order, and their numbers (columns, rows)."""
        self._thin()
        order = np.argsort(self._ranks, kind="stable")
        self._kept.keep(order)
        ranks = self._ranks[order]
        num_free = max(NUM_ROWS - len(self._extremes), 0)
        fair = np.arange(min(len(ranks), round(FAIR_SHARE * num_free)))
        rest = np.arange(len(fair), len(ranks))
        if len(ranks) <= num_free:
            even = rest
        else:
            even = rest[_evenly(self._kept.numbers()[:-1, rest], num_free - len(fair), self._rng)]
        self._kept.keep(np.concatenate([fair, even]))
        return _merged(self._kept, self._extremes)


def _evenly(columns: Floats, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Rows drawn so that every range of every column has its share; columns: (columns, rows)."""
    chances = np.zeros(columns.shape[1])
    for values in columns:
        width = np.ptp(values)
        if width == 0.0 or not np.isfinite(width):
            continue
        bins = np.minimum(((values - values.min()) * (NUM_BINS / width)).astype(np.int64), NUM_BINS - 1)
        counts = np.bincount(bins, minlength=NUM_BINS)
        chances += 1.0 / counts[bins]
    # The largest of u ** (1 / chance) are a draw without replacement by these chances (Efraimidis and Spirakis).
    keys = np.log(rng.random(len(chances))) / np.maximum(chances, np.finfo(np.float64).tiny)
    return np.argsort(-keys, kind="stable")[:count]


def _merged(*piles: _Pile) -> tuple[Ints, Floats]:
    places = np.concatenate([pile.rows() for pile in piles])
    numbers = np.concatenate([pile.numbers() for pile in piles], axis=1)
    own, first = np.unique(places, return_index=True)
    return own, numbers[:, first]


class _Pile:
    """Rows of several blocks with their numbers."""

    def __init__(self, num_columns: int) -> None:
        self._numbers, self._rows = [np.empty((num_columns, 0))], [np.empty(0, dtype=np.int64)]

    def __len__(self) -> int:
        return sum(map(len, self._rows))

    def add(self, numbers: Floats, rows: Ints, chosen: NDArray[np.intp]) -> None:
        if len(chosen):
            self._numbers.append(numbers[:, chosen])
            self._rows.append(rows[chosen])

    def numbers(self) -> Floats:
        """(columns, rows)."""
        self._numbers = [np.concatenate(self._numbers, axis=1)]
        return self._numbers[0]

    def rows(self) -> Ints:
        self._rows = [np.concatenate(self._rows)]
        return self._rows[0]

    def keep(self, chosen: NDArray[np.intp]) -> None:
        """Leave only these, in this order."""
        self._numbers, self._rows = [self.numbers()[:, chosen]], [self.rows()[chosen]]
