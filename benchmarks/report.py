"""Tables from result lines alone; measured rows stand apart from published ones. Equal lines give equal text."""

from __future__ import annotations

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from benchmarks.measures import is_accurate
from benchmarks.paper_rows import MAIN_TABLES, STAGE_ABLATION, PaperTable, PublishedRow
from benchmarks.results_file import Result

NOTES = """\
Rates are percentages of the problems of a suite; a failure of any kind is a miss. ± is the deviation over seeds.

- *strict*: the printed equation is the truth: equal canonical forms, or one function at 150 digits on the sample, on
  the sample widened tenfold and far beyond it, once constants that agree to 4 significant digits have been made
  equal. No offset or factor is forgiven, and both must depend on the same variables. Only this rate is claimed.
- *Sym*: measured rows follow the SRBench protocol to the letter, published rows show the rate as published. The
  literal protocol can never accept some SRSD-Feynman truths, because their constants are tiny, and accepts wrong
  laws for others. The published rates exceed what it allows there, so the verifier behind them was not quite this
  one, and the two kinds of rows compare only roughly.
- *Acc*: test R2 > 0.999 on SRSD-Feynman, test NMSE < 1e-6 elsewhere, computed from the printed equation.
- *s*: mean seconds per problem, each on its own hardware.
- *attainable*: the share of problems whose truth the given rows can tell from every simpler law. The others stay
  in the denominator.
"""
COLUMNS = ("strict", "Sym", "Acc", "s")
SOURCES = {"cited": "Published, cited by the paper from SRSD-Feynman", "evaluated": "Published, evaluated by the paper"}
ABSENT = "–"
SUITES_PER_TABLE = 3


@dataclass(frozen=True)
class Entrant:
    """A measured row: a method with its settings, which are kept as JSON text."""

    method: str
    settings: str

    @property
    def label(self) -> str:
        return f"{self.method} ({describe(json.loads(self.settings))})"


def make_report(results: Iterable[Result], with_misses: bool = False) -> str:
    """The whole report as Markdown."""
    ordered = sorted(results, key=lambda result: result.key)
    plain = [result for result in ordered if not {"without", "noise"} & result.settings.keys()]
    ablation, noise = _compared(ordered, "without"), _compared(ordered, "noise")
    sections = [
        "# Results\n\n" + NOTES,
        *_sections(plain, MAIN_TABLES, "Other suites"),
        *_sections(ablation, (STAGE_ABLATION,), "Ablations"),
        *_sections(noise, (), "Noise"),
        *(_misses(ordered) if with_misses else ()),
        _provenance(ordered),
    ]
    return "\n".join(sections)


def describe(settings: dict[str, Any]) -> str:
    """Settings in words: `10 s, preset paper, without lookup`."""
    words = [f"{settings['time_limit']:g} s"] if "time_limit" in settings else []
    for name, value in sorted(settings.items()):
        if name != "time_limit":
            shown = " and ".join(value) if isinstance(value, list) else value
            words.append(f"{name.replace('_', ' ')} {shown}")
    return ", ".join(words) or "default"


def _compared(results: Sequence[Result], name: str) -> list[Result]:
    """The results that use a setting, and those that differ from them in this setting only."""

    def without_it(result: Result) -> tuple[str, str]:
        rest = {key: value for key, value in result.settings.items() if not key.startswith(name)}
        return result.method, json.dumps(rest, sort_keys=True)

    bases = {without_it(result) for result in results if name in result.settings}
    return [result for result in results if name in result.settings or (result.method, result.key[-1]) in bases]


def _sections(results: Sequence[Result], tables: Sequence[PaperTable], title: str) -> list[str]:
    """The published tables that have measured rows, then tables for the suites that nobody published."""
    published = {suite for table in tables for suite in table.suites}
    suites = list(dict.fromkeys(result.suite for result in results if result.suite not in published))
    groups = [suites[start : start + SUITES_PER_TABLE] for start in range(0, len(suites), SUITES_PER_TABLE)]
    own_tables = [PaperTable(f"{title}: {', '.join(group)}", dict.fromkeys(group, 0), ()) for group in groups]
    sections = [
        (table, [result for result in results if result.suite in table.suites]) for table in (*tables, *own_tables)
    ]
    return [_table(table, own) for table, own in sections if own]


def _table(table: PaperTable, results: Sequence[Result]) -> str:
    """One Markdown table: published rows by source, measured rows, and what a perfect method would reach."""
    header = ["Method", *(f"{suite} {column}" for suite in table.suites for column in COLUMNS)]
    lines = [f"## {table.title}\n", _row(header), _row(["---", *["---:"] * (len(header) - 1)])]
    for source, rows in groupby(table.rows, key=lambda row: row.source):
        lines.append(_banner(SOURCES[source], len(header)))
        lines += [_row(_published_cells(row)) for row in rows]
    lines.append(_banner("Measured here", len(header)))
    cells, remarks = [], []
    for entrant, own in _by_entrant(results).items():
        by_suite = [[result for result in own if result.suite == suite] for suite in table.suites]
        cells.append([entrant.label, *(cell for group in by_suite for cell in _measured_cells(group))])
        remarks += _incomplete(entrant, table, own)
    lines += [_row(row) for row in cells]
    lines.append(_row(["attainable", *(cell for suite in table.suites for cell in _attainable_cells(suite, results))]))
    return "\n".join([*lines, *remarks]) + "\n"


