"""Intervals of a found law, under the noise that the search has found."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import InvalidSettings, InvalidTable, MosaicRegressor, parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.intervals import law_intervals, with_intervals
from mosaic_sr.outcome import Outcome
from mosaic_sr.table import Table

NAMES = ("x", "z")
LAW = "8.03*x/(3.94 + x)"
# The guess is the law, and nothing else is tried.
GUESSED = {
    "random_state": 0, "guesses": ["a*x/(b + x)"], "without": ("finders", "prior", "enumeration", "grammar"),
    "max_evaluations": 2,
}  # fmt: skip


def outcome(text=LAW, errors=(0.1, 0.1), scatter=None):
    law = Equation(parse(text, NAMES), NAMES, Errors(0.0, 0.0), Errors(0.0, 0.0), "grammar", standard_errors=errors)
    return Outcome(law, (law,), NAMES, "y", True, 1, 0.1, scatter=scatter)


def rows(count=60, relative=0.03, absolute=0.0):
    rng = np.random.default_rng(1)
    columns = np.array([rng.uniform(0.5, 30.0, count), rng.uniform(1.0, 2.0, count)])
    values = 8.03 * columns[0] / (3.94 + columns[0])
    return columns, values + (relative * values + absolute) * rng.normal(size=count)


def test_noise_in_proportion_gives_narrower_intervals_than_noise_of_one_size():
    columns, y = rows()
    scatter = Scatter(1e-4, 0.03)
    own, plain = law_intervals(outcome(scatter=scatter), columns, y), law_intervals(outcome(), columns, y)
    assert "in proportion" in own.noise
    assert "same size" in plain.noise
    assert np.all(np.ptp(own.bounds, axis=2) < np.ptp(plain.bounds, axis=2))
    assert np.all(own.bounds[:, 1, 0] < [8.03, 3.94])
    assert np.all(own.bounds[:, 1, 1] > [8.03, 3.94])


def test_outliers_are_left_out():
    columns, y = rows()
    y[[3, 17]] += 8.0
    found = law_intervals(outcome(scatter=Scatter(1e-4, 0.03, 2)), columns, y)
    assert "2 outliers left out" in found.noise
    assert found.bounds[0, 1, 0] < 8.03 < found.bounds[0, 1, 1]
    assert np.ptp(found.bounds[0, 1]) < 0.5


def test_numbers_that_were_not_fitted_stay_fixed():
    columns, y = rows()
    found = law_intervals(outcome("8.03*x^1/(3.94 + x)", (0.1, 0.0, 0.1)), columns, y)
    assert found.bounds[1].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert found.errors[1] == 0.0
    assert "fixed" in str(found)


def test_stated_errors_and_weights_are_used():
    columns, y = rows(relative=0.0, absolute=0.2)
    sigma = np.full(len(y), 0.2)
    found = law_intervals(outcome(), columns, y, sigma=sigma)
    assert "as sigma states it" in found.noise
    doubled = law_intervals(outcome(), columns, y, weights=np.full(len(y), 4.0))
    plain = law_intervals(outcome(), columns, y)
    assert np.ptp(doubled.bounds[0, 1]) == pytest.approx(0.5 * np.ptp(plain.bounds[0, 1]), rel=0.1)
    with pytest.raises(InvalidTable, match="not both"):
        law_intervals(outcome(), columns, y, sigma=sigma, weights=sigma)


def test_a_row_of_weight_zero_does_not_count():
    columns, y = rows()
    y[0], weights = 1e6, np.ones(len(y))
    weights[0] = 0.0
    assert law_intervals(outcome(), columns, y, weights=weights).values[0] == pytest.approx(8.03, abs=0.5)


@pytest.mark.parametrize("count", [1, 2])
def test_rows_that_leave_nothing_for_the_noise_are_refused(count):
    columns, y = rows()
    with pytest.raises(InvalidTable, match="rows determine 2 constants at best"):
        law_intervals(outcome(), columns[:, :count], y[:count])


def test_rows_without_a_value_and_wrong_lengths_are_refused():
    columns, y = rows()
    with pytest.raises(InvalidTable, match="no finite value"):
        law_intervals(outcome("8.03*log(x - 3.94)"), columns, y)
    with pytest.raises(InvalidTable, match="59"):
        law_intervals(outcome(), columns, y[:-1])


def test_a_law_without_constants_has_an_empty_table():
    columns, y = rows()
    assert len(law_intervals(outcome("x", ()), columns, y).table) == 0


def test_a_model_gives_intervals_of_its_law(tmp_path):
    columns, y = rows(relative=0.0, absolute=0.2)
    frame = pd.DataFrame(columns.T, columns=NAMES)
    model = MosaicRegressor(**GUESSED).fit(frame, y)
    found = model.constant_intervals(frame, y)
    assert len(found.table) == len(model.constants_)
    assert np.allclose(found.values, model.constants_["value"], rtol=0.02)
    model.save(tmp_path / "law.json")
    again = MosaicRegressor.load(tmp_path / "law.json").constant_intervals(frame, y, "bootstrap", random_state=1)
    assert again.method == "bootstrap"
    assert np.allclose(again.values, found.values)


def test_the_same_seed_gives_the_same_bootstrap():
    columns, y = rows()
    one, two, other = (law_intervals(outcome(), columns, y, "bootstrap", random_state=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.bounds, two.bounds)
    assert not np.array_equal(one.bounds, other.bounds)
    assert replace(one, method="any").method == "any"


def test_a_fit_states_intervals_on_request_and_its_law_file_keeps_them(tmp_path):
    method = "profile"
    columns, y = rows()
    model = MosaicRegressor(intervals=method, **GUESSED)
    model.fit(pd.DataFrame(columns.T, columns=list(NAMES)), y)
    table = model.constants_
    assert np.all(table["low_95"] < table["low_68"])
    assert np.all(table["low_68"] < table["value"])
    assert np.all(table["value"] < table["high_68"])
    assert np.all(table["high_68"] < table["high_95"])
    model.save(tmp_path / "law.json")
    again = MosaicRegressor.load(tmp_path / "law.json")
    assert again.intervals == method
    pd.testing.assert_frame_equal(again.constants_, table)


def test_a_law_whose_rows_cannot_show_the_noise_gets_a_note_and_no_intervals():
    columns, y = rows(count=3)
    table = Table.from_arrays(columns.T, y, rng=np.random.default_rng(0), names=list(NAMES))
    law = outcome("8.03*x^1.1/(3.94 + x)", (0.1, 0.1, 0.1))
    found = with_intervals(law, table, "profile")
    assert found.law.intervals == ()
    assert "no intervals" in found.notes[-1]


def test_an_unknown_method_is_refused_before_the_search():
    columns, y = rows()
    with pytest.raises(InvalidSettings, match="intervals must be profile, delta, bootstrap, got 'exact'"):
        MosaicRegressor(intervals="exact").fit(columns.T, y)
