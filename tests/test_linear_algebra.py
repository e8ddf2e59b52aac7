"""Least squares and singular values of anything: numbers, or NaN, and always an answer."""

import numpy as np
import pytest

from mosaic_sr.linear_algebra import singular_values, solve_least_squares, thin_svd


def matrix(spoiled=None):
    numbers = np.random.default_rng(0).standard_normal((160, 3))
    if spoiled is not None:
        numbers[:, :2] = spoiled
    return numbers


def test_finite_numbers_are_solved():
    design = matrix()
    coefficients = np.array([2.0, -1.0, 0.5])
    assert solve_least_squares(design, design @ coefficients) == pytest.approx(coefficients)
    left, values, right = thin_svd(design)
    assert (left * values) @ right == pytest.approx(design)
    assert singular_values(design) == pytest.approx(values)


@pytest.mark.parametrize("spoiled", [np.inf, -np.inf, np.nan])
def test_others_give_nan(spoiled):
    design = matrix(spoiled)
    assert np.all(np.isnan(solve_least_squares(design, np.ones(160))))
    assert np.all(np.isnan(solve_least_squares(matrix(), np.full(160, spoiled))))
    assert all(np.all(np.isnan(part)) for part in thin_svd(design))
    assert [part.shape for part in thin_svd(design)] == [part.shape for part in thin_svd(matrix())]
    assert np.all(np.isnan(singular_values(design)))
