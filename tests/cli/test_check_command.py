"""`mosaic check`: what it reads, prints, writes and refuses."""

import json

import pytest
from same_process import refusal

ROWS = [f"{0.5 + 0.37 * i},{(7 * i) % 11 + 0.5},{(0.5 + 0.37 * i) * ((7 * i) % 11 + 0.5)}" for i in range(30)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b,y\n" + "\n".join(ROWS) + "\n")
    return tmp_path


def run(words, folder, monkeypatch, capsys):
    return refusal(["check", *words], folder, monkeypatch, capsys)


def findings(folder, monkeypatch, capsys, *words):
    assert run([*words, "--json", "out.json"], folder, monkeypatch, capsys) == (0, "")
    return json.loads((folder / "out.json").read_text())


def test_a_clean_table_ends_with_exit_code_zero(folder, monkeypatch, capsys):
    found = findings(folder, monkeypatch, capsys, "rows.csv", "--target", "y")
    assert found["rows"] == found["complete_rows"] == 30
    assert [column["name"] for column in found["columns"]] == ["a", "b", "y"]
    assert {finding["importance"] for finding in found["findings"]} == {"note"}


def test_a_table_that_fit_refuses_is_explained_with_exit_code_zero(folder, monkeypatch, capsys):
    lines = [f"{row},red,{'n/a' if row == ROWS[3] else 1}" for row in ROWS]
    (folder / "rows.csv").write_text("a,b,y,colour,z\nm,s,m/s,-,1\n" + "\n".join(lines) + "\n")
    found = findings(folder, monkeypatch, capsys, "rows.csv", "--target", "y", "--ignore", "colour")
    topics = [finding["topic"] for finding in found["findings"]]
    assert topics[0] == "missing"
    assert "units" in topics
    text = findings(folder, monkeypatch, capsys, "rows.csv", "--target", "y")["findings"][0]["text"]
    assert "column 'colour' has 31 cells of text, first '-'" in text or "'red'" in text


def test_lines_of_the_file_are_named(folder, monkeypatch, capsys):
    lines = [*ROWS[:9], "3.2,x9,1", *ROWS[9:]]
    (folder / "rows.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    text = findings(folder, monkeypatch, capsys, "rows.csv", "--target", "y")["findings"][0]["text"]
    assert text == "column 'b' has 1 cell of text, first 'x9' in line 11: not a number"


def test_without_a_target_columns_are_checked(folder, monkeypatch, capsys):
    found = findings(folder, monkeypatch, capsys, "rows.csv")
    assert found["target"] is None
    assert any("'a' times 'b'" in finding["text"] for finding in found["findings"])


def test_a_column_of_standard_errors_is_left_out(folder, monkeypatch, capsys):
    found = findings(folder, monkeypatch, capsys, "rows.csv", "--target", "y", "--sigma", "b")
    assert [column["name"] for column in found["columns"]] == ["a", "y"]


def test_parquet_files_are_read(folder, monkeypatch, capsys):
    pytest.importorskip("pyarrow")
    import pandas as pd

    frame = pd.read_csv(folder / "rows.csv").assign(colour="red")
    frame.to_parquet(folder / "rows.parquet")
    found = findings(folder, monkeypatch, capsys, "rows.parquet", "--target", "y")
    assert found["findings"][0]["columns"] == ["colour"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.csv"], "no such file"),
        (["rows.csv", "--target", "z"], "no column 'z'"),
        (["rows.csv", "--ignore", "z"], "no column 'z'"),
        (["rows.csv", "--sigma", "z"], "no column 'z'"),
        (["rows.csv", "--json", "rows.csv"], "would be overwritten"),
        (["rows.csv", "--json", "none/out.json"], "none"),
        (["ragged.csv"], "every line needs one value per name"),
        (["empty.csv"], "empty"),
        (["names.csv"], "no rows"),
        (["twice.csv"], "2 columns are named 'a'"),
        ([], "issing argument"),
    ],
)
def test_misuse_is_refused_in_one_line(folder, words, message, monkeypatch, capsys):
    for name, text in {"ragged": "a,b\n1,2\n3\n", "empty": "", "names": "a,b\n", "twice": "a,a\n1,2\n"}.items():
        (folder / f"{name}.csv").write_text(text)
    code, told = run(words, folder, monkeypatch, capsys)
    assert code == 2
    assert message in told
    assert told.count("\n") == 1
