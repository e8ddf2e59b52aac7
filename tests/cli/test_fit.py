"""`mosaic fit`: the first command as a process, the others in this one."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from same_process import mosaic, refusal

from mosaic_sr.cli import main
from mosaic_sr.cli.fit_options import MODEL_SELECTIONS as SHOWN_RULES
from mosaic_sr.cli.fit_options import PRESETS as SHOWN_PRESETS
from mosaic_sr.errors import InvalidFile
from mosaic_sr.presets import PRESETS, SearchConfig
from mosaic_sr.proposal.prior.session import SHIPPED
from mosaic_sr.selection.settings import MODEL_SELECTIONS

EXAMPLE = Path(__file__).parents[2] / "examples" / "pendulum.csv"


def process(*words):
    command = [sys.executable, "-m", "mosaic_sr.cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    file = tmp_path_factory.mktemp("fit") / "law.json"
    return process("fit", EXAMPLE, "--target", "period", "--json", file), file


def test_the_law_of_the_pendulum_is_printed(outcome):
    done, _ = outcome
    assert done.returncode == 0, done.stderr
    assert "period = 2*pi*sqrt(length" in done.stdout
    assert "exact" in done.stdout


def test_the_json_file_holds_law_front_and_errors(outcome):
    _, file = outcome
    law = json.loads(file.read_text())
    assert law["exact"]
    assert law["constants"][0]["value"] == pytest.approx(6.283185307179586, rel=1e-12)
    assert set(law["validation"]) == {"nmse", "r2", "relative_error"}
    assert law["front"][-1]["complexity"] >= law["front"][0]["complexity"]
    assert {"sympy", "latex", "found_by", "seconds", "evaluations", "complexity"} <= set(law)
    assert "mass" not in law["equation"]


def test_laws_that_fit_as_well_are_named(tmp_path):
    rows = "\n".join(f"{i % 2},{i * i % 7 + 0.5},{(i % 2) * (i * i % 7 + 0.5)}" for i in range(20))
    (tmp_path / "data.csv").write_text(f"a,b,y\n{rows}\n")  # a is 0 or 1, so that its square is the same
    words = ("--target", "y", "--guess", "a*b", "--guess", "a^2*b", "--json", "law.json")
    done = mosaic("fit", "data.csv", *words, cwd=tmp_path)
    assert "y = a*b\n" in done.stdout
    assert "fits equally well: y = a^2*b\n" in done.stdout
    assert "a^2*b" in [tie["equation"] for tie in json.loads((tmp_path / "law.json").read_text())["ties"]]


def test_quiet_prints_the_law_alone(tmp_path):
    done = mosaic("fit", EXAMPLE, "--target", "period", "--quiet", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == "2*pi*sqrt(length/gravity)\n"
    assert all("compiling" in line for line in done.stderr.splitlines())


def test_help_and_version():
    done = process()
    assert "fit" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")
    assert process("--version").stdout.startswith("mosaic-sr ")


def test_help_names_all_presets_and_rules():
    assert SHOWN_PRESETS.split(", ") == list(PRESETS)
    assert re.findall(r"\w+", SHOWN_RULES.replace(" or ", " ")) == list(MODEL_SELECTIONS)


def test_columns_and_operators_are_chosen_and_a_search_stopped_early_says_what_to_do(tmp_path):
    rows = "\n".join(f"day {i},{i},{i % 5},{i**1.5 % 1.7 + i}" for i in range(40))
    (tmp_path / "data.csv").write_text(f'"when, UTC",a,b,y\n{rows}\n')
    words = ("--target", "y", "--ignore", '"when, UTC"', "--binary-operators", "+,*", "--unary-operators", "")
    done = mosaic("fit", "data.csv", *words, "--time-limit", "0.01", "--output", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "the time limit ended the search" in done.stdout.splitlines()[-1]
    assert "--resume run restarts the search" in done.stdout.splitlines()[-1]
    assert "increase --time-limit" in done.stdout.splitlines()[-1]
    settings = json.loads((tmp_path / "run" / "law.json").read_text())["settings"]
    assert (settings["binary_operators"], settings["unary_operators"]) == (["+", "*"], [])


def test_a_budget_that_is_spent_is_named_with_what_allows_more(tmp_path):
    rows = "\n".join(f"{i},{i**1.5 % 1.7 + i}" for i in range(40))
    (tmp_path / "data.csv").write_text(f"a,y\n{rows}\n")
    words = ("--time-limit", "inf", "--max-evaluations", "50", "--json", "law.json", "--prior", SHIPPED)
    done = mosaic("fit", "data.csv", "--target", "y", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert "the budget of 50 candidates was used up" in last
    assert "--max-evaluations" in last
    law = json.loads((tmp_path / "law.json").read_text())
    assert (law["stopped_early"], law["settings"]["time_limit"]) == (False, None)
    assert law["settings"]["prior"] == str(SHIPPED)


def test_a_minute_beside_the_usual_candidates_is_the_limit_of_who_gives_none(outcome):
    settings = json.loads(outcome[1].read_text())["settings"]
    assert (settings["time_limit"], settings["max_evaluations"]) == (60.0, SearchConfig().max_evaluations)


def test_the_law_is_printed_beside_a_file_that_cannot_be_written(tmp_path, monkeypatch, capsys):
    def no_space(*arguments):
        raise InvalidFile("cannot write law.json: No space left on device")

    monkeypatch.setattr("mosaic_sr.cli.fit.write_law", no_space)
    monkeypatch.setattr(sys, "argv", ["mosaic", "fit", str(EXAMPLE), "--target", "period", "--json", "law.json", "-q"])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as done:
        main()
    printed = capsys.readouterr()
    assert (done.value.code, printed.out) == (1, "2*pi*sqrt(length/gravity)\n")
    assert printed.err.endswith("No space left on device\n")


def test_a_column_of_weights_chooses_the_rows(tmp_path):
    rows = "\n".join(f"{i},{1 + i % 7},{99 if i < 20 else 0.5 * i * (1 + i % 7)},{int(i >= 20)}" for i in range(1, 61))
    (tmp_path / "data.csv").write_text(f"a,b,y,w\n{rows}\n")
    for columns in ((), ("--columns", "a,b")):
        done = mosaic("fit", "data.csv", "--target", "y", "--weights", "w", *columns, "-q", cwd=tmp_path)
        assert done.stdout == "0.5*a*b\n", done.stderr


def test_a_file_of_rows_to_choose_the_law_on(tmp_path):
    for name, factor in (("data.csv", 1.0), ("held_out.csv", 1.1)):
        rows = "\n".join(f"red,{i},{1 + i % 7},{factor * i * (1 + i % 7)}" for i in range(1, 41))
        (tmp_path / name).write_text(f"colour,a,b,y\n{rows}\n")
    words = (
        "--ignore",
        "colour",
        "--without",
        "finders,prior,enumeration",
        "--max-evaluations",
        "400",
        "--json",
        "law.json",
    )
    done = mosaic("fit", "data.csv", "--target", "y", "--validation", "held_out.csv", *words, "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "law.json").read_text())["validation"]["nmse"] > 1e-3


def test_a_column_of_standard_errors_is_no_feature_and_weights_the_rows(tmp_path):
    def line(i):
        is_bad = i % 2
        return f"{i},{2 * i + 1 + (300 * (-1) ** (i // 2) if is_bad else 0)},{400 if is_bad else 0.001}"

    (tmp_path / "data.csv").write_text("a,y,s\n" + "\n".join(map(line, range(60))) + "\n")
    words = ("--without", "finders,prior,enumeration", "--max-evaluations", "2000", "--json", "law.json")
    done = mosaic("fit", "data.csv", "--target", "y", "--sigma", "s", *words, "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    law = json.loads((tmp_path / "law.json").read_text())
    assert law["columns"] == ["a"], law
    done = mosaic("predict", "law.json", "data.csv", cwd=tmp_path)
    np.testing.assert_allclose([float(row) for row in done.stdout.split()[1:]], 2.0 * np.arange(60) + 1.0, atol=0.01)


def test_bootstrap_samples_are_counted_and_written(tmp_path):
    done = mosaic("fit", EXAMPLE, "--target", "period", "--stability", 2, "--json", "law.json", cwd=tmp_path)
    assert "the same structure was found in 2 of 2 bootstrap samples" in done.stdout.splitlines()
    content = json.loads((tmp_path / "law.json").read_text())
    assert (content["stability"], content["stability_samples"], content["settings"]["stability"]) == (1.0, 2, 2)


def test_a_stored_index_is_left_out_and_told(tmp_path):
    rows = "\n".join(f"{i},{i * i % 97},{3 * (i * i % 97) + 1}" for i in range(20))
    (tmp_path / "data.csv").write_text(f",a,y\n{rows}\n")
    done = mosaic("fit", "data.csv", "--target", "y", "--quiet", "--time-limit", "5", cwd=tmp_path)
    assert done.stdout == "1 + 3*a\n"
    assert "mosaic: left out 'Unnamed: 0', which only numbers the rows" in done.stderr


def csv(text):
    return lambda folder: (folder / "data.csv").write_text(text)


GOOD = "a,b,y\n" + "\n".join(f"{i},{i * i % 7},{2 * i}" for i in range(20)) + "\n"
BAD = {
    "missing file": (lambda folder: None, ["--target", "y"], "data.csv"),
    "empty file": (csv(""), ["--target", "y"], "empty"),
    "ragged file": (csv("a,y\n1,2\n1,2,3\n"), ["--target", "y"], "line 3"),
    "text in a column": (csv("a,y\n1,2\nred,3\n"), ["--target", "y"], "red"),
    "no such target": (csv(GOOD), ["--target", "z"], "'z'"),
    "one row": (csv("a,y\n1,2\n"), ["--target", "y"], "row"),
    "constant target": (csv("a,y\n1,2\n2,2\n3,2\n"), ["--target", "y"], "every row"),
    "duplicate names": (csv("a,a,y\n1,2,3\n2,3,4\n"), ["--target", "y"], "'a'"),
    "time limit zero": (csv(GOOD), ["--target", "y", "--time-limit", "0"], "time limit"),
    "maxsize one": (csv(GOOD), ["--target", "y", "--maxsize", "1"], "maxsize"),
    "unknown preset": (csv(GOOD), ["--target", "y", "--preset", "magic"], "magic"),
    "broken guess": (csv(GOOD), ["--target", "y", "--guess", "a + (b"], "never closed"),
    "attack": (csv(GOOD), ["--target", "y", "--guess", '__import__("os")'], "unexpected character"),
    "no target": (csv(GOOD), [], "target"),
    "unknown option": (csv(GOOD), ["--target", "y", "--colour", "red"], "--colour"),
    "unknown proposer": (csv(GOOD), ["--target", "y", "--without", "oracle"], "oracle"),
    "unknown selection": (csv(GOOD), ["--target", "y", "--model-selection", "luck"], "luck"),
    "no threads": (csv(GOOD), ["--target", "y", "--n-jobs", "0"], "n_jobs"),
    "negative stability": (csv(GOOD), ["--target", "y", "--stability", "-1"], "stability must be"),
    "negative seed": (csv(GOOD), ["--target", "y", "--seed", "-1"], "seed"),
    "no budget": (csv(GOOD), ["--target", "y", "--max-evaluations", "0"], "at least 1"),
    "two folders": (csv(GOOD), ["--target", "y", "--output", "a", "--resume", "b"], "--output"),
    "a file for a folder": (csv(GOOD), ["--target", "y", "--output", "data.csv"], "data.csv"),
    "no folder to resume": (csv(GOOD), ["--target", "y", "--resume", "run"], "run: no such folder"),
    "output over the table": (csv(GOOD), ["--target", "y", "--json", "./data.csv"], "would be overwritten"),
    "date in a column": (csv("t,a,y\n1 May,1,2\n"), ["--target", "y"], "--ignore 't'"),
    "no such column": (csv(GOOD), ["--target", "y", "--ignore", "a,bb"], "'bb'"),
    "all columns ignored": (csv(GOOD), ["--target", "y", "--ignore", "a,b"], "at least one feature"),
    "unknown operator": (csv(GOOD), ["--target", "y", "--unary-operators", "sin,sine"], "'sine'"),
    "no such weights": (csv(GOOD), ["--target", "y", "--weights", "w"], "'w'"),
    "weights are the target": (csv(GOOD), ["--target", "y", "--weights", "y"], "'y'"),
    "weights alone": (csv("a,y\n1,2\n2,3\n"), ["--target", "y", "--weights", "a"], "at least one feature"),
    "sigma and weights": (csv(GOOD), ["--target", "y", "--weights", "a", "--sigma", "b"], "sigma or weights, not both"),
    "no such sigma": (csv(GOOD), ["--target", "y", "--sigma", "s"], "--sigma 's' must be a column"),
    "sigma is the target": (csv(GOOD), ["--target", "y", "--sigma", "y"], "--sigma 'y' is the target"),
    "sigma is a feature": (
        csv(GOOD),
        ["--target", "y", "--columns", "a,b", "--sigma", "b"],
        "'b' is also in --columns",
    ),
    "sigma alone": (csv("a,y\n1,2\n2,3\n"), ["--target", "y", "--sigma", "a"], "at least one feature"),
    "sigma of zero": (csv(GOOD), ["--target", "y", "--sigma", "b"], "larger than 0 in every row"),
    "text for sigma": (csv("a,y,s\n1,2,small\n2,3,small\n3,4,large\n"), ["--target", "y", "--sigma", "s"], "small"),
    "no validation file": (csv(GOOD), ["--target", "y", "--validation", "held_out.csv"], "held_out.csv"),
    "output over validation": (
        csv(GOOD),
        ["--target", "y", "--validation", "data.csv", "--json", "data.csv"],
        "overwritten",
    ),
    "no such prior": (csv(GOOD), ["--target", "y", "--prior", "nowhere"], "mosaic pretrain export"),
    "a folder for json": (csv(GOOD), ["--target", "y", "--json", "."], "is a folder"),
    "no folder for json": (csv(GOOD), ["--target", "y", "--json", "nowhere/law.json"], "nowhere"),
}


@pytest.mark.parametrize("case", BAD)
def test_misuse_is_one_line_with_exit_code_2(case, tmp_path, monkeypatch, capsys):
    prepare, words, expected = BAD[case]
    prepare(tmp_path)
    code, message = refusal(["fit", "data.csv", *words], tmp_path, monkeypatch, capsys)
    assert code == 2
    assert message.count("\n") == 1
    assert expected in message
    assert [file.name for file in tmp_path.iterdir()] in ([], ["data.csv"])
