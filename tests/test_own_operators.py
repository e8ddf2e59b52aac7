"""Operators that users define, through the estimator, the command line, law files and searches that go on."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import InvalidFormula, InvalidSettings, MosaicRegressor
from mosaic_sr.law_file import read_law
from tests.cli.same_process import mosaic

FRAME = pd.DataFrame(np.random.default_rng(0).uniform(-2.0, 2.0, (80, 2)), columns=["x", "y"])
X, Y = FRAME["x"].to_numpy(), FRAME["y"].to_numpy()
# Operators, the target, and what the text of the law has in it.
CASES = {
    "sech": ({"unary_operators": ["sech(x) = 1/cosh(x)"]}, 2.5 / np.cosh(1.3 * X) + 0.7, "0.7 + 2.5*sech(1.3*x)"),
    "hypot2": (
        {"unary_operators": [], "binary_operators": ["-", "hypot2(x, y) = x*x + y*y"]},
        X**2 + (Y - 1.5) ** 2,
        "hypot2(",  # hypot2(x, y - 1.5), or with the square written out: hypot2(x, y) - y - y - y - -2.25
    ),
    "expit": (
        {"unary_operators": ["expit(x) = 1/(1+exp(-x))"], "binary_operators": ["+", "-", "*"]},
        3.0 * Y / (1.0 + np.exp(-1.7 * X)) + 0.25,
        "0.25 + 3*y*expit(1.7*x)",
    ),
}
BUDGET = {"max_evaluations": 60_000, "random_state": 0}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    settings, target, text = CASES[request.param]
    return request.param, settings, target, text, MosaicRegressor(**settings, **BUDGET).fit(FRAME, target)


def test_a_search_finds_the_law_and_prints_it_with_the_operator(case):
    name, _, target, text, model = case
    assert text in model.law_.text(6)
    assert model.law_.complexity == model.equations_["complexity"].iloc[-1] <= 11
    assert name in str(model.sympy())
    assert rf"\operatorname{{{name}}}" in model.latex()
    np.testing.assert_allclose(model.predict(FRAME), target, rtol=1e-9)


def test_the_law_survives_a_file_and_a_pickle(case, tmp_path):
    _, settings, target, _, model = case
    model.save(tmp_path / "law.json")
    content = json.loads((tmp_path / "law.json").read_text())
    (definition,) = content["operators"]
    assert definition.replace(" ", "") in [word.replace(" ", "") for words in settings.values() for word in words]
    for again in (MosaicRegressor.load(tmp_path / "law.json"), pickle.loads(pickle.dumps(model))):
        assert again.law_.expression == model.law_.expression
        np.testing.assert_array_equal(again.predict(FRAME), model.predict(FRAME))
    loaded = MosaicRegressor.load(tmp_path / "law.json")
    given = settings.get("unary_operators") or settings["binary_operators"]
    assert given == list(loaded.unary_operators or loaded.binary_operators)
    np.testing.assert_allclose(loaded.predict(FRAME), target, rtol=1e-9)


def process(*words, cwd):
    """What a process of its own prints; it compiles the operators anew."""
    command = [sys.executable, "-m", "mosaic_sr.cli", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, cwd=cwd, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def printed(*words, cwd):
    done = mosaic(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_command_line_takes_the_same_words(case, tmp_path):
    name, settings, target, _, model = case
    FRAME.assign(z=target).to_csv(tmp_path / "rows.csv", index=False)
    words = [word for key, each in settings.items() for word in (f"--{key.replace('_', '-')}", ",".join(each))]
    known = ("--guess", model.law_.text(), "--max-evaluations", 2, "--json", "law.json")
    assert f"{name}(" in printed("fit", "rows.csv", "--target", "z", *words, *known, "-q", cwd=tmp_path)
    outcome, _ = read_law(tmp_path / "law.json")
    np.testing.assert_allclose(outcome.law.predict(np.stack([X, Y])), target, rtol=1e-9)
    predicted = process("predict", "law.json", "rows.csv", cwd=tmp_path).splitlines()[1:]
    np.testing.assert_allclose(np.array(predicted, dtype=float), target, rtol=1e-9)
    source = printed("show", "law.json", "--python", cwd=tmp_path)
    assert f"def {name}(" in source
    assert f"{name}(" in printed("show", "law.json", cwd=tmp_path)
    assert rf"\operatorname{{{name}}}" in printed("show", "law.json", "--latex", cwd=tmp_path)


OWN = {
    "unary_operators": ["sech(x) = 1/cosh(x)", "expit(x) = 1/(1+exp(-x))", "sin"],
    "binary_operators": ["+", "*", "hypot2(x, y) = x*x + y*y"],
    "without": ("finders", "prior", "enumeration"),
    "random_state": 0,
}
RESUMED = """
import sys
import pandas as pd
from mosaic_sr import MosaicRegressor
from mosaic_sr.expressions.definitions import define

