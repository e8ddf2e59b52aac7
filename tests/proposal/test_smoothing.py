"""Rows on a smooth function: most of the noise is gone, outliers are left out, rough or exact rows are refused."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.proposal.smoothing import smooth_rows
from mosaic_sr.table import Rows


def rows_of(noise, num_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(1.0, 4.0, (2, num_rows))
    clean = columns[0] * np.exp(-columns[1] / 2.0)
    target = clean + noise * np.std(clean) * rng.standard_normal(num_rows)
    return Rows(columns, target, np.empty(0)), clean


@pytest.mark.parametrize("noise", [0.03, 0.3])
def test_most_of_the_noise_is_gone(noise):
    rows, clean = rows_of(noise)
    found = smooth_rows(rows)
    left = np.std(found.smooth.target - clean)
    assert left < 0.4 * np.std(rows.target - clean)
    assert found.error == pytest.approx(left, rel=1.0)
    assert found.measured is rows


def test_outliers_are_in_neither():
    rows, clean = rows_of(0.05)
    target = rows.target.copy()
    target[[7, 90]] += 5.0
    found = smooth_rows(replace(rows, target=target))
    assert found.measured.num_rows == found.smooth.num_rows == 298
    assert np.max(np.abs(found.smooth.target - np.delete(clean, [7, 90]))) < 0.5 * np.std(clean)


def test_stated_errors_say_which_rows_count():
    rng = np.random.default_rng(4)
    rows, clean = rows_of(0.0)
    sigma = np.where(np.arange(300) % 2 == 0, 0.02, 1.0) * np.std(clean)
    found = smooth_rows(replace(rows, target=clean + sigma * rng.standard_normal(300), sigma=sigma))
    assert np.std(found.smooth.target - clean) < 0.05 * np.std(clean)


def test_rows_without_noise_and_rows_that_are_all_noise_have_no_smooth_ones_of_use():
    assert smooth_rows(rows_of(0.0)[0]) is None
    rows, _ = rows_of(0.1)
    rough = replace(rows, target=np.sin(200.0 * rows.columns[0]))
    found = smooth_rows(rough)
    assert found is None or np.std(found.smooth.target) < 0.5 * np.std(rough.target)
