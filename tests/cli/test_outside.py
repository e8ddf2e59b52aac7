"""`mosaic predict` on rows outside the sampled ranges."""

import pytest
from same_process import refusal

from mosaic_sr import parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.law_file import write_law
from mosaic_sr.outcome import Outcome

NAMES = ("x", "z")


@pytest.fixture
def folder(tmp_path):
    law = Equation(parse("2*x", NAMES), NAMES, Errors(0.0, 0.0), Errors(0.0, 0.0), "grammar")
    for name, sampled in {"law": {0: (1.0, 3.0)}, "old": {}}.items():
        write_law(tmp_path / f"{name}.json", Outcome(law, (law,), NAMES, "y", True, 1, 0.1, sampled=sampled), {})
    (tmp_path / "rows.csv").write_text("x\n1\n4\n\n3\n")
    return tmp_path


def predicted(words, folder, monkeypatch, capsys):
    code, told = refusal(["predict", *words, "--output", "out.csv"], folder, monkeypatch, capsys)
    assert code == 0, told
    return (folder / "out.csv").read_text(), told


def test_a_note_counts_the_rows_and_the_values_stay_one_column(folder, monkeypatch, capsys):
    text, told = predicted(["law.json", "rows.csv"], folder, monkeypatch, capsys)
    assert text == "y\n2.0\n8.0\n6.0\n"
    assert "1 of 3 rows is outside the range of the fitted rows and extrapolated: x (1 above 3)" in told


def test_rows_are_marked_on_request(folder, monkeypatch, capsys):
    (folder / "rows.csv").write_text("x,z\n1,1\n4,1\n,1\n3,1\n")
    words = ["law.json", "rows.csv", "--mark-outside", "--interval", "0.9"]
    lines = predicted(words, folder, monkeypatch, capsys)[0].splitlines()
    assert lines[0] == "y,y_low,y_high,y_outside"
    assert [line.split(",")[-1] for line in lines[1:]] == ["0", "1", "", "0"]


def test_rows_inside_need_no_note(folder, monkeypatch, capsys):
    (folder / "rows.csv").write_text("x\n1\n2\n")
    assert predicted(["law.json", "rows.csv"], folder, monkeypatch, capsys) == ("y\n2.0\n4.0\n", "")


def test_files_of_earlier_releases_predict_but_cannot_mark(folder, monkeypatch, capsys):
    assert predicted(["old.json", "rows.csv"], folder, monkeypatch, capsys) == ("y\n2.0\n8.0\n6.0\n", "")
    code, told = refusal(["predict", "old.json", "rows.csv", "--mark-outside"], folder, monkeypatch, capsys)
    assert code == 2
    assert "no sampled ranges" in told
