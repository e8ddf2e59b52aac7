"""Tables computed from a table keep its rows apart and its rounding in mind."""

import numpy as np
import pytest

from mosaic_sr import Table
from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.text import parse
from mosaic_sr.table import Resolution, Rounding, Rows, derived_resolution

FINE = Resolution(Rounding.FLOAT64)


def table_of(function, num_rows=100):
    X = np.random.default_rng(0).uniform(1.0, 3.0, size=(num_rows, 2))
    return Table.from_arrays(X, function(*X.T), rng=np.random.default_rng(0))


def test_parts_keep_their_rows():
    table = table_of(lambda x, y: x * y)
    derived = table.derived(
        ["z"], lambda rows: Rows(rows.columns[:1], rows.target / rows.columns[1], rows.weights), [FINE] * 2
    )
    np.testing.assert_array_equal(derived.training.columns[0], table.training.columns[0])
    np.testing.assert_array_equal(derived.validation.columns[0], table.validation.columns[0])
    assert derived.names == ("z",)


def test_numbers_far_from_one_are_scaled_in_memory_of_their_own():
    table = table_of(lambda x, y: x * y)
    derived = table.derived(["z"], lambda rows: Rows(1e9 * rows.columns[:1], rows.target, rows.weights), [FINE] * 2)
    np.testing.assert_array_equal(
        np.ldexp(derived.training.columns[0], derived.column_exponents[0]), 1e9 * table.training.columns[0]
    )
    unchanged = table.derived(["a", "b"], lambda rows: rows, [FINE] * 3)
    assert not np.shares_memory(unchanged.training.columns, table.training.columns)


def test_rows_without_finite_values_are_left_out_and_too_many_of_them_leave_no_table():
    table = table_of(lambda x, y: x + y)

    def root(offset):
        return lambda rows: Rows(rows.columns, np.sqrt(rows.columns[0] - offset), rows.weights)

    with np.errstate(invalid="ignore"):
        some = table.derived(["a", "b"], root(1.2), [FINE] * 3)
        assert 0 < some.training.num_rows < table.training.num_rows
        assert table.derived(["a", "b"], root(2.8), [FINE] * 3) is None


def test_a_constant_target_leaves_no_table():
    table = table_of(lambda x, y: x * y)
    assert (
        table.derived(["a", "b"], lambda rows: Rows(rows.columns, np.ones(rows.num_rows), rows.weights), [FINE] * 3)
        is None
    )


@pytest.mark.parametrize(("relative", "absolute"), [(1e-7, 0.0), (0.0, 1e-4)])
def test_the_tighter_rule_covers_the_errors(relative, absolute):
    values = np.geomspace(1e-2, 1e2, 50)
    resolution = derived_resolution(values, relative * values + absolute)
    np.testing.assert_allclose(resolution.quantum(values), 2.0 * (relative * values + absolute), rtol=1e-6)


def test_a_law_is_exact_within_the_uncertainty_of_what_was_taken_off():
    table = table_of(lambda x, y: x**2 + 0.7 * y)
    blurred = Resolution(Rounding.DERIVED, absolute=2e-6)

    def taken(rows):
        return Rows(rows.columns[:1], rows.target - 0.7000003 * rows.columns[1], rows.weights)

    law = parse("x0^2", ("x0",))
    tolerant, strict = (table.derived(["z"], taken, [FINE, resolution]) for resolution in (blurred, FINE))
    assert is_exact(law, tolerant.validation, tolerant)
    assert not is_exact(law, strict.validation, strict)
