"""A table with fewer rows or other units is still the same table."""

import numpy as np
import pytest

from mosaic_sr import Table
from mosaic_sr.table import Rounding, narrowed, resampled, thinned, unscaled


def table_of(num_rows, scale=1.0):
    X = np.random.default_rng(0).uniform(1.0, 3.0, size=(num_rows, 2))
    target = np.round(X[:, 0] * X[:, 1], 4) * scale
    return Table.from_arrays(X * [scale, 1.0], target, rng=np.random.default_rng(0))


def test_a_thinned_table_keeps_the_range_of_the_target_and_the_rounding_of_all_rows():
    table = table_of(500)
    few = thinned(table, 50)
    assert (few.training.num_rows, few.validation.num_rows) == (50, 50)
    assert np.ptp(few.training.target) == np.ptp(table.training.target)
    assert few.all_resolutions == table.all_resolutions
    assert few.target_resolution.rounding is Rounding.DECIMALS


def test_a_small_table_is_not_thinned():
    table = table_of(50)
    assert thinned(table, 50) is table


def test_rows_that_serve_both_parts_do_so_after_thinning():
    table = table_of(30)
    few = thinned(table, 20)
    assert few.validation is few.training


def test_unscaled_numbers_are_those_of_the_user_with_their_rounding():
    table = table_of(200, scale=2.0**40)
    plain = unscaled(table)
    assert table.target_exponent != 0
    assert (plain.target_exponent, plain.column_exponents) == (0, (0, 0))
    np.testing.assert_array_equal(plain.training.target, np.ldexp(table.training.target, table.target_exponent))
    np.testing.assert_array_equal(
        plain.target_resolution.quantum(plain.validation.target),
        np.ldexp(table.target_resolution.quantum(table.validation.target), table.target_exponent),
    )


def test_a_narrowed_table_keeps_rows_units_and_rounding_of_its_columns():
    table = table_of(200, scale=2.0**40)
    narrow = narrowed(table, [1])
    assert (narrow.names, narrow.used, narrow.column_exponents) == (("x1",), (1,), table.column_exponents[1:])
    assert narrow.all_resolutions == table.all_resolutions[1:]
    np.testing.assert_array_equal(narrow.training.columns, table.training.columns[1:])
    np.testing.assert_array_equal(narrow.validation.target, table.validation.target)
    assert narrowed(table, [0, 1]) is table


def test_a_bootstrap_sample_has_rows_of_the_table_with_counts_as_weights():
    X = np.random.default_rng(0).uniform(1.0, 3.0, size=(200, 2))
    sigma = 0.01 * X[:, 0]
    table = Table.from_arrays(X, X[:, 0] * X[:, 1], rng=np.random.default_rng(0), sigma=sigma)
    sample = resampled(table, np.random.default_rng(1))
    for drawn, rows in ((sample.training, table.training), (sample.validation, table.validation)):
        assert drawn.weights.sum() == rows.num_rows
        assert np.all(drawn.weights >= 1.0)
        known = {tuple(row) for row in np.vstack([rows.columns, rows.target, rows.sigma]).T}
        assert known.issuperset(tuple(row) for row in np.vstack([drawn.columns, drawn.target, drawn.sigma]).T)
    assert 0.5 < sample.training.num_rows / table.training.num_rows < 0.75  # 1 - 1/e of the rows
    assert sample.target is sample.training.target
    assert sample.all_resolutions == table.all_resolutions


def test_weights_are_chances_and_keep_their_sum():
    X = np.random.default_rng(0).uniform(1.0, 3.0, size=(30, 1))
    doubled = Table.from_arrays(np.vstack([X, X]), np.tile(2.0 * X[:, 0], 2), rng=np.random.default_rng(0))
    light = Table.from_arrays(X, 2.0 * X[:, 0], rng=np.random.default_rng(0), weights=np.full(30, 0.1))
    sample = resampled(doubled, np.random.default_rng(1))
    assert sample.weights.sum() == 60.0
    assert sample.validation is sample.training
    assert resampled(light, np.random.default_rng(1)).weights.sum() == pytest.approx(3.0)


def test_samples_of_three_rows_have_all_of_them_and_hopeless_ones_are_none():
    X = np.array([[1.0], [2.0], [3.0]])
    table = Table.from_arrays(X, 2.0 * X[:, 0], rng=np.random.default_rng(0))
    assert resampled(table, np.random.default_rng(0)).training.num_rows == 3
    heavy = Table.from_arrays(X, 2.0 * X[:, 0], rng=np.random.default_rng(0), weights=[1.0, 1e-12, 1e-12])
    assert resampled(heavy, np.random.default_rng(0)) is None
