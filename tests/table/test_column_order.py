import numpy as np
import pytest

from mosaic_sr.table import Table, by_content
from mosaic_sr.table.column_order import content_order


def grid(values, num_columns):
    return np.array(np.meshgrid(*[values] * num_columns, indexing="ij")).reshape(num_columns, -1)


def one_hot(num_rows, num_columns, rng):
    return (rng.integers(num_columns, size=num_rows) == np.arange(num_columns)[:, None]).astype(float)


def tables():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(5, 40))
    yield "measured", columns, columns[0] * columns[1] + 0.1 * rng.normal(size=40)
    columns = one_hot(3000, 6, rng)
    yield "one hot", columns, rng.normal(size=3000)
    columns = grid(np.arange(4.0), 3)
    yield "grid", columns, columns[0] + 2 * columns[1] + 4 * columns[2]
    columns = grid(np.arange(3.0), 4)
    yield "symmetric grid", columns, columns[0] * columns[1] + columns[2] * columns[3]
    columns = np.round(rng.normal(size=(4, 5000)))
    yield "ties", columns, np.round(columns.sum(axis=0))


CASES = list(tables())


@pytest.mark.parametrize(("columns", "target"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_neither_places_nor_rows_nor_scales_change_the_order(columns, target):
    """The table in order is the same set of rows, whichever way its columns and rows came."""
    rng = np.random.default_rng(1)
    expected = distinct_rows(columns[content_order(list(columns), target)], target)
    for _ in range(5):
        places, rows = rng.permutation(len(columns)), rng.permutation(columns.shape[1])
        moved, moved_target = columns[places][:, rows], target[rows]
        repeated = np.concatenate([moved, moved[:, :7]], axis=1), np.concatenate([moved_target, moved_target[:7]])
        order = content_order([8.0 * column for column in repeated[0]], repeated[1])
        np.testing.assert_array_equal(distinct_rows(repeated[0][order], repeated[1]), expected)


def distinct_rows(columns, target):
    return np.unique(np.vstack([columns, target]), axis=1)


def test_a_table_by_content_is_the_same_in_any_order_of_columns():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] * X[:, 1] + rng.normal(size=60)
    places = [2, 0, 3, 1]
    one = by_content(Table.from_arrays(X, y, rng=np.random.default_rng(0)))
    other = by_content(Table.from_arrays(X[:, places], y, rng=np.random.default_rng(0)))
    np.testing.assert_array_equal(one.training.columns, other.training.columns)
    np.testing.assert_array_equal(one.validation.target, other.validation.target)
    assert [places[column] for column in other.used] == list(one.used)
