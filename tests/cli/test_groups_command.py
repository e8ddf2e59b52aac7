"""`mosaic fit --groups`, and what `predict` and `show` do with such a law."""

import csv
import re
import sys

import numpy as np
import pytest

from mosaic_sr.cli import main


def run(words, monkeypatch, capsys, code=0):
    monkeypatch.setattr(sys, "argv", ["mosaic", *map(str, words)])
    with pytest.raises(SystemExit) as done:
        main()
    printed = capsys.readouterr()
    assert done.value.code == code, printed.err
    return printed.out if code == 0 else printed.err


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["S,site,wet,rate"]
    for site, top in (("A", 2.5), ("B", 3.5), ("C", 5.5)):
        for S in rng.uniform(0.3, 8.0, 20):
            lines.append(f"{S:.9f},{site},{'yes' if S > 4 else 'no'},{top * S / (1.7 + S) + 0.02 * rng.normal():.9f}")
    lines.append("1.0,,no,1.0")
    path = tmp_path / "rates.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


FIT = ("--target", "rate", "--groups", "site", "--ignore", "wet", "--guess", "V*S/(K + S)", "--per-group", "V")


def test_a_law_of_groups_is_fitted_shown_and_used(table, tmp_path, monkeypatch, capsys):
    law, new, values = tmp_path / "law.json", tmp_path / "new.csv", tmp_path / "values.csv"
    printed = run(["fit", table, *FIT, "--json", law], monkeypatch, capsys)
    assert "note: 1 of 61 rows are left out because of empty cells: 'site' (1)" in printed
    assert "form: rate = V_g*S/(K + S)" in printed
    assert [line.split()[0] for line in printed.splitlines() if line.startswith(("A ", "B ", "C "))] == ["A", "B", "C"]
    assert re.search(r"rate = 3\.[45]\d*\*S/", run(["show", law, "--group", "B"], monkeypatch, capsys))
    assert "def rate(S):" in run(["show", law, "--group", "B", "--python"], monkeypatch, capsys)
    assert "V_{" in run(["show", law, "--latex"], monkeypatch, capsys)
    new.write_text("site,S\nA,1.7\nD,1.7\n,1.7\n")
    run(["predict", law, new, "--output", values, "--interval", "0.9"], monkeypatch, capsys)
    first, unseen, gap = csv.DictReader(values.read_text().splitlines())
    assert float(first["rate"]) == pytest.approx(1.25, abs=0.05)
    assert float(unseen["rate"]) == pytest.approx(1.92, abs=0.1)
    assert float(unseen["rate_high"]) - float(unseen["rate_low"]) > 5.0 * (
        float(first["rate_high"]) - float(first["rate_low"])
    )
    assert gap["rate"] == ""


def test_many_groups_are_listed_in_part(tmp_path, monkeypatch, capsys):
    path = tmp_path / "many.csv"
    rows = [f"{group},{x},{(group + 1) * x + 0.01 * (x % 2)}" for group in range(40) for x in (1, 2, 4)]
    path.write_text("\n".join(["run,x,y", *rows]) + "\n")
    guess = ("--guess", "a*x", "--per-group", "a")
    printed = run(["fit", path, "--target", "y", "--groups", "run", *guess], monkeypatch, capsys)
    assert "... 28 more groups, in the law file" in printed


BAD = {
    "no such column": (["--groups", "sitte"], "did you mean 'site'"),
    "the target": (["--groups", "rate"], "must be a column of its own"),
    "too many labels": (["--groups", "S"], "different labels in|not a number"),
    "constants without groups": (["--per-group", "V"], "per_group needs groups"),
    "a folder": (["--groups", "site", "--output", "folder"], "an output folder and resuming cannot be combined"),
    "a report": (["--groups", "site", "--report", "page.html"], "a report cannot be combined"),
    "a column of words": ([], "name it in --groups or --indicators, or leave it out with --ignore 'site'"),
    "an indicator that is not there": (["--indicators", "colour"], "no column 'colour'"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_what_does_not_fit_is_refused(table, tmp_path, monkeypatch, capsys, options, message):
    monkeypatch.chdir(tmp_path)
    said = run(["fit", table, "--target", "rate", *options], monkeypatch, capsys, code=2)
    assert any(part in said for part in message.split("|")), said


def test_columns_of_words_can_be_indicators(tmp_path, monkeypatch, capsys):
    path, law, new = tmp_path / "table.csv", tmp_path / "law.json", tmp_path / "new.csv"
    x = np.random.default_rng(1).uniform(1.0, 3.0, 40)
    states = ["wet" if place % 2 else "dry" for place in range(len(x))]
    rows = [
        f"{value:.6f},{own},{3.0 * round(value, 6) + 2.0 * (own == 'wet'):.6f}"
        for value, own in zip(x, states, strict=True)
    ]
    path.write_text("\n".join(["x,state,y", *rows]) + "\n")
    printed = run(["fit", path, "--target", "y", "--indicators", "state", "--json", law], monkeypatch, capsys)
    assert "note: column 'state' is read as state_wet" in printed
    assert "exact" in printed
    new.write_text("x,state\n1,wet\n1,dry\n")
    values = run(["predict", law, new], monkeypatch, capsys).split()
    assert [float(value) for value in values[1:]] == pytest.approx([5.0, 3.0])
    new.write_text("x,state\n1,damp\n")
    assert "'damp', which is none of its labels" in run(["predict", law, new], monkeypatch, capsys, code=2)
