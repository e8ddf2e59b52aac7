"""`Table`: what a search reads, made from the arrays or frames that a user hands in."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable, MosaicWarning
from mosaic_sr.table.censoring import CensoredRows, checked_sides, notes_on_censoring
from mosaic_sr.table.checks import name_of_target
from mosaic_sr.table.errors_in_columns import TrueValues, refuse_larger_than_column
from mosaic_sr.table.given import Given, checked_given
from mosaic_sr.table.resolution import Resolution, find_resolution
from mosaic_sr.table.rows import Rows, bound, split, spread_over_target
from mosaic_sr.table.scaling import choose_exponent, divide_in_place
from mosaic_sr.table.stated_errors import (
    refuse_larger_than_signal,
    refuse_shared_column,
)

Floats = NDArray[np.float64]

# Computed rows without a finite value are left out; a law that holds on fewer than half of the rows proves little.
MOST_LOST = 0.5
# Columns that are not the same differ in their first rows already, mostly.
HEAD_ROWS = 1000


@dataclass(frozen=True)
class TableConfig:
    """How rows are shared out."""

    # One row in five: enough to rank candidates, little taken from fitting.
    validation_share: float = 0.2
    # Below 40 rows a fifth is fewer than 8 rows, which rank candidates by luck; then all rows serve both.
    least_rows_to_split: int = 40
    # Constants are sharp long before 10,000 rows, and the time of a fit grows with every row.
    most_rows: int = 10_000


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of the columns in use, scaled, split into training and validation rows.

    names: of the columns in use; `used` gives their positions among the user's columns.
    columns: (columns, rows), target: (rows,), weights: (rows,) or (0,) when all are 1.
    column_exponents, target_exponent: a user's number is the stored one times 2**exponent.
    training, validation: distinct rows, or all rows in both when there are few.
    notes: for the user, one sentence each.
    resolutions: of the columns and, last, of the target, if computed from another table; else empty.
    sampled: smallest and largest number of each column in use, in the user's units and in all rows, by its position
        among the user's columns.
    censored: rows of whose target only a limit is known; the search leaves them out, evidence counts them.
    holds_out: whether the validation rows are the user's own, to which nothing is fitted, also where rows are noisy.
    """

    names: tuple[str, ...]
    target_name: str
    used: tuple[int, ...]
    columns: Floats
    target: Floats
    weights: Floats
    column_exponents: tuple[int, ...]
    target_exponent: int
    training: Rows
    validation: Rows
    notes: tuple[str, ...]
    resolutions: tuple[Resolution, ...] = ()
    holds_out: bool = False
    sampled: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    censored: CensoredRows | None = None

    @classmethod
    def from_arrays(
        cls,
        X: object,
        y: object,
        *,
        rng: np.random.Generator,
        names: Sequence[object] | None = None,
        target_name: str | None = None,
        weights: object = None,
        validation: Sequence[object] | None = None,
        sigma: object = None,
        x_sigma: object = None,
        sides: Floats | None = None,
        config: TableConfig | None = None,
    ) -> Table:
        """The table of features X (rows, columns) and target y (rows,).

        X and y: arrays, lists, pandas or polars frames; weights: (rows,), 0 or more.
        validation: `(X, y)` or `(X, y, weights)` for validation rows; by default they are drawn from the given rows.
        sigma: (rows,), standard error of each target, above 0, instead of weights; then validation is `(X, y, sigma)`.
        x_sigma: standard errors of the columns, see `checked_x_sigma`; these become the most probable true values.
        sides: (rows,), -1 and 1 where the target is a limit that the true one is below or above, else 0.
        Raises InvalidTable; warns with MosaicWarning about ignored columns.
        """
        given = checked_given(X, y, weights, names, "", sigma, x_sigma)
        own_sides = checked_sides(sides, len(given.target), given.weights, "censoring")
        limits, given = given.parted(own_sides)
        name = name_of_target(y, target_name, given.names)
        refuse_constant_target(given, name)
        if given.sigma is not None:
            refuse_shared_column(sigma, given.sigma, given.names, given.columns, (name, given.target))
            refuse_larger_than_signal(given.sigma, given.target, name)
        used, notes = useful_columns(given)
        _warn(notes)
        rows = given.merged(used)
        held_out = None if validation is None else _check_validation(validation, given, used)
        sampled = {i: (float(own.min()), float(own.max())) for i, own in zip(used, rows.columns, strict=True)}
        censored = None if limits is None else limits.as_limits(used)
        rows, censored = _with_true_values(rows, censored, held_out, [given.names[i] for i in used])
        exponents = _scale(rows, held_out, None if censored is None else censored.rows)
        chosen = TableConfig() if config is None else config
        training, validating, split_notes = _share_out(rows, held_out, chosen, rng)
        return cls(
            names=tuple(given.names[i] for i in used),
            target_name=name,
            used=used,
            columns=rows.columns,
            target=rows.target,
            weights=rows.weights,
            column_exponents=exponents[:-1],
            target_exponent=exponents[-1],
            training=training,
            validation=validating,
            notes=(
                *notes,
                *given.notes,
                *_notes_on_limits(own_sides),
                *size_notes(rows.num_rows, len(rows.columns)),
                *split_notes,
            ),
            holds_out=held_out is not None,
            sampled=sampled,
            censored=censored,
        )

    def derived(
        self, names: Sequence[str], compute: Callable[[Rows], Rows], resolutions: Sequence[Resolution]
    ) -> Table | None:
        """A table computed from this one's rows, which keep their parts; None where too few of them have finite values.

        resolutions: of the computed columns and, last, of the computed target.
        """
        training, validation = _finite(compute(self.training)), _finite(compute(self.validation))
        is_usable = all(rows.num_rows > 1 and not rows.has_constant_target for rows in (training, validation))
        if not is_usable or training.num_rows + validation.num_rows < (1 - MOST_LOST) * self._num_shared:
            return None
        exponents = _scale(training, validation)
        moved = [
            replace(known, exponent=known.exponent + exponent)
            for known, exponent in zip(resolutions, exponents, strict=True)
        ]
        return Table(
            names=tuple(names),
            target_name=self.target_name,
            used=tuple(range(len(names))),
            columns=training.columns,
            target=training.target,
            weights=training.weights,
            column_exponents=exponents[:-1],
            target_exponent=exponents[-1],
            training=training,
            validation=validation,
            notes=(),
            resolutions=tuple(moved),
        )

    @property
    def _num_shared(self) -> int:
        return self.training.num_rows + self.validation.num_rows

    @property
    def num_columns(self) -> int:
        return len(self.columns)

    @property
    def num_rows(self) -> int:
        return len(self.target)

    def some_training(self, num_rows: int) -> Rows:
        """At most `num_rows` training rows, spread over the target's range."""
        return spread_over_target(self.training, num_rows)

    @cached_property
    def target_resolution(self) -> Resolution:
        """How finely the target was rounded; takes and returns scaled numbers."""
        return self.resolutions[-1] if self.resolutions else find_resolution(self.target, self.target_exponent)

    @cached_property
    def column_resolutions(self) -> tuple[Resolution, ...]:
        """How finely each column was rounded; takes and returns scaled numbers."""
        return self.resolutions[:-1] or tuple(map(find_resolution, self.columns, self.column_exponents))

    @property
    def all_resolutions(self) -> tuple[Resolution, ...]:
        """Those of the columns and, last, of the target: for another table of the same numbers, which then need not
        be sorted again.
        """
        return (*self.column_resolutions, self.target_resolution)


