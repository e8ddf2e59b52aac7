"""Scaling by powers of two is exact, can be undone, and leaves ordinary columns alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_sr.table.scaling import choose_exponent, divide_in_place

NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12).map(np.array)
NOTHING = np.empty(0)


@settings(deadline=None, derandomize=True, max_examples=500)
@given(NUMBERS, NUMBERS)
def test_scaling_is_exact_and_can_be_undone(values, also):
    exponent = choose_exponent(values, also)
    for numbers in (values, also):
        scaled = numbers.copy()
        divide_in_place(scaled, exponent)
        assert np.all(np.isfinite(scaled))
        np.testing.assert_array_equal(np.ldexp(scaled, exponent), numbers)


@pytest.mark.parametrize("size", [1e-300, 1e-33, 3.0e-3, 150.0, 1e29, 1e300])
def test_extreme_columns_come_near_one(size):
    values = size * np.array([-1.0, 0.5, 2.0, 1.5, 0.0])
    divide_in_place(values, choose_exponent(values, NOTHING))
    assert 0.25 <= np.median(np.abs(values[values != 0])) <= 2.0


@pytest.mark.parametrize("size", [0.01, 0.3, 1.0, 40.0, 100.0])
def test_ordinary_columns_stay_as_they_are(size):
    assert choose_exponent(np.array([-size, size, size, 0.0]), NOTHING) == 0


def test_zeros_do_not_count_for_the_size():
    assert choose_exponent(np.array([0.0, 0.0, 0.0, 1e9]), NOTHING) == 30
    assert choose_exponent(np.zeros(3), NOTHING) == 0


@pytest.mark.parametrize("size", [5e-324, 1e-310, 2.3e-308, 1e307, 1.7e308])
def test_the_power_of_two_and_its_inverse_are_normal(size):
    exponent = choose_exponent(np.full(5, size), np.empty(0))
    assert np.isfinite(2.0**exponent)
    assert 2.0**-exponent >= np.finfo(np.float64).tiny
