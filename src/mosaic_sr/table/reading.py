"""Tables from files: delimited text, Excel workbooks and Parquet, read as numbers or refused with the line at fault."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mosaic_sr.errors import InvalidFile
from mosaic_sr.inputs import Input, find_input
from mosaic_sr.table.cells import is_number
from mosaic_sr.table.censoring import without_bounds
from mosaic_sr.table.checks import LEAVE_OUT, TO_NUMBERS, Floats, to_floats
from mosaic_sr.table.delimited import Choice, delimited_names, read_delimited
from mosaic_sr.table.gaps import FileColumns, refuse_infinite, refusing_gaps
from mosaic_sr.table.workbook import is_workbook, read_workbook, workbook_names

if TYPE_CHECKING:
    from pandas import DataFrame

# First bytes of files that people mistake for text tables.
OTHER_KINDS = {
    b"\x1f\x8b": "a gzip file; give its name the ending .gz, or decompress it",
    b"\x89HDF": "an HDF5 file; save the table as CSV or Parquet",
    b"\x93NUMPY": "a numpy file; load it with numpy.load and use the Python interface",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}
PARQUET = b"PAR1"
# Names among which one that was misspelt is looked for: of a million it would take a minute.
MOST_COMPARED = 10_000
STORED_INDEX = "__index_level_"  # pandas writes row labels as a column of this name


def read_table(
    path: str | Path, target: str | None, columns: Sequence[str] | None = None, ignored: Sequence[str] = ()
) -> DataFrame:
    """A table file (CSV, TSV, Excel or Parquet) as a pandas frame of numbers."""
    return frame_of(refusing_gaps(read_file(find_input(path), target, columns, ignored)))


def frame_of(read: FileColumns) -> DataFrame:
    """Columns of a file as a pandas frame."""
    from pandas import DataFrame  # slow to import

    return DataFrame(dict(read.columns))


def read_columns(
    path: str | Path, target: str | None, columns: Sequence[str] | None = None, ignored: Sequence[str] = ()
) -> dict[str, Floats]:
    """What `read_file` reads, without empty cells: these are refused."""
    return dict(refusing_gaps(read_file(find_input(path), target, columns, ignored)).columns)


def read_file(
    file: Input,
    target: str | None,
    columns: Sequence[str] | None = None,
    ignored: Sequence[str] = (),
    takes_limits: bool = False,
) -> FileColumns:
    """The features and, last, the target of a CSV, TSV, Excel or Parquet file, NaN where a cell is empty.

    columns: the features to use; None takes every column but the target and a stored index.
    ignored: columns to leave out of them.  target: None for a file without one.
    takes_limits: whether the target may have limits such as <0.05, which `sides` then tells from values.
    Raises InvalidFile, or InvalidTable for columns of a Parquet file that are not numbers.
    """

    def choose(names: list[str]) -> list[str]:
        return wanted_columns(file, names, target, columns, ignored)

    start = checked_start(file)
    if start.startswith(PARQUET):
        read = read_parquet(file, choose, target, takes_limits)
    elif is_workbook(start):
        read = read_workbook(file, choose, target, columns or (), takes_limits)
    else:
        read = read_delimited(file, choose, target, columns or (), takes_limits)
    refuse_infinite(read)
    return read


def column_names(file: Input, target: str | None, ignored: Sequence[str] = ()) -> list[str]:
    """The names of all features that `read_file` can read and, last, of the target, if any."""
    start = checked_start(file)
    if start.startswith(PARQUET):
        names = parquet_names(file)
    else:
        names = workbook_names(file) if is_workbook(start) else delimited_names(file)
    return wanted_columns(file, names, target, None, ignored)


def read_parquet(file: Input, choose: Choice, target: str | None, takes_limits: bool = False) -> FileColumns:
    """The chosen columns of a Parquet file."""
    with opened_parquet(file) as opened:
        wanted = choose(_names(opened))
        frame = opened.read(columns=wanted)
    if frame.num_rows == 0:
        raise InvalidFile(f"{file}: the file has column names but no rows")
    columns: dict[str, Floats] = {}
    sides = None
    for name in wanted:
        what, advice = ("the target", TO_NUMBERS) if name == target else ("column", LEAVE_OUT)
        cells = frame.column(name).to_numpy()
        if takes_limits and name == target:
            cells, sides = without_bounds(cells, None)
        columns[name] = to_floats(np.asarray(cells), f"{file}: {what} {name!r}", advice)
    return FileColumns(file.label, columns, sides=np.empty(0) if sides is None else sides)


def parquet_names(file: Input) -> list[str]:
    """The names of all columns of a Parquet file."""
    with opened_parquet(file) as opened:
        return _names(opened)


@contextmanager
def opened_parquet(file: Input) -> Iterator[Any]:
    """The file as pyarrow has it; whatever keeps it from being read is an InvalidFile."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise InvalidFile(f"{file}: reading Parquet needs pyarrow; pip install pyarrow, or save as CSV") from error
    try:
        # Buffers that are filled ahead are kept until the file is closed: memory would grow with its length.
        with file.open() as source, ParquetFile(source, pre_buffer=False) as opened:
            yield opened
    except (ArrowException, OSError) as error:
        raise InvalidFile(f"{file}: not a readable Parquet file: {str(error).splitlines()[0]}") from error


