"""`mosaic compare`: what it prints, writes and refuses."""

import json

import numpy as np
import pytest
from same_process import refusal

TRUE, FALSE = "a*x/(b + x)", "c*x + d"


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 20.0, 40)
    y = 8.0 * x / (3.0 + x) + 0.2 * rng.normal(size=40)
    lines = [f"{one!r},red,0.2,1,{two!r}" for one, two in zip(x.tolist(), y.tolist(), strict=True)]
    (tmp_path / "rows.csv").write_text("x,colour,sigma,count,y\n" + "\n".join(lines) + "\n")
    return tmp_path


def run(words, folder, monkeypatch, capsys):
    return refusal(["compare", *words], folder, monkeypatch, capsys)


def test_columns_that_no_law_reads_may_hold_text(folder, monkeypatch, capsys):
    words = [FALSE, TRUE, "rows.csv", "--target", "y", "--json", "out.json"]
    assert run(words, folder, monkeypatch, capsys) == (0, "")
    found = json.loads((folder / "out.json").read_text())
    assert [law["number"] for law in found["laws"]] == [2, 1]
    assert found["rows"] == 40
    assert found["laws"][0]["chi2_per_dof"] is None


@pytest.mark.parametrize("option", ["sigma", "count"])
def test_sigma_and_weights_are_columns(folder, option, monkeypatch, capsys):
    word = "--sigma" if option == "sigma" else "--weights"
    words = [FALSE, TRUE, "rows.csv", "--target", "y", word, option, "--json", "out.json"]
    assert run(words, folder, monkeypatch, capsys) == (0, "")
    chi2 = json.loads((folder / "out.json").read_text())["laws"][0]["chi2_per_dof"]
    assert (chi2 is not None) == (option == "sigma")


def test_rows_with_empty_cells_are_left_out_with_a_note(folder, monkeypatch, capsys):
    with (folder / "rows.csv").open("a") as file:
        file.write(",blue,0.2,1,3\n")
    words = [FALSE, TRUE, "rows.csv", "--target", "y", "--json", "out.json"]
    assert run(words, folder, monkeypatch, capsys) == (0, "")
    assert "1 of 41 rows are left out" in json.loads((folder / "out.json").read_text())["notes"][0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([TRUE, "rows.csv", "--target", "y"], "1 law given; compare two"),
        (["rows.csv", "--target", "y"], "0 laws given"),
        ([TRUE, FALSE, "law.json", "--target", "y"], "the table comes last"),
        ([TRUE, "none.json", "rows.csv", "--target", "y"], "none.json: no such file"),
        ([TRUE, FALSE, "none.csv", "--target", "y"], "none.csv: no such file"),
        ([TRUE, FALSE, "rows.csv", "--target", "z"], "no column 'z'"),
        ([TRUE, "a*colour", "rows.csv", "--target", "y"], "column 'colour' has 'red'"),
        ([TRUE, "a*colours", "rows.csv", "--target", "y"], "did you mean 'colour'"),
        ([TRUE, "a*y", "rows.csv", "--target", "y"], "'y' is the target"),
        ([TRUE, "a*sigma", "rows.csv", "--target", "y", "--sigma", "sigma"], "'sigma' is the target or its error"),
        ([TRUE, FALSE, "rows.csv", "--target", "y", "--sigma", "sigma", "--weights", "count"], "not both"),
        ([TRUE, FALSE, "rows.csv", "--target", "y", "--sigma", "none"], "'none'"),
        ([TRUE, FALSE, "rows.csv", "--target", "y", "--json", "rows.csv"], "would be overwritten"),
        ([TRUE, FALSE, "rows.csv", "--target", "y", "--missing", "guess"], "--missing must be"),
        ([TRUE, "a*log(-x)", "rows.csv", "--target", "y"], "cannot fit"),
        ([TRUE, "a*(x", "rows.csv", "--target", "y"], ""),
    ],
)
def test_misuse_is_refused_in_one_line(folder, words, message, monkeypatch, capsys):
    code, told = run(words, folder, monkeypatch, capsys)
    assert code == 2
    assert message in told
    assert told.count("\n") == 1
