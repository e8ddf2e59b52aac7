"""`mosaic fit --units` and `mosaic check` on files with units, as processes; resume and law files with units."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from same_process import mosaic

from mosaic_sr import InvalidFile, InvalidSettings, MosaicRegressor
from mosaic_sr.law_file import read_law
from mosaic_sr.run_folder import RunFolder

RNG = np.random.default_rng(3)
L, G, M = RNG.uniform(0.2, 2.0, 60), RNG.uniform(1.0, 25.0, 60), RNG.uniform(0.1, 3.0, 60)
UNITS = "L=m,g=m/s^2,m=kg,period=s"


@pytest.fixture
def folder(tmp_path):
    table = pd.DataFrame({"L": L, "g": G, "m": M, "period": 2.0 * np.pi * np.sqrt(L / G)})
    table.to_csv(tmp_path / "t.csv", index=False)
    lines = (tmp_path / "t.csv").read_text().splitlines()
    (tmp_path / "row.csv").write_text("\n".join([lines[0], "m,m/s^2,kg,s", *lines[1:]]) + "\n")
    (tmp_path / "bad.csv").write_text("\n".join([lines[0], "m,m/s^2,zzzz,s", *lines[1:]]) + "\n")
    spring = pd.DataFrame({"x": L, "force": 12.5 * L})
    spring.to_csv(tmp_path / "spring.csv", index=False)
    return tmp_path


def test_a_fit_with_units_prints_and_keeps_the_units_of_constants(folder):
    words = ("fit", "spring.csv", "--target", "force", "--units", "x=cm,force=N", "--json", "law.json", "--no-picture")
    done = mosaic(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert " N/cm" in done.stdout
    content = json.loads((folder / "law.json").read_text())
    assert content["units"] == {"columns": {"x": "cm"}, "target": "N"}
    assert [constant["unit"] for constant in content["constants"]] == ["N/cm"]
    outcome, settings = read_law(folder / "law.json")
    assert outcome.law.constant_units == ("N/cm",)
    assert outcome.units.target.text == "N"
    assert settings["dimensionless_constants_only"] is False
    loaded = MosaicRegressor.load(folder / "law.json")
    assert loaded.constants_["unit"].tolist() == ["N/cm"]
    assert loaded.predict(pd.DataFrame({"x": [2.0]}))[0] == pytest.approx(25.0)
    loaded.save(folder / "again.json")
    assert json.loads((folder / "again.json").read_text())["units"] == content["units"]


def test_a_row_of_units_is_read_and_the_output_can_be_resumed_with_the_same_units_only(folder):
    own = ("fit", "row.csv", "--target", "period", "--no-picture", "--dimensionless-constants-only")
    done = mosaic(*own, "--output", "run", "--max-evaluations", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "note: the row below the names is read as units" in done.stdout
    assert "column 'm' is ignored: its unit kg cannot be part" in done.stdout
    assert RunFolder(folder / "run").has_state
    again = mosaic(*own, "--resume", "run", "--max-evaluations", "100", cwd=folder)
    assert again.returncode == 0, again.stderr
    assert "period = 2*pi*sqrt(L/g)" in again.stdout
    other = mosaic(*own, "--units", "g=m", "--resume", "run", cwd=folder)
    assert other.returncode != 0
    assert "dimensionless" in other.stderr or "other settings" in other.stderr or "another table" in other.stderr


BAD = [
    (("t.csv", "--units", "L=zzzz"), "column 'L': unknown unit 'zzzz'"),
    (("t.csv", "--units", "Q=m"), "no such column"),
    (("bad.csv",), "row of units below the names cannot be used"),
    (("t.csv", "--units", f"{UNITS}", "--columns", "m", "--dimensionless-constants-only"), "no such column"),
    (("t.csv", "--units", "m=kg,period=s", "--columns", "m", "--dimensionless-constants-only"), "no column has s"),
    (("t.csv", "--dimensionless-constants-only"), "needs the units"),
]


@pytest.mark.parametrize(("words", "reason"), BAD)
def test_bad_units_are_refused_in_one_line(folder, words, reason, monkeypatch, capsys):
    from mosaic_sr.cli import main

    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["mosaic", "fit", *words, "--target", "period"])
    with pytest.raises(SystemExit) as done:
        main()
    message = capsys.readouterr().err
    assert done.value.code == 2
    assert reason in message
    assert message.count("\n") == 1


def test_units_of_the_file_can_be_ignored(folder):
    done = mosaic("fit", "bad.csv", "--target", "period", "--units", "none", "--quiet", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "sqrt(L/g)" in done.stdout


def test_estimator_and_warm_start_take_units(folder):
    model = MosaicRegressor(max_evaluations=50, random_state=0, warm_start=True, guesses=["a*sqrt(L/g)"])
    table = pd.read_csv(folder / "t.csv")
    X, y = table[["L", "g", "m"]], table["period"]
    for _ in range(2):
        model.fit(X, y, X_units=["m", "m/s^2", "kg"], y_units="s")
        assert model.law_.text(precision=4) == "2*pi*sqrt(L/g)"
    assert "unit" not in model.constants_
    with pytest.raises(InvalidSettings, match="X_units has a unit for 'Q'"):
        model.fit(X, y, X_units={"Q": "m"})


def test_a_guess_whose_units_do_not_fit_is_fitted_and_noted():
    model = MosaicRegressor(max_evaluations=50, random_state=0, guesses=["x0 + x1"], dimensionless_constants_only=True)
    model.fit(np.column_stack([L, G, M]), L + 2.0 * G * M, X_units=["m", "m/s", "s"], y_units="m")
    assert any("guess" in note and "its units do not fit" in note for note in model.notes_)


def test_a_damaged_unit_in_a_law_file_is_refused(folder):
    model = MosaicRegressor(max_evaluations=50, random_state=0)
    model.fit(L[:, None], 12.5 * L, X_units=["m"], y_units="N")
    model.save(folder / "law.json")
    content = json.loads((folder / "law.json").read_text())
    for damage in ({"columns": {"x0": "zzzz"}, "target": "N"}, {"columns": {"x9": "m"}, "target": "N"}, 3, {}):
        (folder / "law.json").write_text(json.dumps({**content, "units": damage}))
        with pytest.raises(InvalidFile, match="the law file is damaged"):
            read_law(folder / "law.json")
