"""Tables from arrays: extremes, sizes, draws and the user's own validation rows."""

import tracemalloc

import numpy as np
import pytest

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table import Rounding, Table, TableConfig
from mosaic_sr.table.column_order import content_order


def make(X, y, seed=0, **others):
    return Table.from_arrays(X, y, rng=np.random.default_rng(seed), **others)


def sample(num_rows, num_columns=3, seed=1):
    X = np.random.default_rng(seed).normal(size=(num_rows, num_columns))
    return X, X[:, 0] * 3 + X.sum(axis=1) ** 2


def test_scales_are_taken_out_and_known():
    X, y = sample(100)
    table = make(X * [1e-300, 1.0, 1e300], y * 1e-33)
    assert table.column_exponents[1] == 0
    unscaled = np.array([np.ldexp(c, e) for c, e in zip(table.columns, table.column_exponents, strict=True)])
    order = np.argsort(X[:, content_order(list(X.T), y)[0]])
    np.testing.assert_array_equal(unscaled, (X * [1e-300, 1.0, 1e300])[order].T)
    np.testing.assert_array_equal(np.ldexp(table.target, table.target_exponent), (y * 1e-33)[order])
    for values in (*table.columns, table.target):
        assert 0.01 <= np.median(np.abs(values)) <= 100


def test_few_rows_serve_for_fitting_and_validation():
    table = make(*sample(39))
    assert table.training is table.validation
    assert table.training.num_rows == 39
    assert "there are few rows: all are used for training and for validation" in table.notes


def test_enough_rows_are_split():
    table = make(*sample(40))
    assert (table.training.num_rows, table.validation.num_rows) == (32, 8)
    assert table.notes == ()


def test_the_seed_decides_the_split():
    X, y = sample(200)
    first, again, other = make(X, y), make(X, y), make(X, y, seed=1)
    np.testing.assert_array_equal(first.validation.target, again.validation.target)
    assert not np.array_equal(first.validation.target, other.validation.target)


def test_a_split_never_leaves_a_constant_target():
    X, _ = sample(200)
    table = make(X, np.eye(200)[3])
    assert np.ptp(table.training.target) == 1.0
    assert np.ptp(table.validation.target) == 1.0


def test_validation_rows_of_the_user_are_taken_and_scaled_alike():
    X, y = sample(60)
    Xv, yv = sample(30, seed=2)
    table = make(X * 1e9, y * 1e-9, validation=(Xv * 1e9, yv * 1e-9, np.full(30, 2.0)))
    assert (table.training.num_rows, table.validation.num_rows) == (60, 30)
    order = np.argsort(Xv[:, content_order(list(Xv.T), yv)[0]])
    np.testing.assert_array_equal(
        np.ldexp(table.validation.columns[2], table.column_exponents[2]), (Xv * 1e9)[order, 2]
    )
    np.testing.assert_array_equal(np.ldexp(table.validation.target, table.target_exponent), (yv * 1e-9)[order])
    np.testing.assert_array_equal(table.validation.weights, np.full(30, 2.0))


def test_ignored_columns_are_left_out_of_validation_rows():
    X, y = sample(60)
    Xv, yv = sample(30, seed=2)
    X[:, 1] = 4.0
    with pytest.warns(UserWarning, match="'x1' is ignored"):
        table = make(X, y, validation=(Xv, yv))
    np.testing.assert_array_equal(table.validation.columns, Xv[np.argsort(Xv[:, 0])][:, [0, 2]].T)


def test_two_hundred_columns_are_fine():
    table = make(*sample(100, num_columns=200))
    assert table.num_columns == 200
    assert any("for 200 columns" in note for note in table.notes)


def test_weights_of_one_are_left_out():
    X, y = sample(50)
    assert make(X, y, weights=np.ones(50)).weights.shape == (0,)
    assert make(X, y, weights=np.full(50, 0.5)).training.weights.shape == (40,)


def test_inputs_are_left_untouched():
    X, y = sample(50)
    X, y = X * 1e9, y * 1e9
    copies = X.copy(), y.copy()
    make(X, y)
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(y, copies[1])


def test_many_rows_are_bounded_for_the_search_and_all_of_them_kept():
    X, y = sample(200_000)
    tracemalloc.start()
    table = make(X, y, config=TableConfig(most_rows=5_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.num_rows == 200_000
    assert (table.training.num_rows, table.validation.num_rows) == (5_000, 5_000)
    assert "the search uses 5000 of 200000 rows" in table.notes
    assert peak < 2.5 * (X.nbytes + y.nbytes)


def test_rounding_is_read_in_the_users_units():
    X, y = sample(300)
    X[:, 1] = np.round(X[:, 1] * 1e4, 1)
    table = make(X, (y * 1e-9).astype(np.float32))
    assert [one.rounding for one in table.column_resolutions] == [Rounding.FLOAT64, Rounding.DECIMALS, Rounding.FLOAT64]
    assert table.target_resolution.rounding is Rounding.FLOAT32
    quantum = table.column_resolutions[1].quantum(table.columns[1])
    np.testing.assert_allclose(np.ldexp(quantum, table.column_exponents[1]), 0.1, rtol=1e-15)


@pytest.mark.parametrize("names", [["a\ud800", "b"], ["a", "\udcff"]])
def test_names_with_half_a_character_are_refused(names):
    X = np.random.default_rng(0).uniform(1.0, 3.0, (20, 2))
    with pytest.raises(InvalidTable, match="half of a surrogate pair"):
        make(X, 2.0 * X[:, 0], names=names)
    with pytest.raises(InvalidTable, match="half of a surrogate pair"):
        make(X, 2.0 * X[:, 0], target_name="y\ud800")
