"""The README's tables: our rates per suite beside the paper's, and measured methods; written between two marks."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.paper_rows import MAIN_TABLES, PAPER, Score
from benchmarks.report.lines import (
    OURS,
    common_problems,
    describe,
    has_accuracy,
    is_strict,
    is_timed,
    mean_and_deviation,
    of_whole_seeds,
    on_shared_problems,
    our_lines,
    rate,
    rivals,
)
from benchmarks.report.measured import summary_table
from benchmarks.report.section import ABSENT, markdown_table
from benchmarks.results_file import Result
from benchmarks.suites import SUITES
from mosaic_sr import InvalidFile, InvalidSettings

BEGIN, END = "<!-- results: python -m benchmarks report LINES --summary README.md -->", "<!-- end of results -->"
HEADER = (
    "suite",
    "problems",
    "seeds",
    "attainable",
    "paper, Sym",
    "ours, strict",
    "paper, Acc",
    "ours, Acc",
    "median s",
)
BESIDE_HEADER = ("method", "strict", "Acc", "median nodes", "median s")


def make_summary(results: Iterable[Result]) -> str:
    """A table of our lines, one of all measured methods where there are others, and one of noisy tables."""
    ordered = sorted(results, key=lambda result: result.key)
    return "\n".join(filter(None, (_own_table(ordered), _beside_table(ordered), _noisy_table(ordered))))


def _noisy_table(results: Sequence[Result]) -> str:
    table = summary_table(results)
    return f"*measured tables: few and noisy rows*\n\n{table}" if table else ""


def _own_table(results: Sequence[Result]) -> str:
    """The settings of our lines in words, and a row per suite."""
    own = our_lines(results)
    if not own:
        raise InvalidSettings(f"the summary needs result lines of {OURS} with its default settings")
    by_suite = {suite: [result for result in own if result.suite == suite] for suite in SUITES}
    rows = [_cells(suite, runs) for suite, runs in by_suite.items() if runs]
    commits = sorted({result.commit for result in own})
    cores = max(result.machine.get("cores_per_run", 1) for result in own)
    limits = f"at most {describe(own[0].settings)} on {cores} core{'s' * (cores > 1)} per problem"
    return f"*{limits}, commit {', '.join(commits)}*\n\n{markdown_table(HEADER, rows)}"


def _beside_table(results: Sequence[Result]) -> str:
    """A row per method on the problems that all of them have run with equal settings, best first; empty for one."""
    groups = [on_shared_problems(alike) for alike in rivals(results).values()]
    if len(groups) != 1 or not groups[0]:
        return ""
    (lines,) = groups
    rows = [
        [
            entrant.method,
            f"**{rate(own, is_strict)}**",
            rate(own, has_accuracy),
            _median_nodes(own),
            f"{statistics.median(run.seconds for run in own):.1f}",
        ]
        for entrant, own in sorted(lines.items(), key=lambda item: -mean_and_deviation(item[1], is_strict)[0])
    ]
    (limit,) = {describe(run.settings) for own in lines.values() for run in own}
    num_shared = len(common_problems(lines.values()))
    problems = f"{num_shared} published problem{'s' * (num_shared > 1)}"
    return f"*{problems}, {limit} on one core each*\n\n{markdown_table(BESIDE_HEADER, rows)}"


def _median_nodes(results: Sequence[Result]) -> str:
    median = statistics.median(math.inf if run.complexity is None else run.complexity for run in results)
    return f"{median:.0f}" if math.isfinite(median) else ABSENT


def write_summary(results: Iterable[Result], path: Path) -> None:
    """Put the summary between the marks of a file."""
    table = make_summary(results)
    try:
        text = path.read_text(encoding="utf-8")
        before, begin, rest = text.partition(BEGIN)
        _, end, after = rest.partition(END)
        if not (begin and end):
            raise InvalidFile(f"{path} needs the lines {BEGIN!r} and {END!r}; the table goes between them")
        path.write_text(f"{before}{begin}\n{table}{end}{after}", encoding="utf-8")
    except OSError as error:
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error


def _cells(suite: str, results: Sequence[Result]) -> list[str]:
    reasons = {result.problem: result.unidentifiable for result in results}
    attainable = 100.0 * statistics.fmean(not reason for reason in reasons.values())
    paper = _published(suite)
    seconds = [result.seconds for result in results if is_timed(result)]
    return [
        suite,
        str(len(reasons)),
        str(len({result.seed for result in of_whole_seeds(results)})),
        f"{attainable:.1f}",
        ABSENT if paper is None else f"{paper.sym:.1f}",
        f"**{rate(results, is_strict)}**",
        ABSENT if paper is None else f"{paper.acc:.1f}",
        rate(results, has_accuracy),
        f"{statistics.median(seconds):.1f}" if seconds else ABSENT,
    ]


def _published(suite: str) -> Score | None:
    for table in MAIN_TABLES:
        if suite in table.suites:
            place = list(table.suites).index(suite)
            return next(row.scores[place] for row in table.rows if row.method == PAPER)
    return None
