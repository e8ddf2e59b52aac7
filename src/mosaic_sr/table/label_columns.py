"""One column of a file as labels: whatever its cells hold, as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFile
from mosaic_sr.inputs import Input
from mosaic_sr.table.delimited import Row, check_widths, names_and_rows, opened_rows
from mosaic_sr.table.gaps import FileColumns
from mosaic_sr.table.indicators import Indicators, indicator_names, indicator_values
from mosaic_sr.table.labels import Label, in_order, label_text, plain_label
from mosaic_sr.table.reading import PARQUET, checked_start, opened_parquet, parquet_names, read_file, wanted_columns
from mosaic_sr.table.workbook import is_workbook, sheet_rows

Floats = NDArray[np.float64]


def read_labels(file: Input, column: str) -> tuple[Floats, tuple[Label, ...]]:
    """The place of each row's label among the distinct labels, NaN for an empty cell: (rows,); and the labels."""
    plain = [plain_label(cell) for cell in read_cells(file, column)]
    known = {label_text(own): own for own in plain if own is not None}
    names = in_order(list(known.values()))
    place = {label_text(name): float(number) for number, name in enumerate(names)}
    return np.array([np.nan if own is None else place[label_text(own)] for own in plain]), tuple(names)


def read_cells(file: Input, column: str) -> list[Any]:
    """The cells of a column, whatever they hold."""
    start = checked_start(file)
    if start.startswith(PARQUET):
        wanted_columns(file, parquet_names(file), None, [column], ())
        with opened_parquet(file) as opened:
            cells: list[Any] = opened.read(columns=[column]).column(column).to_pylist()
            return cells
    with sheet_rows(file) if is_workbook(start) else opened_rows(file) as rows:
        names, rows = names_and_rows(file.label, rows)
        wanted_columns(file, names, None, [column], ())
        place, block = names.index(column), list[Row](rows)
        if not block:
            raise InvalidFile(f"{file.label}: the file has column names but no rows")
        check_widths(file.label, block, len(names))
        return [cells[place] for _, cells in block]


def read_needed(file: Input, needed: Sequence[str], indicators: Indicators) -> FileColumns:
    """Columns of a file for a law, by name; those of 0 and 1 are made from columns of labels where the file has these.

    needed: () for all columns.
    """
    made = {
        name: (column, place)
        for column, labels in indicators.items()
        for place, name in enumerate(indicator_names(column, labels))
        if name in needed
    }
    plain = [name for name in needed if name not in made]
    read = FileColumns(file.label, {}) if made and not plain else read_file(file, None, plain or None)
    columns = dict(read.columns)
    for name, (column, place) in made.items():
        columns[name] = indicator_values(read_cells(file, column), column, indicators[column])[place]
    return replace(read, columns=columns)


def known_cells(cells: list[Any]) -> list[Any]:
    """The cells that are not empty."""
    return [cell for cell in cells if plain_label(cell) is not None]