def useful_columns(given: Given) -> tuple[tuple[int, ...], list[str]]:
    """Positions of the columns that tell something of their own, and a note for each of the others."""
    alike: dict[bytes, list[int]] = {}
    used, notes = [], []
    columns, target = [given.weighted(column) for column in given.columns], given.weighted(given.target)
    for position, (name, values) in enumerate(zip(given.names, columns, strict=True)):
        head = values[:HEAD_ROWS] + 0.0
        others = alike.setdefault(head.tobytes(), [])
        twin = next((other for other in others if np.array_equal(columns[other], values)), None)
        others.append(position)
        if twin is not None:
            notes.append(f"column {name!r} is ignored: it equals column {given.names[twin]!r} in every row")
        elif np.all(head == head[0]) and np.all(values == values[0]):
            notes.append(f"column {name!r} is ignored: it is {head[0]:g} in every row")
        else:
            used.append(position)
            if np.array_equal(head, target[:HEAD_ROWS]) and np.array_equal(values, target):
                notes.append(
                    f"column {name!r} equals the target in every row; leave it out if it is a copy of the target"
                )
    if not used:
        raise InvalidTable("every column of X is constant; at least one must vary")
    return tuple(used), notes


def _warn(notes: Sequence[str]) -> None:
    for note in notes:
        warnings.warn(note, MosaicWarning, stacklevel=3)


def refuse_constant_target(given: Given, name: str) -> None:
    target = given.weighted(given.target)
    if len(target) == 1:
        raise InvalidTable("the table has one row (1 sample) with a weight above 0; at least three are needed")
    if np.all(target == target[0]):
        raise InvalidTable(f"the target {name!r} is {target[0]:g} in every row; there is no law to find")


