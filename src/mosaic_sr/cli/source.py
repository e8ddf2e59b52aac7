"""What `mosaic fit` reads: the files, and what their columns are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFile
from mosaic_sr.search import Problem
from mosaic_sr.table import Table, read_columns

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Source:
    """A table in files, in the user's words.

    columns: the features, None for all columns.  ignored: those to leave out.
    weights: the column that holds the weights of the rows.  validation: a file of rows to choose the law on.
    """

    file: Path
    target: str
    columns: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()
    weights: str | None = None
    validation: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are read."""
        return (self.file,) if self.validation is None else (self.file, self.validation)

    def problem(self, rng: np.random.Generator) -> Problem:
        """The numbers of the files, read and checked."""
        columns = self._read(self.file, self.columns, self.ignored)
        X, y, weights = self._taken_apart(columns)
        names = tuple(columns)
        held_out = None
        if self.validation is not None:
            held_out = self._taken_apart(self._read(self.validation, names, ()))
        table = Table.from_arrays(
            X, y, rng=rng, names=names, target_name=self.target, weights=weights, validation=held_out
        )
        return Problem(table, names, is_named=True)

    def _read(self, file: Path, features: Sequence[str] | None, ignored: Sequence[str]) -> dict[str, Floats]:
        """The features, the target and the weights, where there are any, of one file."""
        if self.weights is None:
            return read_columns(file, self.target, features, ignored)
        wanted = None if features is None else list(dict.fromkeys((*features, self.weights)))
        columns = read_columns(file, self.target, wanted, ignored)
        if self.weights not in columns or self.weights == self.target:
            raise InvalidFile(f"{file}: --weights {self.weights!r} is none of the columns {', '.join(columns)}")
        if len(columns) == 2:
            raise InvalidFile(f"{file}: no column besides the target and the weights; at least one feature is needed")
        return columns

    def _taken_apart(self, columns: dict[str, Floats]) -> tuple[Floats, Floats, Floats | None]:
        """Features (rows, columns), target and weights (rows,); the features alone are left in `columns`."""
        target = columns.pop(self.target)
        weights = None if self.weights is None else columns.pop(self.weights)
        return np.array(list(columns.values())).T, target, weights
