"""The rows that pictures and reports show: in the user's order and units, thinned where there are very many."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.bands import outlier_rows
from mosaic_sr.equation import Equation
from mosaic_sr.errors import InvalidSettings, InvalidTable
from mosaic_sr.group_constants import refuse_groups
from mosaic_sr.outcome import Outcome
from mosaic_sr.table import FileColumns

Floats = NDArray[np.float64]

# Rows that are kept of a long table: more than any picture shows, and a report stays a matter of a second.
MOST_ROWS = 20_000
# Columns that are kept beside those that laws read: the search itself reads 200 at most.
MOST_COLUMNS = 200
# Outliers that are kept however the rows are thinned.
MOST_OUTLIERS = 200
# Fractions of its multiples fill the unit interval evenly, and no grid in the rows falls into step with them.
GOLDEN = 0.5 * (5.0**0.5 - 1.0)


@dataclass(frozen=True)
class ColumnFacts:
    """What the rows say of one column: the middle and the number of values are those of the rows that are kept."""

    name: str
    num_distinct: int
    low: float
    median: float
    high: float
    mean: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Observed:
    """Rows of a table beside a law.

    kept: the columns that are held, among all of the user's; names, columns: of these, (kept,) and (kept, rows).
    target: (rows,).  sigma: (rows,), standard errors of the target, or None.
    places, place_word: (rows,), where each row stands, as in "line 7".  num_rows: of the whole table.
    outliers: (rows,), whether a row is an outlier of the law.
    facts: of the kept columns and, last, of the target.  lacking: columns of the law's table that this one lacks.
    source, digest: what the table is called, and what its content hashes to.  notes: one sentence each.
    are_of_search: whether the law was found on these rows, and not on others.
    """

    kept: tuple[int, ...]
    names: tuple[str, ...]
    columns: Floats
    target: Floats
    sigma: Floats | None
    places: NDArray[np.intp]
    place_word: str
    num_rows: int
    outliers: NDArray[np.bool_]
    facts: tuple[ColumnFacts, ...]
    lacking: tuple[str, ...] = ()
    source: str = ""
    digest: str = ""
    notes: tuple[str, ...] = ()
    are_of_search: bool = False

    @property
    def medians(self) -> Floats:
        """Of the kept columns: (kept,), NaN where a column has no values."""
        return np.array([fact.median for fact in self.facts[:-1]])

    def narrowed(self, equation: Equation) -> Equation:
        """An equation of all the user's columns as one of those that are kept."""
        places = np.zeros(max(self.kept, default=0) + 1, dtype=np.int32)
        places[list(self.kept)] = np.arange(len(self.kept))
        ties = tuple(map(self.narrowed, equation.ties))
        return replace(equation, expression=equation.expression.renamed(places.tolist()), names=self.names, ties=ties)


def observe_arrays(outcome: Outcome, columns: Floats, target: Any, sigma: Any = None) -> Observed:
    """The rows of arrays; columns: (columns, rows), target and sigma: (rows,) in any form that numpy reads."""
    own = np.asarray(target, dtype=np.float64).ravel()
    errors = None if sigma is None else np.asarray(sigma, dtype=np.float64).ravel()
    digest = hashlib.sha256(np.ascontiguousarray(columns, dtype=np.float64).tobytes())
    digest.update(own.tobytes())
    seen = observe(outcome, lambda column: columns[column], own, errors)
    return replace(seen, source="arrays", digest=digest.hexdigest())


def rows_to_show(outcome: Outcome, kept: Observed | None, columns: Floats | None, target: Any, sigma: Any) -> Observed:
    """The rows that a caller hands in, (columns, rows) and (rows,), else those that a fit has kept."""
    refuse_groups(outcome.groups, "pictures and reports")
    if columns is None and target is None and kept is not None:
        return kept
    if columns is None or target is None:
        raise InvalidSettings("give the rows to show as X and y: a model from a law file has none of its own")
    if np.shape(np.ravel(target)) != columns.shape[1:]:
        raise InvalidTable(f"X has {columns.shape[1]} rows and y has {np.size(target)}; they must match")
    return observe_arrays(outcome, columns, target, sigma)


