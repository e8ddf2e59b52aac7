"""Budgets are refused when nothing could be spent, and clocks stop on time."""

import math

import pytest

from mosaic_sr.budget import Budget, start_clock
from mosaic_sr.errors import InvalidSettings


@pytest.mark.parametrize(("evaluations", "seconds"), [(0, None), (-3, None), (10, 0.0), (10, -1.0), (10, math.nan)])
def test_a_budget_of_nothing_is_refused(evaluations, seconds):
    with pytest.raises(InvalidSettings, match="got"):
        Budget(evaluations, seconds)


def test_a_clock_is_over_once_its_seconds_have_passed():
    times = iter([100.0, 104.9, 105.0, 107.5])
    clock = start_clock(Budget(10, seconds=5.0), now=lambda: next(times))
    assert not clock.is_over
    assert clock.is_over
    assert clock.seconds == 7.5


def test_a_clock_without_limit_is_never_over():
    assert not start_clock(Budget(10)).is_over
