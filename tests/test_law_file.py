"""Law files come back as they were, and any other file is refused by name."""

import json
from dataclasses import replace

import numpy as np
import pytest
from noisy_outcomes import noisy_outcome

from mosaic_sr import InvalidFile, parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.law_file import MOST_BYTES, read_law, write_law
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


def test_what_is_known_of_noisy_rows_comes_back(tmp_path):
    outcome = noisy_outcome(scatter=Scatter(0.1, 0.02, 3), stability=0.7, stability_samples=10)
    undetermined = replace(outcome.law, covariance=((np.inf, 0.0), (0.0, 1.0)))
    outcome = replace(outcome, front=(*outcome.front, undetermined))
    write_law(tmp_path / "law.json", outcome, {})
    again, _ = read_law(tmp_path / "law.json")
    assert again.law == outcome.law
    for name in ("scatter", "column_probabilities", "num_forms", "covered_bits", "is_decided", "parting"):
        assert getattr(again, name) == getattr(outcome, name)
    assert (again.stability, again.stability_samples) == (0.7, 10)
    assert (again.target_range, again.target_deviation) == (outcome.target_range, outcome.target_deviation)
    assert np.isnan(again.front[-1].covariance[0][0])


def test_a_file_that_knows_nothing_of_noise_is_read(file):
    content = json.loads(file.read_text())
    for name in ("scatter", "column_probabilities", "num_forms", "covered_bits", "decided", "parting", "target_range"):
        del content[name]
    del content["stability"], content["stability_samples"]
    assert "probability" not in content
    file.write_text(json.dumps(content))
    outcome = read_law(file)[0]
    assert (outcome.scatter, outcome.column_probabilities, outcome.is_decided) == (None, (), False)
    assert (outcome.law.probability, outcome.law.covariance) == (None, ())
    assert (outcome.stability, outcome.stability_samples) == (None, 0)


