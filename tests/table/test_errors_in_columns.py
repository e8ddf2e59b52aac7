"""Errors of columns: the true values behind measured ones, and refusals."""

import numpy as np
import pandas as pd
import pytest

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table import Table
from mosaic_sr.table.errors_in_columns import TrueValues, checked_x_sigma


def measured(seed=0, num_rows=4000, error=1.0):
    rng = np.random.default_rng(seed)
    true = rng.normal(5.0, 2.0, num_rows)
    return true, true + error * rng.standard_normal(num_rows)


def test_true_values_are_nearer_to_the_middle_by_the_share_of_the_errors():
    true, x = measured()
    means, deviations = TrueValues(x[None], np.ones((1, len(x))), np.empty(0)).given(x[None], np.ones((1, len(x))))
    slope = np.polyfit(x, means[0], 1)[0]
    assert slope == pytest.approx(4.0 / 5.0, abs=0.03)
    assert np.std(true - means[0]) == pytest.approx(deviations.mean(), rel=0.05)
    assert np.polyfit(means[0], true, 1)[0] == pytest.approx(1.0, abs=0.03)


def test_a_row_with_a_small_error_stays_where_it_was_measured():
    _, x = measured()
    errors = np.where(np.arange(len(x)) < 2000, 1e-4, 1.0)[None]
    means, deviations = TrueValues(x[None], errors, np.empty(0)).given(x[None], errors)
    np.testing.assert_allclose(means[0, :2000], x[:2000], atol=1e-6)
    np.testing.assert_allclose(deviations[0, :2000], 1e-4, rtol=0.01)


def test_a_column_without_errors_tells_of_one_that_has_some_and_stays_as_it_is():
    rng = np.random.default_rng(1)
    exact = rng.normal(0.0, 1.0, 3000)
    true = exact + 0.1 * rng.standard_normal(3000)
    columns = np.array([true + rng.standard_normal(3000), exact])
    errors = np.array([np.ones(3000), np.zeros(3000)])
    means, deviations = TrueValues(columns, errors, np.empty(0)).given(columns, errors)
    np.testing.assert_array_equal(means[1], exact)
    assert np.std(means[0] - true) < 0.2
    assert np.all(deviations[1] == 0.0)


def test_units_scale_with_their_column():
    true, x = measured(num_rows=60)
    table = Table.from_arrays(x[:, None] * 1e30, true, rng=np.random.default_rng(0), names=["x"], x_sigma={"x": 1e30})
    plain = Table.from_arrays(x[:, None], true, rng=np.random.default_rng(0), names=["x"], x_sigma={"x": 1.0})
    scale = 2.0 ** table.column_exponents[0]
    np.testing.assert_allclose(table.training.x_sigma * scale, plain.training.x_sigma * 1e30, rtol=1e-9)
    np.testing.assert_allclose(table.training.columns * scale, plain.training.columns * 1e30, rtol=1e-9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"z": 0.1}, "not a column of X"),
        ({"x": -0.1}, "below 0"),
        ({"x": [0.1, np.nan, 0.1]}, "below 0, NaN"),
        ({"x": [0.1, 0.1]}, "2 rows and X has 3"),
        ({"x": "wide"}, "X_sigma of 'x'"),
        (np.ones((3, 3)), "3 columns, but X has 2"),
        (np.zeros((3, 2)), "0 everywhere"),
        (pd.DataFrame({"a": [1.0] * 3, "b": [1.0] * 3}), "use the same"),
        (0.1, "must have rows and columns"),
    ],
)
def test_errors_that_cannot_be_are_refused(given, message):
    with pytest.raises(InvalidTable, match=message):
        checked_x_sigma(given, ["x", "w"], 3, "X_sigma")


def test_errors_as_large_as_the_column_and_validation_rows_without_errors_are_refused():
    true, x = measured(num_rows=60)
    with pytest.raises(InvalidTable, match="as large as the variation"):
        Table.from_arrays(x[:, None], true, rng=np.random.default_rng(0), x_sigma={"x0": 5.0})
    held_out = (x[:, None], true)
    with pytest.raises(InvalidTable, match="leave validation out"):
        Table.from_arrays(x[:, None], true, rng=np.random.default_rng(0), x_sigma={"x0": 1.0}, validation=held_out)
