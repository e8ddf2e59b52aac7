"""`mosaic predict`, `mosaic show` and `mosaic example` as processes."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from same_process import mosaic, refusal

from mosaic_sr import parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.law_file import write_law
from mosaic_sr.outcome import Outcome

EXAMPLE = Path(__file__).parents[2] / "examples" / "pendulum.csv"
NAMES = ("length", "my gravity", "mass")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("laws")
    for name, text in {"law": "6.5*sqrt(length/`my gravity`)", "flat": "2.5"}.items():
        expression = parse(text, NAMES)
        law = Equation(expression, NAMES, Errors(0.0, 0.0), Errors(0.0, 0.0), "grammar", True, (0.125,), ("a name",))
        law = replace(law, ties=(replace(law, expression=parse("7*mass", NAMES)),))
        write_law(folder / f"{name}.json", Outcome(law, (law,), NAMES, "period", True, 10, 1.0), {})
    (folder / "rows.csv").write_text("my gravity,length\n1,4\n9,1\n")  # another order, and no mass
    return folder


def test_predictions_are_printed_with_the_name_of_the_target(folder):
    done = mosaic("predict", "law.json", "rows.csv", cwd=folder)
    assert done.stdout.splitlines() == ["period", "13.0", repr(6.5 / 3)]


def test_a_long_law_stays_on_one_line_behind_a_pipe(folder):
    text = " + ".join(f"{number}.5*sin({number}*length/mass)" for number in range(2, 12))
    law = Equation(parse(text, NAMES), NAMES, Errors(0.0, 0.0), Errors(0.0, 0.0), "grammar", True)
    law = replace(law, standard_errors=(0.1,) * law.expression.num_constants)
    write_law(folder / "long.json", Outcome(replace(law, ties=(law,)), (law,), NAMES, "y", True, 10, 1.0), {})
    lines = mosaic("show", "long.json", cwd=folder).stdout.splitlines()
    shown = law.text(precision=8)
    assert len(shown) > 200
    assert f"y = {shown}" in lines
    assert f"fits equally well: y = {shown}" in lines


def test_predictions_go_to_a_file(folder):
    done = mosaic("predict", "flat.json", "rows.csv", "--output", "out.csv", cwd=folder)
    assert done.stdout == ""
    assert (folder / "out.csv").read_text() == "period\n2.5\n2.5\n"


def test_a_law_is_shown_for_people_papers_and_programs(folder):
    shown = mosaic("show", "law.json", cwd=folder).stdout
    for words in ("\nperiod = 6.5*sqrt(length/`my gravity`)\n", "± 0.12 (a name)\n", "equally well: period = 7*mass\n"):
        assert words in shown
    latex = mosaic("show", "law.json", "--latex", cwd=folder).stdout
    assert latex.strip() == r"\mathrm{period} = 6.5 \sqrt{\frac{\mathrm{length}}{\text{my gravity}}}"
    (folder / "law.py").write_text(mosaic("show", "law.json", "--python", cwd=folder).stdout)
    program = "from law import period; import numpy as np; print(period(np.array([4.0]), np.array([1.0])))"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[13.]"


def test_columns_with_names_of_python_are_arguments_of_the_function(folder):
    names = ("__debug__", "None", "my col", "my_col")
    law = Equation(
        parse("`__debug__`*None + `my col`*my_col", names), names, Errors(0.0, 0.0), Errors(0.0, 0.0), "grammar"
    )
    write_law(folder / "words.json", Outcome(law, (law,), names, "lambda", True, 10, 1.0), {})
    source = mosaic("show", "words.json", "--python", cwd=folder).stdout
    space = {}
    exec(compile(source, "law", "exec"), space)
    assert space["lambda_"](2.0, 3.0, 5.0, 7.0) == 41.0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["show", "none.json"], "no such file"),
        (["show", "rows.csv"], "not a law file"),
        (["show", "law.json", "--latex", "--python"], "choose one"),
        (["predict", "rows.csv", "law.json"], "not a law file"),
        (["predict", "law.json", "none.csv"], "none.csv"),
        (["predict", "law.json", "wrong.csv"], "my gravity"),
        (["predict", "law.json", "rows.csv", "--output", "rows.csv"], "would be overwritten"),
        (["predict", "law.json", "rows.csv", "--output", "law.json"], "would be overwritten"),
        (["predict", "law.json", "rows.csv", "--output", "nowhere/out.csv"], "nowhere"),
    ],
)
def test_misuse_is_one_line_with_exit_code_2(words, expected, folder, monkeypatch, capsys):
    (folder / "wrong.csv").write_text("length,g\n1,2\n")
    code, message = refusal(words, folder, monkeypatch, capsys)
    assert code == 2
    assert message.count("\n") == 1
    assert expected in message


def test_the_noisy_example_is_a_table_whose_law_is_found(tmp_path):
    assert "mosaic fit enzyme.csv --target rate" in mosaic("example", "--noisy", cwd=tmp_path).stdout
    done = mosaic("fit", "enzyme.csv", "--target", "rate", "--json", "law.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    law = json.loads((tmp_path / "law.json").read_text())
    assert law["scatter"]["num_outliers"] == 2
    assert law["probability"] > 0.5
    assert "ph does not matter" in done.stdout


def test_the_example_is_written_where_one_stands(tmp_path):
    done = mosaic("example", cwd=tmp_path)
    assert "mosaic fit pendulum.csv --target period" in done.stdout
    assert (tmp_path / "pendulum.csv").read_bytes() == EXAMPLE.read_bytes()
    (tmp_path / "pendulum.csv").write_text("mine")
    assert mosaic("example", cwd=tmp_path).returncode == 2
    assert (tmp_path / "pendulum.csv").read_text() == "mine"
    assert mosaic("example", "--force", cwd=tmp_path).returncode == 0
    assert (tmp_path / "pendulum.csv").read_bytes() == EXAMPLE.read_bytes()
