"""The folder for SRBench, used the way its runner uses a method: attributes set, data frames, an alarm, text edited."""

import importlib.util
import json
import re
import shlex
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sympy
from sklearn.base import clone

from mosaic_sr import SearchConfig, parse

FOLDER = Path(__file__).parents[2] / "srbench" / "mosaic_sr"
# The runner sets the first of these that the estimator has.
LIMITS = ("max_time", "timeout_in_seconds", "timeout", "stop_time", "time_limit")
# What the runner replaces in the text of a law, in its order.
REPLACED = {"^": "**", "p/": "/", "aq": "/", "|": "", "log": "PLOG", "sqrt": "PSQRT", "pi": "3.1415926535"}
# What the runner takes for the name of a column by its number, in its order.
RENAMED = ("x{}", "x_{}", "X_{}", "X{}", "x[:,{}]", "x[{}]")
ACCEPTED = {"test_params", "max_train_samples", "scale_x", "scale_y", "pre_train", "use_dataframe"}


class TimeOutError(Exception):
    """What the runner's alarm raises in the middle of a fit."""


@pytest.fixture(scope="module")
def regressor():
    spec = importlib.util.spec_from_file_location("srbench_regressor", FOLDER / "regressor.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prepared(regressor, seconds):
    """A fresh estimator with seed and time limit, as the runner makes it."""
    est = clone(regressor.est)
    est.set_params(**regressor.eval_kwargs["test_params"])
    est.random_state = 7
    name = next(name for name in LIMITS if hasattr(est, name))
    setattr(est, name, seconds)
    return est


def frame_of(columns, num_rows=120):
    rng = np.random.default_rng(3)
    return pd.DataFrame({name: rng.uniform(0.5, 3.0, num_rows) for name in columns})


def edited(text, names):
    """The runner's own replacements of text, wherever the letters stand, then sympy with the columns as symbols."""
    for number, name in enumerate(names):
        for pattern in RENAMED:
            text = text.replace(pattern.format(number), name)
    for letters, replacement in REPLACED.items():
        text = text.replace(letters, replacement)
    functions = {"PLOG": sympy.log, "PSQRT": sympy.sqrt}
    return sympy.parse_expr(text, local_dict={**functions, **{name: sympy.Symbol(name) for name in names}})


@contextmanager
def alarm(seconds):
    """Raise in the middle of whatever runs, like the runner does some time after the limit."""

    def ring(number, frame):
        raise TimeOutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_settings_are_those_that_the_runner_accepts(regressor):
    assert set(regressor.eval_kwargs) <= ACCEPTED
    assert regressor.eval_kwargs["scale_x"] is False
    assert regressor.eval_kwargs["scale_y"] is False


def test_its_parameters_can_be_written_as_json(regressor):
    assert json.loads(json.dumps(prepared(regressor, 3600).get_params()))["time_limit"] == 3600


def test_the_metadata_have_what_the_runner_reads():
    text = (FOLDER / "metadata.yml").read_text()
    assert {"authors", "email", "name", "description", "url"} == set(re.findall(r"^(\w+):", text, re.MULTILINE))
    assert f"\nname: {FOLDER.name}\n" in text


def test_the_command_of_the_installation_prepares_the_kernels():
    line = next(line for line in (FOLDER / "install.sh").read_text().splitlines() if "warm_up" in line)
    _, words, code = shlex.split(line)
    assert words == "-c"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


def test_the_usual_number_of_candidates_stays_beside_the_time_limit(regressor):
    assert prepared(regressor, 3600).max_evaluations == SearchConfig().max_evaluations


@pytest.mark.parametrize("stem", ["x_", "x", "column_"])
def test_the_law_is_text_over_the_columns_of_the_frame(regressor, stem):
    X = frame_of([f"{stem}{number}" for number in range(12)])
    est = prepared(regressor, 20).fit(X, 2.5 * X[f"{stem}1"] * X[f"{stem}10"] + 0.75)
    text = regressor.model(est, X)
    law = edited(text, X.columns)
    expected = 2.5 * sympy.Symbol(f"{stem}1") * sympy.Symbol(f"{stem}10") + 0.75
    assert sympy.simplify(law - expected).evalf(3) == pytest.approx(0, abs=1e-9)
    assert regressor.complexity(est) >= 5


def test_the_population_is_the_front_and_the_best_is_the_law(regressor):
    X = frame_of(["a", "b"], 300)
    noise = np.random.default_rng(0).standard_normal(len(X))
    est = prepared(regressor, 60).set_params(max_evaluations=400, without=("finders", "prior", "enumeration"))
    est.fit(X, X["a"] / (1.0 + X["b"]) + 0.01 * noise)
    members = regressor.get_population(est)
    assert 1 < len(members) <= 100
    for index, member in enumerate(members):
        np.testing.assert_array_equal(member.predict(X), est.predict(X, index))
        assert edited(regressor.model(member, X), X.columns).free_symbols <= {sympy.Symbol("a"), sympy.Symbol("b")}
    assert regressor.model(regressor.get_best_solution(est), X) in [regressor.model(member, X) for member in members]


def test_functions_and_pi_survive_the_replacement_of_text(regressor):
    X = frame_of(["theta", "radius"])
    est = prepared(regressor, 20).fit(X, np.pi * np.sqrt(X["radius"]) * np.log(X["theta"]))
    text = regressor.model(est, X)
    assert "log" in text
    assert "sqrt" in text
    law = edited(text, X.columns)
    values = sympy.lambdify([sympy.Symbol("theta"), sympy.Symbol("radius")], law)(X["theta"], X["radius"])
    np.testing.assert_allclose(values, est.predict(X), rtol=1e-8)


def test_a_fit_cut_by_the_alarm_still_answers(regressor):
    X = frame_of(["a", "b"], 300)
    est = prepared(regressor, 3600)
    # A smooth function without a closed form: the search goes on, because its laws leave more than noise.
    rng = np.random.default_rng(0)
    waves = np.sin(3.0 * rng.standard_normal((20, 2)) @ X[["a", "b"]].to_numpy().T + rng.uniform(0.0, 6.0, (20, 1)))
    with pytest.raises(TimeOutError), alarm(6.0):
        est.fit(X, rng.standard_normal(20) @ waves)
    law = edited(regressor.model(est, X), X.columns)
    values = sympy.lambdify([sympy.Symbol("a"), sympy.Symbol("b")], law)(X["a"], X["b"])
    np.testing.assert_allclose(np.broadcast_to(values, len(X)), est.predict(X), rtol=1e-8)


def test_numbers_are_the_fitted_ones(regressor):
    X = frame_of(["a"])
    est = prepared(regressor, 20).fit(X, 6.02214076e23 * X["a"] ** 2)
    printed = parse(str(regressor.model(est, X)).replace("e+", "e"), ["a"])
    assert printed.constants[0] == pytest.approx(6.02214076e23, rel=1e-12)
