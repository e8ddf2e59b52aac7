"""The sampled range of each column: which rows lie outside it, where a law has not been checked by any row."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.law_values import expect, number

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
# Smallest and largest sampled value by the place of a column among the user's.
Ranges = Mapping[int, tuple[float, float]]

# A number that was written with fewer digits than it had is not outside: this share of the range is let pass.
SLACK = 1e-9
# Columns that a note names; the rest is counted.
MOST_NAMES = 3


def is_outside(ranges: Ranges, columns: Floats, read: Sequence[int]) -> Mask:
    """Whether a value that a law reads lies outside its sampled range: (rows,).

    columns: (columns of the user, rows).  read: places of the columns that the law reads.
    """
    outside = np.zeros(columns.shape[1], dtype=np.bool_)
    for column in read:
        below, above = _beyond(ranges, columns, column)
        outside |= below | above
    return outside


def rows_outside(read: Sequence[int], ranges: Ranges, columns: Floats) -> Mask:
    """As `is_outside`; refused where a law reads columns whose ranges are not known."""
    if read and not ranges:
        raise InvalidSettings("the law file has no sampled ranges; fit and save the law again")
    return is_outside(ranges, columns, read)


def outside_words(ranges: Ranges, columns: Floats, read: Sequence[int], names: Sequence[str]) -> str:
    """How many rows lie outside the sampled ranges and in which columns; empty where none does."""
    count = int(np.count_nonzero(is_outside(ranges, columns, read)))
    if not count:
        return ""
    parts = [words for column in read if (words := _column_words(ranges, columns, column, names[column]))]
    more = f" and {len(parts) - MOST_NAMES} other columns" if len(parts) > MOST_NAMES else ""
    where = "; ".join(parts[:MOST_NAMES]) + more
    verb = "is" if count == 1 else "are"
    return (
        f"{count:,} of {columns.shape[1]:,} rows {verb} outside the range of the fitted rows and extrapolated: {where}"
    )


def _column_words(ranges: Ranges, columns: Floats, column: int, name: str) -> str:
    below, above = (int(np.count_nonzero(mask)) for mask in _beyond(ranges, columns, column))
    low, high = ranges.get(column, (0.0, 0.0))
    sides = [f"{below:,} below {low:.5g}"] * (below > 0) + [f"{above:,} above {high:.5g}"] * (above > 0)
    return f"{name} ({', '.join(sides)})" if sides else ""


def _beyond(ranges: Ranges, columns: Floats, column: int) -> tuple[Mask, Mask]:
    """Which values of a column are below and which above its range: (rows,) each; none where it is not known."""
    values = columns[column]
    low, high = ranges.get(column, (-np.inf, np.inf))
    slack = SLACK * (high - low) if np.isfinite(high - low) else 0.0
    return values < low - slack, values > high + slack


def describe_ranges(ranges: Ranges, names: Sequence[str], read: Collection[int]) -> dict[str, list[float]]:
    """The ranges of the columns that equations read, by name, as plain values."""
    return {names[column]: [low, high] for column, (low, high) in sorted(ranges.items()) if column in read}


def ranges_in(content: Any, names: Sequence[str]) -> dict[int, tuple[float, float]]:
    """What `describe_ranges` wrote; ValueError for anything else."""
    places = {name: place for place, name in enumerate(names)}
    ranges: dict[int, tuple[float, float]] = {}
    for name, pair in expect(content, dict, "sampled_ranges").items():
        if name not in places or len(expect(pair, list, "sampled_ranges")) != 2:
            raise ValueError(f"'sampled_ranges' holds {name!r:.40}: {pair!r:.40}")
        low, high = (number(value, "sampled_ranges") for value in pair)
        if low > high:
            raise ValueError(f"'sampled_ranges' holds {name!r:.40}: {pair!r:.40}")
        ranges[places[name]] = low, high
    return ranges
