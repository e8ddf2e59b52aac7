"""Rows with empty cells: left out and counted, or refused, by every command that reads a table."""

import json
import sys

import pytest
from same_process import refusal

from mosaic_sr.cli import main
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.expressions.text import parse
from mosaic_sr.law_file import write_law
from mosaic_sr.outcome import Outcome

ROWS = "x,z,y\n1,1,2.5\n2,,5\n3,1,\n,1,1\n4,2,10\n,2,\n5,3,12.5\n"
NOTE = "4 of 7 rows are left out because of empty cells: 'x' (2), 'z' (1), 'y' (2)"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    law = Equation(parse("2.5*x", ["x", "z"]), ("x", "z"), Errors(0.0, 0.0), Errors(0.0, 0.0), "grammar", True, (0.1,))
    write_law(tmp_path / "law.json", Outcome(law, (law,), ("x", "z"), "y", True, 10, 1.0), {})
    flat = Equation(parse("2.5", ["x", "z"]), ("x", "z"), Errors(0.0, 0.0), Errors(0.0, 0.0), "grammar", True, (0.1,))
    write_law(tmp_path / "flat.json", Outcome(flat, (flat,), ("x", "z"), "y", True, 10, 1.0), {})
    return tmp_path


def mosaic(words, folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["mosaic", *words])
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as done:
        main()
    out, err = capsys.readouterr()
    assert done.value.code == 0, err
    return out, err


FIT = [
    "fit",
    "t.csv",
    "--target",
    "y",
    "--without",
    "finders,prior,enumeration,grammar",
    "--guess",
    "a*x",
    "--max-evaluations",
    "2",
]


def test_fit_leaves_such_rows_out_and_counts_them(folder, monkeypatch, capsys):
    out, _ = mosaic([*FIT, "--json", "fitted.json"], folder, monkeypatch, capsys)
    assert f"note: {NOTE}\n" in out
    assert "y = 2.5*x\n" in out
    assert json.loads((folder / "fitted.json").read_text())["notes"][0] == NOTE


def test_fit_counts_those_of_validation_rows_apart(folder, monkeypatch, capsys):
    (folder / "more.csv").write_text("x,z,y\n1,1,2.5\n2,2,5\n3,1,\n")
    out, _ = mosaic([*FIT, "--validation", "more.csv"], folder, monkeypatch, capsys)
    assert "note: validation: 1 of 3 rows are left out because of empty cells: 'y' (1)\n" in out


def test_constants_counts_only_columns_in_use(folder, monkeypatch, capsys):
    out, _ = mosaic(["constants", "a*x", "t.csv", "--target", "y"], folder, monkeypatch, capsys)
    assert "rows            4" in out
    assert "note: 3 of 7 rows are left out because of empty cells: 'x' (2), 'y' (2)" in out


def test_predict_keeps_rows_beside_their_values(folder, monkeypatch, capsys):
    out, err = mosaic(["predict", "law.json", "t.csv"], folder, monkeypatch, capsys)
    assert out.splitlines() == ["y", "2.5", "5.0", "7.5", '""', "10.0", '""', "12.5"]
    assert err == "mosaic: 2 rows have no value because of empty cells: 'x' (2)\n"
    out, err = mosaic(["predict", "law.json", "t.csv", "--missing", "drop"], folder, monkeypatch, capsys)
    assert out.splitlines() == ["y", "2.5", "5.0", "7.5", "10.0", "12.5"]
    assert "2 of 7 rows are left out" in err
    out, err = mosaic(["predict", "flat.json", "t.csv"], folder, monkeypatch, capsys)
    assert (out.splitlines(), err) == (["y", *["2.5"] * 7], "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*FIT, "--missing", "error"], "column 'x' has 2 empty or NaN cells, the first in line 5"),
        (["constants", "a*x", "t.csv", "--target", "y", "--missing", "error"], "column 'x' has 2 empty"),
        (["predict", "law.json", "t.csv", "--missing", "error"], "column 'x' has 2 empty"),
        ([*FIT, "--missing", "guess"], "--missing must be drop or error, got 'guess'"),
        (["predict", "law.json", "t.csv", "--missing", "x"], "--missing must be keep or drop or error, got 'x'"),
        (["fit", "empty.csv", "--target", "y"], "column 'z' is empty in every row; leave it out or fill it"),
        (
            ["fit", "apart.csv", "--target", "y"],
            "every row has an empty cell: 'x' (1), 'z' (1); leave such columns out",
        ),
    ],
)
def test_gaps_are_refused_on_demand_and_where_nothing_is_left(words, message, folder, monkeypatch, capsys):
    (folder / "empty.csv").write_text("x,z,y\n1,,2\n2,,3\n3,,5\n")
    (folder / "apart.csv").write_text("x,z,y\n1,,2\n,2,3\n")
    code, err = refusal(words, folder, monkeypatch, capsys)
    assert code == 2
    assert message in err
