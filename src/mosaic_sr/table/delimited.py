"""Delimited text (CSV, TSV, semicolons, bars, blanks) as columns of numbers, read in blocks to keep memory small."""

from __future__ import annotations

import csv
import io
import warnings
import zlib
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import FileWarning, InvalidFile
from mosaic_sr.inputs import Input
from mosaic_sr.table.cells import are_units, described_mistake, is_number, to_number
from mosaic_sr.table.gaps import FileColumns
from mosaic_sr.table.limit_cells import without_limits

# What a column of words may be.
TO_GROUPS = "convert it to numbers, or name it in --groups or --indicators"
Floats = NDArray[np.float64]
Row = tuple[int, list[str]]  # line number and cells
Choice = Callable[[list[str]], list[str]]  # from all column names to those wanted

SEPARATORS = ",;\t| "
BY_ENDING = {".tsv": "\t", ".tab": "\t"}
# Cells that are held as text at a time: some hundred MB at most, whatever the shape of the table.
CELLS_PER_BLOCK = 2**20
MOST_ROWS_PER_BLOCK = 4096
NAMELESS = "Unnamed: "  # and the position; pandas calls such columns so, too


def read_delimited(
    file: Input, choose: Choice, target: str | None, asked_for: Collection[str] = (), takes_limits: bool = False
) -> FileColumns:
    """The chosen columns. Raises InvalidFile with the line at fault.

    takes_limits: whether the target may have limits such as <0.05.

    Columns without a name that are empty or count the rows, as a stored index does, are left out unless they are
    `asked_for`; emits FileWarning.
    """
    with opened_rows(file) as rows:
        return read_rows(file.label, rows, choose, target, asked_for, takes_limits)


def read_rows(
    label: str,
    rows: Iterator[Row],
    choose: Choice,
    target: str | None,
    asked_for: Collection[str],
    takes_limits: bool = False,
) -> FileColumns:
    """The chosen columns of lines, header and all, of a file called `label`; as `read_delimited` has them."""
    names, rows = names_and_rows(label, rows)
    read = _read(label, names, rows, choose(names), target, takes_limits)
    left_out = {*_to_leave_out(read.columns, {*asked_for, target})}
    return replace(read, columns={name: values for name, values in read.columns.items() if name not in left_out})


def delimited_names(file: Input) -> list[str]:
    """The names of all columns."""
    with opened_rows(file) as rows:
        return names_and_rows(file.label, rows)[0]


def separator_of(file: Input) -> str:
    """What parts the cells of a file."""
    with io.TextIOWrapper(file.open(), encoding="utf-8-sig", newline="") as opened:
        return _separator(file.ending, opened)


@contextmanager
def opened_rows(file: Input) -> Iterator[Iterator[Row]]:
    """The lines of the file, header and all; whatever keeps them from being read is an InvalidFile."""
    try:
        with io.TextIOWrapper(file.open(), encoding="utf-8-sig", newline="") as opened:
            yield _cells(opened, _separator(file.ending, opened))
    except UnicodeDecodeError as error:
        raise InvalidFile(f"{file}: not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8") from error
    except csv.Error as error:
        raise InvalidFile(f"{file}: not a delimited text file: {error}") from error
    except (OSError, EOFError, zlib.error) as error:  # the last two of compressed files that are cut off or damaged
        raise InvalidFile(f"{file}: cannot be read: {getattr(error, 'strerror', '') or error}") from error


def _read(
    label: str, names: list[str], rows: Iterator[Row], wanted: list[str], target: str | None, takes_limits: bool
) -> FileColumns:
    """The wanted columns, NaN where a cell is empty; a row of units below the names is no row of numbers."""
    place_of = {name: place for place, name in enumerate(names)}
    positions = [place_of[name] for name in wanted]
    numbers = [array("d") for _ in wanted]
    lines, sides, units = array("q"), array("d"), dict[str, str]()
    while block := list(islice(rows, rows_per_block(len(names)))):
        check_widths(label, block, len(names))
        if not lines and (units := units_below(block, dict(zip(wanted, positions, strict=True)))):
            block = block[1:]
        block_lines = [line for line, _ in block]
        block_columns = list(zip(*(cells for _, cells in block), strict=True))
        lines.extend(block_lines)
        for position, name, own in zip(positions, wanted, numbers, strict=True):
            texts = block_columns[position]
            if takes_limits and name == target:
                texts, found = without_limits(texts)
                sides.extend(found)
            own.extend(_to_numbers(label, name, name == target, texts, block_lines))
    if not lines:
        raise InvalidFile(f"{label}: the file has column names but no rows")
    columns = {name: np.frombuffer(own) for name, own in zip(wanted, numbers, strict=True)}
    limits = np.frombuffer(sides) if any(sides) else np.empty(0)
    return FileColumns(label, columns, lines, sides=limits, units=units)


