"""`--index` and `--as` of `mosaic show` and `mosaic predict`."""

import json
from dataclasses import replace

import pytest
from same_process import refusal

from mosaic_sr import parse
from mosaic_sr.cli import main
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.exports import LANGUAGES
from mosaic_sr.law_file import write_law
from mosaic_sr.outcome import Outcome

NAMES = ("x1", "my col")


def equation(text, loss):
    expression = parse(text, NAMES)
    return Equation(expression, NAMES, Errors(loss, loss), Errors(loss, loss), "grammar", standard_errors=(0.25,))


@pytest.fixture
def folder(tmp_path):
    front = tuple(equation(text, loss) for text, loss in (("4.5", 1.0), ("2.5*x1", 0.5), ("2.5*x1*`my col`", 0.1)))
    write_law(tmp_path / "law.json", Outcome(front[2], front, NAMES, "speed", True, 10, 1.0), {})
    write_law(tmp_path / "one.json", Outcome(front[1], front[1:2], NAMES, "speed", True, 10, 1.0), {})
    tiny = equation("1e-310*x1", 0.1)
    write_law(tmp_path / "tiny.json", Outcome(tiny, (tiny,), NAMES, "speed", True, 10, 1.0), {})
    (tmp_path / "rows.csv").write_text("x1,my col\n2,3\n4,5\n")
    (tmp_path / "short.csv").write_text("x1\n2\n4\n")
    return tmp_path


def answer(words, folder, monkeypatch, capsys):
    """What `mosaic` prints: the answer and the notes."""
    monkeypatch.setattr("sys.argv", ["mosaic", *words])
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0
    return capsys.readouterr()


def test_the_table_shows_the_numbers_that_index_takes(folder, monkeypatch, capsys):
    lines = answer(["show", "law.json"], folder, monkeypatch, capsys).out.splitlines()
    assert lines[0].split()[0] == "index"
    assert [line.replace(">>>>", "").split()[0] for line in lines[1:4]] == ["0", "1", "2"]
    assert lines[3].startswith(">>>>")
    shown = answer(["show", "law.json", "--index", "1"], folder, monkeypatch, capsys).out
    assert shown.splitlines() == [
        "speed = 2.5*x1",
        "  2.50 ± 0.25",
        "equation 1 of the front, 0 to 2: complexity 3, validation loss 5.00e-01, R² 0.50000, found by grammar",
    ]


def test_predict_takes_the_columns_of_the_chosen_equation_only(folder, monkeypatch, capsys):
    done = answer(["predict", "law.json", "short.csv", "--index", "1"], folder, monkeypatch, capsys)
    assert done.out.splitlines() == ["speed", "5.0", "10.0"]
    done = answer(["predict", "law.json", "rows.csv", "--index", "0"], folder, monkeypatch, capsys)
    assert done.out.splitlines() == ["speed", "4.5", "4.5"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_printed_for_every_equation(language, folder, monkeypatch, capsys):
    law = answer(["show", "law.json", "--as", language], folder, monkeypatch, capsys).out
    other = answer(["show", "law.json", "--as", language, "--index", "1"], folder, monkeypatch, capsys).out
    assert "2.5" in law
    assert law != other
    assert law == answer(["show", "law.json", "--as", language, "--index", "2"], folder, monkeypatch, capsys).out


@pytest.mark.parametrize("language", ["latex", "python"])
def test_the_older_options_mean_the_same(language, folder, monkeypatch, capsys):
    own = answer(["show", "law.json", f"--{language}"], folder, monkeypatch, capsys).out
    assert own == answer(["show", "law.json", "--as", language], folder, monkeypatch, capsys).out


def test_names_of_cells_that_differ_are_told(folder, monkeypatch, capsys):
    done = answer(["show", "law.json", "--as", "excel"], folder, monkeypatch, capsys)
    assert done.out == "=2.5*x1_*my_col\n"
    assert done.err.splitlines() == ["mosaic: x1_ stands for x1", "mosaic: my_col stands for my col"]


def test_a_law_file_of_an_earlier_release_is_exported(folder, monkeypatch, capsys):
    content = json.loads((folder / "law.json").read_text())
    for entry in (content, *content["front"]):  # fields that came later
        for field in ("agrees", "ties", "probability", "covariance", "notes"):
            entry.pop(field, None)
    (folder / "old.json").write_text(json.dumps({**content, "version": 1, "notes": []}))
    assert answer(["show", "old.json", "--as", "excel"], folder, monkeypatch, capsys).out == "=2.5*x1_*my_col\n"


def test_escapes_in_names_do_not_reach_the_terminal(folder, monkeypatch, capsys):
    names = ("a\x1b[31mb",)
    law = replace(equation("2.5*x1", 0.1), names=names)
    write_law(folder / "red.json", Outcome(law, (law,), names, "t\x1b[0m", True, 10, 1.0), {})
    for language in LANGUAGES:
        done = answer(["show", "red.json", "--as", language], folder, monkeypatch, capsys)
        assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["show", "law.json", "--index", "3"], "--index 3 is not in the front, which has 3 equations, numbers 0 to 2"),
        (["show", "law.json", "--index", "-1"], "--index -1 is not in the front, which has 3 equations"),
        (["show", "one.json", "--index", "1"], "which has 1 equation, number 0"),
        (["predict", "law.json", "rows.csv", "--index", "7"], "numbers 0 to 2"),
        (["predict", "law.json", "rows.csv", "--index", "0", "--interval", "0.9"], "--interval is for the law only"),
        (["show", "law.json", "--as", "fortran"], "the languages are: python, c, excel, matlab"),
        (["show", "law.json", "--as", "jscript"], "did you mean 'javascript'?"),
        (["show", "law.json", "--as", "numpy"], "did you mean 'python'?"),
        (["show", "tiny.json", "--as", "excel"], "Excel has no number 1e-310"),
        (["show", "law.json", "--as", "c", "--latex"], "--latex and --as exclude each other; choose one"),
        (["show", "law.json", "--as", "python", "--python"], "--python and --as exclude each other; choose one"),
        (["show", "law.json", "--latex", "--python", "--as", "c"], "choose one"),
    ],
)
def test_misuse_is_one_line_with_exit_code_2(words, expected, folder, monkeypatch, capsys):
    code, message = refusal(words, folder, monkeypatch, capsys)
    assert code == 2
    assert message.count("\n") == 1
    assert expected in message
