"""Constants of a form in all groups at once."""

import numpy as np
import pytest
from scipy.optimize import least_squares
from tables_of_groups import form, grouped_rows

from mosaic_sr.grouped.joint_fit import Pull, fit_all


def michaelis(x, group):
    return (2.0 + 0.5 * group) * x / (0.8 + x)


def start_for(rows, values):
    return np.tile(np.asarray(values, dtype=np.float64), (rows.num_groups, 1))


def test_derivatives_by_the_constants_of_groups_equal_differences():
    rows, law = grouped_rows(michaelis, [5, 7, 3]), form("1.234567*x/(0.912345 + x)")
    theta = start_for(rows, law.values) * np.array([[1.0], [1.5], [0.7]])
    values, slopes = law.evaluate(rows, theta)
    for parameter in range(2):
        step = np.zeros_like(theta)
        step[:, parameter] = 1e-6
        ahead, behind = law.evaluate(rows, theta + step)[0], law.evaluate(rows, theta - step)[0]
        assert slopes[parameter] == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)
    assert np.all(np.isfinite(values))


def test_shared_and_own_constants_are_those_of_one_large_least_squares_fit():
    rows, law = grouped_rows(michaelis, [20, 15, 30], noise=0.1), form("1.234567*x/(0.912345 + x)")
    is_shared = np.array([False, True])
    theta, _ = fit_all(law, rows, start_for(rows, law.values), np.ones(rows.num_rows), is_shared)

    def residuals(values):
        return values[:3][rows.group_of_row] * rows.columns[0] / (values[3] + rows.columns[0]) - rows.target

    dense = least_squares(residuals, [1.0, 1.0, 1.0, 1.0], xtol=1e-14, ftol=1e-14, gtol=1e-14).x
    assert theta[:, 0] == pytest.approx(dense[:3], rel=1e-6)
    assert theta[:, 1] == pytest.approx([dense[3]] * 3, rel=1e-6)


def test_a_group_of_one_row_takes_from_its_row_what_it_can_and_the_rest_from_the_mean():
    rows, law = grouped_rows(michaelis, [20, 1]), form("1.234567*x/(0.912345 + x)")
    pull = Pull(np.array([2.0, 0.8]), np.array([1.0, 1e6]))
    theta, _ = fit_all(law, rows, start_for(rows, [2.0, 0.8]), 1e-3 * np.ones(rows.num_rows), np.zeros(2, bool), pull)
    assert theta[1, 0] == pytest.approx(2.5, rel=1e-2)
    assert theta[1, 1] == pytest.approx(0.8, rel=1e-2)


def test_ten_thousand_groups_are_fitted_together():
    rows = grouped_rows(lambda x, group: (1.0 + group / 10_000) * x / (0.8 + x), [4] * 10_000)
    law = form("1.234567*x/(0.912345 + x)")
    theta, local = fit_all(law, rows, start_for(rows, law.values), np.ones(rows.num_rows), np.array([False, True]))
    assert local.squares.sum() < 1e-12
    assert theta[:, 0] == pytest.approx(1.0 + np.arange(10_000) / 10_000, abs=1e-5)
