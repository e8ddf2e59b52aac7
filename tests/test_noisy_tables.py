"""Searches on noisy tables, through the estimator: the law, its probability, and what must not change them."""

import warnings
from functools import cache

import numpy as np

from mosaic_sr import MosaicRegressor, MosaicWarning
from mosaic_sr.evidence.written import shape as structure
from mosaic_sr.expressions.canonical import canonical

# The searches below are decided in seconds; no limit of time, so that a busy machine finds the same law.
BUDGET = {"max_evaluations": 2_000_000, "random_state": 0}


def decay(num_rows=60, noise=0.02, seed=0, a=1.0, b=1.0):
    """Rows of b * (3 exp(-0.7 x / a) + 0.4) with noise, in any units."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.1, 6.0, num_rows)
    y = 3.0 * np.exp(-0.7 * x) + 0.4 + noise * rng.standard_normal(num_rows)
    return (a * x)[:, None], b * y


@cache
def fitted(n_jobs=1, **rows):
    """The search of such rows, made once for all tests."""
    return MosaicRegressor(n_jobs=n_jobs, **BUDGET).fit(*decay(**rows))


def shape(law):
    """The law without its numbers, in canonical form."""
    return structure(canonical(law.expression))


def quietly(model, X, y):
    """The fitted model; whether its limit ended the search depends on the machine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MosaicWarning)
        return model.fit(X, y)


def test_a_noisy_law_is_found_with_a_probability_and_the_search_ends_when_it_is_decided():
    model = fitted()
    assert model.law_.expression.num_constants == 3
    assert "exp(" in model.law_.text()
    assert 0.5 < model.law_.probability <= 1.0
    assert sum(law.probability for law in (model.law_, *model.law_.ties)) <= 1.0 + 1e-9
    assert not model.stopped_early_
    for _, error, _ in model.law_.constants:
        assert np.isfinite(error)


def test_units_do_not_change_the_law():
    plain, other = fitted(), fitted(a=3.7e-5, b=2.9e6)
    assert shape(plain.law_) == shape(other.law_)
    assert min(plain.law_.probability, other.law_.probability) > 0.4


def test_the_number_of_threads_does_not_change_the_law():
    one, two = fitted(), fitted(n_jobs=2)
    assert one.law_.text() == two.law_.text()
    assert one.law_.probability == two.law_.probability


def test_outliers_neither_change_the_law_nor_its_constants():
    X, y = decay(num_rows=80, seed=1)
    y[[3, 30, 55]] += [1.5, -1.2, 2.0]
    model = MosaicRegressor(**BUDGET).fit(X, y)
    assert shape(model.law_) == shape(fitted().law_)
    values = model.predict(X)
    assert np.median(np.abs(values - (3.0 * np.exp(-0.7 * X[:, 0]) + 0.4))) < 0.02


def test_pure_noise_has_no_probable_law():
    rng = np.random.default_rng(5)
    X, y = rng.uniform(0.0, 1.0, (60, 2)), rng.standard_normal(60)
    law = quietly(MosaicRegressor(time_limit=3.0, random_state=0), X, y).law_
    assert law.probability is None or law.probability < 0.5


def test_a_function_without_closed_form_has_no_probable_law():
    rng = np.random.default_rng(6)
    x = np.sort(rng.uniform(0.0, 1.0, 120))
    waves = rng.standard_normal((2, 40))
    frequencies = rng.standard_normal(40) / 0.06
    y = (waves[0] @ np.sin(np.outer(frequencies, x)) + waves[1] @ np.cos(np.outer(frequencies, x))) / 6.0
    noisy = y + 0.02 * rng.standard_normal(120)
    law = quietly(MosaicRegressor(time_limit=3.0, random_state=0), x[:, None], noisy).law_
    assert law.probability is None or law.probability < 0.5


def test_six_rows_end_the_search_although_no_smooth_function_says_that_only_noise_is_left():
    x, y = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 7.0]), np.array([8.3, 10.3, 19.0, 16.0, 15.6, 19.8])
    model = MosaicRegressor(**BUDGET).fit(x[:, None], y)
    assert model.outcome_.is_decided
    assert model.evaluations_ < 200_000
    assert model.law_.probability < 0.6


def test_a_search_with_close_rivals_ends_when_the_last_paths_find_no_better_law():
    lengths = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    periods = np.array([0.90, 1.10, 1.27, 1.42, 1.55, 1.68, 1.79, 1.90, 2.01])
    model = MosaicRegressor(**BUDGET).fit(lengths[:, None], periods)
    assert model.outcome_.is_decided
    assert "sqrt" in model.law_.text()
    assert len(model.rivals_)


def test_a_precise_line_through_few_rows_is_probable_and_ends_the_search():
    current = np.arange(0.5, 4.1, 0.5)
    voltage = np.array([1.09, 2.21, 3.28, 4.43, 5.47, 6.62, 7.68, 8.81])
    model = MosaicRegressor(**BUDGET).fit(current[:, None], voltage)
    assert model.law_.complexity == 3  # a number times the current, and no wave that is faster than the rows can show
    assert model.law_.probability > 0.5
    assert model.outcome_.is_decided
