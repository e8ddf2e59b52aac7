"""The main tables: published rows by source, measured rows apart from them, and what a perfect method would reach."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from itertools import groupby

from benchmarks.paper_rows import MAIN_TABLES, PaperTable, PublishedRow
from benchmarks.report.lines import (
    Entrant,
    by_entrant,
    commands_for,
    has_accuracy,
    is_strict,
    is_timed,
    leading,
    of_whole_seeds,
    problems_by_seed,
    rate,
)
from benchmarks.report.section import ABSENT, Section, markdown_table
from benchmarks.results_file import Result

COLUMNS = ("strict", "Sym", "Acc", "s")
SOURCES = {"cited": "Published, cited by the paper from SRSD-Feynman", "evaluated": "Published, evaluated by the paper"}
SUITES_PER_TABLE = 3


def main_sections(results: Sequence[Result]) -> list[Section]:
    """The published tables that have measured rows, then tables of the suites that nobody published."""
    return table_sections(leading(results), MAIN_TABLES, "Other suites")


def table_sections(results: Sequence[Result], tables: Sequence[PaperTable], title: str) -> list[Section]:
    """A section per table that has lines."""
    published = {suite for table in tables for suite in table.suites}
    suites = list(dict.fromkeys(result.suite for result in results if result.suite not in published))
    groups = [suites[start : start + SUITES_PER_TABLE] for start in range(0, len(suites), SUITES_PER_TABLE)]
    own_tables = [PaperTable(f"{title}: {', '.join(group)}", dict.fromkeys(group, 0), ()) for group in groups]
    sections = []
    for table in (*tables, *own_tables):
        own = [result for result in results if result.suite in table.suites]
        sections += [Section(table.title, main_table(table, by_entrant(own)), commands_for(own))] if own else []
    return sections


def main_table(table: PaperTable, entrants: Mapping[Entrant, Sequence[Result]]) -> str:
    """One Markdown table, with measured rows in the order given, and a remark per suite and seed run in part.

    Rates of a part of a suite say of how many problems they are.
    """
    header = ["Method", *(f"{suite} {column}" for suite in table.suites for column in COLUMNS)]
    rows: list[list[str]] = []
    for source, published in groupby(table.rows, key=lambda row: row.source):
        rows.append(_banner(SOURCES[source], len(header)))
        rows += [_published_cells(row) for row in published]
    rows.append(_banner("Measured here", len(header)))
    remarks: list[str] = []
    for entrant, own in entrants.items():
        by_suite = [[result for result in own if result.suite == suite] for suite in table.suites]
        cells = zip(by_suite, table.suites.values(), strict=True)
        rows.append([entrant.label, *(cell for group, total in cells for cell in _measured_cells(group, total))])
        for suite, group in zip(table.suites, by_suite, strict=True):
            remarks += _incomplete(entrant, suite, group)
    everything = [result for own in entrants.values() for result in own]
    rows.append(["attainable", *(cell for suite in table.suites for cell in _attainable_cells(suite, everything))])
    return "\n".join([markdown_table(header, rows).rstrip("\n"), *remarks]) + "\n"


def _published_cells(row: PublishedRow) -> list[str]:
    cells = [row.method]
    for score in row.scores:
        seconds = ABSENT if score.seconds is None else f"{score.seconds:.1f}"
        cells += [ABSENT, f"{score.sym:.1f}", f"{score.acc:.1f}", seconds]
    return cells


def _measured_cells(results: Sequence[Result], total: int) -> list[str]:
    """Cells of one method on one suite; total: of its problems, 0 where it is not published."""
    if not results:
        return [ABSENT] * len(COLUMNS)
    literal = rate(results, lambda result: result.srbench)
    times = [result.seconds for result in of_whole_seeds(results)]
    seconds = f"{statistics.fmean(times):.1f}" if all(map(is_timed, results)) else ABSENT
    strict, num_run = rate(results, is_strict), len({result.problem for result in results})
    shown = f"{strict} ({num_run}/{total})" if num_run < total else f"**{strict}**"
    return [shown, literal, rate(results, has_accuracy), seconds]


def _attainable_cells(suite: str, results: Sequence[Result]) -> list[str]:
    reasons = {result.problem: result.unidentifiable for result in results if result.suite == suite}
    share = f"{100.0 * sum(not reason for reason in reasons.values()) / len(reasons):.1f}" if reasons else ABSENT
    return [share, *[ABSENT] * (len(COLUMNS) - 1)]


def _incomplete(entrant: Entrant, suite: str, results: Sequence[Result]) -> list[str]:
    """A remark on each seed that has run a part of what others have."""
    counts = {seed: len(problems) for seed, problems in problems_by_seed(results).items()}
    num_run = len({result.problem for result in results})
    ending = "; its rates leave this seed out." if num_run in counts.values() else "."
    return [
        f"\n{entrant.label} has run {count} of these {num_run} problems of {suite} with seed {seed}{ending}"
        for seed, count in counts.items()
        if count < num_run
    ]


def _banner(words: str, width: int) -> list[str]:
    return [f"***{words}***", *[""] * (width - 1)]
