"""Delimited text (CSV, TSV, semicolons, bars, blanks) as columns of numbers, read in blocks to keep memory small."""

from __future__ import annotations

import csv
import math
import re
import warnings
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import FileWarning, InvalidFile

Floats = NDArray[np.float64]
Row = tuple[int, list[str]]  # line number and cells
Choice = Callable[[list[str]], list[str]]  # from all column names to those wanted

SEPARATORS = ",;\t| "
BY_ENDING = {".tsv": "\t", ".tab": "\t"}
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "?"})
LOGICAL = {"true": 1.0, "false": 0.0}
ROWS_PER_BLOCK = 4096
NAMELESS = "Unnamed: "  # and the position; pandas calls such columns so, too
THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?")
NUMBER_WITH_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]*([eE][+-]?[0-9]+)?")


def read_delimited(
    file: Path, choose: Choice, target: str | None, asked_for: Collection[str] = ()
) -> dict[str, Floats]:
    """The chosen columns by name. Raises InvalidFile with the line at fault.

    Columns without a name that are empty or count the rows, as a stored index does, are left out unless they are
    `asked_for`; emits FileWarning.
    """
    with _opened(file) as rows:
        names, rows = _names_and_rows(file, rows)
        columns, lines = _read(file, names, rows, choose(names), target)
    for name in _to_leave_out(columns, {*asked_for, target}):
        del columns[name]
    _refuse_missing(file, columns, lines)
    return columns


def delimited_names(file: Path) -> list[str]:
    """The names of all columns."""
    with _opened(file) as rows:
        return _names_and_rows(file, rows)[0]


@contextmanager
def _opened(file: Path) -> Iterator[Iterator[Row]]:
    """The lines of the file, header and all; whatever keeps them from being read is an InvalidFile."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as opened:
            yield _cells(opened, _separator(file, opened))
    except UnicodeDecodeError as error:
        raise InvalidFile(f"{file}: not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8") from error
    except csv.Error as error:
        raise InvalidFile(f"{file}: not a delimited text file: {error}") from error
    except OSError as error:
        raise InvalidFile(f"{file}: cannot be read: {error.strerror}") from error


def _read(
    file: Path, names: list[str], rows: Iterator[Row], wanted: list[str], target: str | None
) -> tuple[dict[str, Floats], array[int]]:
    """The wanted columns by name, NaN where a cell is empty, and the line of each row."""
    positions = [names.index(name) for name in wanted]
    numbers = [array("d") for _ in wanted]
    lines = array("q")
    while block := list(islice(rows, ROWS_PER_BLOCK)):
        _check_widths(file, block, len(names))
        block_lines = [line for line, _ in block]
        block_columns = list(zip(*(cells for _, cells in block), strict=True))
        lines.extend(block_lines)
        for position, name, own in zip(positions, wanted, numbers, strict=True):
            where = f"{file}: {'target' if name == target else 'column'} {name!r}"
            advice = "make it numbers" if name == target else f"make it numbers, or {_leave_out(name)}"
            own.extend(_to_numbers(where, advice, block_columns[position], block_lines))
    if not lines:
        raise InvalidFile(f"{file}: the file has column names but no rows")
    return {name: np.frombuffer(own) for name, own in zip(wanted, numbers, strict=True)}, lines


def _leave_out(name: str) -> str:
    """The option that leaves a column out; it takes several names, so one that holds a comma stands in quotes."""
    quoted = name.replace('"', '""')
    word = f'"{quoted}"' if set(name) & set(',"') else name
    return f"leave it out with --ignore {word!r}"


def _to_leave_out(columns: dict[str, Floats], kept: Collection[str | None]) -> list[str]:
    """Columns without a name that tell nothing: empty ones and, where others are left, those that count the rows."""
    nameless = [name for name in columns if name.startswith(NAMELESS) and name not in kept]
    empty = [name for name in nameless if np.isnan(columns[name]).all()]
    counting = [name for name in nameless if _counts_rows(columns[name])]
    if not columns.keys() - {*kept, *empty, *counting}:
        return empty if counting else []
    if counting:
        shown = ", ".join(map(repr, counting))
        warnings.warn(
            f"left out {shown}, which only counts the rows; to use it, name it among the columns",
            FileWarning,
            stacklevel=4,
        )
    return [*empty, *counting]


def _counts_rows(values: Floats) -> bool:
    return values[0] in (0.0, 1.0) and np.array_equal(values, values[0] + np.arange(len(values)))


def _names_and_rows(file: Path, rows: Iterator[Row]) -> tuple[list[str], Iterator[Row]]:
    """The names of the columns and the rows below; separators at the end of the header alone are no columns."""
    header, rows = _header(file, rows)
    first = next(rows, None)
    if first is None:
        return _named(header), rows
    beyond = header[len(first[1]) :]
    is_longer = any(map(str.strip, beyond))
    return _named(header if is_longer else header[: len(first[1])]), chain([first], rows)


def _header(file: Path, rows: Iterator[Row]) -> tuple[list[str], Iterator[Row]]:
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
    raise InvalidFile(f"{file}: the file is empty; a line of column names and rows of numbers are expected")


def is_number(text: str) -> bool:
    """Whether a cell holds a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _separator(file: Path, opened: TextIO) -> str:
    """By the ending of the file's name, else the one that the first lines share; rewinds the file."""
    lines = [line for line in islice(opened, 20) if line.strip() and not line.startswith("#")]
    opened.seek(0)
    if file.suffix.lower() in BY_ENDING:
        return BY_ENDING[file.suffix.lower()]
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


def _check_widths(file: Path, block: Sequence[Row], width: int) -> None:
    for line, cells in block:
        if len(cells) != width:
            raise InvalidFile(
                f"{file}: line {line} has {len(cells)} values and the header has {width} names; "
                "every line needs one value per name"
            )


def _to_numbers(where: str, advice: str, texts: Sequence[str], lines: Sequence[int]) -> list[float]:
    try:
        return list(map(float, texts))
    except ValueError:
        return [_to_number(where, advice, line, text) for line, text in zip(lines, texts, strict=True)]


def _to_number(where: str, advice: str, line: int, text: str) -> float:
    """The number of a cell; NaN for an empty one."""
    word = text.strip().lower()
    if word in MISSING:
        return math.nan
    if word in LOGICAL:
        return LOGICAL[word]
    try:
        return float(text)
    except ValueError as error:
        raise InvalidFile(f"{where} has {text!r:.60} in line {line}, not a number; {_remedy(text, advice)}") from error


def _remedy(text: str, advice: str) -> str:
    if THOUSANDS.fullmatch(text.strip()):
        return (
            f"remove separators of thousands, as {text.replace(',', '').strip()}; a decimal comma is written as a point"
        )
    return "write numbers with a point" if NUMBER_WITH_COMMA.fullmatch(text.strip()) else advice


def _refuse_missing(file: Path, columns: dict[str, Floats], lines: array[int]) -> None:
    for name, values in columns.items():
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise InvalidFile(
                f"{file}: column {name!r} has {len(bad)} empty, NaN or infinite values, the first in line "
                f"{lines[int(bad[0])]}; drop or impute those rows first"
            )
