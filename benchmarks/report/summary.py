"""The one table of the README: our rates per suite beside the paper's, written between two marks in a file."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.paper_rows import MAIN_TABLES, PAPER, Score
from benchmarks.report.lines import OURS, describe, has_accuracy, is_strict, is_timed, our_lines, rate
from benchmarks.report.section import ABSENT, markdown_table
from benchmarks.results_file import Result
from benchmarks.suites import SUITES
from mosaic_sr import InvalidFile, InvalidSettings

BEGIN, END = "<!-- results: python -m benchmarks report LINES --summary README.md -->", "<!-- end of results -->"
HEADER = ("suite", "problems", "attainable", "paper, Sym", "ours, strict", "paper, Acc", "ours, Acc", "median s")


def make_summary(results: Iterable[Result]) -> str:
    """The settings of our lines in words, and a row per suite."""
    own = our_lines(sorted(results, key=lambda result: result.key))
    if not own:
        raise InvalidSettings(f"the summary needs lines of {OURS} with its default settings")
    by_suite = {suite: [result for result in own if result.suite == suite] for suite in SUITES}
    rows = [_cells(suite, runs) for suite, runs in by_suite.items() if runs]
    num_seeds, commits = len({result.seed for result in own}), sorted({result.commit for result in own})
    cores = max(result.machine.get("cores_per_run", 1) for result in own)
    origin = (
        f"{num_seeds} seed{'s' * (num_seeds > 1)}, at most {describe(own[0].settings)} on "
        f"{cores} core{'s' * (cores > 1)} a problem, commit {', '.join(commits)}"
    )
    return f"*{origin}*\n\n{markdown_table(HEADER, rows)}"


def write_summary(results: Iterable[Result], path: Path) -> None:
    """Put the summary between the marks of a file."""
    table = make_summary(results)
    try:
        text = path.read_text(encoding="utf-8")
        before, begin, rest = text.partition(BEGIN)
        _, end, after = rest.partition(END)
        if not (begin and end):
            raise InvalidFile(f"{path} has no lines {BEGIN!r} and {END!r} to write the table between")
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
