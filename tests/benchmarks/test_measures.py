"""Measures keep their meaning at the magnitudes that physics has."""

import numpy as np
import pytest

from benchmarks.measures import is_accurate, nmse

TARGET = np.array([1.0, 2.0, 4.0, 8.0, -3.0])


def test_a_perfect_prediction_has_nmse_zero():
    assert nmse(TARGET, TARGET) == 0.0


def test_the_mean_as_prediction_has_nmse_one():
    assert nmse(TARGET, np.full(5, TARGET.mean())) == pytest.approx(1.0)


def test_nmse_is_the_mean_squared_error_over_the_variance():
    prediction = TARGET + np.array([0.1, -0.2, 0.0, 0.3, 0.1])
    assert nmse(TARGET, prediction) == pytest.approx(np.mean((TARGET - prediction) ** 2) / np.var(TARGET))


@pytest.mark.parametrize("scale", [1e-300, 1e-76, 1e-38, 1.0, 1e38, 1e77, 1e300])
def test_the_unit_of_the_target_does_not_matter(scale):
    prediction = TARGET * (1 + 1e-5)
    expected = nmse(TARGET, prediction)
    assert nmse(TARGET * scale, prediction * scale) == pytest.approx(expected, rel=1e-9)


def test_a_target_over_many_decades_is_not_lost_to_underflow():
    target = np.logspace(-38, 38, 77)
    assert nmse(target, target * (1 + 1e-8)) == pytest.approx(1e-16, rel=0.05)
    assert nmse(target, np.zeros(77)) == pytest.approx(1.0, rel=0.05)


def test_a_tiny_error_on_a_tiny_target_is_seen():
    target = np.array([1e-200, 2e-200, 3e-200])
    assert 0.0 < nmse(target, target * (1 + 1e-9)) < 1e-16


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_prediction_that_is_not_finite_has_no_measure(value):
    prediction = TARGET.copy()
    prediction[2] = value
    assert np.isnan(nmse(TARGET, prediction))


def test_an_enormous_prediction_is_infinitely_wrong():
    assert nmse(TARGET * 1e-30, np.full(5, 1e300)) == np.inf


def test_a_constant_target_is_met_or_missed():
    constant = np.full(4, 3.0)
    assert nmse(constant, constant) == 0.0
    assert nmse(constant, constant + 1e-9) == np.inf


def test_each_family_of_suites_has_its_published_criterion():
    assert is_accurate("srsd-easy", r2=0.9991, nmse=9e-4)
    assert not is_accurate("srsd-easy", r2=0.999, nmse=1e-3)
    assert is_accurate("nguyen", r2=1.0, nmse=9e-7)
    assert not is_accurate("nguyen", r2=0.9999, nmse=1e-4)


def test_a_run_without_measures_is_not_accurate():
    assert not is_accurate("srsd-easy", None, None)
    assert not is_accurate("nguyen", None, None)
