"""Searches that go on: a second fit of the estimator, and a fit from the folder of an earlier one."""

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import InvalidFile, InvalidSettings, MosaicRegressor, MosaicWarning
from mosaic_sr.proposal import PROPOSERS

ALL_BUT_GUESSES = tuple(name for name in PROPOSERS if name != "guesses")
# Search paths from the mean: proposers take seconds on tables without a law.
PLAIN = {"without": ("finders", "prior", "enumeration", "grammar"), "random_state": 0}
# Some rounds of search paths, and some more.
FIRST_BUDGET, WHOLE_BUDGET = 5_000, 10_000


@pytest.fixture(scope="module")
def columns():
    return pd.DataFrame(np.random.default_rng(0).uniform(0.5, 2.0, size=(60, 3)), columns=["mass", "speed", "N"])


@pytest.fixture(scope="module")
def hard(columns):
    """A table without an exact law, so that searches end with their budget."""
    noise = np.random.default_rng(1).normal(size=60)
    return columns[["mass", "N"]], np.exp(columns["mass"]) / columns["N"] + 0.1 * noise


@pytest.fixture(scope="module")
def uninterrupted(hard):
    """Candidates and law of one fit of the hard table, for those that go on from a shorter one."""
    model = MosaicRegressor(max_evaluations=WHOLE_BUDGET, **PLAIN).fit(*hard)
    return model.evaluations_, model.law_.text()


def test_a_warm_start_goes_on_where_the_search_stopped(hard, uninterrupted):
    model = MosaicRegressor(max_evaluations=FIRST_BUDGET, warm_start=True, **PLAIN).fit(*hard)
    assert model.trace_[-1]["stage"] == "refinement"
    model.set_params(max_evaluations=WHOLE_BUDGET - model.evaluations_).fit(*hard)
    assert (model.evaluations_, model.law_.text()) == uninterrupted


def test_a_warm_start_on_other_rows_begins_with_the_front(columns):
    X = columns[["mass", "speed"]]
    model = MosaicRegressor(random_state=0, warm_start=True, max_evaluations=100_000)
    model.fit(X, 2 * np.sin(3 * X["mass"]) / X["speed"])
    model.set_params(without=ALL_BUT_GUESSES).fit(X * 1.5, 4 * np.sin(4.5 * X["mass"]) / X["speed"])
    assert model.found_by_ == "guesses"
    assert model.law_.is_exact
    model.set_params(without=()).fit(columns, columns["mass"] * columns["speed"] ** 2)  # as many columns no more
    assert model.found_by_ != "guesses"


def test_an_output_directory_keeps_the_search_and_a_warm_start_goes_on_from_it(hard, uninterrupted, tmp_path):
    X, y = hard
    settings = {"output_directory": tmp_path / "run", **PLAIN}
    MosaicRegressor(max_evaluations=FIRST_BUDGET, **settings).fit(X, y)
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == ["front.csv", "law.json", "state.npz"]
    kept = MosaicRegressor.load(tmp_path / "run" / "law.json")
    assert pd.read_csv(tmp_path / "run" / "front.csv")["equation"].tolist() == kept.equations_["equation"].tolist()
    again = MosaicRegressor(max_evaluations=WHOLE_BUDGET, warm_start=True, **settings).fit(X, y)
    assert (again.evaluations_, again.law_.text()) == uninterrupted
    with pytest.raises(InvalidFile, match="another table"):
        MosaicRegressor(warm_start=True, **settings).fit(X, 2 * y)


def test_a_search_that_was_cut_off_is_not_replaced_by_the_same_one(hard, tmp_path):
    X, y = hard
    settings = {"output_directory": tmp_path / "run", "time_limit": 1e-9}
    for model in (MosaicRegressor(**PLAIN, **settings), MosaicRegressor(**{**PLAIN, "random_state": 1}, **settings)):
        with pytest.warns(MosaicWarning, match="stopped early"):
            model.fit(X, y)  # one of another seed replaces it
    with pytest.raises(InvalidSettings, match="interrupted search; resume it with warm_start=True"):
        model.fit(X, y)
    with pytest.warns(MosaicWarning, match="stopped early"):
        model.set_params(warm_start=True).fit(X, y)
