"""`fit(sigma=...)`: stated standard errors decide the law, and are part of what a search is known by."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from mosaic_sr import InvalidTable, MosaicRegressor
from mosaic_sr.pipeline import SearchConfig
from mosaic_sr.run_folder import identify
from mosaic_sr.table import Table

PLAIN = {"without": ("finders", "prior", "enumeration"), "random_state": 0, "max_evaluations": 1500}
RNG = np.random.default_rng(5)
X = RNG.uniform(0.5, 4.0, size=(60, 2))
SIGMA = np.where(RNG.random(60) < 0.5, 0.02, 1.0)
Y = 2.8731 * X[:, 0] + 1.3719 + SIGMA * RNG.normal(size=60)


def fitted(X=X, y=Y, sigma=SIGMA, **others):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MosaicRegressor(**PLAIN).fit(X, y, sigma=sigma, **others)


@pytest.fixture(scope="module")
def line():
    return fitted()


def test_constants_are_those_of_the_weighted_fit_with_errors_from_sigma(line):
    design = np.column_stack([X[:, 0], np.ones(60)]) / SIGMA[:, None]
    expected = np.linalg.lstsq(design, Y / SIGMA, rcond=None)[0]
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)))
    np.testing.assert_allclose(line.predict([[0.0, 1.0], [1.0, 1.0]]), [expected[1], expected.sum()], rtol=0.01)
    assert line.law_.expression.columns == (0,)
    (slope,) = [one for one in line.law_.constants if one.value == pytest.approx(expected[0], rel=0.01)]
    assert slope.standard_error == pytest.approx(errors[0], rel=0.3)


def test_the_order_of_rows_does_not_change_the_law(line):
    order = np.random.default_rng(0).permutation(60)
    assert str(fitted(X[order], Y[order], SIGMA[order]).law_) == str(line.law_)


@pytest.mark.parametrize("factor", [10.0, 0.1])
def test_errors_that_are_off_by_a_factor_keep_the_law_and_are_noted(line, factor):
    other = fitted(sigma=factor * SIGMA if factor < 1 else np.minimum(factor * SIGMA, 5.0))
    assert other.law_.expression.columns == line.law_.expression.columns
    np.testing.assert_allclose(other.predict(X), line.predict(X), rtol=0.02)
    assert any("times as far from the law as the standard errors" in note for note in other.notes_)
    assert not any("times as far" in note for note in line.notes_)


def test_rows_that_are_all_outliers_still_give_a_law():
    rng = np.random.default_rng(0)
    wild = fitted(y=1e6 * rng.standard_cauchy(60), sigma=SIGMA)
    assert np.all(np.isfinite(wild.predict(X)))


@pytest.mark.parametrize("sigma", [np.zeros(60), -SIGMA, np.full(60, np.nan), SIGMA[:5], ["a"] * 60, 0.5])
def test_bad_standard_errors_are_refused(sigma):
    with pytest.raises(InvalidTable, match="sigma"):
        fitted(sigma=sigma)


def test_standard_errors_and_sample_weights_exclude_each_other():
    with pytest.raises(InvalidTable, match="give sigma or weights, not both"):
        fitted(sample_weight=np.ones(60))


def test_two_rows_are_refused():
    with pytest.raises(InvalidTable, match="2 distinct rows"):
        fitted([[1.0], [2.0], [2.0]], [1.0, 2.0, 2.0], [0.1, 0.1, 0.2])


def test_a_series_of_a_frame_is_taken_unless_it_is_a_feature():
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "error": SIGMA, "y": Y})
    assert fitted(frame[["a", "b"]], frame["y"], frame["error"]).law_.names == ("a", "b")
    with pytest.raises(InvalidTable, match="sigma is also the column 'error' of X"):
        fitted(frame[["a", "error"]], frame["y"], frame["error"])


def test_validation_rows_have_standard_errors_of_their_own():
    with pytest.raises(InvalidTable, match=r"\(X, y, sigma\)"):
        fitted(validation=(X + 0.1, Y + 0.3))
    assert fitted(validation=(X + 0.1, Y + 0.3, SIGMA)).law_.validation.nmse < 1.0


def test_arguments_of_others_lead_to_sigma():
    with pytest.raises(TypeError, match="use sigma"):
        MosaicRegressor().fit(X, Y, yerr=SIGMA)


def test_scikit_learn_routes_sigma():
    with config_context(enable_metadata_routing=True):
        model = clone(MosaicRegressor(**PLAIN)).set_fit_request(sigma=True, sample_weight=False)
        chain = make_pipeline(FunctionTransformer(), model)
        with pytest.raises(InvalidTable, match="sigma has 60 rows at 0 or below"):
            chain.fit(X, Y, sigma=np.zeros(60))


def test_a_search_is_known_by_its_standard_errors():
    def identity(sigma):
        table = Table.from_arrays(X, Y, sigma=sigma, rng=np.random.default_rng(0))
        return identify(table, SearchConfig(), (1, 2))

    assert identity(SIGMA) == identity(SIGMA.copy())
    assert len({identity(sigma).table for sigma in (None, SIGMA, 2.0 * SIGMA)}) == 3
