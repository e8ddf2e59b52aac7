"""What `mosaic fit` reads: the files, and what their columns are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.cli.words import check_missing
from mosaic_sr.errors import InvalidFile
from mosaic_sr.inputs import STANDARD_INPUT, find_input
from mosaic_sr.search import Problem
from mosaic_sr.table import GAP_RULES, FileColumns, Table, read_file

Floats = NDArray[np.float64]

# Names in a message; of a million columns nobody reads more.
SHOWN_NAMES = 8


@dataclass(frozen=True)
class Source:
    """A table in files, in the user's words.

    columns: the features, None for all columns.  ignored: those to leave out.
    weights: the column that holds the weights of the rows.  validation: a file of rows to choose the law on.
    missing: what to do about rows with empty cells, a word of GAP_RULES.
    """

    file: Path
    target: str
    columns: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()
    weights: str | None = None
    validation: Path | None = None
    missing: str = "drop"

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are read."""
        return (self.file,) if self.validation is None else (self.file, self.validation)

    def problem(self, rng: np.random.Generator) -> Problem:
        """The numbers of the files, read and checked."""
        check_missing(self.missing, GAP_RULES)
        if len(self.files) == 2 and set(map(str, self.files)) <= set(STANDARD_INPUT):
            raise InvalidFile("standard input can be read only once; give --validation as a file")
        read = self._read(self.file, self.columns, self.ignored)
        names = tuple(name for name in read.columns if name not in (self.target, self.weights))
        held_out = None if self.validation is None else self._read(self.validation, names, ())
        X, y, weights = self._taken_apart(read)
        table = Table.from_arrays(
            X,
            y,
            rng=rng,
            names=names,
            target_name=self.target,
            weights=weights,
            validation=None if held_out is None else self._taken_apart(held_out),
        )
        notes = (*read.notes, *(f"validation: {note}" for note in (held_out.notes if held_out else ())), *table.notes)
        return Problem(replace(table, notes=notes), names, is_named=True)

    def _read(self, file: Path, features: Sequence[str] | None, ignored: Sequence[str]) -> FileColumns:
        """The features, the target and the weights, where there are any, of one file; without empty cells."""
        wanted = features
        if self.weights is not None and features is not None:
            wanted = list(dict.fromkeys((*features, self.weights)))
        read = read_file(find_input(file), self.target, wanted, ignored)
        if self.weights is not None and (self.weights not in read.columns or self.weights == self.target):
            shown = ", ".join(map(repr, list(read.columns)[:SHOWN_NAMES]))
            raise InvalidFile(
                f"{file}: --weights {self.weights!r} must be a column other than the target; the columns are {shown}"
            )
        if self.weights is not None and len(read.columns) == 2:
            raise InvalidFile(f"{file}: no column except the target and the weights; at least one feature is needed")
        return GAP_RULES[self.missing](read)

    def _taken_apart(self, read: FileColumns) -> tuple[Floats, Floats, Floats | None]:
        """Features (rows, columns), target and weights (rows,)."""
        features = [values for name, values in read.columns.items() if name not in (self.target, self.weights)]
        weights = None if self.weights is None else read.columns[self.weights]
        return np.array(features).T, read.columns[self.target], weights
