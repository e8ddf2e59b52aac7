"""Units that are probably wrong: numbers that do not suit their unit, and columns that cannot give the target's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.checking.finding import Finding, Importance
from mosaic_sr.errors import InvalidFile
from mosaic_sr.table.loose import LooseColumns
from mosaic_sr.units.dimensionless import usable_columns
from mosaic_sr.units.headers import file_units
from mosaic_sr.units.stated import StatedUnits
from mosaic_sr.units.table_of_units import BASES
from mosaic_sr.units.unit import Unit

Floats = NDArray[np.float64]

# Radians beyond two turns that are whole numbers are hardly measured so, and hardly anybody writes degrees that all
# lie within one turn of radians.
TWO_TURNS, ONE_TURN = 4.0 * math.pi, 2.0 * math.pi
# Fewer numbers may be anything.
LEAST_NUMBERS = 5


def check_units(table: LooseColumns, stated: Sequence[str] | None = None) -> Iterator[Finding]:
    """Findings on the units that stand in the file or that the user states."""
    names = [name for name in table.columns if name != table.target]
    target = table.target or ""
    try:
        units, _ = file_units(stated, names, target, table.units, table.label)
    except InvalidFile as error:
        yield Finding(Importance.PROBLEM, "units", str(error).removeprefix(f"{table.label}: "))
        return
    if units is None:
        return
    known = {**dict(zip(names, units.columns, strict=True)), target: units.target}
    for name, unit in known.items():
        if unit is not None and name in table.columns:
            yield from _check_numbers(name, unit, table.columns[name])
    if table.target is not None:
        yield from _check_target(names, units, target)


def _check_numbers(name: str, unit: Unit, values: Floats) -> Iterator[Finding]:
    """Whether the numbers of a column suit its unit."""
    finite = values[np.isfinite(values)]
    if len(finite) < LEAST_NUMBERS:
        return
    low, high = float(finite.min()), float(finite.max())
    extent = f"column {name!r} is stated in {unit.text} and has values from {low:.4g} to {high:.4g}"
    reach, are_whole = max(abs(low), abs(high)), bool(np.all(finite == np.rint(finite)))
    text, remedy = "", ""
    if unit.text in ("rad", "radian", "radians") and reach > TWO_TURNS and are_whole:
        text, remedy = "whole numbers: probably degrees", "state deg, or convert them"
    elif unit.text in ("deg", "degree", "degrees", "°") and 0.0 < reach <= ONE_TURN and not are_whole:
        text, remedy = "within one turn of radians: probably radians", "state rad, or convert them"
    elif unit.text in ("K", "kelvin") and low < 0.0:
        text, remedy = "below absolute zero: probably degrees Celsius", "add 273.15"
    elif unit.text in ("%", "percent") and low >= 0.0 and 0.0 < high <= 1.0 and not are_whole:
        text, remedy = "none above 1 %: probably shares", "state dimensionless, or multiply by 100"
    if text:
        yield Finding(Importance.WARNING, "units", f"{extent}, {text}", remedy, (name,))


def _check_target(names: Sequence[str], units: StatedUnits, target: str) -> Iterator[Finding]:
    """Whether the units of the columns can give that of the target."""
    if units.target is None or any(unit is None for unit in units.columns) or not names:
        return
    places = usable_columns(units, range(len(names)))
    if places is None:
        missing = [
            base
            for place, base in enumerate(BASES)
            if units.target.exponents[place]
            and not any(unit is not None and unit.exponents[place] for unit in units.columns)
        ]
        why = f"no column has {' or '.join(missing)} in its unit" if missing else "no product of their powers has it"
        text = f"the units of the columns cannot give {target!r} its unit {units.target.text}: {why}"
        remedy = "check the units; else the law has a constant with a unit, or a column is missing"
        yield Finding(Importance.NOTE, "units", text, remedy, (target,))
        return
    for place, name in enumerate(names):
        if place not in places:
            text = f"the unit of column {name!r} does not cancel with those of the other columns"
            remedy = "check it; else a law that reads the column has a constant with a unit"
            yield Finding(Importance.NOTE, "units", text, remedy, (name,))
