"""What a user already knows: rates and times with units, templates and groups, beside those without."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchmarks.report.lines import TOLD_SUITES, by_entrant, commands_for, is_structure, rate
from benchmarks.report.section import ABSENT, Section, markdown_table
from benchmarks.results_file import Result
from benchmarks.suites.data_sets import PUBLISHED

SUITES = (*TOLD_SUITES, "srbench-feynman")
WORDS = """\
Right structures in percent and median seconds on one core. `class`: one law and ten data sets with constants of their
own, given as groups; published are the rates of PhySO with 200,000 evaluations and without units. `templates`: problems
of our own with their template, and some of them without. `srbench-feynman`: with the
units of columns and target, and constants without; lines without units are under SRBench ground truth.
"""


def known_sections(results: Sequence[Result]) -> list[Section]:
    """A section with one row per suite, knowledge and noise."""
    lines = [result for result in results if _is_told(result)]
    if not lines:
        return []
    rows = []
    for suite in SUITES:
        for entrant, own in by_entrant([line for line in lines if line.suite == suite]).items():
            noise = own[0].settings.get("noise", 0.0)
            published = f"{PUBLISHED[noise]:.1f}" if suite == "class" and noise in PUBLISHED else ABSENT
            cells = [
                str(len(own)),
                rate(own, is_structure),
                published,
                f"{statistics.median(line.seconds for line in own):.1f}",
            ]
            rows.append([suite, entrant.label, *cells])
    header = ["Suite", "Method", "runs", "structure", "published", "median s"]
    text = f"{WORDS}\n{markdown_table(header, rows, 2)}"
    return [Section("What the user already knows", text, commands_for(lines))]


def _is_told(result: Result) -> bool:
    return result.suite in TOLD_SUITES or (result.suite == "srbench-feynman" and "units" in result.settings)
