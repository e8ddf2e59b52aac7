"""Where a law and its rival differ most, relative to the scatter: where more rows would decide between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation
from mosaic_sr.evidence.noise import Scatter

Floats = NDArray[np.float64]

# Values of a column that are tried: fine enough to see a bend, and a table of twenty columns takes milliseconds.
NUM_VALUES = 61
# Other columns keep the values of so many rows, which is enough for a mean.
MOST_ROWS = 60
# "Just around" the rows: by half of the sampled range, or by a factor of two where a column spans decades.
EXTENSION, FACTOR, DECADES = 0.5, 2.0, 10.0
# Laws without a value in more of the rows are not compared there.
LEAST_KNOWN = 0.5
# A range reaches as far as laws differ by this share of their largest difference.
NEAR_LARGEST = 0.7


@dataclass(frozen=True)
class Parting:
    """The value of a column at which two laws differ most.

    column: among the user's columns.  low, high: the smallest and largest value of this column in the rows.
    ratio: the difference of the laws there over the scatter, as a root mean square over the other columns.
    """

    column: int
    value: float
    low: float
    high: float
    ratio: float


@dataclass(frozen=True)
class Stretch:
    """A range of a column in which two laws differ by about as much as anywhere on its side of the rows.

    column: among the user's columns.  start, end: of the range.  low, high: the sampled range of the column.
    ratio: the largest difference over the scatter there.  least: the smallest.
    """

    column: int
    start: float
    end: float
    low: float
    high: float
    ratio: float
    least: float

    @property
    def is_outside(self) -> bool:
        return self.start > self.high or self.end < self.low


@np.errstate(all="ignore")
def find_stretches(law: Equation, rival: Equation, columns: Floats, scatter: Scatter) -> list[Stretch]:
    """Of each column that a law reads, where they differ most within the rows, below and above; the largest first.

    columns: (columns of the user, rows).
    """
    read, some = sorted({*law.expression.columns, *rival.expression.columns}), _some_rows(columns)
    found: list[Stretch] = []
    for column in read:
        low, high = float(columns[column].min()), float(columns[column].max())
        pairs = list(_ratios(law, rival, some, column, values_around(columns[column]), scatter))
        for first, last in ((-np.inf, low), (low, high), (high, np.inf)):
            is_within = (first, last) == (low, high)
            side = [pair for pair in pairs if (first <= pair[0] <= last if is_within else first < pair[0] < last)]
            found += [Stretch(column, *ends, low, high, *sizes) for ends, sizes in _widest(side)]
    return sorted(found, key=lambda stretch: -stretch.ratio)


def _widest(pairs: Sequence[tuple[float, float]]) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The run of values around the largest ratio in which it stays near, and the largest and smallest ratio in it."""
    if not pairs:
        return
    ratios = [ratio for _, ratio in pairs]
    first = last = int(np.argmax(ratios))
    least = NEAR_LARGEST * ratios[first]
    while first > 0 and ratios[first - 1] >= least:
        first -= 1
    while last + 1 < len(ratios) and ratios[last + 1] >= least:
        last += 1
    own = ratios[first : last + 1]
    yield (pairs[first][0], pairs[last][0]), (max(own), min(own))


@np.errstate(all="ignore")
def find_parting(law: Equation, rival: Equation, columns: Floats, scatter: Scatter) -> Parting | None:
    """Where the laws differ most inside and just around the rows; None where they have no values to compare.

    columns: (columns of the user, rows).
    """
    read = sorted({*law.expression.columns, *rival.expression.columns})
    some = _some_rows(columns)
    found = [
        Parting(column, value, float(columns[column].min()), float(columns[column].max()), ratio)
        for column in read
        for value, ratio in _ratios(law, rival, some, column, values_around(columns[column]), scatter)
    ]
    return max(found, key=lambda parting: parting.ratio, default=None)


def _some_rows(columns: Floats) -> Floats:
    chosen = np.linspace(0, columns.shape[1] - 1, min(columns.shape[1], MOST_ROWS)).astype(int)
    return np.ascontiguousarray(columns[:, chosen])


def values_around(column: Floats) -> Floats:
    """Values from just below to just above those of a column, in order; the sign stays where all have one sign."""
    low, high = float(column.min()), float(column.max())
    if low > 0.0 and high > DECADES * low:
        return np.asarray(np.geomspace(low / FACTOR, high * FACTOR, NUM_VALUES))
    margin = EXTENSION * (high - low)
    first = max(low - margin, low / FACTOR) if low > 0.0 else 0.0 if low == 0.0 else low - margin
    last = min(high + margin, high / FACTOR) if high < 0.0 else 0.0 if high == 0.0 else high + margin
    values = np.linspace(first, last, NUM_VALUES)
    return np.asarray(values[np.isfinite(values)])


def _ratios(
    law: Equation, rival: Equation, some: Floats, column: int, values: Floats, scatter: Scatter
) -> Iterator[tuple[float, float]]:
    """Values of a column and the difference of the laws there over the scatter."""
    num_rows = some.shape[1]
    tiled = np.tile(some, len(values))
    tiled[column] = np.repeat(values, num_rows)
    expected = law.predict(tiled)
    ratios = (np.abs(expected - rival.predict(tiled)) / scatter.deviations(expected)).reshape(len(values), num_rows)
    for value, own in zip(values.tolist(), ratios, strict=True):
        known = own[np.isfinite(own)]
        if len(known) > LEAST_KNOWN * num_rows:
            yield value, float(np.linalg.norm(known) / np.sqrt(len(known)))
