"""Units of a file's columns: in their names, as `length [m]`, in a row below the names, or as an option states them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.units.parsing import parse_unit
from mosaic_sr.units.stated import StatedUnits, read_unit
from mosaic_sr.units.unit import Unit

# A unit in the name of a column: length [m], length (m) or length / m.
NAMED = re.compile(r".*\S\s*(?:\[(?P<square>[^\[\]]+)\]|\((?P<round>[^()]+)\)|\s/\s?(?P<slash>\S+))\s*$")
# Letters that mean another unit in the names of columns than they are the symbols of: degrees, and a mere label.
AMBIGUOUS = frozenset(("C", "F", "a", "d", "h", "u", "t", "P", "G", "1"))
IGNORED = "none"
HOW_TO_IGNORE = "change them with --units NAME=UNIT, or ignore them with --units none"
# Units that a note lists.
SHOWN = 5


def units_in_names(names: Sequence[str]) -> dict[str, str]:
    """The text of the unit in each name that has one, whether it is known or not."""
    found = {}
    for name in names:
        match = NAMED.match(name)
        if match is not None:
            found[name] = next(text for text in match.groups() if text is not None).strip()
    return found


def file_units(
    stated: Sequence[str] | None, names: Sequence[str], target: str, below: Mapping[str, str], label: str
) -> tuple[StatedUnits | None, tuple[str, ...]]:
    """The units of the columns and the target of a file, and notes on what was read where.

    stated: what the user says, as L=m, or none.  below: those of a row below the names, by name.
    """
    own = [*names, target]
    if stated is not None and list(stated) == [IGNORED]:
        return None, ()
    units: dict[str, Unit] = {}
    notes: list[str] = []
    if below:
        units = _of_row(below, own, label)
        notes.append(f"the row below the names is read as units: {_listed(units)}; {HOW_TO_IGNORE}")
    else:
        units, notes = _of_names(own)
    units |= _of_words(stated or (), own)
    if not units:
        return None, tuple(notes)
    return StatedUnits(tuple(units.get(name) for name in names), units.get(target)), tuple(notes)


def formula_units(
    stated: Sequence[str] | None, used: Sequence[str], names: Sequence[str], target: str, below: Mapping[str, str],
    label: str,
) -> tuple[StatedUnits | None, tuple[str, ...]]:  # fmt: skip
    """As `file_units`, for the columns that a formula uses; names: of all columns, whose units say nothing of it."""
    own = without_units_of(stated, [name for name in names if name not in (*used, target)])
    return file_units(own, used, target, below, label)


def without_units_of(stated: Sequence[str] | None, unused: Sequence[str]) -> tuple[str, ...] | None:
    """The words of an option without the units of these columns."""
    return None if stated is None else tuple(w for w in stated if w.rpartition("=")[0].strip() not in unused)


def _of_row(below: Mapping[str, str], names: Sequence[str], label: str) -> dict[str, Unit]:
    inside, units = units_in_names(names), {}
    for name in names:
        text = below.get(name, "")
        try:
            units[name] = read_unit(text, f"column {name!r}")
            other = parse_unit(inside[name]) if name in inside and _is_plain(inside[name]) else None
        except InvalidSettings as error:
            raise InvalidFile(
                f"{label}: the row of units below the names cannot be used: {error}; correct it, or ignore all units "
                "with --units none"
            ) from error
        if other is not None and (other.exponents, other.scale) != (units[name].exponents, units[name].scale):
            raise InvalidFile(
                f"{label}: column {name!r} has the unit {text!r} in the row below the names, but {inside[name]!r} in "
                "its name; correct one of them"
            )
    return units


def _of_names(names: Sequence[str]) -> tuple[dict[str, Unit], list[str]]:
    """Units of names that are known beyond doubt; a name in brackets may be anything else."""
    units, unknown = {}, []
    for name, text in units_in_names(names).items():
        if _is_plain(text):
            units[name] = parse_unit(text)
        else:
            unknown.append(name)
    notes = [f"units are read from the names of columns: {_listed(units)}; {HOW_TO_IGNORE}"] if units else []
    if units and unknown:
        shown = ", ".join(map(repr, unknown[:SHOWN]))
        notes.append(f"no known unit is in the names {shown}; state it with --units NAME=UNIT")
    return units, notes


def _is_plain(text: str) -> bool:
    """Whether a text in a name is surely a unit that can be used."""
    if text in AMBIGUOUS:
        return False
    try:
        parse_unit(text)
    except InvalidSettings:
        return False
    return True


def _of_words(words: Sequence[str], names: Sequence[str]) -> dict[str, Unit]:
    """The units in the words of an option, as in L=m."""
    units: dict[str, Unit] = {}
    for word in words:
        name, equals, text = word.rpartition("=")
        name = name.strip()
        if not equals or not name:
            raise InvalidSettings(f"--units must be NAME=UNIT, as in L=m,g=m/s^2, or none; got {word!r}")
        if name not in names:
            close = get_close_matches(name, list(names), n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"the columns are {', '.join(map(repr, names[:8]))}"
            raise InvalidSettings(f"--units has a unit for {name!r}, but no such column is read; {hint}")
        if name in units:
            raise InvalidSettings(f"--units has two units for {name!r}; give one")
        units[name] = read_unit(text.strip(), f"column {name!r}")
    return units


def _listed(units: Mapping[str, Unit]) -> str:
    shown = ", ".join(f"{name} in {unit.text}" for name, unit in list(units.items())[:SHOWN])
    return f"{shown} and {len(units) - SHOWN} more" if len(units) > SHOWN else shown
