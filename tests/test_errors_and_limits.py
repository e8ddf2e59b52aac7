"""Errors of columns, limits of targets, counts and chi2 from end to end."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mosaic_sr import InvalidTable, MosaicRegressor
from mosaic_sr.cli.app import app
from mosaic_sr.verdict import noise_words
from tests.cli.same_process import refusal

# The guess and the mean alone: the law is the same however fast the machine is.
PLAIN = {"random_state": 0, "without": ("finders", "prior", "enumeration", "grammar"), "max_evaluations": 2}
QUICK = ["--without", "finders,prior,enumeration,grammar", "--max-evaluations", "2", "--no-picture"]


@pytest.fixture(scope="module")
def line():
    rng = np.random.default_rng(2)
    true = rng.normal(5.0, 2.0, 120)
    frame = pd.DataFrame({"x": true + rng.standard_normal(120), "x_err": 1.0, "s": 0.31})
    return frame.assign(y=13.7 + 2.13 * true + 0.31 * rng.standard_normal(120))


@pytest.fixture(scope="module")
def decay():
    rng = np.random.default_rng(2)
    x = rng.uniform(0.0, 5.0, 120)
    y = 5.3 * np.exp(-0.83 * x) + 0.1 * rng.standard_normal(120)
    return pd.DataFrame({"x": x, "y": [f"<{0.5}" if value < 0.5 else f"{value:.4f}" for value in y]})


def slope(model):
    first, second = model.predict(pd.DataFrame({"x": [4.0, 6.0]}))
    return 0.5 * (second - first)


@pytest.mark.parametrize("sigma", [None, 0.31])
def test_errors_of_a_column_leave_the_slope_right(line, sigma):
    stated = {} if sigma is None else {"sigma": np.full(120, sigma)}
    options = {**PLAIN, "guesses": ["a + b*x"]}
    naive = MosaicRegressor(**options).fit(line[["x"]], line["y"], **stated)
    own = MosaicRegressor(**options).fit(line[["x"]], line["y"], X_sigma={"x": 1.0}, **stated)
    assert slope(naive) < 1.9
    assert slope(own) == pytest.approx(2.13, abs=0.25)
    fitted = own.constants_[own.constants_["standard_error"] > 0.0]
    assert len(fitted) > 0
    if sigma is not None:
        assert own.chi2_.per_dof == pytest.approx(1.0, abs=0.4)
        assert naive.chi2_.per_dof > 10.0


def test_an_array_and_a_mapping_say_the_same_and_other_errors_are_another_search(line, tmp_path):
    X, y = line[["x"]], line["y"]
    options = {**PLAIN, "guesses": ["a + b*x"], "output_directory": tmp_path / "run", "warm_start": True}
    first = MosaicRegressor(**options).fit(X, y, X_sigma=np.ones((120, 1)))
    again = MosaicRegressor(**options).fit(X, y, X_sigma={"x": np.ones(120)})
    assert again.law_.text() == first.law_.text()
    with pytest.raises(Exception, match="another table"):
        MosaicRegressor(**options).fit(X, y, X_sigma={"x": 0.5})


def test_intervals_take_errors_of_columns(line):
    model = MosaicRegressor(**PLAIN, guesses=["a + b*x"]).fit(line[["x"]], line["y"], X_sigma={"x": 1.0})
    table = model.constant_intervals(line[["x"]], line["y"], X_sigma={"x": 1.0}).table
    np.testing.assert_allclose(sorted(table["value"]), sorted(model.constants_["value"]), rtol=0.05)


def test_limits_count_in_the_law(decay):
    options = {**PLAIN, "guesses": ["a*exp(-b*x)", "a - b*atan(x)"]}
    model = MosaicRegressor(**options).fit(decay[["x"]], decay["y"])
    assert "exp" in str(model.law_)
    assert model.predict(pd.DataFrame({"x": [0.0]})) == pytest.approx(5.3, abs=0.2)
    assert any("only the limit of the target" in note for note in model.notes_)
    limits = np.where(decay["y"].str.startswith("<"), "left", "0")
    numbers = decay["y"].str.removeprefix("<").astype(float)
    same = MosaicRegressor(**options).fit(decay[["x"]], numbers, censoring=limits)
    assert same.law_.text() == model.law_.text()


def test_limits_where_values_should_be_are_refused(decay, line):
    with pytest.raises(InvalidTable, match="column 'x' of X"):
        MosaicRegressor(**PLAIN).fit(decay[["y"]].rename(columns={"y": "x"}), decay["x"])
    with pytest.raises(InvalidTable, match="120 rows of 120 have only a limit"):
        MosaicRegressor(**PLAIN).fit(line[["x"]], line["y"], censoring=np.ones(120))
    with pytest.raises(InvalidTable, match="at 0 or below"):
        MosaicRegressor(**PLAIN).fit(line[["x"]], line["y"], sigma=np.zeros(120))


def test_counts_have_the_noise_of_counts(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.uniform(1.0, 9.0, 150)
    y = rng.poisson(4.0 * x**1.5)
    model = MosaicRegressor(**PLAIN, guesses=["a*x^b"]).fit(pd.DataFrame({"x": x}), pd.Series(y, name="n"))
    assert model.scatter_.counts == 1.0
    assert "Poisson" in noise_words(model.outcome_)
    _, std = model.predict(pd.DataFrame({"x": [1.0, 4.0]}), return_std=True)
    np.testing.assert_allclose(std, [2.0, np.sqrt(32.0)], rtol=0.15)
    model.save(tmp_path / "law.json")
    assert MosaicRegressor.load(tmp_path / "law.json").scatter_ == model.scatter_


def test_the_command_line_takes_errors_of_columns_and_states_chi2(line, tmp_path):
    line.to_csv(tmp_path / "line.csv", index=False)
    words = ["fit", str(tmp_path / "line.csv"), "--target", "y", "--guess", "a + b*x", "--sigma", "s"]
    for errors in ("x=x_err", "x=1.0"):
        own = [*words, "--x-sigma", errors, *([] if "err" in errors else ["--ignore", "x_err"])]
        done = CliRunner().invoke(app, [*own, *QUICK, "--json", str(tmp_path / "law.json")])
        assert done.exit_code == 0, done.output
        assert "the errors explain the scatter" in done.output
        kept = json.loads((tmp_path / "law.json").read_text())["chi2"]
        assert kept["per_dof"] == pytest.approx(1.0, abs=0.4)
    assert MosaicRegressor.load(tmp_path / "law.json").chi2_.per_dof == pytest.approx(kept["per_dof"])


def test_the_command_line_reads_limits(decay, tmp_path):
    decay.to_csv(tmp_path / "decay.csv", index=False)
    words = ["fit", str(tmp_path / "decay.csv"), "--target", "y", "--guess", "a*exp(-b*x)", *QUICK]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "only the limit of the target is known" in done.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "y", "--x-sigma", "z=0.1"], "not a feature"),
        (["--target", "y", "--x-sigma", "x"], "NAME=COLUMN"),
        (["--target", "y", "--x-sigma", "x=0.1,x=0.2"], "twice"),
        (["--target", "y", "--x-sigma", "x=-0.1"], "below 0"),
        (["--target", "y", "--x-sigma", "x=wrong"], "no column 'wrong'"),
        (["--target", "y", "--x-sigma", "x=9"], "as large as the variation"),
    ],
)
def test_errors_that_cannot_be_are_refused_on_the_command_line(line, tmp_path, monkeypatch, capsys, words, message):
    line.to_csv(tmp_path / "line.csv", index=False)
    code, printed = refusal(["fit", "line.csv", *words], tmp_path, monkeypatch, capsys)
    assert code != 0
    assert message in printed


def test_other_commands_and_validation_rows_refuse_limits(decay, tmp_path, monkeypatch, capsys):
    decay.to_csv(tmp_path / "decay.csv", index=False)
    for words in (
        ["fit", "decay.csv", "--target", "y", "--validation", "decay.csv"],
        ["constants", "a*exp(-b*x)", "decay.csv", "--target", "y"],
        ["fit", "decay.csv", "--target", "x"],
    ):
        code, printed = refusal(words, tmp_path, monkeypatch, capsys)
        assert code != 0
        assert "a bound" in printed


def test_intervals_after_a_fit_know_errors_of_columns_and_leave_limits_alone(line, decay):
    options = {**PLAIN, "intervals": "delta"}
    model = MosaicRegressor(**options, guesses=["a + b*x"]).fit(line[["x"]], line["y"], X_sigma={"x": 1.0})
    assert len(model.law_.intervals) == model.law_.expression.num_constants
    limited = MosaicRegressor(**options, guesses=["a*exp(-b*x)"]).fit(decay[["x"]], decay["y"])
    assert any("no intervals" in note and "limits" in note for note in limited.notes_)
