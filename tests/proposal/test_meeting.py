"""Columns that meet: whatever their size, a column is useful with ratios that have a bin, or useless."""

import numpy as np
import pytest

from mosaic_sr.proposal.pairs import meeting


@pytest.mark.parametrize("size", [1.0, 1e150, 1e305, 1e307])
def test_the_ratios_of_useful_columns_have_a_bin(size):
    rng = np.random.default_rng(0)
    count, num_rows = 40, 12
    values = size * np.sign(rng.standard_normal((count, num_rows))) * rng.uniform(0.5, 1.0, (count, num_rows))
    functionals = rng.standard_normal((meeting.NUM_FUNCTIONALS, num_rows))
    functionals[1:] *= 1e4  # where the first sum is finite and the others are not, there is no ratio
    keys, slacks = np.full((3 * count, meeting.NUM_KEYS), np.nan), np.empty(3 * count)
    target = rng.uniform(0.5, 2.0, num_rows)
    is_first = np.ones(count, dtype=np.bool_)
    meeting.project(values, is_first, count, target, functionals, 1e-15, 1e-9, keys, slacks)
    is_useful = slacks > 0
    assert np.all(np.abs(keys[is_useful, 0]) < 1.0)
    assert is_useful[:count].any() or size > 1e300
