"""What `mosaic fit` reads: the files, and what their columns are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.big_tables import BlockFile, LongTable, RowColumn, open_blocks
from mosaic_sr.cli.words import check_missing
from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.grouped import GroupedProblem, grouped_problem
from mosaic_sr.inputs import STANDARD_INPUT, Input, find_input
from mosaic_sr.preparation import Problem
from mosaic_sr.requirements import given_rows
from mosaic_sr.table import GAP_RULES, FileColumns, Table, read_file
from mosaic_sr.table.indicators import indicator_names, indicator_notes, indicator_values, labels_of
from mosaic_sr.table.label_columns import known_cells, read_cells, read_labels
from mosaic_sr.table.labels import checked_labels
from mosaic_sr.units.door import notes_on_units
from mosaic_sr.units.headers import file_units, without_units_of

Floats = NDArray[np.float64]

# Names in a message; of a million columns nobody reads more.
SHOWN_NAMES = 8


@dataclass(frozen=True, eq=False)
class Arrays:
    """Features (rows, columns) with their names, the target, weights or standard errors (rows,), notes on the file."""

    names: tuple[str, ...]
    X: Floats
    y: Floats
    weights: Floats | None
    sigma: Floats | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """A table in files, in the user's words.

    columns: the features, None for all columns.  ignored: those to leave out.
    weights: the column that holds the weights of the rows.  validation: a file of rows to choose the law on.
    missing: what to do about rows with empty cells, a word of GAP_RULES.
    sigma: the column that holds the standard errors of the target.
    x_sigma: standard errors of features, each by the feature and a number or the column that holds them.
    units: of columns and target, as L=m; the word none ignores those of the file.
    groups: the column that says which rows share constants.
    indicators: columns of labels, each read as columns of 0 and 1.
    """

    file: Path
    target: str
    columns: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()
    weights: str | None = None
    validation: Path | None = None
    missing: str = "drop"
    sigma: str | None = None
    x_sigma: tuple[tuple[str, str | float], ...] = ()
    units: tuple[str, ...] | None = None
    groups: str | None = None
    indicators: tuple[str, ...] = ()

    @property
    def _error_columns(self) -> tuple[str, ...]:
        """The columns that hold standard errors of features, and are none."""
        return tuple(errors for _, errors in self.x_sigma if isinstance(errors, str))

    @property
    def _row_column(self) -> str | None:
        """The column that says how much each row counts, and is not a feature."""
        return self.weights if self.sigma is None else self.sigma

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are read."""
        return (self.file,) if self.validation is None else (self.file, self.validation)

    @cached_property
    def input(self) -> Input:
        """The file of the table, found once: a stream cannot be read twice."""
        return find_input(self.file)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes of the file."""
        return self.input.digest()

    @cached_property
    def blocks(self) -> BlockFile | None:
        """The file, where it is long and can be read in blocks: groups, labels and errors of features need it whole."""
        if self.groups or self.indicators or self.x_sigma or self.validation:
            return None
        check_missing(self.missing, GAP_RULES)
        self._check_row_column()
        own = () if self._row_column is None else (self._row_column,)
        columns = None if self.columns is None else list(dict.fromkeys((*self.columns, *own)))
        return open_blocks(self.input, self.target, columns, self.ignored)

    def long_table(self, seeds: tuple[int, ...], time_limit: float | None, is_shown: bool) -> LongTable | None:
        """The rows drawn from a long file, which then stand for `rows`; None for a short one."""
        if self.blocks is None:
            return None
        own = None if self._row_column is None else RowColumn(self._row_column, self.sigma is not None)
        table = LongTable.read(self.blocks, self.missing, own, seeds, time_limit, is_shown)
        self.__dict__["rows"] = table.survey.rows
        return table

    @cached_property
    def rows(self) -> FileColumns:
        """What the file holds, without rows that have empty cells."""
        return self._read(self.input, self.columns, self.ignored)

    def of_target(self, target: str, others: Sequence[str] = ()) -> Source:
        """The same source for one target; others: targets too, and so no features."""
        units = without_units_of(self.units, others)
        own = replace(self, target=target, ignored=(*self.ignored, *others), units=units)
        own.__dict__["input"] = self.input  # a stream cannot be read twice
        return own

    def problem(self, rng: np.random.Generator) -> Problem:
        """The numbers of the files, read and checked."""
        check_missing(self.missing, GAP_RULES)
        self._check_row_column()
        if len(self.files) == 2 and set(map(str, self.files)) <= set(STANDARD_INPUT):
            raise InvalidFile("standard input can be read only once; give --validation as a file")
        read = self.rows
        names = self._feature_names(read)
        held_out = None if self.validation is None else self._read(find_input(self.validation), names, ())
        if held_out is not None:
            _refuse_limits(held_out, "validation rows need values")
        X, y, of_rows = self._taken_apart(read)
        sides = read.sides if len(read.sides) else None
        table = Table.from_arrays(
            X,
            y,
            rng=rng,
            names=names,
            target_name=self.target,
            weights=of_rows if self.sigma is None else None,
            sigma=None if self.sigma is None else of_rows,
            x_sigma=self._errors_of_features(read, names),
            sides=sides,
            validation=None if held_out is None else self._taken_apart(held_out),
        )
        notes = (*read.notes, *(f"validation: {note}" for note in (held_out.notes if held_out else ())), *table.notes)
        units, on_units = file_units(self.units, names, self.target, read.units, read.label)
        notes = (*notes, *on_units, *notes_on_units(units, names))
        notes = (*notes, *indicator_notes(self._labels))
        given = given_rows(X, y, None if self.sigma is None else of_rows, sides, read.all_places())
        return Problem(
            replace(table, notes=notes), names, is_named=True, given=given, units=units, indicators=self._labels
        )

    def grouped_problem(self) -> GroupedProblem:
        """The numbers and the groups of the file, read and checked."""
        if self.groups is None or self.groups in (self.target, self._row_column, *(self.columns or ())):
            raise InvalidSettings(f"--groups {self.groups!r} must be a column of its own, neither target nor feature")
        codes, labels = read_labels(self.input, self.groups)
        without = replace(self, ignored=(*self.ignored, self.groups))
        check_missing(self.missing, GAP_RULES)
        without._check_row_column()
        read = without._unchecked(self.input, self.columns, without.ignored)
        # Rows without a label are left out like rows with other empty cells.
        read = GAP_RULES[self.missing](replace(read, columns={**read.columns, self.groups: codes}))
        own = [labels[int(code)] for code in read.columns[self.groups]]
        read = replace(read, columns={name: values for name, values in read.columns.items() if name != self.groups})
        X, y, of_rows = without._taken_apart(read)
        weights, sigma = (of_rows, None) if self.sigma is None else (None, of_rows)
        checked = checked_labels(own, len(y), f"the group column {self.groups!r}")
        names = without._feature_names(read)
        problem = grouped_problem(X, y, checked, self.groups, names, self.target, weights, sigma)
        return replace(problem, notes=(*read.notes, *problem.notes, *indicator_notes(self._labels)))

    def arrays(self) -> Arrays:
        """The numbers of the file as they stand there; a validation file is not read."""
        check_missing(self.missing, GAP_RULES)
        self._check_row_column()
        read = self.rows
        _refuse_limits(read, "only mosaic fit reads limits")
        X, y, of_rows = self._taken_apart(read)
        weights, sigma = (of_rows, None) if self.sigma is None else (None, of_rows)
        return Arrays(self._feature_names(read), X, y, weights, sigma, read.notes)

    def _feature_names(self, read: FileColumns) -> tuple[str, ...]:
        others = (self.target, self._row_column, *self._error_columns)
        return tuple(name for name in read.columns if name not in others)

    def _errors_of_features(self, read: FileColumns, names: Sequence[str]) -> dict[str, Floats | float] | None:
        """Standard errors by feature; None where there are none."""
        for name, _ in self.x_sigma:
            if name not in names:
                shown = ", ".join(map(repr, names[:SHOWN_NAMES]))
                raise InvalidSettings(f"--x-sigma names {name!r}, which is not a feature; the features are {shown}")
        found = {name: read.columns[own] if isinstance(own, str) else own for name, own in self.x_sigma}
        return found or None

    def _read(self, file: Input, features: Sequence[str] | None, ignored: Sequence[str]) -> FileColumns:
        """The features, the target, and the weights or standard errors of one file; without empty cells."""
        return GAP_RULES[self.missing](self._unchecked(file, features, ignored))

    def _unchecked(self, file: Input, features: Sequence[str] | None, ignored: Sequence[str]) -> FileColumns:
        """The same with the empty cells."""
        own, wanted = self._row_column, features
        others = [*([] if own is None else [own]), *self._error_columns]
        if others and features is not None:
            wanted = list(dict.fromkeys((*features, *others)))
        read = self._read_columns(file, wanted, ignored)
        for name in self._error_columns:
            if name not in read.columns or name == self.target:
                shown = ", ".join(map(repr, list(read.columns)[:SHOWN_NAMES]))
                raise InvalidFile(f"{file}: --x-sigma names no column {name!r} of errors; the columns are {shown}")
        option, what = ("--weights", "weights") if self.sigma is None else ("--sigma", "standard errors")
        if own is not None and (own not in read.columns or own == self.target):
            shown = ", ".join(map(repr, list(read.columns)[:SHOWN_NAMES]))
            raise InvalidFile(
                f"{file}: {option} {own!r} must be a column other than the target; the columns are {shown}"
            )
        if own is not None and not self._feature_names(read):
            raise InvalidFile(f"{file}: no column except the target and the {what}; at least one feature is needed")
        return read

    def _read_columns(self, file: Input, wanted: Sequence[str] | None, ignored: Sequence[str]) -> FileColumns:
        """The columns of a file, those of labels as columns of 0 and 1."""
        if not self.indicators:
            return read_file(file, self.target, wanted, ignored, takes_limits=True)
        known = self._labels
        made = {name for column, labels in known.items() for name in indicator_names(column, labels)}
        rest = None if wanted is None else [name for name in wanted if name not in {*known, *made}]
        read = read_file(file, self.target, rest, (*ignored, *known), takes_limits=True)
        columns = dict(read.columns)
        target = columns.pop(self.target)
        for column, labels in known.items():
            values = indicator_values(read_cells(file, column), column, labels)
            columns |= dict(zip(indicator_names(column, labels), values, strict=True))
        return replace(read, columns={**columns, self.target: target})

    @cached_property
    def _labels(self) -> dict[str, tuple[str, ...]]:
        """The labels of the columns that are read as 0 and 1; empty cells are none."""
        return {name: labels_of(known_cells(read_cells(self.input, name)), name) for name in self.indicators}

    def _check_row_column(self) -> None:
        if self.sigma is None:
            return
        if self.weights is not None:
            raise InvalidSettings("give sigma or weights, not both: --sigma already states how much each row counts")
        if self.sigma == self.target:
            raise InvalidSettings(f"--sigma {self.sigma!r} is the target; name the column with its standard errors")
        if self.sigma in (self.columns or ()):
            raise InvalidSettings(
                f"--sigma {self.sigma!r} is also in --columns; a feature cannot be the standard error"
            )

    def _taken_apart(self, read: FileColumns) -> tuple[Floats, Floats, Floats | None]:
        """Features (rows, columns), target, and weights or standard errors (rows,)."""
        own = self._row_column
        features = [read.columns[name] for name in self._feature_names(read)]
        return np.array(features).T, read.columns[self.target], None if own is None else read.columns[own]


def _refuse_limits(read: FileColumns, why: str) -> None:
    if len(read.sides):
        row = int(np.argmax(read.sides != 0.0))
        raise InvalidFile(
            f"{read.label}: the target is a bound, such as <0.05, in {read.place(row)}; {why}: empty the cell to leave "
            "its row out, or write a number instead"
        )
