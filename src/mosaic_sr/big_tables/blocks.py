"""Table files read block by block: Parquet and delimited text of any length, in memory that does not grow with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFile
from mosaic_sr.inputs import Input
from mosaic_sr.table.cells import MISSING
from mosaic_sr.table.checks import LEAVE_OUT, TO_NUMBERS, to_floats
from mosaic_sr.table.delimited import NAMELESS, complaint, names_and_rows, opened_rows, separator_of, units_below
from mosaic_sr.table.reading import PARQUET, checked_start, opened_parquet, parquet_names, wanted_columns
from mosaic_sr.table.workbook import is_workbook

Floats = NDArray[np.float64]

# Numbers from which a table is read in blocks: 128 MiB, of which reading it whole holds several copies (the reader's,
# the array's, the table's). An estimate, not measured.
MOST_NUMBERS = 2**24
# Bytes of text, and of compressed text, that hold about so many numbers: printed ones take ten bytes or more.
MOST_TEXT, MOST_COMPRESSED = 10 * MOST_NUMBERS, 4 * MOST_NUMBERS
# Rows of a block: 10 MB for 20 columns, and enough that what is done once per block costs nothing.
BLOCK_ROWS = 65_536
# Bytes of text of a block.
BLOCK_BYTES = 2**24
# How pyarrow names the place of a cell that is no number.
BAD_CELL = re.compile(r"In CSV column #(\d+):(?: Row #(\d+):)? CSV conversion error to \w+: invalid value '(.*)'", re.S)


@dataclass(frozen=True, eq=False)
class Block:
    """Consecutive rows: start is the number of the first, counted from 0; numbers: (columns, rows), NaN for gaps."""

    start: int
    numbers: Floats


@dataclass(frozen=True)
class BlockFile:
    """A table file and the columns that are read of it, the target last.

    file_names: all names, in the order of the file.  num_rows: where the file states it, else 0.
    skipped, separator: lines before the first row, and what parts its cells; 0 and empty for Parquet.
    units: by name, where a row below the names holds them.  notes: for the user, one sentence each.
    """

    file: Input
    names: tuple[str, ...]
    target: str
    file_names: tuple[str, ...]
    num_rows: int = 0
    skipped: int = 0
    separator: str = ""
    units: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def place_word(self) -> str:
        """What a place in the file is called."""
        return "line" if self.separator else "row"

    def place(self, row: int) -> int:
        """Where a row stands: its line, or its number from 1."""
        return row + 1 + self.skipped

    def blocks(self, names: Sequence[str] | None = None) -> Iterator[Block]:
        """All rows of these columns, of all by default, in the order of the file."""
        wanted = self.names if names is None else tuple(names)
        start = 0
        for numbers in self._text_blocks(wanted) if self.separator else self._parquet_blocks(wanted):
            if numbers.shape[1]:
                yield Block(start, numbers)
                start += numbers.shape[1]

    def _parquet_blocks(self, wanted: Sequence[str]) -> Iterator[Floats]:
        with opened_parquet(self.file) as opened:
            for batch in opened.iter_batches(BLOCK_ROWS, columns=list(wanted), use_threads=False):
                yield np.array([self._floats(batch.column(name), name) for name in wanted])

    def _floats(self, cells: Any, name: str) -> Floats:
        what, advice = ("the target", TO_NUMBERS) if name == self.target else ("column", LEAVE_OUT)
        numbers = np.asarray(cells.to_numpy(zero_copy_only=False))
        return to_floats(numbers, f"{self.file}: {what} {name!r}", advice)

    def _text_blocks(self, wanted: Sequence[str]) -> Iterator[Floats]:
        from pyarrow import ArrowException, float64
        from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, open_csv

        reading = ReadOptions(
            use_threads=False, block_size=BLOCK_BYTES, skip_rows=self.skipped, column_names=list(self.file_names)
        )
        converting = ConvertOptions(
            column_types=dict.fromkeys(wanted, float64()), include_columns=list(wanted), null_values=_empty_cells()
        )
        done = 0
        try:
            with _arrow_stream(self.file) as stream:
                parsing = ParseOptions(delimiter=self.separator)
                for batch in open_csv(stream, reading, parsing, converting):
                    for part in range(0, batch.num_rows, BLOCK_ROWS):
                        some = batch.slice(part, BLOCK_ROWS)
                        yield np.array([column.to_numpy(zero_copy_only=False) for column in some.columns])
                        done += some.num_rows
        except (ArrowException, OSError) as error:
            raise InvalidFile(f"{self.file}: {self._explained(str(error), wanted, done)}") from error

    def _explained(self, message: str, wanted: Sequence[str], done: int) -> str:
        """What pyarrow complains of, in the words for small tables; done: rows that were read before."""
        found = BAD_CELL.search(message)
        if found is None:
            head = message.splitlines()[0] if message else "cannot be read"
            return f"cannot be read as a table below {self.place_word} {self.place(done)}: {head}"
        name = self.file_names[int(found[1])] if int(found[1]) < len(self.file_names) else wanted[0]
        line = int(found[2]) if found[2] else self.place(done)
        return complaint(name, name == self.target, line, found[3])


def open_blocks(
    file: Input, target: str, columns: Sequence[str] | None = None, ignored: Sequence[str] = ()
) -> BlockFile | None:
    """The file, to be read in blocks where it is long; None where it is short or of another kind, and is read whole."""
    if not _can_stream():
        return None
    start = checked_start(file)
    if start.startswith(PARQUET):
        with opened_parquet(file) as opened:
            num_rows, names = opened.metadata.num_rows, tuple(parquet_names(file))
        if num_rows * len(names) <= MOST_NUMBERS:
            return None
        wanted = wanted_columns(file, names, target, columns, ignored)
        return BlockFile(file, tuple(wanted), target, names, num_rows)
    if is_workbook(start) or not _is_long_text(file):
        return None
    return _open_text(file, target, columns, ignored)


def _open_text(file: Input, target: str, columns: Sequence[str] | None, ignored: Sequence[str]) -> BlockFile | None:
    with opened_rows(file) as rows:
        names, rows = names_and_rows(file.label, rows)
        head = list(islice(rows, 2))
    separator = separator_of(file)
    if not head or separator == " ":
        return None  # runs of blanks are one separator, which pyarrow does not know
    # Mostly the numbers of the rows, as pandas writes them.
    nameless = [name for name in names if name.startswith(NAMELESS) and name not in (*(columns or ()), target)]
    wanted = wanted_columns(file, names, target, columns, [*ignored, *(name for name in nameless if not columns)])
    units = units_below(head, {name: names.index(name) for name in wanted})
    skipped = head[1 if units else 0][0] - 1
    notes = [f"left out {name!r}, which has no name; to use it, list it in the columns" for name in nameless]
    return BlockFile(
        file, tuple(wanted), target, tuple(names), 0, skipped, separator, tuple(units.items()),
        tuple(notes) if columns is None else (),
    )  # fmt: skip


def _is_long_text(file: Input) -> bool:
    if file.path is None:
        return len(file.content) > MOST_TEXT
    size = file.path.stat().st_size
    return size > (MOST_COMPRESSED if file.is_compressed else MOST_TEXT)


def _can_stream() -> bool:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


@contextmanager
def _arrow_stream(file: Input) -> Iterator[Any]:
    """The bytes of the file as pyarrow reads them fastest."""
    from pyarrow import BufferReader, input_stream

    source = BufferReader(file.content) if file.path is None else str(file.path)
    with input_stream(source, compression="gzip" if file.is_compressed else None) as stream:
        yield stream


def _empty_cells() -> list[str]:
    """The words for an empty cell as people write them; pyarrow tells capitals apart."""
    return sorted({form for word in MISSING for form in (word, word.upper(), word.title(), word.capitalize(), "NaN")})