def observe_file(outcome: Outcome, read: FileColumns, digest: str, sigma: str | None = None) -> Observed:
    """The rows of a file without empty cells, which holds the target and the columns of the law."""
    refuse_groups(outcome.groups, "pictures and reports")
    found: Mapping[str, Floats] = read.columns
    errors = None if sigma is None else found[sigma]
    seen = observe(outcome, lambda column: found.get(outcome.names[column]), found[outcome.target], errors)
    lines = np.asarray(read.places, dtype=np.intp)
    places = (
        {"places": lines[seen.places], "place_word": read.place_word} if len(lines) else {"places": seen.places + 1}
    )
    return replace(seen, source=read.label, digest=digest, notes=read.notes, **places)


def observe(
    outcome: Outcome, column_of: Callable[[int], Floats | None], target: Floats, sigma: Floats | None = None
) -> Observed:
    """The rows of a table; column_of: the values of a column, (rows,), or None where the table lacks it.

    Rows are called by their number from 0.
    """
    read = _columns_read(outcome)
    kept = tuple(sorted({*read, *_others(len(outcome.names), read)}))
    lacking = [column for column in kept if column_of(column) is None]
    held = [column for column in kept if column in read or column not in lacking]
    all_columns = [_values(column_of(column), len(target)) for column in held]
    names = tuple(outcome.names[column] for column in held)
    all_names = (*names, outcome.target)
    is_outlier = _outliers(outcome, held, all_columns, target)
    chosen = _chosen_rows(is_outlier)
    return Observed(
        kept=tuple(held),
        names=names,
        columns=np.array([values[chosen] for values in all_columns]).reshape(len(held), len(chosen)),
        target=target[chosen],
        sigma=None if sigma is None else sigma[chosen],
        places=chosen,
        place_word="row",
        num_rows=len(target),
        outliers=is_outlier[chosen],
        facts=tuple(_facts(name, own, chosen) for name, own in zip(all_names, (*all_columns, target), strict=True)),
        lacking=tuple(outcome.names[column] for column in lacking),
    )


def thinned(num_rows: int, most: int) -> NDArray[np.intp]:
    """At most so many of the rows, spread evenly and always the same ones."""
    if num_rows <= most:
        return np.arange(num_rows)
    return np.flatnonzero((np.arange(num_rows) * GOLDEN) % 1.0 < most / num_rows)[:most]


def _columns_read(outcome: Outcome) -> set[int]:
    laws = (outcome.law, *outcome.law.ties, *outcome.front)
    return {column for law in laws for column in law.expression.columns}


def _others(num_columns: int, read: set[int]) -> list[int]:
    """Columns that no equation reads, as many as there is room for."""
    some = range(min(num_columns, MOST_COLUMNS + len(read)))
    return [column for column in some if column not in read][: max(0, MOST_COLUMNS - len(read))]


def _values(column: Floats | None, num_rows: int) -> Floats:
    return np.full(num_rows, np.nan) if column is None else np.asarray(column, dtype=np.float64)


def _outliers(outcome: Outcome, held: Sequence[int], columns: Sequence[Floats], target: Floats) -> NDArray[np.bool_]:
    """(rows,), whether a row is an outlier of the law."""
    is_outlier = np.zeros(len(target), dtype=np.bool_)
    law, scatter = outcome.law, outcome.scatter
    if scatter is None or not scatter.num_outliers:
        return is_outlier
    places = dict(zip(held, columns, strict=True))
    own = sorted(law.expression.columns)
    order = np.zeros(max(own, default=0) + 1, dtype=np.int32)
    order[own] = np.arange(len(own))
    alone = replace(law, expression=law.expression.renamed(order.tolist()))
    matrix = np.array([places[column] for column in own]).reshape(len(own), len(target))
    is_outlier[outlier_rows(alone, scatter, matrix, target)] = True
    return is_outlier


def _chosen_rows(is_outlier: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The rows to keep, in order: outliers always, as far as these are few."""
    return np.union1d(thinned(len(is_outlier), MOST_ROWS), np.flatnonzero(is_outlier)[:MOST_OUTLIERS])


@np.errstate(all="ignore")
def _facts(name: str, values: Floats, chosen: NDArray[np.intp]) -> ColumnFacts:
    known, kept = (own[np.isfinite(own)] for own in (values, values[chosen]))
    if not len(kept):
        return ColumnFacts(name, 0, *[float("nan")] * 5)
    # Divided before they are added and squared: numbers near the largest stay finite.
    size = float(np.max(np.abs(known))) or 1.0
    shares = known / size
    middle = size * np.median(kept / size)
    summary = (known.min(), middle, known.max(), size * np.mean(shares), size * np.std(shares))
    return ColumnFacts(name, len(np.unique(kept)), *map(float, summary))
