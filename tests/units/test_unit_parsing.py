"""Unit strings: what is read, what is refused and with which remedy, with and without pint."""

import sys
from fractions import Fraction

import pytest

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.units.parsing import find_unit, known_units, parse_unit
from mosaic_sr.units.stated import read_unit, state_units
from mosaic_sr.units.unit import base_symbols, written

READ = [
    ("m/s^2", "m/s^2", 1.0),
    ("kg*m**2", "m^2*kg", 1.0),
    ("N m", "m^2*kg/s^2", 1.0),
    ("1/s", "1/s", 1.0),
    ("m s-2", "m/s^2", 1.0),
    ("m²/s³", "m^2/s^3", 1.0),
    ("J/(kg*K)", "m^2/(s^2*K)", 1.0),
    ("W/m^2/K", "kg/(s^3*K)", 1.0),
    ("km/h", "m/s", 1.0 / 3.6),
    ("meters per second", "m/s", 1.0),
    ("kilometers", "m", 1000.0),
    ("m^(1/2)", "m^0.5", 1.0),
    ("10^3 kg", "kg", 1000.0),
    ("dimensionless", "dimensionless", 1.0),
    ("", "dimensionless", 1.0),
    ("deg", "dimensionless", 0.017453292519943295),
    ("percent", "dimensionless", 0.01),
    ("delta_degC", "K", 1.0),
]
REFUSED = [
    ("degC", "convert the column to kelvin"),
    ("degF", "convert the column to kelvin"),
    ("dB", "10^(dB/10)"),
    ("pH", "state dimensionless"),
    ("metr", "did you mean"),
    ("zzzz", "unknown unit 'zzzz'; write units as in"),
    ("m/", "a unit is missing"),
    ("(m", "a bracket is not closed"),
    ("m)", "was not expected"),
    ("m^x", "unknown unit|was not expected|a unit was expected"),
    ("m" * 200, "too long"),
]


@pytest.mark.parametrize(("text", "meaning", "scale"), READ)
def test_units_are_read_as_pint_reads_them(text, meaning, scale):
    unit = parse_unit(text)
    assert written(base_symbols(unit.exponents)) == meaning
    assert unit.scale == pytest.approx(scale)


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_is_no_unit_is_refused_with_the_reason(text, reason):
    with pytest.raises(InvalidSettings) as refusal:
        parse_unit(text)
    assert any(part in str(refusal.value) for part in reason.split("|"))


def test_every_row_of_the_table_agrees_with_pint():
    pint = pytest.importorskip("pint")
    registry = pint.get_application_registry()
    # Units of which pint has others of the same name, or none.
    others = {"u", "a", "none", "ratio", "unitless", "cycle", "M_sun", "solar_mass", "d", "ton_metric", "ppb", "‰"}
    others |= {"kph", "permille", "rev", "t", "P", "h", "cal", "calorie", "month", "count", "counts", "°", "amu", "Da"}
    others |= {"G", "gauss"}  # of another system there
    for name, (exponents, scale, _) in known_units().items():
        if name in others or name.startswith("delta_"):
            continue
        try:
            own = registry.Quantity(1.0, name).to_base_units()
        except pint.errors.UndefinedUnitError:
            continue
        assert own.magnitude == pytest.approx(scale, rel=1e-5), name
        assert dict(own.dimensionality) == dict(registry.Quantity(1.0, _in_pint(exponents)).dimensionality), name


def _in_pint(exponents):
    return "*".join(f"{name}**({exponent})" for name, exponent in base_symbols(exponents)) or "dimensionless"


def test_common_units_need_no_pint(monkeypatch):
    monkeypatch.setitem(sys.modules, "pint", None)
    assert parse_unit("kg*m/s^2").exponents == parse_unit("N").exponents
    with pytest.raises(InvalidSettings, match=r"install pint for more: pip install mosaic-sr\[units\]"):
        parse_unit("furlong")


def test_prefixes_stand_before_symbols_and_long_ones_before_names():
    assert find_unit("mm")[1] == pytest.approx(1e-3)
    assert find_unit("millimeter")[1] == pytest.approx(1e-3)
    assert find_unit("min")[1] == 60.0  # no milli-inch
    assert find_unit("kmin") is None


def test_units_of_pint_and_exponents_are_read_too():
    pint = pytest.importorskip("pint")
    registry = pint.UnitRegistry()
    expected = parse_unit("m/s^2").exponents
    for given in (registry.m / registry.s**2, registry.Quantity(1, "m/s^2"), [1, 0, -2], (1.0, 0.0, -2.0)):
        assert read_unit(given, "column 'g'").exponents == expected
    assert read_unit(registry.Quantity(3.0, "km"), "").scale == pytest.approx(3000.0)
    with pytest.raises(InvalidSettings, match=r"column 'T'.*kelvin"):
        read_unit(registry.degC, "column 'T'")


class Astropy:
    """What is used of a unit of astropy."""

    physical_type = "speed"
    scale = 1000.0
    powers = (1, Fraction(-1, 2))

    class Base(str):
        def to_string(self):
            return str(self)

    bases = (Base("m"), Base("s"))

    def decompose(self):
        return self


def test_units_of_astropy_are_read_by_their_bases():
    unit = read_unit(Astropy(), "column 'v'")
    assert written(base_symbols(unit.exponents)) == "m/s^0.5"
    assert unit.scale == 1000.0


BAD_STATEMENTS = [
    ({"Q": "m"}, "s", "X_units has a unit for 'Q', but X has no such column; the columns are 'L', 'g'"),
    ({"T": "s"}, "s", "which is the target; give it as y_units"),
    (["m"], "s", "X_units has 1 units, but X has 2 columns"),
    ("m", "s", "must be a dictionary"),
    ({"L": 3}, "s", "column 'L': the unit must be text"),
    ({"L": [1] * 8}, "s", "8 exponents, but there are 7 base units"),
    ({"L": ["m"]}, "s", "a list of exponents must have numbers only"),
    ({"L": "m"}, "zzzz", "the target 'T': "),
]


@pytest.mark.parametrize(("X_units", "y_units", "reason"), BAD_STATEMENTS)
def test_bad_statements_are_refused(X_units, y_units, reason):
    with pytest.raises(InvalidSettings) as refusal:
        state_units(X_units, y_units, ("L", "g"), "T")
    assert reason in str(refusal.value)


def test_columns_without_a_statement_are_unknown():
    units = state_units({"g": "m/s^2"}, None, ("L", "g"), "T")
    assert units.columns[0] is None
    assert units.target is None
    assert state_units(None, None, ("L",), "T") is None
