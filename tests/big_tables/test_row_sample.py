"""Rows drawn from a stream: the same for any blocks, with the extremes, even over the columns."""

import numpy as np
import pytest

from mosaic_sr.big_tables.sample import NUM_EXTREMES, NUM_ROWS, RowSample


def drawn(numbers, block, usable=None):
    sample = RowSample(len(numbers), np.random.default_rng(3))
    usable = np.ones(numbers.shape[1], dtype=bool) if usable is None else usable
    for start in range(0, numbers.shape[1], block):
        part = slice(start, start + block)
        rows = np.arange(start, start + numbers[:, part].shape[1])
        sample.add(numbers[:, part], rows, usable[part])
    return sample.rows()


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    return np.vstack([rng.standard_normal((2, 150_000)), rng.exponential(size=150_000)])


def test_blocks_do_not_change_the_rows(numbers):
    rows, values = drawn(numbers, 65_536)
    others, same = drawn(numbers, 1_000)
    assert np.array_equal(rows, others)
    assert np.array_equal(values, same)
    assert np.array_equal(values, numbers[:, rows])
    assert len(rows) <= NUM_ROWS


def test_the_extremes_of_every_column_are_kept(numbers):
    rows, _ = drawn(numbers, 20_000)
    for values in numbers:
        order = np.argsort(values)
        assert {*order[:NUM_EXTREMES], *order[-NUM_EXTREMES:]} <= set(rows.tolist())


def test_rare_ranges_of_a_column_have_more_than_their_share(numbers):
    rows, _ = drawn(numbers, 50_000)
    is_rare = np.abs(numbers[0]) > 2.5
    assert np.mean(is_rare[rows]) > 3 * np.mean(is_rare)


def test_a_short_table_is_kept_whole_and_rows_that_are_not_usable_never():
    numbers = np.arange(30.0).reshape(2, 15)
    usable = np.arange(15) % 5 != 0
    rows, values = drawn(numbers, 4, usable)
    assert rows.tolist() == np.flatnonzero(usable).tolist()
    assert np.array_equal(values, numbers[:, usable])
