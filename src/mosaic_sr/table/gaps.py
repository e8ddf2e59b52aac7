"""Columns as they stand in a file, with empty cells: rows with gaps are dropped and counted, or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFile

Floats = NDArray[np.float64]

# Columns that a note names; of hundreds nobody reads more.
SHOWN_COLUMNS = 5


@dataclass(frozen=True, eq=False)
class FileColumns:
    """Columns by name, each (rows,), NaN where a cell is empty.

    label: of the file.  places: (rows,), the line of the file that holds each row; empty where rows are counted.
    sides: (rows,), -1 and 1 where the target is a limit that the true one is below or above, else 0; (0,) for values.
    notes: what the user should know, one sentence each.  units: by name, where a row below the names holds them.
    place_word: what a number in `places` is called.
    """

    label: str
    columns: Mapping[str, Floats]
    places: Sequence[int] = ()
    notes: tuple[str, ...] = field(default=())
    sides: Floats = field(default_factory=lambda: np.empty(0))
    units: Mapping[str, str] = field(default_factory=dict)
    place_word: str = "line"

    def place(self, row: int) -> str:
        """Where a row stands, for messages."""
        return f"{self.place_word} {self.places[row]}" if len(self.places) else f"row {row + 1}"

    def all_places(self) -> list[str]:
        """Where each row stands."""
        return [self.place(row) for row in range(len(next(iter(self.columns.values()))))]

    @property
    def has_gap(self) -> NDArray[np.bool_]:
        """(rows,), whether a cell of the row is empty."""
        has_gap = np.zeros(len(next(iter(self.columns.values()))), dtype=np.bool_)
        for values in self.columns.values():
            has_gap |= np.isnan(values)
        return has_gap

    def gaps(self) -> dict[str, int]:
        """Empty cells of each column that has any."""
        counts = {name: int(np.count_nonzero(np.isnan(values))) for name, values in self.columns.items()}
        return {name: count for name, count in counts.items() if count}


def without_gaps(read: FileColumns) -> FileColumns:
    """The rows without empty cells, and a note on the others; refused where a column or every row is empty."""
    gaps = read.gaps()
    if not gaps:
        return read
    has_gap = read.has_gap
    for name, count in gaps.items():
        if count == len(has_gap):
            raise InvalidFile(f"{read.label}: column {name!r} is empty in every row; leave it out or fill it")
    if has_gap.all():
        raise InvalidFile(f"{read.label}: every row has an empty cell: {counted(gaps)}; leave such columns out")
    note = f"{np.count_nonzero(has_gap)} of {len(has_gap)} rows are left out because of empty cells: {counted(gaps)}"
    kept = {name: values[~has_gap] for name, values in read.columns.items()}
    places = (np.asarray(read.places)[~has_gap] if len(read.places) else np.flatnonzero(~has_gap) + 1).tolist()
    sides = read.sides[~has_gap] if len(read.sides) else read.sides
    word = read.place_word if len(read.places) else "row"
    return FileColumns(read.label, kept, places, (*read.notes, note), sides, read.units, word)


def refusing_gaps(read: FileColumns) -> FileColumns:
    """The columns where no cell is empty; else InvalidFile with the first that is."""
    for name, count in read.gaps().items():
        place = read.place(int(np.argmax(np.isnan(read.columns[name]))))
        raise InvalidFile(
            f"{read.label}: column {name!r} has {count} empty or NaN cells, the first in {place}; "
            "drop those rows or fill the cells first"
        )
    return read


# What may be done about empty cells, by the user's word.
GAP_RULES: dict[str, Callable[[FileColumns], FileColumns]] = {"drop": without_gaps, "error": refusing_gaps}


def refuse_infinite(read: FileColumns) -> None:
    """Refuses infinite numbers, which are no gaps: somebody wrote or computed them."""
    for name, values in read.columns.items():
        is_infinite = np.isinf(values)
        if is_infinite.any():
            raise InvalidFile(
                f"{read.label}: column {name!r} has {np.count_nonzero(is_infinite)} infinite numbers, the first in "
                f"{read.place(int(np.argmax(is_infinite)))}; correct them or empty those cells"
            )


def counted(gaps: Mapping[str, int]) -> str:
    """Columns with their empty cells, as 'a' (3), 'b' (1)."""
    shown = [f"{name!r} ({count})" for name, count in list(gaps.items())[:SHOWN_COLUMNS]]
    more = [f"{len(gaps) - SHOWN_COLUMNS} more columns"] if len(gaps) > SHOWN_COLUMNS else []
    return ", ".join([*shown, *more])
