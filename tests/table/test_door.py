"""What a search cannot work with is refused by name; proposers may make such tables."""

import numpy as np
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.errors import InvalidTable
from mosaic_sr.table import Table, refuse_unusable


def made(X, y):
    return Table.from_arrays(X, y, rng=np.random.default_rng(0))


@pytest.mark.parametrize("place", [0, 1])
def test_numbers_below_the_normal_ones_are_refused(place):
    numbers = np.random.default_rng(0).uniform(1.0, 3.0, (20, 2))
    numbers[:, place] *= 1e-310
    with pytest.raises(InvalidTable, match=r"has numbers below 2\.2e-308, where float64 loses digits"):
        refuse_unusable(made(numbers[:, :1], numbers[:, 1]))


def test_a_few_of_them_are_taken():
    numbers = np.random.default_rng(0).uniform(1.0, 3.0, (20, 2))
    numbers[:5, 0] *= 1e-310
    numbers[5:9, 0] = 0.0
    refuse_unusable(made(numbers[:, :1], numbers[:, 1]))


@pytest.mark.parametrize("rows", [[[1.0], [2.0]], [[1.0], [2.0], [1.0], [2.0]]])
def test_two_rows_are_no_table(rows):
    with pytest.raises(InvalidTable, match="has 2 distinct rows; at least 3 are needed"):
        MosaicRegressor().fit(rows, [3.0 * row[0] for row in rows])


def test_a_part_of_two_values_is_a_table():
    assert made([[0.0], [1.0]], [1.0, 2.5]).num_rows == 2
