"""`mosaic constants --intervals` for formulas and law files."""

import json

import numpy as np
import pytest
from same_process import refusal

from mosaic_sr import parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.law_file import write_law
from mosaic_sr.outcome import Outcome

NAMES = ("x", "z")


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 20.0, 30)
    y = 8.0 * x / (3.0 + x) + 0.2 * rng.normal(size=30)
    table = np.column_stack([x, np.full(30, 0.2), y])
    np.savetxt(tmp_path / "rows.csv", table, delimiter=",", header="x,sigma,y", comments="")
    law = Equation(parse("8.1*x/(3.1 + x)", NAMES), NAMES, Errors(0.0, 0.0), Errors(0.0, 0.0), "grammar")
    write_law(tmp_path / "law.json", Outcome(law, (law,), NAMES, "y", True, 1, 0.1), {})
    return tmp_path


def run(words, folder, monkeypatch, capsys):
    code, told = refusal(["constants", *words, "rows.csv", "--target", "y"], folder, monkeypatch, capsys)
    return code, told


@pytest.mark.parametrize("formula", ["a*x/(b + x)", "law.json"])
@pytest.mark.parametrize("method", ["profile", "delta", "bootstrap"])
def test_intervals_hold_the_truth(folder, formula, method, monkeypatch, capsys):
    words = [formula, "--intervals", method, "--json", "out.json"]
    assert run(words, folder, monkeypatch, capsys) == (0, "")
    found = json.loads((folder / "out.json").read_text())["intervals"]
    assert found["method"] == method
    for truth, own in zip((8.0, 3.0), found["intervals"].values(), strict=True):
        assert own["95"][0] < truth < own["95"][1]
        assert own["95"][0] < own["68"][0] < own["68"][1] < own["95"][1]
    assert np.shape(found["correlation"]) == (2, 2)


def test_sigma_is_used_for_both(folder, monkeypatch, capsys):
    for formula in ("a*x/(b + x)", "law.json"):
        words = [formula, "--sigma", "sigma", "--intervals", "profile", "--json", "out.json"]
        assert run(words, folder, monkeypatch, capsys) == (0, "")
        assert "sigma" in json.loads((folder / "out.json").read_text())["intervals"]["noise"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a*x", "--intervals", "guess"], "must be profile, delta, bootstrap"),
        (["law.json", "--intervals", "guess"], "must be profile, delta, bootstrap"),
        (["law.json", "--weights", "relative"], "leave --weights out"),
        (["none.json"], "no such file"),
        (["law.json", "--sigma", "none"], "no column 'none'"),
        (["law.json", "--json", "law.json"], "would be overwritten"),
        (["law.json", "--missing", "guess"], "--missing must be"),
    ],
)
def test_misuse_is_refused_in_one_line(folder, words, message, monkeypatch, capsys):
    code, told = run(words, folder, monkeypatch, capsys)
    assert code == 2
    assert message in told
    assert told.count("\n") == 1


def test_two_rows_leave_no_interval_but_sigma_helps(folder, monkeypatch, capsys):
    (folder / "rows.csv").write_text("x,sigma,y\n1,0.1,2\n2,0.1,3\n")
    code, told = run(["a*x + b", "--intervals", "profile"], folder, monkeypatch, capsys)
    assert code == 2
    assert "2 rows leave none to show the noise" in told
    words = ["a*x + b", "--intervals", "profile", "--sigma", "sigma"]
    assert run(words, folder, monkeypatch, capsys) == (0, "")
