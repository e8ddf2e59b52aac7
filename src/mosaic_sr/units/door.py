"""What units say before a search: which columns a law can read at all, and whether there can be one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.table import Table, narrowed
from mosaic_sr.units.dimensionless import usable_columns
from mosaic_sr.units.stated import StatedUnits
from mosaic_sr.units.table_of_units import BASES
from mosaic_sr.units.unit import Unit

# Columns that a message names; of hundreds nobody reads more.
SHOWN_COLUMNS = 6
FREE_THEM = "allow constants with units (leave dimensionless_constants_only out)"


def only_usable_columns(table: Table, units: StatedUnits | None, are_constants_pure: bool) -> Table:
    """The table without columns that no homogeneous law with pure constants can read, each with a note.

    InvalidSettings where there can be no such law. Where constants may have units, a law can read every column.
    """
    if not are_constants_pure:
        return table
    if units is None or not units.are_known:
        raise InvalidSettings(
            "dimensionless_constants_only needs the units of the columns and of the target; state them, or leave it out"
        )
    places = usable_columns(units, table.used)
    if places is None:
        raise InvalidSettings(_impossible(table, units))
    if len(places) == table.num_columns:
        return table
    if not places:
        raise InvalidSettings(
            f"no column can be part of a law with dimensionless constants: none of {_listed(table, units)} can be "
            f"combined to a quantity without a unit; check the units, or {FREE_THEM}"
        )
    gone = [place for place in range(table.num_columns) if place not in places]
    notes = [
        f"column {table.names[place]!r} is ignored: its unit {_text(units.columns[table.used[place]])} cannot be part "
        "of a law with dimensionless constants"
        for place in gone
    ]
    return narrowed(replace(table, notes=(*table.notes, *notes)), places)


def _impossible(table: Table, units: StatedUnits) -> str:
    target, own = units.target, [units.columns[column] for column in table.used]
    assert target is not None
    missing = [
        name
        for place, name in enumerate(BASES)
        if target.exponents[place] and not any(unit is not None and unit.exponents[place] for unit in own)
    ]
    reason = f"no column has {' or '.join(missing)} in its unit" if missing else "no product of their powers has it"
    return (
        f"no law with dimensionless constants can give the target {table.target_name!r} its unit {_text(target)}: "
        f"the columns are {_listed(table, units)}, and {reason}; add the missing quantity as a column, check the "
        f"units, or {FREE_THEM}"
    )


def _listed(table: Table, units: StatedUnits) -> str:
    shown = [f"{name} [{_text(units.columns[column])}]" for name, column in zip(table.names, table.used, strict=True)]
    more = [f"{len(shown) - SHOWN_COLUMNS} more"] if len(shown) > SHOWN_COLUMNS else []
    return ", ".join([*shown[:SHOWN_COLUMNS], *more])


def _text(unit: Unit | None) -> str:
    return "unknown" if unit is None else unit.text


def notes_on_units(units: StatedUnits | None, names: Sequence[str]) -> tuple[str, ...]:
    """A note where some columns have a unit and others none."""
    if units is None or not units.are_known:
        return ()
    unknown = [name for name, unit in zip(names, units.columns, strict=True) if unit is None]
    if not unknown:
        return ()
    shown = ", ".join(map(repr, unknown[:SHOWN_COLUMNS])) + (", ..." if len(unknown) > SHOWN_COLUMNS else "")
    return (f"no unit is stated for {shown}: a law may use such columns with any unit",)
