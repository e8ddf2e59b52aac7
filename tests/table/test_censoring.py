"""Limits in place of targets: cells, words, refusals."""

import numpy as np
import pandas as pd
import pytest

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table import Table
from mosaic_sr.table.censoring import checked_sides, without_bounds
from mosaic_sr.table.limit_cells import limit_in, without_limits


@pytest.mark.parametrize(
    ("text", "found"),
    [("<0.05", (0.05, -1.0)), (" > 100 ", (100.0, 1.0)), ("≤1e-3", (1e-3, -1.0)), (">=2", (2.0, 1.0)), ("0.05", None),
     ("<", None), ("<x", None), ("~5", None)],
)  # fmt: skip
def test_cells_with_limits_are_read(text, found):
    assert limit_in(text) == found


def test_limits_among_the_cells_of_a_file_become_numbers_with_a_side():
    assert without_limits(["1.5", "<0.05", "", ">9"]) == (("1.5", "0.05", "", "9"), [0.0, -1.0, 0.0, 1.0])


@pytest.mark.parametrize(
    "y",
    [
        [1.0, "<0.5", 3.0],
        ["1.0", "<0.5", "3"],
        pd.Series([1.0, "<0.5", 3.0], name="y"),
        pd.Series(["1.0", "<0.5", "3.0"], name="y"),
        np.array([1.0, "<0.5", 3.0], dtype=object),
    ],
)
def test_texts_in_a_target_are_limits(y):
    numbers, sides = without_bounds(y, None)
    np.testing.assert_array_equal(np.asarray(numbers, dtype=float), [1.0, 0.5, 3.0])
    np.testing.assert_array_equal(sides, [0.0, -1.0, 0.0])
    assert getattr(numbers, "name", "y") == "y"


@pytest.mark.parametrize("censoring", [["left", 0, "right"], [-1, 0, 1], np.array([-1.0, 0.0, 1.0]), ["left", None, 1]])
def test_words_and_numbers_say_on_which_side_the_true_value_is(censoring):
    y, sides = without_bounds([1.0, 2.0, 3.0], censoring)
    assert y == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(sides, [-1.0, 0.0, 1.0])


def test_other_texts_and_words_are_refused():
    with pytest.raises(InvalidTable, match="'up' in row 1"):
        without_bounds([1.0, 2.0], [0, "up"])
    with pytest.raises(InvalidTable, match="give one of the two"):
        without_bounds([1.0, "<2"], [0, 1])
    y, sides = without_bounds([1.0, "many"], None)
    assert sides is None
    assert y == [1.0, "many"]


def test_too_few_values_and_wrong_lengths_are_refused():
    with pytest.raises(InvalidTable, match="4 rows of 6 have only a limit"):
        checked_sides(np.array([0.0, 0.0, 1.0, 1.0, -1.0, -1.0]), 6, None, "censoring")
    with pytest.raises(InvalidTable, match="censoring has 2"):
        checked_sides(np.zeros(2), 6, None, "censoring")
    assert checked_sides(np.zeros(6), 6, None, "censoring") is None


def test_the_search_reads_values_and_the_table_keeps_limits():
    rng = np.random.default_rng(0)
    X, sides = rng.uniform(1.0, 2.0, (60, 2)), np.where(np.arange(60) < 10, -1.0, 0.0)
    y = X[:, 0] * 1e20
    table = Table.from_arrays(X, y, rng=rng, sides=sides)
    assert table.num_rows == 50
    assert table.censored.rows.num_rows == 10
    np.testing.assert_allclose(np.ldexp(table.censored.rows.target, table.target_exponent), y[:10])
    assert any("only the limit" in note for note in table.notes)
