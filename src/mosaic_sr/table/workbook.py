"""Excel and OpenDocument workbooks: the first sheet, as if it had been saved as CSV."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from mosaic_sr.errors import FileWarning, InvalidFile
from mosaic_sr.inputs import Input
from mosaic_sr.table.delimited import Choice, Row, names_and_rows, read_rows
from mosaic_sr.table.gaps import FileColumns

# First bytes: a zip file (.xlsx, .xlsm, .xlsb, .ods), and the container of .xls and of encrypted workbooks.
ZIP, CONTAINER = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
# A full sheet of Excel has a million rows; a small file that claims to hold more than this is made to fill the memory.
MOST_UNPACKED = 2**31


def is_workbook(start: bytes) -> bool:
    """Whether a file begins as workbooks do."""
    return start.startswith((ZIP, CONTAINER))


def read_workbook(
    file: Input, choose: Choice, target: str | None, asked_for: Collection[str], takes_limits: bool = False
) -> FileColumns:
    """The chosen columns of the first sheet; emits FileWarning where there are others."""
    with sheet_rows(file) as rows:
        return read_rows(file.label, rows, choose, target, asked_for, takes_limits)


def workbook_names(file: Input) -> list[str]:
    """The names of all columns of the first sheet; of others the reading of its rows tells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileWarning)
        with _first_sheet(file) as sheet:
            return names_and_rows(file.label, _rows(sheet))[0]


@contextmanager
def sheet_rows(file: Input) -> Iterator[Iterator[Row]]:
    """The rows of the first sheet, header and all."""
    with _first_sheet(file) as sheet:
        yield _rows(sheet)


@contextmanager
def _first_sheet(file: Input) -> Iterator[Any]:
    """The sheet; whatever keeps it from being read is an InvalidFile."""
    # Slow to import for those who have no workbooks.
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        with file.open() as opened:
            _refuse_bombs(file, opened)
            workbook = CalamineWorkbook.from_filelike(opened)
            yield _sheet(file, workbook)
    except PasswordError as error:
        raise InvalidFile(f"{file}: the workbook has a password; save it without one") from error
    except (CalamineError, zipfile.BadZipFile, OSError) as error:
        raise InvalidFile(f"{file}: not a readable workbook: {error}; save the sheet as CSV") from error


def _sheet(file: Input, workbook: Any) -> Any:
    names = workbook.sheet_names
    if not names:
        raise InvalidFile(f"{file}: the workbook has no sheet")
    sheet = workbook.get_sheet_by_index(0)
    if sheet.start is None:
        others = f"; the table must be in the first of its {len(names)} sheets" if len(names) > 1 else ""
        raise InvalidFile(f"{file}: the sheet {names[0]!r} is empty{others}")
    if len(names) > 1:
        note = f"only the first sheet, {names[0]!r}, of {len(names)} is read; save another sheet as a separate file"
        warnings.warn(f"{file}: {note}", FileWarning, stacklevel=6)
    return sheet


def _refuse_bombs(file: Input, opened: BinaryIO) -> None:
    """Refuse a zip file whose parts are too large to be a sheet; rewinds the file."""
    if zipfile.is_zipfile(opened):
        unpacked = sum(part.file_size for part in zipfile.ZipFile(opened).infolist())
        if unpacked > MOST_UNPACKED:
            raise InvalidFile(
                f"{file}: the workbook has {unpacked:,} bytes unpacked, which is too large; save the sheet as CSV"
            )
    opened.seek(0)


def _rows(sheet: Any) -> Iterator[Row]:
    """Number and cells of every row that is not blank."""
    first, _ = sheet.start
    for number, cells in enumerate(sheet.to_python(), start=first + 1):
        texts = [_text(cell) for cell in cells]
        if any(map(str.strip, texts)):
            yield number, texts


def _text(cell: Any) -> str:
    """A cell as CSV has it; whole numbers without a point, as in names of columns that are years."""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    return cell if isinstance(cell, str) else str(cell)
