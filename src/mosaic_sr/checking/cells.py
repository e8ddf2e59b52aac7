"""Cells that hold no usable number: text, units, gaps, infinite numbers, and numbers that stand for a missing value."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.checking.finding import Finding, Importance, listed, verb
from mosaic_sr.table.delimited import leave_out
from mosaic_sr.table.gaps import counted
from mosaic_sr.table.loose import LooseColumns

Floats = NDArray[np.float64]

# Numbers that programs and instruments write for a missing value.
SENTINELS = (
    -99.0, -999.0, -9999.0, -99999.0, -999999.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0, -999.9, -9999.9, -99.9, 999.9,
    9999.9, -32768.0, 32767.0, 65535.0, -2147483648.0, 2147483647.0, 1e20, -1e20, 1e30, -1e30, 9.969209968386869e36,
)  # fmt: skip
# A number stands for a missing value where it is as far from the others as these are wide, and there are others.
LEAST_GAP, LEAST_OTHERS = 1.0, 4
# A unit in the name of a column, as in length [m], length (m) or length / m.
UNIT = re.compile(r".+(?:\[[^\]]*\]|\s*\([^)]*\)|\s/\s?\S+)\s*$")
# A column with more gaps costs more rows than it is worth.
MOST_GAPS = 0.5


def check_cells(table: LooseColumns) -> Iterator[Finding]:
    """Findings on cells; the most serious first."""
    yield from _texts(table)
    yield from _infinite(table)
    yield from _units(table)
    yield from _gaps(table)
    for name, values in table.columns.items():
        yield from _sentinels(table, name, values)


def _texts(table: LooseColumns) -> Iterator[Finding]:
    for name, texts in table.texts.items():
        is_target = name == table.target
        what, remedy = texts.mistake
        where = f"{texts.first!r:.40} in {texts.place}"
        cells = f"{texts.count:,} {'cell' if texts.count == 1 else 'cells'} of text"
        text = f"{'the target' if is_target else 'column'} {name!r} has {cells}, first {where}: {what}"
        way_out = leave_out(name) if table.is_file else "leave the column out"
        yield Finding(Importance.PROBLEM, "text", text, remedy if is_target else f"{remedy}, or {way_out}", (name,))


def _infinite(table: LooseColumns) -> Iterator[Finding]:
    for name, values in table.columns.items():
        rows = np.flatnonzero(np.isinf(values))
        if len(rows):
            text = f"column {name!r} has {len(rows):,} infinite numbers, the first in {table.place(int(rows[0]))}"
            yield Finding(Importance.PROBLEM, "infinite", text, "correct them or empty those cells", (name,))


def _units(table: LooseColumns) -> Iterator[Finding]:
    if table.units:
        shown = ", ".join(f"{name} {unit}" for name, unit in list(table.units.items())[:4])
        text = f"the first row below the names holds units ({shown:.80})"
        yield Finding(Importance.NOTE, "units", text, "mosaic fit reads them; it ignores them with --units none")
    named = [name for name in table.columns if UNIT.fullmatch(name)]
    if named:
        text = f"{verb(named, 'the name', 'names')} {listed(named)} {verb(named, 'holds a unit', 'hold units')}"
        remedy = "mosaic fit reads them, and such names stand in backticks in formulas"
        yield Finding(Importance.NOTE, "units", text, remedy, tuple(named))


def _gaps(table: LooseColumns) -> Iterator[Finding]:
    gaps = {
        name: count
        for name, values in table.columns.items()
        if name not in table.texts and (count := int(np.count_nonzero(np.isnan(values))))
    }
    if not gaps:
        return
    empty = [name for name, count in gaps.items() if count == table.num_rows]
    if empty:
        text = f"{verb(empty, 'column', 'columns')} {listed(empty)} {verb(empty, 'is', 'are')} empty"
        yield Finding(Importance.PROBLEM, "missing", text, f"leave {verb(empty, 'it', 'them')} out", tuple(empty))
    some = {name: count for name, count in gaps.items() if name not in empty}
    if some:
        has_gap = np.zeros(table.num_rows, dtype=np.bool_)
        for name in some:
            has_gap |= np.isnan(table.columns[name])
        num_lost = int(np.count_nonzero(has_gap))
        have, are = ("has", "is") if num_lost == 1 else ("have", "are")
        text = f"{num_lost:,} of {table.num_rows:,} rows {have} empty cells and {are} left out: {counted(some)}"
        most = [name for name, count in some.items() if count > MOST_GAPS * table.num_rows]
        remedy = f"leave out {listed(most)}, mostly empty, to keep more rows" if most else "fill them if you can"
        importance = Importance.PROBLEM if num_lost == table.num_rows else Importance.WARNING
        yield Finding(importance, "missing", text, remedy, tuple(some))


def _sentinels(table: LooseColumns, name: str, values: Floats) -> Iterator[Finding]:
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return
    for extreme in {float(finite.min()), float(finite.max())} & set(SENTINELS):
        others = finite[finite != extreme]
        if len(others) < LEAST_OTHERS:
            continue
        gap = float(np.min(np.abs(others - extreme)))
        if gap > LEAST_GAP * float(np.ptp(others)):
            rows = np.flatnonzero(values == extreme)
            where = f"the first in {table.place(int(rows[0]))}"
            text = (
                f"column {name!r} is {extreme:g} in {len(rows):,} {'row' if len(rows) == 1 else 'rows'}, {where}, far "
                f"from its other values ({others.min():.4g} to {others.max():.4g}): probably a missing value"
            )
            yield Finding(
                Importance.WARNING, "sentinel", text, "empty those cells", (name,), tuple(rows[:100].tolist())
            )
