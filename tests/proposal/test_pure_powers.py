"""Bases of pure powers: as many as the rows determine."""

import numpy as np

from mosaic_sr.proposal.sums.pure_powers import make_pure_bases
from mosaic_sr.table import Rows


def test_columns_are_divided_between_the_sides_where_rows_are_few():
    rows = Rows(np.random.default_rng(0).normal(size=(5, 40)), np.ones(40), np.empty(0))
    quotients = list(make_pure_bases(range(5), rows))
    assert any(not set(each.above) & set(each.below) for each in quotients)
    assert all(2 + len(each.above) + len(each.below) < 40 for each in quotients)


def test_powers_out_of_range_are_left_out():
    rows = Rows(1e100 * np.random.default_rng(0).normal(size=(2, 60)), np.ones(60), np.empty(0))
    assert all(np.all(np.isfinite(each.basis.values)) for each in make_pure_bases((0, 1), rows))
