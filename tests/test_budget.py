"""Budgets are refused when nothing could be spent, and clocks count from their start."""

import math

import pytest

from mosaic_sr.budget import Budget, Stopped, heed_stop, listening, start_clock, until_stopped
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


def test_work_is_stopped_at_its_next_look_and_what_it_has_yielded_stays():
    done = []

    def work():
        for number in range(10):
            heed_stop()
            done.append(number)
            if number % 2:
                yield number

    assert list(until_stopped(work(), lambda: len(done) >= 5)) == [1, 3]
    assert done == [0, 1, 2, 3, 4]


def test_work_that_no_search_has_called_for_is_never_stopped():
    with listening(lambda: True), pytest.raises(Stopped):
        heed_stop()
    heed_stop()


def test_a_search_within_another_is_heard_first_and_then_the_other():
    with listening(lambda: True):
        with listening(lambda: False):
            heed_stop()
        with pytest.raises(Stopped):
            heed_stop()
