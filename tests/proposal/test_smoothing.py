"""Rows far from a smooth function through the others are left out."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.proposal.smoothing import drop_outliers, noise_variances
from mosaic_sr.table import Rows


def rows_of(noise, num_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(1.0, 4.0, (2, num_rows))
    clean = columns[0] * np.exp(-columns[1] / 2.0)
    return Rows(columns, clean + noise * np.std(clean) * rng.standard_normal(num_rows), np.empty(0))


@pytest.mark.parametrize("noise", [0.03, 0.3])
def test_noise_is_no_outlier(noise):
    assert drop_outliers(rows_of(noise)).num_rows == 300


def test_outliers_are_left_out():
    rows = rows_of(0.05)
    target = rows.target.copy()
    target[[7, 90]] += 5.0
    found = drop_outliers(replace(rows, target=target))
    assert found.target.tolist() == np.delete(target, [7, 90]).tolist()


def test_stated_errors_say_which_rows_may_be_far_off():
    rng = np.random.default_rng(4)
    rows = rows_of(0.0)
    sigma = np.where(np.arange(300) % 10 == 0, 1.0, 0.02) * np.std(rows.target)
    noisy = replace(rows, target=rows.target + sigma * rng.standard_normal(300))
    assert drop_outliers(noisy).num_rows < 300
    assert drop_outliers(replace(noisy, sigma=sigma)).num_rows == 300
    assert np.mean(noise_variances(replace(noisy, sigma=sigma))) == pytest.approx(1.0)
