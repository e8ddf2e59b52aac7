"""The estimator: scikit-learn's own checks, PySR's names, named errors at the door."""

import pickle

import numpy as np
import pandas as pd
import polars
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mosaic_sr import InvalidFormula, InvalidSettings, InvalidTable, MosaicRegressor, MosaicWarning

QUICK = {"max_evaluations": 400, "random_state": 0}


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(0.5, 2.0, size=(60, 3)), columns=["mass", "my speed %", "N"])
    frame["energy"] = 0.5 * frame["mass"] * frame["my speed %"] ** 2
    return frame


@pytest.fixture
def fitted(frame):
    return MosaicRegressor(random_state=0).fit(frame[["mass", "my speed %", "N"]], frame["energy"])


# The checks draw data that follow no law; a few hundred fits show all that they look at.
@pytest.mark.filterwarnings("ignore::mosaic_sr.errors.MosaicWarning")
@parametrize_with_checks([MosaicRegressor(max_evaluations=300, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_law_keeps_the_names_of_the_columns(fitted):
    assert str(fitted.law_) == "0.5*mass*`my speed %`^2"
    assert {str(symbol) for symbol in fitted.sympy().free_symbols} == {"mass", "my speed %"}
    assert "mass" in fitted.latex()


def test_equations_have_the_columns_that_users_know(fitted):
    table = fitted.equations_
    for name in ("complexity", "loss", "score", "equation", "sympy_format", "lambda_format", "validation_loss"):
        assert name in table.columns
    assert table["complexity"].is_monotonic_increasing
    assert fitted.law_.is_exact
    assert fitted.found_by_ == "grammar"


def test_predictions_of_the_law_and_of_the_front(fitted, frame):
    X = frame[["mass", "my speed %", "N"]]
    np.testing.assert_allclose(fitted.predict(X), frame["energy"], rtol=1e-12)
    first = fitted.equations_["lambda_format"].iloc[0]
    np.testing.assert_array_equal(fitted.predict(X, index=0), first(X))
    with pytest.raises(InvalidSettings, match="index 99"):
        fitted.predict(X, index=99)


def test_large_and_small_units_come_back_into_the_law():
    X = np.random.default_rng(0).uniform(1e20, 9e20, size=(80, 2))
    y = 6.6743e-31 * X[:, 0] * X[:, 1]
    model = MosaicRegressor(random_state=0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-12)
    assert model.law_.is_exact
    np.testing.assert_allclose(model.law_.expression.constants, [6.6743e-31], rtol=1e-12)


def test_polars_frames_are_read(frame):
    X = polars.from_pandas(frame[["mass", "my speed %", "N"]])
    model = MosaicRegressor(**QUICK).fit(X, frame["energy"].to_numpy())
    assert model.n_features_in_ == 3


def test_the_same_seed_gives_the_same_law_for_any_number_of_threads(frame):
    X, y = frame[["mass", "my speed %"]], np.exp(frame["mass"]) - frame["my speed %"] / frame["N"]
    one, two = (MosaicRegressor(max_evaluations=9000, random_state=5, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.law_.text() == two.law_.text()
    assert one.evaluations_ == two.evaluations_


def test_a_guess_starts_the_search(frame):
    model = MosaicRegressor(guesses=["1*mass*`my speed %`^2"], without=("grammar",), random_state=0)
    model.fit(frame[["mass", "my speed %", "N"]], frame["energy"])
    assert model.found_by_ == "guesses"
    assert model.law_.is_exact


def test_operators_can_be_chosen(frame):
    model = MosaicRegressor(binary_operators=["+", "*"], unary_operators=[], **QUICK)
    model.fit(frame[["mass", "my speed %"]], frame["energy"] / frame["mass"])
    assert "/" not in model.law_.text()


def test_a_time_limit_returns_the_best_so_far(frame):
    y = np.sin(5 * frame["mass"]) * np.exp(frame["my speed %"]) + np.random.default_rng(0).normal(size=60)
    model = MosaicRegressor(time_limit=1.0, random_state=0)
    with pytest.warns(MosaicWarning, match="stopped early"):
        model.fit(frame[["mass", "my speed %"]], y)
    assert model.stopped_early_


def test_the_fitted_estimator_survives_pickling(fitted, frame):
    X = frame[["mass", "my speed %", "N"]]
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict(X), fitted.predict(X))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unary_operators": ["sine"]}, "unknown unary operator 'sine'"),
        ({"binary_operators": ["min"]}, "unknown binary operator 'min'"),
        ({"binary_operators": "+"}, "as a list"),
        ({"binary_operators": [], "unary_operators": []}, "no operators are left"),
        ({"maxsize": 1}, "maxsize must be"),
        ({"maxsize": 7.5}, "maxsize must be"),
        ({"time_limit": 0}, "time limit must be above 0"),
        ({"max_evaluations": 0}, "at least 1"),
        ({"preset": "magic"}, "unknown preset 'magic'"),
        ({"without": ("oracle",)}, "unknown proposer 'oracle'"),
    ],
)
def test_bad_settings_are_refused_with_what_came(settings, message, frame):
    with pytest.raises(InvalidSettings, match=message):
        MosaicRegressor(**settings).fit(frame[["mass"]], frame["energy"])


def test_a_bad_guess_is_refused_with_the_nearest_name(frame):
    with pytest.raises(InvalidFormula, match="did you mean 'mass'"):
        MosaicRegressor(guesses=["mas + 1"], **QUICK).fit(frame[["mass"]], frame["energy"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, np.ones(len(y))), "in every row"),
        (lambda X, y: (X[:1], y[:1]), "one row"),
        (lambda X, y: (X.assign(mass="heavy"), y), "mass"),
        (lambda X, y: (X.assign(mass=np.nan), y), "mass"),
    ],
)
def test_bad_tables_are_refused(change, message, frame):
    X, y = change(frame[["mass", "N"]], frame["energy"])
    with pytest.raises(InvalidTable, match=message):
        MosaicRegressor(**QUICK).fit(X, y)
