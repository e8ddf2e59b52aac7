"""A table with fewer rows or other units is still the same table."""

import numpy as np

from mosaic_sr import Table
from mosaic_sr.table import Rounding, narrowed, thinned, unscaled


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
