"""Validation error over time, grouped by the operators of the truth and of the most probable decoded sketch."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, product

import numpy as np

from benchmarks.report.lines import Entrant, by_entrant, commands_for, is_timed, leading
from benchmarks.report.section import ABSENT, Figure, Panel, Section, Series, markdown_table
from benchmarks.results_file import Result

# An NMSE of 1e-3 is an R2 of 0.999, the published criterion of accuracy on these suites.
ACCURATE_NMSE = 1e-3
# The logarithmic axis needs a floor; double precision resolves squares of relative errors down to about here.
SMALLEST_NMSE = 1e-32
NUM_TIMES = 101
# Most laws are found within a second, others take all the time: only a logarithmic axis shows both.
FIRST_SECONDS = 0.03


@dataclass(frozen=True)
class Grouping:
    """Groups of runs by a count: up to and including each bound, then the rest. window: seconds shown at most."""

    bounds: tuple[int, int]
    window: float

    def group_of(self, count: int) -> int:
        return sum(count > bound for bound in self.bounds)

    @property
    def names(self) -> tuple[str, str, str]:
        low, high = self.bounds
        if low == high:
            return f"at most {low}", ABSENT, f"more than {high}"
        middle = f"{low + 1}" if high == low + 1 else f"{low + 1} to {high}"
        return f"at most {low}", middle, f"more than {high}"


# The groups and windows of the published figures.
BY_TRUTH = {
    "srsd-easy": Grouping((2, 3), 50.0),
    "srsd-medium": Grouping((4, 6), 50.0),
    "srsd-hard": Grouping((8, 11), 100.0),
}
WORDS = """\
Best validation NMSE so far. `true` counts the operators of the true law as written here, in the groups of the published
figures. `decoded` counts the operators of the most probable sketch, in runs that reached the prior. Its groups are
thirds of the runs: the published groups begin at 12 operators, and here longer sketches are drawn again.

"""


def by_truth(suite: str, counts: Sequence[int]) -> Grouping:
    """The published groups."""
    del counts
    return BY_TRUTH[suite]


def by_thirds(suite: str, counts: Sequence[int]) -> Grouping:
    """Groups of about equal size."""
    low, high = np.quantile(counts, (1 / 3, 2 / 3), method="lower").tolist()
    return Grouping((int(low), int(high)), BY_TRUTH[suite].window)


KINDS: tuple[tuple[str, Callable[[str, Sequence[int]], Grouping], Callable[[Result], int | None]], ...] = (
    ("true", by_truth, lambda result: result.true_operators),
    ("decoded", by_thirds, lambda result: result.decoded_operators),
)


def trajectory_sections(results: Sequence[Result]) -> list[Section]:
    """One section with a table row per group and a figure per suite, kind of group and entrant."""
    rows: list[list[str]] = []
    figures: list[Figure] = []
    timed = filter(is_timed, leading(results))
    traced = [result for result in timed if result.trace and result.suite in BY_TRUTH]
    for (entrant, own), (kind, make_grouping, count) in product(by_entrant(traced).items(), KINDS):
        for suite in BY_TRUTH:
            runs = [result for result in own if result.suite == suite and count(result) is not None]
            if runs:
                grouping = make_grouping(suite, [count(run) or 0 for run in runs])
                groups = [[run for run in runs if grouping.group_of(count(run) or 0) == i] for i in range(3)]
                rows += _group_rows(entrant, suite, kind, grouping, groups)
                figures.append(_figure(entrant, suite, kind, grouping, groups))
    if not rows:
        return []
    header = ["Method", "Suite", "Operators", "Runs", "Reach NMSE 1e-3, %", "Median s to 1e-3", "Median last NMSE"]
    return [
        Section(
            "Validation error over time", WORDS + markdown_table(header, rows, 3), commands_for(traced), tuple(figures)
        )
    ]


def _group_rows(
    entrant: Entrant, suite: str, kind: str, grouping: Grouping, groups: Sequence[Sequence[Result]]
) -> list[list[str]]:
    rows = []
    for name, runs in zip(grouping.names, groups, strict=True):
        if runs:
            reached = [seconds for seconds in map(_seconds_to_accuracy, runs) if seconds is not None]
            # Runs that never get there count as later than all others.
            times = sorted([*reached, *[math.inf] * (len(runs) - len(reached))])
            middle = times[(len(times) - 1) // 2]
            last = statistics.median_low(_errors(run)[-1] for run in runs)
            share = f"{100.0 * len(reached) / len(runs):.1f}"
            shown = f"{middle:.1f}" if math.isfinite(middle) else ABSENT
            rows.append([entrant.label, suite, f"{kind} {name}", str(len(runs)), share, shown, f"{last:.1e}"])
    return rows


def _errors(run: Result) -> list[float]:
    """The best validation error so far at each line of the trace; infinite before there is one."""
    numbers = [math.inf if line.get("validation_nmse") is None else line["validation_nmse"] for line in run.trace]
    return list(accumulate((max(number, SMALLEST_NMSE) for number in numbers), min))


def _seconds_to_accuracy(run: Result) -> float | None:
    for line, error in zip(run.trace, _errors(run), strict=True):
        if error < ACCURATE_NMSE:
            return float(line["seconds"])
    return None


def _figure(entrant: Entrant, suite: str, kind: str, grouping: Grouping, groups: Sequence[Sequence[Result]]) -> Figure:
    longest = max(line["seconds"] for runs in groups for run in runs for line in run.trace)
    times = np.geomspace(FIRST_SECONDS, min(grouping.window, max(longest, 1.0)), NUM_TIMES)
    panels = tuple(
        Panel(
            title=f"{name} {kind} operators, {len(runs)} runs",
            x_label="seconds",
            y_label="best validation NMSE",
            series=_curves(runs, times),
            is_log_x=True,
            is_log_y=True,
            level=ACCURATE_NMSE,
            x_range=(FIRST_SECONDS, float(times[-1])),
        )
        for name, runs in zip(grouping.names, groups, strict=True)
        if runs
    )
    caption = f"Validation error over time on {suite} by {kind} operators: {entrant.label}"
    return Figure(f"error-over-time-{suite}-{kind}-{entrant.slug}", caption, panels)


def _curves(runs: Sequence[Result], times: np.ndarray) -> tuple[Series, ...]:
    """Every run faintly, then the median with the quartiles as a band."""
    faint = []
    values = np.full((len(runs), len(times)), np.inf)
    for row, run in zip(values, runs, strict=True):
        seconds, errors = np.array([line["seconds"] for line in run.trace]), np.array(_errors(run))
        places = np.searchsorted(seconds, times, side="right") - 1
        row[places >= 0] = errors[places[places >= 0]]
        faint.append(Series("", tuple(times.tolist()), _drawable(row), "faint"))
    # The lower of two middle values needs no mean with an infinite one.
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75), axis=0, method="lower")
    line = Series("median", tuple(times.tolist()), _drawable(median), "steps", _drawable(low), _drawable(high))
    return (*faint, line)


def _drawable(values: np.ndarray) -> tuple[float, ...]:
    return tuple(value if math.isfinite(value) else math.nan for value in values.tolist())
