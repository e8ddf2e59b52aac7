"""Our rates beside the best published ones, as shares of what the rows allow, and by the size of the truth."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchmarks.paper_rows import MAIN_TABLES
from benchmarks.report.lines import (
    commands_for,
    describe,
    has_accuracy,
    is_strict,
    is_timed,
    mean_and_deviation,
    our_lines,
    rate,
)
from benchmarks.report.section import ABSENT, Section, markdown_table
from benchmarks.results_file import Result
from benchmarks.suites import SUITES

# Suites whose rows are rounded as those with irrelevant columns are, and have none.
DUMMY, ROUNDED = "-dummy", "-float32"
# Generated laws are grouped by operators: up to and including each bound, then the rest.
GENERATED, BOUNDS = "generated", (4, 8)


def share_sections(results: Sequence[Result]) -> list[Section]:
    """Of our lines with default settings: beside the best of others, of the attainable, and by operators."""
    own = our_lines(results)
    by_suite = {suite: [result for result in own if result.suite == suite] for suite in SUITES}
    lines = {suite: runs for suite, runs in by_suite.items() if runs}
    return [*_beside_best(lines), *_attainable(lines), *_by_operators(lines)]


def _beside_best(lines: dict[str, list[Result]]) -> list[Section]:
    """Our rates beside the best that any method has published."""
    rows = []
    for table in MAIN_TABLES:
        for place, suite in enumerate(table.suites):
            if suite in lines:
                sym = max(table.rows, key=lambda row: row.scores[place].sym)
                acc = max(table.rows, key=lambda row: row.scores[place].acc)
                best = f"{sym.scores[place].sym:.1f} ({sym.method})", f"{acc.scores[place].acc:.1f} ({acc.method})"
                own = rate(lines[suite], is_strict), rate(lines[suite], has_accuracy)
                rows.append([suite, best[0], f"**{own[0]}**", best[1], f"**{own[1]}**"])
    if not rows:
        return []
    header = ["Suite", "best published Sym", "ours, strict", "best published Acc", "ours, Acc"]
    words = f"Ours, {describe(next(iter(lines.values()))[0].settings)}, one configuration for all suites.\n\n"
    return [Section("Compared with the best published rates", words + markdown_table(header, rows), _commands(lines))]


def _attainable(lines: dict[str, list[Result]]) -> list[Section]:
    rows = []
    for suite, runs in lines.items():
        reached = [result for result in runs if not result.unidentifiable]
        counts = [len({result.problem for result in group}) for group in (runs, reached)]
        rates = [rate(group, is_strict) for group in (runs, reached)]
        rows.append([suite, *map(str, counts), *rates, _lost_to_columns(suite, lines)])
    if not rows:
        return []
    header = ["Suite", "Problems", "Attainable", "strict, of all", "strict, of attainable", "lost to columns"]
    words = (
        f"Ours, {describe(next(iter(lines.values()))[0].settings)}. *lost to columns*: the points by which"
        " irrelevant columns lower the strict rate on attainable problems, with the same laws and rounding"
        f" (`{ROUNDED}`).\n\n"
    )
    return [Section("Shares of the attainable problems", words + markdown_table(header, rows), _commands(lines))]


def _lost_to_columns(suite: str, lines: dict[str, list[Result]]) -> str:
    rounded = lines.get(suite.removesuffix(DUMMY) + ROUNDED, [])
    if not suite.endswith(DUMMY) or not rounded:
        return ABSENT
    with_columns, without = (_share(group) for group in (lines[suite], rounded))
    return f"{without - with_columns:.1f}"


def _share(results: Sequence[Result]) -> float:
    return mean_and_deviation([result for result in results if not result.unidentifiable], is_strict)[0]


def _by_operators(lines: dict[str, list[Result]]) -> list[Section]:
    rows = []
    generated = {suite: runs for suite, runs in lines.items() if suite.startswith(GENERATED)}
    for suite, runs in generated.items():
        for group, name in enumerate(_group_names()):
            own = [run for run in runs if sum(run.true_operators > bound for bound in BOUNDS) == group]
            times = [run.seconds for run in own if run.strict and is_timed(run)]
            seconds = f"{statistics.median(times):.1f}" if times else ABSENT
            num_problems = len({run.problem for run in own})
            rows += [[suite, name, str(num_problems), rate(own, is_strict), rate(own, has_accuracy), seconds]]
    header = ["Suite", "Operators", "Problems", "strict", "Acc", "median s to the law"]
    table = markdown_table(header, rows, 2)
    return [Section("Generated laws by operators", table, _commands(generated))] if rows else []


def _group_names() -> tuple[str, ...]:
    low, high = BOUNDS
    return f"at most {low}", f"{low + 1} to {high}", f"more than {high}"


def _commands(lines: dict[str, list[Result]]) -> tuple[str, ...]:
    return commands_for([result for runs in lines.values() for result in runs])
