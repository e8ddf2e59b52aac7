"""The one chart for readers in a hurry: our strict rate per suite beside the published symbolic rates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.paper_rows import MAIN_TABLES, PAPER
from benchmarks.report.lines import OURS, is_strict, mean_and_deviation, our_lines
from benchmarks.report.section import Figure, Panel, Series
from benchmarks.results_file import Result
from mosaic_sr import InvalidSettings


def make_chart(results: Iterable[Result]) -> Figure:
    """Bars for every published suite that our default settings have run."""
    own = our_lines(sorted(results, key=lambda result: result.key))
    bars = []
    for table in MAIN_TABLES:
        for place, (suite, total) in enumerate(table.suites.items()):
            runs = [result for result in own if result.suite == suite]
            if runs:
                published = {row.method: row.scores[place].sym for row in table.rows}
                others = max(rate for method, rate in published.items() if method != PAPER)
                mean, deviation = mean_and_deviation(runs, is_strict)
                bars.append((_suite_name(suite, runs, total), mean, deviation, published[PAPER], others))
    if not bars:
        raise InvalidSettings(f"the chart needs result lines of {OURS} with its default settings on a published suite")
    names, means, deviations, paper, best = zip(*bars, strict=True)
    places = tuple(map(float, range(len(names))))
    low = tuple(mean - deviation for mean, deviation in zip(means, deviations, strict=True))
    high = tuple(mean + deviation for mean, deviation in zip(means, deviations, strict=True))
    series = (
        Series("this package, strict (measured)", places, means, "bars", low, high),
        Series("MOSAIC-SR paper, Sym (published)", places, paper, "bars"),
        Series("best other method, Sym (published)", places, best, "bars"),
    )
    panel = Panel("Laws recovered", "", "% of problems", series, x_names=names, y_range=(0.0, 112.0))
    return Figure("results", "Share of problems whose law is recovered, by suite", (panel,))


def _suite_name(suite: str, runs: Sequence[Result], total: int) -> str:
    num_run = len({result.problem for result in runs})
    return suite if num_run >= total else f"{suite} ({num_run} of {total})"
