"""The chart of our rates beside the published ones."""

import pytest

from benchmarks.report.chart import make_chart
from mosaic_sr import InvalidSettings
from tests.benchmarks.result_lines import make_result


def test_bars_are_our_strict_rate_the_paper_and_the_best_of_the_others():
    results = [make_result(f"Nguyen-{i}", seed=seed, strict=i + seed <= 6) for i in range(1, 13) for seed in (0, 1)]
    (panel,) = make_chart(results).panels
    ours, paper, best = panel.series
    assert panel.x_names == ("nguyen",)
    assert ours.y == pytest.approx((100 * 5.5 / 12,))
    assert ours.low[0] < ours.y[0] < ours.high[0]
    assert (paper.y, best.y) == ((75.0,), (41.7,))


def test_a_suite_that_was_run_in_part_says_so():
    assert make_chart([make_result()]).panels[0].x_names == ("nguyen (1 of 12)",)


def test_only_our_default_settings_are_shown():
    others = [make_result(method="operon"), make_result(settings={"time_limit": 10.0, "preset": "paper"})]
    with pytest.raises(InvalidSettings, match="default settings"):
        make_chart(others)
    long = make_result(settings={"time_limit": 60.0})
    assert make_chart([*others, make_result(strict=False), long]).panels[0].series[0].y == (100.0,)