define("bump(x) = exp(-x*x)"), define("mean(x, y) = (x + y)/2")  # the codes of the others are new ones
rows = pd.read_pickle("rows.pickle")
model = MosaicRegressor(**pd.read_pickle("settings.pickle"), warm_start=True, output_directory="run")
model.fit(rows[["x", "y"]], rows["z"])
print(model.evaluations_, model.law_.text(), [law.text() for law in model.front_], sep="\\n")
"""


@pytest.mark.slow  # another process compiles the operators anew
def test_a_search_with_own_operators_goes_on_in_another_process(tmp_path):
    noisy = np.cosh(X) ** -1.5 * Y + 0.05 * np.random.default_rng(1).normal(size=80)
    whole = MosaicRegressor(**OWN, max_evaluations=25_000).fit(FRAME, noisy)
    MosaicRegressor(**OWN, max_evaluations=15_000, output_directory=tmp_path / "run").fit(FRAME, noisy)
    FRAME.assign(z=noisy).to_pickle(tmp_path / "rows.pickle")
    pd.to_pickle({**OWN, "max_evaluations": 25_000}, tmp_path / "settings.pickle")
    command = [sys.executable, "-c", RESUMED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    expected = [whole.evaluations_, whole.law_.text(), [law.text() for law in whole.front_]]
    assert done.stdout.splitlines()[-3:] == [str(each) for each in expected]
    assert any(word in str(expected[2]) for word in ("sech(", "expit(", "hypot2("))


def test_the_command_line_resumes_a_search_with_own_operators(tmp_path):
    noisy = np.cosh(X) ** -1.5 * Y + 0.05 * np.random.default_rng(1).normal(size=80)
    FRAME.assign(z=noisy).to_csv(tmp_path / "rows.csv", index=False)
    operators = ("--unary-operators", "sech(x) = 1/cosh(x)", "--binary-operators", "+,*,hypot2(x, y) = x*x + y*y")
    words = (
        "fit",
        "rows.csv",
        "--target",
        "z",
        *operators,
        "--without",
        "finders,prior,enumeration",
        "--seed",
        0,
        "-q",
    )
    limits = ("--time-limit", "inf", "--max-evaluations")
    whole = printed(*words, *limits, 25_000, cwd=tmp_path)
    printed(*words, *limits, 15_000, "--output", "run", cwd=tmp_path)
    assert process(*words, *limits, 25_000, "--resume", "run", cwd=tmp_path) == whole
    assert "sech(" in (tmp_path / "run" / "front.csv").read_text() or "hypot2(" in whole


def test_one_name_means_to_each_estimator_what_it_defined():
    brief = {"binary_operators": ["+", "*"], "max_evaluations": 20_000, "random_state": 0}
    first = MosaicRegressor(unary_operators=["f(x) = abs(x - 1)"], **brief).fit(FRAME, 2 * np.abs(X - 1) + Y)
    second = MosaicRegressor(unary_operators=["f(x) = abs(x + 1)"], **brief).fit(FRAME, 2 * np.abs(X + 1) + Y)
    assert first.law_.text(6) == second.law_.text(6) == "y + 2*f(x)"
    np.testing.assert_allclose(first.predict(FRAME), 2 * np.abs(X - 1) + Y, rtol=1e-9)
    np.testing.assert_allclose(second.predict(FRAME), 2 * np.abs(X + 1) + Y, rtol=1e-9)


def test_guesses_may_use_own_operators_and_are_written_out_where_they_are_not_defined():
    target = 2.5 / np.cosh(1.3 * X) + 0.7
    model = MosaicRegressor(
        unary_operators=["sech(x) = 1/cosh(x)"], guesses=["2*sech(x) + 1"], max_evaluations=500, random_state=0,
        warm_start=True, without=("finders", "prior", "enumeration", "grammar"),
    ).fit(FRAME, target)  # fmt: skip
    assert model.law_.text(6) == "0.7 + 2.5*sech(1.3*x)"
    model.set_params(unary_operators=None, guesses=None).fit(FRAME, target)
    assert model.law_.text(6) == "0.7 + 2.5/cosh(1.3*x)"


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"unary_operators": ["f(x, y) = x*y"]}, InvalidFormula, "needs 1 argument(s) as a unary operator"),
        ({"binary_operators": ["f(x) = x*x"]}, InvalidFormula, "needs 2 argument(s) as a binary operator"),
        ({"unary_operators": ["sin(x) = x*x"]}, InvalidFormula, "'sin' is a built-in operator"),
        ({"unary_operators": ["f(x) = f(x)"]}, InvalidFormula, "uses 'f' itself"),
        ({"unary_operators": ["f(x) = _*x"]}, InvalidFormula, "no constants to fit"),
        ({"unary_operators": ["f(x) = "]}, InvalidFormula, "is missing"),
        ({"unary_operators": ["f(x) = a*x"]}, InvalidFormula, "'a' is not an argument"),
        ({"unary_operators": ["f(x) = x*x", "f(x) = x*x*x"]}, InvalidSettings, "'f' is defined twice"),
        ({"unary_operators": ["y(x) = x*x"]}, InvalidSettings, "has the name of the column 'y'"),
        ({"unary_operators": ["sech"]}, InvalidSettings, "define others as in 'sech(x) = 1/cosh(x)'"),
        ({"guesses": ["sech(x)"]}, InvalidFormula, "unknown function 'sech'"),
    ],
    ids=str,
)
def test_bad_operators_fail_at_the_door(settings, error, words):
    with pytest.raises(error) as refused:
        MosaicRegressor(**settings).fit(FRAME, X * Y)
    assert words in str(refused.value)
