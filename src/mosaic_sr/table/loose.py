"""Tables read without refusing anything but broken files: what is not a number is kept as a fact about its column."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFile, InvalidTable
from mosaic_sr.inputs import Input
from mosaic_sr.table.cells import described_mistake, to_number
from mosaic_sr.table.checks import TO_NUMBERS, checked_names, columns_of, name_of_target, single_column, to_floats
from mosaic_sr.table.delimited import Row, check_widths, names_and_rows, opened_rows, rows_per_block, units_below
from mosaic_sr.table.reading import PARQUET, checked_start, opened_parquet, parquet_names, wanted_columns
from mosaic_sr.table.workbook import is_workbook, sheet_rows

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Texts:
    """Cells of a column that hold text in place of numbers: how many, the first of them and where it is."""

    count: int
    first: str
    place: str

    @property
    def mistake(self) -> tuple[str, str]:
        """What the first is in place of a number, and the remedy."""
        return described_mistake(self.first) or ("not a number", TO_NUMBERS)


@dataclass(frozen=True, eq=False)
class LooseColumns:
    """Columns by name, each (rows,), NaN where a cell holds no number.

    texts: of columns that hold text.  units: by name, where a row below the names holds them.
    places: (rows,), the line of the file of each row; empty where rows are counted from 0.
    is_file: whether the table is a file, so that remedies can name options.
    """

    label: str
    columns: dict[str, Floats]
    target: str | None
    texts: dict[str, Texts] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    places: Sequence[int] = ()
    is_file: bool = True

    @property
    def num_rows(self) -> int:
        return len(next(iter(self.columns.values())))

    def place(self, row: int) -> str:
        """Where a row is, for messages."""
        return f"line {self.places[row]}" if len(self.places) else f"row {row}"


def read_loosely(
    file: Input, target: str | None, columns: Sequence[str] | None = None, ignored: Sequence[str] = ()
) -> LooseColumns:
    """As `read_file`, but columns of text, units and infinite numbers are facts, not errors."""
    start = checked_start(file)
    if start.startswith(PARQUET):
        return _parquet(file, target, wanted_columns(file, parquet_names(file), target, columns, ignored))
    with sheet_rows(file) if is_workbook(start) else opened_rows(file) as rows:
        names, rows = names_and_rows(file.label, rows)
        return _read(file.label, names, rows, wanted_columns(file, names, target, columns, ignored), target)


def loose_from_arrays(X: object, y: object, names: Sequence[object] | None, target_name: str | None) -> LooseColumns:
    """The same of arrays and frames; y may be None."""
    own, own_names = columns_of(X, "X")
    found = list(checked_names(own_names if names is None else names, len(own), "X"))
    target = None
    if y is not None:
        target = name_of_target(y, target_name, found)
        own, found = [*own, single_column(y, "y")], [*found, target]
    lengths = {len(column) for column in own}
    if len(lengths) > 1:
        raise InvalidTable(f"X and y have {' and '.join(map(str, sorted(lengths)))} rows; both need one entry per row")
    if lengths == {0}:
        raise InvalidTable("X is empty: it has 0 rows")
    return replace(_converted("the table", dict(zip(found, own, strict=True)), target), is_file=False)


def _parquet(file: Input, target: str | None, wanted: list[str]) -> LooseColumns:
    with opened_parquet(file) as opened:
        frame = opened.read(columns=wanted)
    if frame.num_rows == 0:
        raise InvalidFile(f"{file}: the file has column names but no rows")
    return _converted(file.label, {name: frame.column(name).to_numpy() for name in wanted}, target)


def _converted(label: str, columns: dict[str, NDArray[np.generic]], target: str | None) -> LooseColumns:
    numbers: dict[str, Floats] = {}
    texts: dict[str, Texts] = {}
    for name, column in columns.items():
        try:
            numbers[name] = to_floats(column, name, TO_NUMBERS)
        except InvalidTable:
            cells = list(enumerate(map(str, column.tolist())))
            numbers[name], found = _numbers([text for _, text in cells], [f"row {row}" for row, _ in cells])
            # Dates and complex numbers are no text, and no numbers either.
            texts[name] = found or Texts(len(cells), str(cells[0][1]), "row 0")
    return LooseColumns(label, numbers, target, texts)


def _read(label: str, names: list[str], rows: Iterator[Row], wanted: list[str], target: str | None) -> LooseColumns:
    place_of = {name: place for place, name in enumerate(names)}
    numbers = {name: array("d") for name in wanted}
    texts: dict[str, Texts] = {}
    units: dict[str, str] = {}
    lines = array("q")
    while block := list(islice(rows, rows_per_block(len(names)))):
        check_widths(label, block, len(names))
        if not lines and (units := units_below(block, {name: place_of[name] for name in wanted})):
            block = block[1:]
        block_lines = [line for line, _ in block]
        by_column = list(zip(*(cells for _, cells in block), strict=True))
        lines.extend(block_lines)
        for name in wanted:
            found, own = _numbers(by_column[place_of[name]], block_lines)
            numbers[name].extend(found)
            if own is not None:
                texts[name] = _joined(texts.get(name), own)
    if not lines:
        raise InvalidFile(f"{label}: the file has column names but no rows")
    return LooseColumns(label, {name: np.frombuffer(own) for name, own in numbers.items()}, target, texts, units, lines)


def _numbers(texts: Sequence[str], places: Sequence[object]) -> tuple[Floats, Texts | None]:
    """The numbers of cells, NaN where there is none, and what is known of those that hold text."""
    try:
        return np.array(list(map(float, texts))), None
    except ValueError:
        pass
    found = [to_number(text) for text in texts]
    wrong = [row for row, number in enumerate(found) if number is None]
    numbers = np.array([math.nan if number is None else number for number in found])
    if not wrong:
        return numbers, None
    place = places[wrong[0]]
    return numbers, Texts(len(wrong), texts[wrong[0]], f"line {place}" if isinstance(place, int) else str(place))


def _joined(before: Texts | None, more: Texts) -> Texts:
    return more if before is None else Texts(before.count + more.count, before.first, before.place)
