"""Law files come back as they were, and any other file is refused by name."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr import InvalidFile, parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.law_file import read_law, write_law
from mosaic_sr.outcome import Outcome

NAMES = ("mass", "my speed %", "Ω²")


def equation(text, stderr=(0.25,), **more):
    expression = parse(text, NAMES)
    return Equation(expression, NAMES, Errors(0.1, 0.25), Errors(np.inf, np.inf), "grammar", False, stderr, **more)


@pytest.fixture
def outcome():
    law = equation("0.1*mass*`my speed %`^2/`Ω²`")
    simple = equation("1e-300 + mass", (np.nan,))
    trace = ({"seconds": 0.5, "stage": "grammar", "validation_nmse": np.inf},)
    return Outcome(
        law, (simple, law), NAMES, "energy", True, 1234, 1.5,
        stopped_early=True, stage_seconds={"grammar": 0.5}, trace=trace, notes=("a note",),
    )  # fmt: skip


@pytest.fixture
def file(outcome, tmp_path):
    write_law(tmp_path / "law.json", outcome, {"maxsize": 20})
    return tmp_path / "law.json"


def test_a_law_file_comes_back_as_it_was(outcome, file):
    again, settings = read_law(file)
    assert again.law == outcome.law
    assert [line.text() for line in again.front] == [line.text() for line in outcome.front]
    assert np.isnan(again.front[0].standard_errors[0])
    assert (again.names, again.target, again.evaluations, again.stopped_early) == (NAMES, "energy", 1234, True)
    assert settings == {"maxsize": 20}


def test_ties_and_the_names_of_constants_come_back(outcome, tmp_path):
    tie = equation("299792458*mass + 2", (0.0, 0.0), constant_names=("speed of light in vacuum", ""))
    write_law(tmp_path / "law.json", replace(outcome, law=replace(outcome.law, ties=(tie,))), {})
    again, _ = read_law(tmp_path / "law.json")
    assert again.law.ties == (tie,)
    assert again.law.constant_names == ()


def test_a_file_without_ties_is_read(file):
    content = json.loads(file.read_text())
    del content["ties"]
    file.write_text(json.dumps(content))
    assert read_law(file)[0].law.ties == ()


def test_the_file_is_plain_json_with_the_promised_keys(file):
    content = json.loads(file.read_text(), parse_constant=lambda word: pytest.fail(word))
    assert {"equation", "sympy", "latex", "complexity", "exact", "found_by", "seconds", "evaluations"} <= set(content)
    assert [line["equation"] for line in content["front"]][-1] == content["equation"]
    assert set(content["validation"]) == {"nmse", "r2", "relative_error"}
    assert content["constants"] == [{"value": 0.1, "stderr": 0.25}]


def test_settings_without_an_end_are_null(outcome, tmp_path):
    write_law(tmp_path / "law.json", outcome, {"time_limit": np.inf})
    assert read_law(tmp_path / "law.json")[1] == {"time_limit": None}


def changed(**changes):
    return lambda content: json.dumps({**content, **changes})


def without(key):
    return lambda content: json.dumps({name: value for name, value in content.items() if name != key})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: "", "not JSON"),
        (lambda content: json.dumps(content)[:200], "not JSON"),
        (lambda content: "\x00\x01\x02", "not JSON"),
        (lambda content: "[" * 100_000, "not JSON"),
        (lambda content: "[1, 2]", "not a law file"),
        (lambda content: '{"equation": "x"}', "not a law file"),
        (changed(format="another"), "not a law file"),
        (changed(version=2), "upgrade"),
        (changed(version="1"), "upgrade"),
        (changed(equation="__import__('os').system('true')"), "damaged"),
        (changed(equation="mass + nothing"), "nothing"),
        (changed(equation=5), "'equation' holds 5"),
        (changed(constants=[]), "constants"),
        (changed(front={"a": 1}), "'front'"),
        (changed(front=[1]), "damaged"),
        (changed(ties="x"), "'ties'"),
        (changed(ties=[{"equation": "mass"}]), "damaged"),
        (changed(constants=[{"value": 0.1, "stderr": None, "name": 5}]), "'name'"),
        (changed(columns=["mass"]), "damaged"),
        (changed(columns=[1, 2, 3]), "'columns'"),
        (changed(validation=None), "damaged"),
        (changed(evaluations="many"), "'evaluations'"),
        (changed(seconds="soon"), "damaged"),
        (without("target"), "no 'target'"),
        (without("equation"), "no 'equation'"),
    ],
)
def test_other_and_damaged_files_are_refused(change, message, file):
    file.write_text(change(json.loads(file.read_text())))
    with pytest.raises(InvalidFile, match=message):
        read_law(file)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InvalidFile, match="no such file"):
        read_law(tmp_path / "law.json")
    with pytest.raises(InvalidFile, match="this is a folder"):
        read_law(tmp_path)
