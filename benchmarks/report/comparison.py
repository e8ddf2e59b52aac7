"""Measured methods side by side on the problems that all of them have run: rates, ranks and time to the law."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence

from benchmarks.eased import MOST_ROWS
from benchmarks.paper_rows import MAIN_TABLES, PaperTable
from benchmarks.report.lines import (
    OURS,
    Entrant,
    commands_for,
    common_problems,
    has_accuracy,
    is_strict,
    mean_and_deviation,
    on_shared_problems,
    rate,
    rivals,
)
from benchmarks.report.section import PERCENT, Figure, Panel, Section, Series, markdown_table
from benchmarks.results_file import Result

# Errors below this are rounding: which of two such equations is nearer to the targets says nothing.
EQUAL_NMSE = 1e-12
TIMES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
Lines = dict[Entrant, list[Result]]


def comparison_sections(results: Sequence[Result]) -> list[Section]:
    """Per published table and settings that two measured methods or more have run: rates, ranks and time to the law."""
    sections = []
    for table in MAIN_TABLES:
        for entrants in rivals(result for result in results if result.suite in table.suites).values():
            lines = on_shared_problems(entrants)
            sections += [_section(table, lines)] if lines else []
    return sections


def _section(table: PaperTable, lines: Lines) -> Section:
    slug = "-".join(table.suites)
    num_shared = len(common_problems(lines.values()))
    ranks = _mean_ranks(lines)
    times = _times(lines)
    header = ["Method", "strict", "Acc", "rank strict", "rank Acc", "rank size", *(f"≤ {t:g} s" for t in times)]
    rows = [
        [
            entrant.label,
            f"**{rate(own, is_strict)}**",
            rate(own, has_accuracy),
            *(f"{rank:.2f}" for rank in ranks[entrant]),
            *(f"{share:.1f}" for share in _solved_within(own, times)),
        ]
        for entrant, own in lines.items()
    ]
    words = (
        f"All methods ran the same {num_shared} problems. A rank is the mean place among the methods over all problems;"
        " 1 is best, and ties share a place. Ranks are by share of seeds recovered, by test error (errors below 1e-12"
        " are equal) and by nodes of the equation. The last columns are the shares of runs that returned the strict law"
        " within that time; a method that always uses its whole time returns it just after the limit."
        f" Methods other than {OURS} get the first {MOST_ROWS} rows and numbers of moderate size, because they find"
        " more that way in the same time.\n\n"
    )
    figures = (_dots(slug, table, lines), _rank_figure(slug, ranks), _time_figure(slug, lines))
    commands = commands_for([result for own in lines.values() for result in own])
    return Section(f"Measured methods: {table.title}", words + markdown_table(header, rows), commands, figures)


def _mean_ranks(lines: Lines) -> dict[Entrant, tuple[float, float, float]]:
    """Per entrant its mean ranks in recovery, error and size."""
    ranks: dict[Entrant, list[float]] = defaultdict(list)
    for score in (_missed_share, _error, _size):
        scores = {entrant: _by_problem(own, score) for entrant, own in lines.items()}
        problems = sorted(next(iter(scores.values())))
        places = [_places([scores[entrant][problem] for entrant in lines]) for problem in problems]
        for position, entrant in enumerate(lines):
            ranks[entrant].append(statistics.fmean(place[position] for place in places))
    return {entrant: (own[0], own[1], own[2]) for entrant, own in ranks.items()}


def _by_problem(results: Sequence[Result], score: Callable[[Sequence[Result]], float]) -> dict[tuple[str, str], float]:
    runs: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        runs[result.suite, result.problem].append(result)
    return {problem: score(own) for problem, own in runs.items()}


def _missed_share(runs: Sequence[Result]) -> float:
    return statistics.fmean(not run.strict for run in runs)


def _error(runs: Sequence[Result]) -> float:
    errors = (math.inf if run.nmse is None else max(run.nmse, EQUAL_NMSE) for run in runs)
    return statistics.median_low(errors)


def _size(runs: Sequence[Result]) -> float:
    return statistics.median_low(math.inf if run.complexity is None else float(run.complexity) for run in runs)


def _places(scores: Sequence[float]) -> list[float]:
    """Places from 1; equal scores share the mean of theirs."""
    return [sum(other < own for other in scores) + (sum(other == own for other in scores) + 1) / 2 for own in scores]


def _times(lines: Lines) -> list[float]:
    longest = max(result.seconds for own in lines.values() for result in own)
    return [seconds for index, seconds in enumerate(TIMES) if index == 0 or TIMES[index - 1] < longest]


def _solved_within(results: Sequence[Result], times: Sequence[float]) -> list[float]:
    """The percentage of runs that returned the strict law within each time."""
    return [
        100.0 * statistics.fmean(result.strict and result.seconds <= seconds for result in results) for seconds in times
    ]


def _dots(slug: str, table: PaperTable, lines: Lines) -> Figure:
    """Accuracy and strict recovery of each method, the best at the top, a colour per suite."""
    lines = dict(sorted(lines.items(), key=lambda item: -mean_and_deviation(item[1], is_strict)[0]))
    names = tuple(entrant.label for entrant in lines)
    panels = []
    for title, is_hit in (("Accuracy (Acc)", has_accuracy), ("Symbolic recovery (strict)", is_strict)):
        series = []
        for suite in table.suites:
            own = [[result for result in results if result.suite == suite] for results in lines.values()]
            present = [(place, *mean_and_deviation(group, is_hit)) for place, group in enumerate(own) if group]
            if present:
                places, means, deviations = zip(*present, strict=True)
                low = tuple(mean - deviation for mean, deviation in zip(means, deviations, strict=True))
                high = tuple(mean + deviation for mean, deviation in zip(means, deviations, strict=True))
                series.append(Series(suite, means, tuple(map(float, places)), "points", low, high))
        panels.append(Panel(title, "% of problems", "", tuple(series), y_names=names, x_range=PERCENT))
    return Figure(f"rates-{slug}", f"Accuracy and recovery of measured methods: {table.title}", tuple(panels))


def _rank_figure(slug: str, ranks: dict[Entrant, tuple[float, float, float]]) -> Figure:
    """Methods nearer to the lower left corner are better."""

    def panel(title: str, y_label: str, index: int) -> Panel:
        points = (Series(entrant.label, (own[1],), (own[index],), "points") for entrant, own in ranks.items())
        return Panel(title, "mean rank in test error", y_label, tuple(points))

    panels = (
        panel("Accuracy and recovery", "mean rank in strict recovery", 0),
        panel("Accuracy and size", "mean rank in size of the equation", 2),
    )
    return Figure(f"ranks-{slug}", "Mean ranks among measured methods, lower left is better", panels)


def _time_figure(slug: str, lines: Lines) -> Figure:
    series = []
    longest = max(result.seconds for own in lines.values() for result in own)
    for entrant, own in lines.items():
        solved = sorted(max(result.seconds, 0.01) for result in own if result.strict)
        shares = [100.0 * (index + 1) / len(own) for index in range(len(solved))]
        series.append(
            Series(entrant.label, (0.01, *solved, max(longest, 0.01)), (0.0, *shares, (shares or [0.0])[-1]), "steps")
        )
    panel = Panel(
        "Time to the law", "seconds", "% of runs with the strict law", tuple(series), is_log_x=True, y_range=PERCENT
    )
    return Figure(f"time-to-law-{slug}", "Share of runs that have returned the strict law, over time", (panel,))
