"""Rows come out the same in whatever order, multiplicity or weight they came in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_sr.table import Rows, Table
from mosaic_sr.table.column_order import content_order
from mosaic_sr.table.rows import bound, merge_rows, split, spread_over_target

# Few distinct numbers, so that equal rows and rows equal in x but not in y are common.
CELLS = st.sampled_from([-2.0, -0.0, 0.0, 0.5, 1.0, 3.0e5, 1e-9])
COUNTS = st.integers(0, 3)


@st.composite
def tables(draw):
    """Features that vary, a target, whole weights (three rows above 0, different targets), and a permutation."""
    num_rows, num_columns = draw(st.integers(3, 60)), draw(st.integers(1, 3))
    X = np.array(draw(st.lists(CELLS, min_size=num_rows * num_columns, max_size=num_rows * num_columns)))
    X = np.column_stack([X.reshape(num_rows, num_columns), np.arange(num_rows) % 5])
    y = np.array(draw(st.lists(CELLS, min_size=num_rows, max_size=num_rows)))
    weights = np.array(draw(st.lists(COUNTS, min_size=num_rows, max_size=num_rows)))
    weights[:3], y[:3] = np.maximum(weights[:3], 1), (0.25, 0.75, 0.5)
    return X, y, weights, np.array(draw(st.permutations(range(num_rows))))


def make(X, y, weights=None, **others):
    return Table.from_arrays(X, y, weights=weights, rng=np.random.default_rng(7), **others)


def assert_same_rows(one: Rows, other: Rows) -> None:
    np.testing.assert_array_equal(one.columns, other.columns)
    np.testing.assert_array_equal(one.target, other.target)
    np.testing.assert_array_equal(one.weights, other.weights)


def assert_same_table(one: Table, other: Table) -> None:
    for part in ("columns", "target", "weights"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    assert_same_rows(one.training, other.training)
    assert_same_rows(one.validation, other.validation)
    assert one.names == other.names
    assert one.column_exponents == other.column_exponents
    assert one.target_exponent == other.target_exponent


ignoring_warnings = pytest.mark.filterwarnings("ignore::mosaic_sr.errors.MosaicWarning")


@ignoring_warnings
@settings(deadline=None, max_examples=150, derandomize=True)
@given(tables())
def test_the_order_of_rows_does_not_matter(drawn):
    X, y, weights, order = drawn
    assert_same_table(make(X, y, weights), make(X[order], y[order], weights[order]))
    assert_same_table(make(X, y), make(X[order], y[order]))


@ignoring_warnings
@settings(deadline=None, max_examples=150, derandomize=True)
@given(tables())
def test_a_weight_of_two_is_the_row_twice(drawn):
    X, y, weights, _ = drawn
    assert_same_table(make(X, y, weights), make(X.repeat(weights, axis=0), y.repeat(weights)))


@ignoring_warnings
@settings(deadline=None, max_examples=100, derandomize=True)
@given(tables())
def test_merging_keeps_the_total_weight_and_no_row_twice(drawn):
    X, y, weights, _ = drawn
    rows = merge_rows(list(X.T), y, weights.astype(float))
    total = rows.weights.sum() if len(rows.weights) else rows.num_rows
    assert total == weights.sum()
    stacked = np.vstack([rows.columns, rows.target]).T
    assert len(np.unique(stacked, axis=0)) == rows.num_rows
    keys = [*content_order(list(rows.columns), rows.target), len(rows.columns)]
    # numpy's unique rows are lexicographic
    np.testing.assert_array_equal(stacked[:, keys], np.unique(stacked[:, keys], axis=0))


def test_rows_equal_in_x_but_not_in_y_stay_apart():
    rows = merge_rows([np.array([1.0, 1.0, 1.0])], np.array([2.0, 3.0, 2.0]), None)
    np.testing.assert_array_equal(rows.target, [2.0, 3.0])
    np.testing.assert_array_equal(rows.weights, [2.0, 1.0])


def test_fractional_weights_of_equal_rows_add_up_in_one_order():
    weights = np.array([0.1, 0.7, 1e-17, 0.3, 1.0])
    x, y = np.array([1.0, 1.0, 1.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0, 1.0, 2.0])
    forward, backward = merge_rows([x], y, weights), merge_rows([x[::-1]], y[::-1], weights[::-1])
    np.testing.assert_array_equal(forward.weights, backward.weights)


def test_negative_zero_is_zero():
    rows = merge_rows([np.array([-0.0, 0.0])], np.array([0.0, -0.0]), None)
    assert rows.num_rows == 1
    assert not np.signbit(rows.columns[0, 0])
    assert not np.signbit(rows.target[0])


def numbered(num_rows: int) -> Rows:
    x = np.arange(num_rows, dtype=float)
    return Rows(x[None, :].copy(), (x * 7919) % 1009, np.empty(0))


def test_a_split_is_disjoint_bounded_and_trains_on_the_whole_range():
    rows = numbered(1000)
    training, validation = split(rows, 0.2, 300, np.random.default_rng(0))
    assert (training.num_rows, validation.num_rows) == (300, 200)
    assert not set(training.columns[0]) & set(validation.columns[0])
    assert (training.target.min(), training.target.max()) == (rows.target.min(), rows.target.max())


def test_few_rows_are_not_copied_by_a_bound():
    rows = numbered(50)
    assert bound(rows, 50, np.random.default_rng(0)) is rows
    assert bound(rows, 49, np.random.default_rng(0)).num_rows == 49


def test_some_rows_spread_over_the_target_and_so_do_their_prefixes():
    rows = numbered(1000)
    some = spread_over_target(rows, 64)
    ordered = np.sort(rows.target)
    for prefix in (3, 5, 9, 17, 33, 64):
        ranks = np.searchsorted(ordered, np.sort(some.target[:prefix]))
        assert (ranks[0], ranks[-1]) == (0, 999)
        assert np.diff(ranks).max() <= 2.2 * 999 / (prefix - 1)


def test_all_rows_are_taken_when_there_are_few():
    for num_rows in (1, 2, 3, 10, 64):
        assert sorted(spread_over_target(numbered(num_rows), 64).columns[0]) == list(range(num_rows))