def _check_validation(validation: Sequence[object], training: Given, used: Sequence[int]) -> Rows:
    names, has_sigma = training.names, training.sigma is not None
    expected = "(X, y, sigma), since sigma is given" if has_sigma else "(X, y) or (X, y, weights)"
    if not isinstance(validation, Sequence) or not 2 <= len(validation) <= 3:
        raise InvalidTable(f"validation must be {expected}, got {type(validation).__name__}")
    X, y, third = (*validation, None)[:3]
    if has_sigma and third is None:
        raise InvalidTable(f"validation must be {expected}, got no standard errors for the validation rows")
    weights, sigma = (None, third) if has_sigma else (third, None)
    given = checked_given(X, y, weights, None, "validation ", sigma)
    if len(given.names) != len(names):
        raise InvalidTable(
            f"validation X has {len(given.names)} columns, but X has {len(names)}; both need the same columns"
        )
    is_named = given.names != tuple(f"x{i}" for i in range(len(names)))
    if is_named and given.names != names:
        raise InvalidTable(
            f"validation X has the columns {list(given.names)} but X has {list(names)}; use the same order"
        )
    rows = given.merged(used)
    if rows.has_constant_target:
        raise InvalidTable(f"validation y is {rows.target[0]:g} in every row; give rows in which it varies")
    return rows


def _with_true_values(
    rows: Rows, censored: CensoredRows | None, held_out: Rows | None, names: Sequence[str]
) -> tuple[Rows, CensoredRows | None]:
    """The rows with the most probable true values in place of measured ones, where columns have errors."""
    if not rows.has_x_sigma:
        return rows, censored
    if held_out is not None:
        raise InvalidTable("validation rows have no X_sigma; leave validation out where columns have errors")
    refuse_larger_than_column(list(rows.columns), rows.x_sigma, names)
    known = TrueValues(rows.columns, rows.x_sigma, rows.weights)

    def moved(own: Rows) -> Rows:
        means, deviations = known.given(own.columns, own.x_sigma)
        return replace(own, columns=means, x_sigma=deviations)

    return moved(rows), None if censored is None else censored.with_rows(moved(censored.rows))


def _notes_on_limits(sides: Floats | None) -> list[str]:
    return [] if sides is None else notes_on_censoring(sides)


def _scale(rows: Rows, *others: Rows | None) -> tuple[int, ...]:
    """Scales all in place; the exponents of the columns and, last, of the target."""
    parts = (rows, *(part for part in others if part is not None))
    # Standard errors have the unit of their column.
    groups = [
        [*(part.columns[place] for part in parts), *(part.x_sigma[place] for part in parts if part.has_x_sigma)]
        for place in range(len(rows.columns))
    ]
    # Standard errors have the unit of the target.
    groups.append([*(part.target for part in parts), *(part.sigma for part in parts)])
    exponents = []
    for values, *also in groups:
        exponent = choose_exponent(values, np.concatenate([np.empty(0), *also]))
        for own in (values, *also):
            divide_in_place(own, exponent)
        exponents.append(exponent)
    return tuple(exponents)


def _finite(rows: Rows) -> Rows:
    """The rows whose numbers are all finite, in memory of their own."""
    is_usable = np.isfinite(rows.target) & np.isfinite(rows.columns).all(axis=0)
    if rows.has_sigma:
        is_usable &= np.isfinite(rows.sigma) & (rows.sigma > 0.0)
    return rows.take(np.flatnonzero(is_usable))


def _share_out(
    rows: Rows, held_out: Rows | None, config: TableConfig, rng: np.random.Generator
) -> tuple[Rows, Rows, list[str]]:
    """Training rows, validation rows, and notes on how they came about."""
    notes = []
    if rows.num_rows > config.most_rows:
        notes.append(f"the search uses {config.most_rows} of {rows.num_rows} rows")
    if held_out is not None:
        return bound(rows, config.most_rows, rng), bound(held_out, config.most_rows, rng), notes
    if rows.num_rows >= config.least_rows_to_split:
        training, validating = split(rows, config.validation_share, config.most_rows, rng)
        if not validating.has_constant_target:
            return training, validating, notes
    everything = bound(rows, config.most_rows, rng)
    return everything, everything, [*notes, "there are few rows: all are used for training and for validation"]


def size_notes(num_rows: int, num_columns: int) -> list[str]:
    """A note where there are fewer rows than columns."""
    if num_rows >= num_columns:
        return []
    return [f"{num_rows} rows for {num_columns} columns; many laws will fit, so trust only simple ones"]