def test_files_of_noisy_rows_keep_the_version_that_earlier_releases_read(tmp_path):
    write_law(tmp_path / "law.json", noisy_outcome(), {})
    assert json.loads((tmp_path / "law.json").read_text())["version"] == 1


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
        (lambda content: "[" * 500 + "]" * 500, "nested more than"),
        (lambda content: json.dumps(content)[:-1] + ', "target": "other"}', "same name twice"),
        (lambda content: json.dumps(content)[:-1] + ', "more": NaN}', "NaN"),
        (lambda content: json.dumps(content)[:-1] + ', "more": "\\ud800"}', "surrogate"),
        (lambda content: json.dumps(content)[:-1] + ', "more": ' + "1" * 5000 + "}", "not JSON"),
        (lambda content: "[1, 2]", "not a law file"),
        (lambda content: '{"equation": "x"}', "not a law file"),
        (changed(format="another"), "not a law file"),
        (changed(version=3), "upgrade"),
        (changed(version="1"), "upgrade"),
        (changed(version=True), "upgrade"),
        (changed(version=0), "upgrade"),
        (changed(equation="__import__('os').system('true')"), "damaged"),
        (changed(equation="mass + nothing"), "nothing"),
        (changed(equation=5), "'equation' holds 5"),
        (changed(equation="sech(mass)"), "sech"),
        (changed(equation="?*mass"), "are holes"),
        (changed(equation="_*mass"), "are holes"),
        (changed(equation="mass" + "+mass" * 6000), "more than 10000"),
        (changed(equation="mass" + "+mass" * 60_000), "characters"),
        (changed(equation="-(" * 600 + "mass" + ")" * 600), "deep"),
        (changed(constants=[]), "constants"),
        (changed(constants=[5]), "'constants'"),
        (changed(constants=[{"value": 0.1, "stderr": True}]), "'stderr'"),
        (changed(constants=[{"value": 0.1, "stderr": 10**400}]), "'stderr'"),
        (changed(constants=[{"value": 0.1}]), "no 'stderr'"),
        (changed(front={"a": 1}), "'front'"),
        (changed(front=[1]), "damaged"),
        (changed(ties="x"), "'ties'"),
        (changed(ties=[{"equation": "mass"}]), "damaged"),
        (changed(constants=[{"value": 0.1, "stderr": None, "name": 5}]), "'name'"),
        (changed(probability=1.5), "'probability'"),
        (changed(probability="high"), "'probability'"),
        (changed(covariance=[[1.0, 2.0]]), "'covariance'"),
        (changed(covariance=[1.0]), "'covariance'"),
        (changed(covariance=[["a"]]), "'covariance'"),
        (changed(covariance={}), "'covariance'"),
        (changed(scatter=0.1), "'scatter'"),
        (changed(scatter={"absolute": 0.1}), "no 'relative'"),
        (changed(scatter={"absolute": -0.1, "relative": 0, "num_outliers": 0}), "'absolute'"),
        (changed(scatter={"absolute": 0.1, "relative": 0, "num_outliers": 1.5}), "'num_outliers'"),
        (changed(column_probabilities=[0.5]), "1 numbers for 3 columns"),
        (changed(column_probabilities=[0.5, 2.0, 0.1]), "'column_probabilities'"),
        (changed(column_probabilities=5), "'column_probabilities'"),
        (changed(num_forms=-1), "'num_forms'"),
        (changed(covered_bits="all"), "'covered_bits'"),
        (changed(stability=1.5, stability_samples=2), "'stability'"),
        (changed(stability=0.5), "'stability_samples'"),
        (changed(decided=1), "'decided'"),
        (changed(target_range=-1), "'target_range'"),
        (changed(parting=[1]), "'parting'"),
        (changed(parting={"column": 3, "value": 1, "low": 1, "high": 1, "ratio": 1}), "'column'"),
        (changed(parting={"column": 0, "value": None, "low": 1, "high": 1, "ratio": 1}), "'value'"),
        (changed(columns=["mass"]), "damaged"),
        (changed(columns=[1, 2, 3]), "'columns'"),
        (changed(columns=["mass", "mass", "my speed %", "Ω²"]), "same name"),
        (changed(validation=None), "'validation'"),
        (changed(validation={"nmse": "0", "relative_error": 0}), "'nmse'"),
        (changed(exact=1), "'exact'"),
        (changed(notes=[5]), "'notes'"),
        (changed(trace=[["a", "b"]]), "'trace'"),
        (changed(stage_seconds=[["a", 1]]), "'stage_seconds'"),
        (changed(stage_seconds={"a": "soon"}), "'stage_seconds'"),
        (changed(settings=[]), "'settings'"),
        (changed(evaluations=-1), "'evaluations'"),
        (changed(evaluations=True), "'evaluations'"),
        (changed(evaluations=10**30), "'evaluations'"),
        (changed(target="half a \udcff"), "surrogates"),
        (changed(evaluations="many"), "'evaluations'"),
        (changed(seconds="soon"), "'seconds'"),
        (
            lambda content: json.dumps({**content, "seconds": 5}).replace('"seconds": 5', '"seconds": 1e999'),
            "'seconds'",
        ),
        (without("target"), "no 'target'"),
        (without("equation"), "no 'equation'"),
    ],
)
def test_other_and_damaged_files_are_refused(change, message, file):
    file.write_text(change(json.loads(file.read_text())))
    with pytest.raises(InvalidFile, match=message):
        read_law(file)


def test_a_law_of_the_most_nodes_can_be_used(outcome, file):
    content = json.loads(file.read_text())
    text = "-(" * 249 + "mass" + "+mass" * 4700 + ")" * 249
    file.write_text(json.dumps({**content, "equation": text, "constants": []}))
    law = read_law(file)[0].law
    assert law.predict(np.ones((3, 2))).tolist() == [-4701.0, -4701.0]
    assert law.text()
    assert law.latex()


def test_a_file_too_large_for_a_law_is_refused(tmp_path):
    with (tmp_path / "law.json").open("wb") as sparse:
        sparse.truncate(MOST_BYTES + 1)
    with pytest.raises(InvalidFile, match="too large"):
        read_law(tmp_path / "law.json")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InvalidFile, match="no such file"):
        read_law(tmp_path / "law.json")
    with pytest.raises(InvalidFile, match="this is a folder"):
        read_law(tmp_path)


def test_settings_that_are_no_text_leave_the_law_readable(tmp_path, outcome):
    write_law(tmp_path / "law.json", outcome, {"prior": "folder \udcff"})
    assert read_law(tmp_path / "law.json")[1] == {"prior": "folder ?"}