def _by_entrant(results: Iterable[Result]) -> dict[Entrant, list[Result]]:
    entrants: dict[Entrant, list[Result]] = defaultdict(list)
    for result in results:
        entrants[Entrant(result.method, result.key[-1])].append(result)
    return dict(sorted(entrants.items(), key=lambda item: item[0].label))


def _published_cells(row: PublishedRow) -> list[str]:
    cells = [row.method]
    for score in row.scores:
        cells += [
            ABSENT,
            f"{score.sym:.1f}",
            f"{score.acc:.1f}",
            ABSENT if score.seconds is None else f"{score.seconds:.1f}",
        ]
    return cells


def _measured_cells(results: Sequence[Result]) -> list[str]:
    """Cells of one method on one suite."""
    if not results:
        return [ABSENT] * len(COLUMNS)
    strict = _rate(results, lambda result: result.strict)
    literal = _rate(results, lambda result: result.srbench)
    accurate = _rate(results, lambda result: is_accurate(result.suite, result.r2, result.nmse))
    return [f"**{strict}**", literal, accurate, f"{statistics.fmean(result.seconds for result in results):.1f}"]


def _rate(results: Sequence[Result], is_hit: Callable[[Result], bool]) -> str:
    """The mean over seeds of the share of hits, and its deviation where there are several seeds."""
    hits: dict[int, list[bool]] = defaultdict(list)
    for result in results:
        hits[result.seed].append(is_hit(result))
    shares = [100.0 * statistics.fmean(seed) for seed in hits.values()]
    mean = f"{statistics.fmean(shares):.1f}"
    return f"{mean} ± {statistics.stdev(shares):.1f}" if len(shares) > 1 else mean


def _attainable_cells(suite: str, results: Sequence[Result]) -> list[str]:
    reasons = {result.problem: result.unidentifiable for result in results if result.suite == suite}
    share = f"{100.0 * sum(not reason for reason in reasons.values()) / len(reasons):.1f}" if reasons else ABSENT
    return [share, *[ABSENT] * (len(COLUMNS) - 1)]


def _incomplete(entrant: Entrant, table: PaperTable, results: Sequence[Result]) -> list[str]:
    """A remark per suite of which only a part has been run: its rates are not those of the suite."""
    counts = Counter(suite for suite, _ in {(result.suite, result.problem) for result in results})
    return [
        f"\n{entrant.label} has run {counts[suite]} of the {total} problems of {suite}."
        for suite, total in table.suites.items()
        if 0 < counts[suite] < total
    ]


def _misses(results: Sequence[Result]) -> list[str]:
    """Per method and suite, the problems that are not recovered strictly."""
    sections = []
    for entrant, own in _by_entrant(results).items():
        for suite, group in groupby(own, key=lambda result: result.suite):
            missed = [result for result in group if not result.strict]
            lines = [f"### Misses on {suite}: {entrant.label}\n", _row(["Problem", "Seed", "Found", "Truth", "Remark"])]
            lines.append(_row(["---"] * 5))
            lines += [_row(_miss_cells(result)) for result in missed]
            sections += ["\n".join(lines) + "\n"] if missed else []
    return sections


def _miss_cells(result: Result) -> list[str]:
    verdicts = ["accepted by SRBench's protocol"] if result.srbench else []
    verdicts += ["accurate"] if is_accurate(result.suite, result.r2, result.nmse) else []
    verdicts += [f"unidentifiable: {result.unidentifiable}"] if result.unidentifiable else []
    remark = "; ".join([*filter(None, [result.error]), *verdicts])
    found = f"`{result.equation}`" if result.equation else ABSENT
    return [result.problem, str(result.seed), found, f"`{result.truth}`", remark]


def _provenance(results: Sequence[Result]) -> str:
    commits = Counter(result.commit for result in results)
    machines = Counter(", ".join(f"{name} {value}" for name, value in result.machine.items()) for result in results)
    lines = [f"## Where the {len(results)} lines come from\n"]
    lines += [f"- commit {commit}: {count} lines" for commit, count in sorted(commits.items())]
    lines += [f"- {machine}: {count} lines" for machine, count in sorted(machines.items())]
    return "\n".join(lines) + "\n"


def _banner(words: str, width: int) -> str:
    return _row([f"***{words}***", *[""] * (width - 1)])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;').replace(chr(10), ' ') for cell in cells)} |"