def rows_per_block(num_columns: int) -> int:
    return min(MOST_ROWS_PER_BLOCK, max(2, CELLS_PER_BLOCK // num_columns))


def units_below(block: Sequence[Row], places: Mapping[str, int]) -> dict[str, str]:
    """The units in the first row below the names, by name; empty where it holds numbers."""
    if len(block) < 2:
        return {}
    first, second = ([block[row][1][place] for place in places.values()] for row in (0, 1))
    return dict(zip(places, map(str.strip, first), strict=True)) if are_units(first, second) else {}


def leave_out(name: str) -> str:
    """The option that leaves a column out; it takes several names, so one that holds a comma stands in quotes."""
    quoted = name.replace('"', '""')
    word = f'"{quoted}"' if set(name) & set(',"') else name
    return f"leave it out with --ignore {word!r}"


def _to_leave_out(columns: Mapping[str, Floats], kept: Collection[str | None]) -> list[str]:
    """Columns without a name that tell nothing: empty ones and, where others are left, those that count the rows."""
    nameless = [name for name in columns if name.startswith(NAMELESS) and name not in kept]
    empty = [name for name in nameless if np.isnan(columns[name]).all()]
    counting = [name for name in nameless if counts_rows(columns[name])]
    if not columns.keys() - {*kept, *empty, *counting}:
        return empty if counting else []
    if counting:
        shown = ", ".join(map(repr, counting))
        warnings.warn(
            f"left out {shown}, which only numbers the rows; to use it, list it in the columns",
            FileWarning,
            stacklevel=5,
        )
    return [*empty, *counting]


def counts_rows(values: Floats) -> bool:
    return values[0] in (0.0, 1.0) and np.array_equal(values, values[0] + np.arange(len(values)))


def names_and_rows(label: str, rows: Iterator[Row]) -> tuple[list[str], Iterator[Row]]:
    """The names of the columns and the rows below; separators at the end of the header alone are no columns."""
    header, rows = _header(label, rows)
    first = next(rows, None)
    if first is None:
        return _named(header), rows
    beyond = header[len(first[1]) :]
    is_longer = any(map(str.strip, beyond))
    return _named(header if is_longer else header[: len(first[1])]), chain([first], rows)


def _header(label: str, rows: Iterator[Row]) -> tuple[list[str], Iterator[Row]]:
    """The names and the rows below; lines before them that begin with # are comments.

    Where numbers follow the comments the last of these holds the names, as numpy.savetxt writes them.
    """
    comment: list[str] = []
    for line, cells in rows:
        if cells[0].startswith("#"):
            comment = cells
        elif comment and all(map(is_number, cells)):
            first, *others = comment
            names = [first.removeprefix("#"), *others]
            return (others if len(comment) > len(cells) else names), chain([(line, cells)], rows)
        else:
            return cells, rows
    if comment:
        return comment, rows
    raise InvalidFile(f"{label}: the file is empty; expected a line of column names and rows of numbers")


def _separator(ending: str, opened: TextIO) -> str:
    """By the ending of the file's name, else the one that the first lines share; rewinds the file."""
    lines = [line for line in islice(opened, 20) if line.strip() and not line.startswith("#")]
    opened.seek(0)
    if ending in BY_ENDING:
        return BY_ENDING[ending]
    header = lines[0] if lines else ""
    shared = [separator for separator in SEPARATORS if all(separator in line.strip() for line in lines)]
    if not shared:
        return ","  # a single column, or rows so ragged that the check of widths will tell
    # Blanks go last, because they also stand after commas and inside names.
    return max(shared, key=lambda separator: (separator != " ", _num_fields(header, separator)))


def _num_fields(line: str, separator: str) -> int:
    return len(next(csv.reader([line], delimiter=separator)))


def _cells(opened: TextIO, separator: str) -> Iterator[Row]:
    """Line number and cells of every line that is not blank."""
    reader = csv.reader(opened, delimiter=separator, skipinitialspace=True, strict=True)
    for cells in reader:
        if separator == " " and cells and not cells[-1]:
            cells.pop()  # blanks before the end of the line
        if any(map(str.strip, cells)):
            yield reader.line_num, cells


def _named(header: Sequence[str]) -> list[str]:
    """The names without outer blanks; a column without a name, such as a stored index, is called after its position."""
    return [name.strip() or f"{NAMELESS}{position}" for position, name in enumerate(header)]


def check_widths(label: str, block: Sequence[Row], width: int) -> None:
    for line, cells in block:
        if len(cells) != width:
            raise InvalidFile(
                f"{label}: line {line} has {len(cells)} values, but the header has {width} names; "
                "every line needs one value per name"
            )


def _to_numbers(label: str, name: str, is_target: bool, texts: Sequence[str], lines: Sequence[int]) -> list[float]:
    try:
        return list(map(float, texts))
    except ValueError:
        pass
    numbers = []
    for line, text in zip(lines, texts, strict=True):
        number = to_number(text)
        if number is None:
            raise InvalidFile(f"{label}: {complaint(name, is_target, line, text)}")
        numbers.append(number)
    return numbers


def complaint(name: str, is_target: bool, line: int, text: str) -> str:
    """What stands in a cell in place of a number, and the remedy."""
    what, remedy = described_mistake(text) or ("not a number", "convert it to numbers" if is_target else TO_GROUPS)
    remedy = remedy if is_target else f"{remedy}, or {leave_out(name)}"
    return f"{'target' if is_target else 'column'} {name!r} has {text!r:.60} in line {line}, {what}; {remedy}"
