"""`check`: all checks of a table before any search, the most important finding first."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.checking.cells import MOST_GAPS, check_cells
from mosaic_sr.checking.columns import (
    MANY_COLUMNS,
    ColumnFacts,
    check_columns,
    check_index,
    check_singles,
    column_facts,
)
from mosaic_sr.checking.derived import check_derived
from mosaic_sr.checking.finding import Finding, Importance
from mosaic_sr.checking.result import Checked
from mosaic_sr.checking.rows import check_rows
from mosaic_sr.checking.target import check_dependence, check_outliers, check_target, find_dependence
from mosaic_sr.checking.units import check_units
from mosaic_sr.errors import InvalidTable
from mosaic_sr.table import Rows
from mosaic_sr.table.checks import target_name_beside
from mosaic_sr.table.given import Given
from mosaic_sr.table.loose import LooseColumns, loose_from_arrays
from mosaic_sr.table.table import useful_columns

Floats = NDArray[np.float64]


def check(
    X: object,
    y: object = None,
    *,
    names: Sequence[object] | None = None,
    target_name: str | None = None,
    has_sigma: bool = False,
) -> Checked:
    """Look at a table before any search: what is wrong with it, and what its rows can and cannot show.

    X: (rows, columns), an array or a frame, also with gaps and text.  y: the target; without it columns are checked.
    names: of the columns; by default those of the frame X, or x0, x1, ..
    has_sigma: whether standard errors of the target are known, so that counts need no warning.
    """
    name = target_name_beside(X, y) if target_name is None else target_name
    return check_loose(loose_from_arrays(X, y, names, name), has_sigma)


@np.errstate(all="ignore")  # numbers of any size are looked at
def check_loose(table: LooseColumns, has_sigma: bool = False, units: Sequence[str] | None = None) -> Checked:
    """All findings on a table, the most important first; those of one importance in the order of the checks.

    units: of columns and target, as L=m, beside those in the file.
    """
    is_many = len(table.columns) > MANY_COLUMNS
    facts = {
        name: column_facts(name, values, name == table.target, is_many and name != table.target)
        for name, values in table.columns.items()
    }
    complete = _complete_rows(table)
    findings = [*check_cells(table), *check_units(table, units), *_findings(table, facts, complete, has_sigma)]
    findings.sort(key=lambda finding: finding.importance)
    return Checked(
        label=table.label,
        num_rows=table.num_rows,
        num_complete=len(complete),
        target=table.target,
        columns=tuple(facts.values()),
        findings=tuple(findings),
    )


def _usable(table: LooseColumns) -> list[str]:
    """Columns of numbers; one of text or mostly gaps is left out, so that the rest can be looked at."""
    most = MOST_GAPS * table.num_rows
    return [
        name
        for name, values in table.columns.items()
        if name not in table.texts and np.count_nonzero(~np.isfinite(values)) <= most
    ]


def _complete_rows(table: LooseColumns) -> NDArray[np.intp]:
    """Rows whose usable columns all hold finite numbers."""
    is_complete = np.ones(table.num_rows, dtype=np.bool_)
    for name in _usable(table):
        is_complete &= np.isfinite(table.columns[name])
    return np.flatnonzero(is_complete)


def _findings(
    table: LooseColumns, facts: dict[str, ColumnFacts], complete: NDArray[np.intp], has_sigma: bool
) -> Iterator[Finding]:
    usable = _usable(table)
    columns = {name: table.columns[name][complete] for name in usable if name != table.target}
    target = table.columns[table.target][complete] if table.target in usable and table.target is not None else None
    if not len(complete) or not columns:
        yield Finding(
            Importance.PROBLEM, "rows", "no row holds a number in every column", "leave out columns of text or gaps"
        )
        return
    yield from check_rows(list(columns.values()), list(columns), target)
    yield from check_index({name: table.columns[name] for name in columns})
    if target is not None:
        yield from check_target(facts[str(table.target)], target, has_sigma)
    is_useful = yield from _useless(columns, target)
    varying = {name: own for name, own in columns.items() if name in is_useful}
    is_noisy = yield from _dependence(table, varying, target, complete)
    yield from check_derived(varying)
    yield from check_columns({name: facts[name] for name in varying}, varying, is_noisy)
    yield from check_singles(facts)


def _useless(columns: dict[str, Floats], target: Floats | None) -> Generator[Finding, None, set[str]]:
    """Columns that a search sets aside; returns the names of the others."""
    # Without a target there is none that a column could equal.
    own = np.full(len(next(iter(columns.values()))), np.nan) if target is None else target
    try:
        used, notes = useful_columns(Given(tuple(columns), list(columns.values()), own, None, None))
    except InvalidTable as error:
        yield Finding(Importance.PROBLEM, "constant", str(error))
        return set()
    for note in notes:
        yield Finding(Importance.WARNING, "constant", note)
    names = list(columns)
    return {names[place] for place in used}


def _dependence(
    table: LooseColumns, columns: dict[str, Floats], target: Floats | None, complete: NDArray[np.intp]
) -> Generator[Finding, None, bool]:
    """What the columns explain; returns whether the target looks noisy, also where nothing is known of it."""
    if target is None or not columns or len(target) < 2 or np.all(target == target[0]):
        return True
    rows = Rows(np.array(list(columns.values())), target, np.empty(0))
    dependence = find_dependence(rows)
    yield from check_outliers(rows, dependence.scores, complete, table.place)
    yield from check_dependence(dependence, list(columns))
    return dependence.is_noisy
