"""Budgets are refused when nothing could be spent, and clocks count from their start."""

import math

import pytest

from mosaic_sr.budget import Budget, start_clock
from mosaic_sr.errors import InvalidSettings


@pytest.mark.parametrize(("evaluations", "seconds"), [(0, None), (-3, None), (10, 0.0), (10, -1.0), (10, math.nan)])
def test_a_budget_of_nothing_is_refused(evaluations, seconds):
    with pytest.raises(InvalidSettings, match="got"):
        Budget(evaluations, seconds)


def test_a_clock_counts_the_seconds_since_its_start():
    times = iter([100.0, 107.5])
    clock = start_clock(Budget(10, seconds=5.0), now=lambda: next(times))
    assert (clock.seconds, clock.limit) == (7.5, 5.0)


@pytest.mark.parametrize("seconds", [None, math.inf])
def test_a_clock_without_limit_runs_for_ever(seconds):
    assert start_clock(Budget(10, seconds)).limit == math.inf
