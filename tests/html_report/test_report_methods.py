"""`report` and `plot` of the estimator."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from mosaic_sr import InvalidFile, InvalidSettings, MosaicRegressor
from mosaic_sr.proposal import PROPOSERS

RNG = np.random.default_rng(0)
X = pd.DataFrame({"length": RNG.uniform(1.0, 4.0, 60), "mass": RNG.uniform(1.0, 4.0, 60)})
Y = pd.Series(3.0 * X["length"] ** 2, name="area")
OTHERS = [name for name in PROPOSERS if name not in ("guesses", "products")]


@pytest.fixture(scope="module")
def model():
    return MosaicRegressor(random_state=0, without=OTHERS, max_evaluations=200).fit(X, Y)


def test_a_fitted_model_writes_its_own_report(model, tmp_path):
    model.report(tmp_path / "law.html")
    page = (tmp_path / "law.html").read_text(encoding="utf-8")
    assert "The law of area" in page
    assert "the numbers of X and y as float64" in page
    model.report(str(tmp_path / "other.html"), X.head(20), Y.head(20))
    assert "20 rows." in (tmp_path / "other.html").read_text(encoding="utf-8")


def test_a_model_keeps_its_rows_through_pickle(model, tmp_path):
    pickle.loads(pickle.dumps(model)).report(tmp_path / "law.html")
    assert "60 rows." in (tmp_path / "law.html").read_text(encoding="utf-8")
    assert not hasattr(clone(model), "_rows")


def test_a_loaded_model_needs_rows(model, tmp_path):
    model.save(tmp_path / "law.json")
    loaded = MosaicRegressor.load(tmp_path / "law.json")
    with pytest.raises(InvalidSettings, match="give the rows to show as X and y"):
        loaded.report(tmp_path / "law.html")
    loaded.report(tmp_path / "law.html", X, Y)
    assert "are these other rows?" not in (tmp_path / "law.html").read_text(encoding="utf-8")


def test_other_rows_than_those_of_the_search_raise_a_doubt(model, tmp_path):
    model.report(tmp_path / "law.html", X, Y + 1.0)
    assert "are these other rows?" in (tmp_path / "law.html").read_text(encoding="utf-8")


def test_later_changes_of_the_table_do_not_change_the_report(model, tmp_path):
    own, target = X.copy(), Y.copy()
    fresh = MosaicRegressor(random_state=0, without=OTHERS, max_evaluations=200).fit(own, target)
    own.iloc[:, 0], target[:] = 0.0, 1.0
    fresh.report(tmp_path / "law.html")
    assert "All residuals are 0" in (tmp_path / "law.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["fit", "residuals", "response", "front"])
def test_a_figure_of_every_kind(model, kind):
    figures = pytest.importorskip("matplotlib.figure")
    assert isinstance(model.plot(kind), figures.Figure)
    assert isinstance(model.plot(kind, X, Y, index=0), figures.Figure)


def test_misuse_is_refused(model, tmp_path):
    with pytest.raises(NotFittedError):
        MosaicRegressor().report(tmp_path / "law.html")
    with pytest.raises(NotFittedError):
        MosaicRegressor().plot()
    with pytest.raises(InvalidFile, match="does not exist"):
        model.report(tmp_path / "nowhere" / "law.html")
    with pytest.raises(InvalidSettings, match="kind must be"):
        model.plot("pie")
    with pytest.raises(InvalidSettings, match="no row 99"):
        model.plot("fit", index=99)
