"""One pass over a long table: its numbers are checked, counted and measured, and rows for the search are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.big_tables.blocks import Block, BlockFile
from mosaic_sr.big_tables.sample import RowSample
from mosaic_sr.errors import InvalidFile
from mosaic_sr.table.gaps import FileColumns, counted

Floats = NDArray[np.float64]


@dataclass
class Moments:
    """Count, mean and sum of squared distances from it of a target, block by block; weighted as rows count in a fit."""

    weight: float = 0.0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, values: Floats, weights: Floats | None) -> None:
        """Take more values in, by the rule of Chan for two parts."""
        total = float(len(values) if weights is None else weights.sum())
        if total <= 0.0:
            return
        mean = float(np.average(values, weights=weights))
        own = np.square(values - mean)
        squares = float(own.sum() if weights is None else weights @ own)
        between = (mean - self.mean) ** 2 * self.weight * total / (self.weight + total)
        self.mean += (mean - self.mean) * total / (self.weight + total)
        self.weight, self.squares = self.weight + total, self.squares + squares + between


@dataclass(frozen=True, eq=False)
class Survey:
    """What one pass has found.

    rows: those drawn for the search, as if they were a small file; numbers: where they stand, from 0.
    num_rows: all rows without gaps.  is_whole: whether the file was read to its end.
    has_gaps: whether rows were left out.
    """

    file: BlockFile
    rows: FileColumns
    numbers: NDArray[np.int64]
    num_rows: int
    is_whole: bool
    has_gaps: bool


@dataclass
class _Checks:
    """Gaps and infinite numbers so far."""

    file: BlockFile
    refuses_gaps: bool
    num_rows: int = 0
    num_left_out: int = 0
    gaps: dict[str, int] = field(default_factory=dict)

    def usable(self, block: Block) -> NDArray[np.bool_]:
        """(rows,), which rows of the block have all their numbers; InvalidFile where the user must act."""
        is_known = np.isfinite(block.numbers)
        self.num_rows += block.numbers.shape[1]
        if is_known.all():
            return np.asarray(is_known[0])
        for name, values, own in zip(self.file.names, block.numbers, is_known, strict=True):
            if not own.all():
                self._note(name, values, block.start)
        usable = np.asarray(is_known.all(axis=0))
        self.num_left_out += int(np.count_nonzero(~usable))
        return usable

    def _note(self, name: str, values: Floats, start: int) -> None:
        label, is_gap = self.file.file.label, np.isnan(values)
        if np.isinf(values).any():
            place = self.file.place(start + int(np.argmax(np.isinf(values))))
            raise InvalidFile(
                f"{label}: column {name!r} has infinite numbers, the first in {self.file.place_word} {place}; "
                "correct them or empty those cells"
            )
        if self.refuses_gaps:
            place = self.file.place(start + int(np.argmax(is_gap)))
            raise InvalidFile(
                f"{label}: column {name!r} has empty or NaN cells, the first in {self.file.place_word} {place}; "
                "drop those rows or fill the cells first"
            )
        self.gaps[name] = self.gaps.get(name, 0) + int(np.count_nonzero(is_gap))

    def notes(self) -> list[str]:
        """On the rows that are left out; InvalidFile where none is left."""
        if self.num_rows == 0:
            raise InvalidFile(f"{self.file.file}: the file has column names but no rows")
        if not self.num_left_out:
            return []
        for name, count in self.gaps.items():
            if count == self.num_rows:
                raise InvalidFile(f"{self.file.file}: column {name!r} is empty in every row; leave it out or fill it")
        shown = counted(self.gaps)
        if self.num_left_out == self.num_rows:
            raise InvalidFile(f"{self.file.file}: every row has an empty cell: {shown}; leave such columns out")
        return [f"{self.num_left_out} of {self.num_rows} rows are left out because of empty cells: {shown}"]


def survey_file(
    file: BlockFile,
    missing: str,
    rng: np.random.Generator,
    observe: Callable[[int], None] = lambda done: None,
    is_time_up: Callable[[], bool] = lambda: False,
) -> Survey:
    """Read the file once; missing: what to do about empty cells, "drop" or "error".

    observe: hears the number of rows read so far.  is_time_up: once it says yes, the rest of the file is not read.
    """
    checks, sample, is_whole = _Checks(file, missing == "error"), RowSample(len(file.names), rng), True
    for block in file.blocks():
        if block.start > 0 and is_time_up():
            is_whole = False
            break
        usable = checks.usable(block)
        sample.add(block.numbers, np.arange(block.start, block.start + block.numbers.shape[1]), usable)
        observe(checks.num_rows)
    notes, num_rows = checks.notes(), checks.num_rows - checks.num_left_out
    numbers, drawn = sample.rows()
    rows = _as_file(file, numbers, drawn, notes, num_rows, is_whole)
    return Survey(file, rows, numbers, num_rows, is_whole, checks.num_left_out > 0)


def _as_file(
    file: BlockFile, numbers: NDArray[np.int64], drawn: Floats, notes: list[str], num_rows: int, is_whole: bool
) -> FileColumns:
    if not is_whole:
        notes = [*notes, "the time limit ended the reading: the law is that of the first rows of the file"]
    if len(numbers) < num_rows:
        uses = f"the search uses {len(numbers):,} of them, with the extremes of each column"
        notes = [*notes, f"{num_rows:,} rows were read in blocks; {uses}"]
    columns = dict(zip(file.names, np.ascontiguousarray(drawn), strict=True))
    places = (numbers + 1 + file.skipped).tolist()
    return FileColumns(
        file.file.label, columns, places, (*file.notes, *notes), units=dict(file.units), place_word=file.place_word
    )