def _names(opened: Any) -> list[str]:
    return [name for name in opened.schema_arrow.names if not name.startswith(STORED_INDEX)]


def checked_start(file: Input) -> bytes:
    """The first bytes of the file, once they show no other kind of file."""
    try:
        with file.open() as opened:
            start = opened.read(65536)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidFile(f"{file}: cannot be read: {getattr(error, 'strerror', '') or error}") from error
    if not start.strip():
        raise InvalidFile(f"{file}: the file is empty; expected a line of column names and rows of numbers")
    for magic, kind in OTHER_KINDS.items():
        if start.startswith(magic):
            raise InvalidFile(f"{file}: this is {kind}")
    if b"\0" in start and not start.startswith(PARQUET) and not is_workbook(start):
        raise InvalidFile(f"{file}: this is a binary file; expected CSV, TSV, Excel or Parquet")
    return start


def wanted_columns(
    file: Input, names: Sequence[str], target: str | None, columns: Sequence[str] | None, ignored: Sequence[str]
) -> list[str]:
    """The features in use and then the target; all have to be there, once."""
    for name, count in Counter(names).items():
        if count > 1:
            raise InvalidFile(f"{file}: {count} columns are named {name!r}; rename all but one")
    if target is not None and target in ignored:
        raise InvalidFile(f"{file}: the target {target!r} is also in the columns to leave out")
    features = [name for name in names if name != target] if columns is None else list(columns)
    left_out, known = set(ignored), set(names)
    features = [name for name in features if name not in left_out]
    if target is not None and columns is not None and target in columns:
        raise InvalidFile(f"{file}: the target {target!r} is also in the feature columns; list it once")
    wanted = [*features] if target is None else [*features, target]
    for name in (*wanted, *ignored):
        if name not in known:
            raise InvalidFile(f"{file}: no column {name!r}; {_hint(name, names)}")
    if not features:
        raise InvalidFile(f"{file}: no column except the target {target!r}; at least one feature is needed")
    return wanted


def _hint(name: str, names: Sequence[str]) -> str:
    if all(map(is_number, names)):
        return f"the first line has numbers ({', '.join(names[:4])}); add a line of column names"
    by_lower = {other.lower(): other for other in names[:MOST_COMPARED]}
    close = get_close_matches(name.lower(), list(by_lower), n=1)
    if close:
        return f"did you mean {by_lower[close[0]]!r}?"
    shown = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
    return f"the columns are {shown}"
