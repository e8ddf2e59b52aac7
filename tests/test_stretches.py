"""Ranges in which two laws differ."""

import numpy as np
import pytest
from noisy_outcomes import equation

from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.parting import find_stretches

COLUMNS = np.array([np.linspace(1.0, 4.0, 30), np.linspace(2.0, 3.0, 30), np.ones(30)])


def stretches(law, rival, scatter=0.1):
    return find_stretches(equation(law), equation(rival), COLUMNS, Scatter(scatter))


def test_each_side_of_the_rows_has_its_range_and_the_largest_comes_first():
    found = stretches("2*x", "2*x + 0.1*x^2")
    assert [stretch.is_outside for stretch in found] == [True, False, True]
    above, within, below = found
    assert above.start > 4.0
    assert above.end == pytest.approx(5.5)
    assert above.ratio == pytest.approx(5.5**2)
    assert within.end == pytest.approx(4.0, abs=0.1)
    assert below.end < 1.0
    assert all(stretch.least >= 0.7 * stretch.ratio for stretch in found)


def test_a_bump_within_the_rows_is_a_narrow_range():
    found = stretches("2*x", "2*x + exp(-9*(x - 2.5)^2)")[0]
    assert not found.is_outside
    assert found.start == pytest.approx(2.3, abs=0.1)
    assert found.end == pytest.approx(2.7, abs=0.1)


def test_the_same_law_differs_nowhere():
    assert max(stretch.ratio for stretch in stretches("2*x", "2*x")) == 0.0


def test_laws_without_values_have_no_ranges():
    assert stretches("log(-x)", "2*x") == []
