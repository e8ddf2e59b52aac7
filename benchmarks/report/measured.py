"""Measured tables by their conditions, and tables without a law, on which every claim is false."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.report.lines import by_entrant, commands_for, is_strict, is_structure, of_noisy_tables, rate
from benchmarks.report.section import ABSENT, Section, markdown_table
from benchmarks.results_file import Result
from benchmarks.suites.measured import least_errors

OPEN = "open"
NAME = re.compile(
    r"(?P<family>measured|unseen)(?:-\d+)?-\d{3}-r(?P<rows>\d+)-n(?P<noise>\d+)(?P<proportional>p?)"
    r"(?P<outliers>-out)?(?P<digits>-d\d)?(?P<extra>-irr|-const|-corr)?"
)
# A law that is not the first choice but is named with this probability was not missed.
LEAST_PROBABILITY = 0.1
# Standard errors below which it is open whether a law has a number at all.
LEAST_ERRORS = 2.0
# On a table without a law a probability of this or more is a false claim.
FALSE_FROM = 0.5

MEASURED_WORDS = """\
Each law is measured under several conditions; the name of a problem gives its condition. *determined*: the share of
tables whose rows and noise put every number of the law two standard errors or more from where it could be dropped; no
method can be sure of the others. *in front*: an equation of the front has the structure of the true law. *or rival*:
the law has it, or a rival to which the method gives a probability of 0.1 or more; missing where the method states no
probabilities. *s*: median seconds.
"""
OPEN_WORDS = """\
No closed form describes these tables: random functions (*smooth*, *rough*), shuffled targets (*permuted*), targets that
do not depend on the columns (*noise*). So every claim that a law is exact, or more likely right than wrong, is false.
*nodes*: median size of the returned equation.
"""


@dataclass(frozen=True)
class Told:
    """The condition of a measured table as its name tells it."""

    family: str
    rows: int
    noise: int
    is_proportional: bool
    has_outliers: bool
    is_rounded: bool
    has_extra: bool

    def is_usual(self, rows: int, has_outliers: bool = False) -> bool:
        return (self.rows, self.noise, self.has_outliers) == (rows, 2, has_outliers)


def told_by(problem: str) -> Told | None:
    """The condition in a problem's name, or None where it is not that of a measured table."""
    match = NAME.fullmatch(problem)
    if match is None:
        return None
    flags = (bool(match[name]) for name in ("proportional", "outliers", "digits", "extra"))
    return Told(match["family"], int(match["rows"]), int(match["noise"]), *flags)


def _has_rows(rows: int, told: Told) -> bool:
    return told.rows == rows


def _has_noise(noise: int, told: Told) -> bool:
    return told.noise == noise


# The conditions of the targets first, then what each part of a condition costs.
GROUPS: dict[str, Callable[[Told], bool]] = {
    "100 rows, 2 %": lambda told: told.is_usual(100),
    "30 rows, 2 %": lambda told: told.is_usual(30),
    "100 rows, 2 %, outliers": lambda told: told.is_usual(100, has_outliers=True),
    **{f"{rows} rows, any noise": partial(_has_rows, rows) for rows in (10, 30, 100, 300)},
    **{f"{noise} %, any rows": partial(_has_noise, noise) for noise in (1, 2, 5, 10)},
    "additive": lambda told: not told.is_proportional,
    "proportional": lambda told: told.is_proportional,
    "without outliers": lambda told: not told.has_outliers,
    "with outliers": lambda told: told.has_outliers,
    "rounded": lambda told: told.is_rounded,
    "with an extra column": lambda told: told.has_extra,
    "all": lambda told: True,
}


# The conditions that the README shows.
SUMMARISED = ("100 rows, 2 %", "30 rows, 2 %", "100 rows, 2 %, outliers", "all")


def measured_sections(results: Sequence[Result]) -> list[Section]:
    """A section per suite of measured tables, and one on tables without a law."""
    noisy = of_noisy_tables(results)
    lines = [result for result in noisy if told_by(result.problem) is not None]
    suites = dict.fromkeys(result.suite for result in lines)
    sections = [_measured(suite, [result for result in lines if result.suite == suite]) for suite in suites]
    return [*sections, *_open([result for result in noisy if result.suite == OPEN])]


