"""Units in files: in the names of columns, in a row below them, and as options state them."""

import pytest

from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.units.headers import file_units, units_in_names

NAMES = ("L", "g")


def texts(units):
    return [None if unit is None else unit.text for unit in (*units.columns, units.target)]


@pytest.mark.parametrize(
    ("name", "unit"),
    [("L [m]", "m"), ("L (m)", "m"), ("L / m", "m"), ("g [m/s^2]", "m/s^2"), ("a (b) [kg]", "kg"), ("L_m", None)],
)
def test_units_stand_behind_names(name, unit):
    assert units_in_names([name]) == ({} if unit is None else {name: unit})


def test_names_with_known_units_are_read_with_a_note_and_others_are_not():
    units, notes = file_units(None, ("L [m]", "T (C)", "price (EUR)", "f(x)"), "y [s]", {}, "t.csv")
    assert texts(units) == ["m", None, None, None, "s"]
    assert notes[0].startswith("units are read from the names of columns: L [m] in m, y [s] in s; change them with")
    assert "'T (C)', 'price (EUR)'" in notes[1]


def test_names_without_units_say_nothing():
    assert file_units(None, NAMES, "T", {}, "t.csv") == (None, ())


def test_a_row_below_the_names_is_read_with_a_note():
    units, notes = file_units(None, NAMES, "T", {"L": "cm", "g": "m/s^2", "T": ""}, "t.csv")
    assert texts(units) == ["cm", "m/s^2", "dimensionless"]
    assert "the row below the names is read as units: L in cm, g in m/s^2" in notes[0]


def test_options_take_precedence_and_none_ignores_all():
    below = {"L": "cm", "g": "m/s^2", "T": "s"}
    units, _ = file_units(["L=km"], NAMES, "T", below, "t.csv")
    assert texts(units) == ["km", "m/s^2", "s"]
    assert file_units(["none"], NAMES, "T", below, "t.csv") == (None, ())


BAD = [
    (["L"], {}, InvalidSettings, "--units must be NAME=UNIT"),
    (["Q=m"], {}, InvalidSettings, "--units has a unit for 'Q', but no such column is read"),
    (["L=m", "L=cm"], {}, InvalidSettings, "--units has two units for 'L'"),
    (["L=zzzz"], {}, InvalidSettings, "column 'L': unknown unit 'zzzz'"),
    (["T=degC"], {}, InvalidSettings, "convert the column to kelvin"),
    (None, {"L": "m", "g": "zzzz", "T": "s"}, InvalidFile, "t.csv: the row of units below the names cannot be used"),
]


@pytest.mark.parametrize(("stated", "below", "error", "reason"), BAD)
def test_bad_units_of_a_file_are_refused(stated, below, error, reason):
    with pytest.raises(error) as refusal:
        file_units(stated, NAMES, "T", below, "t.csv")
    assert reason in str(refusal.value)


def test_a_row_that_contradicts_the_names_is_refused():
    with pytest.raises(InvalidFile, match="'cm' in the row below the names, but 'm' in its name"):
        file_units(None, ("L [m]",), "T", {"L [m]": "cm", "T": "s"}, "t.csv")
