"""`mosaic constants` and `mosaic compare` with units, and `compare` in Python."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import compare
from mosaic_sr.cli import main

RNG = np.random.default_rng(5)
T = RNG.uniform(0.2, 3.0, 40)
FALL = pd.DataFrame({"t": T, "m": RNG.uniform(1.0, 2.0, 40), "h": 4.905 * T**2 + 1.5 + 0.01 * RNG.normal(size=40)})


@pytest.fixture
def mosaic(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder with the table; what it prints."""
    FALL.to_csv(tmp_path / "fall.csv", index=False)
    lines = FALL.to_csv(index=False).splitlines()
    (tmp_path / "row.csv").write_text("\n".join([lines[0], "s,kg,m", *lines[1:]]) + "\n")
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["mosaic", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code in (0, None), capsys.readouterr().err
        return capsys.readouterr().out

    return run


def test_constants_of_a_known_form_have_units(mosaic, tmp_path):
    stated = ("--units", "t=s,h=m,m=kg")
    out = mosaic("constants", "g*t^2/2 + h0", "fall.csv", "--target", "h", *stated, "--json", "c.json")
    assert ") m/s^2" in out
    assert ") m\n" in out
    assert json.loads((tmp_path / "c.json").read_text())["units"] == {"g": "m/s^2", "h0": "m"}


def test_a_row_of_units_counts_and_a_form_that_is_not_homogeneous_is_told(mosaic):
    out = mosaic("constants", "a + sin(t)", "row.csv", "--target", "h")
    assert "the row below the names is read as units" in out
    assert "no units of its constants make the formula homogeneous" in out


def test_without_units_nothing_is_said_of_them(mosaic, tmp_path):
    out = mosaic("constants", "g*t^2/2 + h0", "fall.csv", "--target", "h", "--json", "c.json")
    assert "m/s^2" not in out
    assert "units" not in json.loads((tmp_path / "c.json").read_text())


def test_compared_laws_have_constants_with_units(mosaic):
    out = mosaic("compare", "g*t^2/2 + h0", "a + sin(t)", "fall.csv", "--target", "h", "--units", "t=s,h=m")
    assert ") m/s^2" in out
    assert "'a + sin(t)' is not homogeneous in the units of the columns" in out


def test_compare_takes_the_units_of_fit():
    found = compare(["a*t^2 + b", "a*t + b*m"], FALL[["t", "m"]], FALL["h"], X_units={"t": "s", "m": "kg"}, y_units="m")
    units = {one.label: one.units for one in found.laws}
    assert units == {"a*t^2 + b": ("m/s^2", "m"), "a*t + b*m": ("m/s", "m/kg")}
    assert not any("homogeneous" in note for note in found.notes)