def _measured(suite: str, results: Sequence[Result]) -> Section:
    rows = [
        [entrant.label, name, *_cells([result for result in own if _is_in(group, result)])]
        for entrant, own in by_entrant(results).items()
        for name, group in GROUPS.items()
        if any(_is_in(group, result) for result in own)
    ]
    header = ["Method", "Condition", "Tables", "determined", "structure", "in front", "or rival", "strict", "s"]
    text = f"{MEASURED_WORDS}\n{markdown_table(header, rows, 2)}"
    return Section(f"Measured tables: {suite}", text, commands_for(results))


def summary_table(results: Sequence[Result]) -> str:
    """The usual conditions of the suite `measured`, for all methods; empty where there are no lines of it."""
    lines = [result for result in of_noisy_tables(results) if result.suite == "measured"]
    rows = [
        [name, entrant.label, *(cells[place] for place in (0, 2, 4, 6))]
        for name in SUMMARISED
        for entrant, own in by_entrant(lines).items()
        if (cells := _cells_of(GROUPS[name], own))
    ]
    return (
        markdown_table(("condition", "method", "tables", "structure", "or rival", "median s"), rows, 2) if rows else ""
    )


def _cells_of(group: Callable[[Told], bool], results: Sequence[Result]) -> list[str]:
    chosen = [result for result in results if _is_in(group, result)]
    return _cells(chosen) if chosen else []


def _is_in(group: Callable[[Told], bool], result: Result) -> bool:
    told = told_by(result.problem)
    return told is not None and group(told)


def _cells(results: Sequence[Result]) -> list[str]:
    return [
        str(len({result.problem for result in results})),
        _determined(results),
        f"**{rate(results, is_structure)}**",
        rate(results, lambda result: bool(result.in_front)) if _tell(results, "in_front") else ABSENT,
        rate(results, is_among_rivals) if _tell(results, "probability") else ABSENT,
        rate(results, is_strict),
        f"{statistics.median(result.seconds for result in results):.1f}",
    ]


def _determined(results: Sequence[Result]) -> str:
    tables = {(result.suite, result.problem) for result in results}
    # Lines may be of tables that a generator no longer draws.
    known = [errors for errors in (least_errors(*table) for table in sorted(tables)) if errors is not None]
    return f"{100.0 * statistics.fmean(errors >= LEAST_ERRORS for errors in known):.1f}" if known else ABSENT


def _tell(results: Sequence[Result], name: str) -> bool:
    return any(getattr(result, name) is not None for result in results)


def is_among_rivals(result: Result) -> bool:
    """Whether the law or a rival of some probability has the structure of the truth."""
    likely = [rival for rival in result.rivals if (rival.get("probability") or 0.0) >= LEAST_PROBABILITY]
    return is_structure(result) or any(rival.get("structure") for rival in likely)


def is_false_belief(result: Result) -> bool:
    """Whether a method holds a law that cannot be right for more likely than not."""
    return result.probability is not None and result.probability >= FALSE_FROM


def _open(results: Sequence[Result]) -> list[Section]:
    rows = []
    for entrant, own in by_entrant(results).items():
        kinds = dict.fromkeys(result.problem.split("-")[1] for result in own)
        for kind in (*kinds, "all"):
            group = [result for result in own if kind in ("all", result.problem.split("-")[1])]
            rows.append([entrant.label, kind, *_open_cells(group)])
    if not rows:
        return []
    header = ["Method", "Kind", "Tables", "claims of exactness", "P ≥ 0.5", "largest P", "nodes", "s"]
    note = "" if _tell(results, "probability") else "\nNo result states a probability.\n"
    text = f"{OPEN_WORDS}\n{markdown_table(header, rows, 2)}{note}"
    return [Section("Tables without a law", text, commands_for(results))]


def _open_cells(results: Sequence[Result]) -> list[str]:
    stated = [result.probability for result in results if result.probability is not None]
    sizes = [result.complexity for result in results if result.complexity is not None]
    return [
        str(len(results)),
        str(sum(bool(result.claims_exact) for result in results)) if _tell(results, "claims_exact") else ABSENT,
        str(sum(map(is_false_belief, results))) if stated else ABSENT,
        f"{max(stated):.2f}" if stated else ABSENT,
        f"{statistics.median(sizes):g}" if sizes else ABSENT,
        f"{statistics.median(result.seconds for result in results):.1f}",
    ]
