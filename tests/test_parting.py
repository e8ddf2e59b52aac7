"""Where more rows would decide between two laws."""

import numpy as np
import pytest
from noisy_outcomes import equation

from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.parting import NUM_VALUES, find_parting, values_around


def columns(low=1.0, high=4.0):
    return np.array([np.linspace(low, high, 30), np.linspace(2.0, 3.0, 30), np.ones(30)])


def test_laws_that_bend_apart_part_above_the_rows():
    parting = find_parting(equation("2*x"), equation("1.9*x + 0.05*x^3"), columns(), Scatter(0.1))
    assert parting.column == 0
    assert (parting.low, parting.high) == (1.0, 4.0)
    assert parting.value == pytest.approx(5.5)
    assert parting.ratio == pytest.approx(abs(0.1 * 5.5 - 0.05 * 5.5**3) / 0.1)


def test_laws_may_part_inside_the_rows():
    parting = find_parting(equation("2*x"), equation("2*x + exp(-9*(x - 2.5)^2)"), columns(), Scatter(0.1))
    assert parting.value == pytest.approx(2.5, abs=0.1)
    assert parting.ratio == pytest.approx(10.0, rel=0.1)


def test_the_column_that_decides_is_found():
    assert find_parting(equation("x"), equation("x + 5*(z - 2.5)^3"), columns(), Scatter(0.1)).column == 1


def test_a_scatter_in_proportion_counts():
    parting = find_parting(equation("2*x"), equation("2*x + 1"), columns(), Scatter(0.0, 0.1))
    assert parting.value == 0.5
    assert parting.ratio == pytest.approx(10.0)


def test_places_without_values_are_skipped():
    parting = find_parting(equation("log(x - 3)"), equation("x"), columns(), Scatter(0.1))
    assert parting.value > 3.0
    assert find_parting(equation("log(-x)"), equation("x"), columns(), Scatter(0.1)) is None
    assert find_parting(equation("1.5"), equation("2.5"), columns(), Scatter(0.1)) is None


@pytest.mark.parametrize(
    ("low", "high", "first", "last"),
    [
        (1.0, 4.0, 0.5, 5.5),
        (0.0, 4.0, 0.0, 6.0),
        (-2.0, 2.0, -4.0, 4.0),
        (-4.0, -1.0, -5.5, -0.5),
        (1.0, 1e4, 0.5, 2e4),
    ],
)
def test_values_reach_just_around_the_rows_and_keep_their_sign(low, high, first, last):
    values = values_around(np.array([low, high]))
    assert len(values) == NUM_VALUES
    np.testing.assert_allclose([values[0], values[-1]], [first, last])
    assert (np.diff(values) > 0).all()
