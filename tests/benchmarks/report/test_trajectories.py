"""Validation error over time in the groups of the published figures."""

import math

import pytest

from benchmarks.report.trajectories import BY_TRUTH, by_thirds, trajectory_sections
from tests.benchmarks.result_lines import make_result


def traced(problem, operators, *points, **changes):
    trace = [{"seconds": seconds, "evaluations": 1, "validation_nmse": error} for seconds, error in points]
    return make_result(problem, "srsd-easy", true_operators=operators, trace=trace, **changes)


@pytest.mark.parametrize(
    ("grouping", "counts"),
    [
        (BY_TRUTH["srsd-easy"], ((1, 2), (3,), (4,))),
        (BY_TRUTH["srsd-medium"], ((4,), (5, 6), (7,))),
        (BY_TRUTH["srsd-hard"], ((8,), (9, 11), (12,))),
        (by_thirds("srsd-easy", [1, 1, 2, 5, 6, 6, 8, 9, 12]), ((1, 2), (5, 6), (8, 12))),
        (by_thirds("srsd-hard", [3, 3, 3, 3, 7]), ((3,), (), (4, 7))),
    ],
)
def test_the_groups_are_the_published_ones_or_thirds(grouping, counts):
    for group, members in enumerate(counts):
        assert {grouping.group_of(count) for count in members} <= {group}


def test_a_row_tells_when_the_runs_of_a_group_get_accurate():
    results = [
        traced("a", 3, (1.0, 0.5), (2.0, 1e-4)),
        traced("b", 3, (4.0, None), (8.0, 1e-9), (9.0, 0.5)),
        traced("c", 3, (1.0, 0.9)),
        traced("d", 4, (1.0, 0.9)),
    ]
    (section,) = trajectory_sections(results)
    assert "| mosaic (10 s) | srsd-easy | true 3 | 3 | 66.7 | 8.0 | 1.0e-04 |" in section.text
    assert "| mosaic (10 s) | srsd-easy | true more than 3 | 1 | 0.0 | – | 9.0e-01 |" in section.text
    assert "decoded 1" not in section.text


def test_the_median_waits_for_half_of_the_runs_and_holds_its_last_value():
    results = [traced("a", 1, (0.0, 1.0), (5.0, 1e-2)), traced("b", 1, (10.0, 1e-4), decoded_operators=20)]
    by_truth, by_sketch = trajectory_sections(results)[0].figures
    (panel,) = by_truth.panels
    *faint, median = panel.series
    assert [series.style for series in faint] == ["faint", "faint"]
    late = next(place for place, seconds in enumerate(median.x) if seconds >= 5.0)
    assert (median.y[0], median.y[late - 1], median.y[late], median.y[-1]) == (1.0, 1.0, 1e-2, 1e-4)
    assert math.isnan(faint[1].y[0])
    assert [panel.title for panel in by_sketch.panels] == ["at most 20 decoded operators, 1 runs"]


def test_methods_without_traces_have_no_curves():
    assert trajectory_sections([make_result("a", "srsd-easy")]) == []
