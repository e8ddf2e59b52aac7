"""What written laws cost to read, against the truths as published."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report.section import Section, code, markdown_table
from benchmarks.suites.problem import column_names
from mosaic_sr import complexity, parse, printed_cost

# Lines of this file have columns of their own.
FILE = "writing.jsonl"
SHORT, LONG = 1.1, 1.5
# Laws drawn with a seed that no rule was set on.
DRAWN_SUITES = ("measured-7", "unseen-7")
ALL_DIGITS = 17
# More columns than any problem has.
NAMES = column_names(32)
MOST_LISTED = 12
WORDS = """\
The cost of a formula is the number of its printed nodes (x^2 has three) plus the printed digits of its constants.
*found* are the laws of strict lines as the search left them, *scrambled* are truths after three to eight random
equivalent rewrites. The truth counts as published. *by complexity*: with the nodes of `complexity`, where x^2 has two.
*same*: all values unchanged to rounding; *settled*: writing again changes nothing. Rules were added after a look at the
found laws and at scrambled truths of other seeds; the *new laws* were never looked at.
"""
Line = Mapping[str, Any]


def read_lines(files: Sequence[Path]) -> list[Line]:
    """The lines of `python -m benchmarks writing`."""
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def writing_sections(lines: Sequence[Line]) -> list[Section]:
    """One row per kind of laws, and the laws that stay long."""
    if not lines:
        return []
    groups = {kind: [line for line in lines if line["kind"] == kind] for kind in ("found", "scrambled")}
    groups["of these, new laws"] = [line for line in groups["scrambled"] if line["suite"] in DRAWN_SUITES]
    rows = [_row(kind, own) for kind, own in groups.items() if own]
    header = [
        "Laws",
        "Number",
        "≤ 1.1 before, %",
        "≤ 1.1, %",
        "by complexity",
        "> 1.5",
        "largest",
        "same, %",
        "settled, %",
        "95 % s",
    ]
    far = sorted((line for line in lines if _ratio(line) > LONG), key=_ratio, reverse=True)[:MOST_LISTED]
    text = f"{WORDS}\n{markdown_table(header, rows)}"
    if far:
        cells = [[f"{_ratio(line):.2f}", code(line["written"]), code(line["truth"])] for line in far]
        text += f"\nLaws above 1.5:\n\n{markdown_table(['Ratio', 'Written', 'Truth'], cells, num_words=3)}"
    return [Section("Written laws", text, ("python -m benchmarks writing",))]


def _ratio(line: Line) -> float:
    return float(line["cost"]) / float(line["cost_truth"])


def _complexity_ratio(line: Line) -> float:
    """As `_ratio`, with the nodes that the front counts."""
    return _complexity_cost(line["written"], line["most_digits"]) / _complexity_cost(line["truth"], ALL_DIGITS)


def _complexity_cost(text: str, most_digits: int) -> int:
    expression = parse(text, NAMES)
    numbers = (parse(repr(abs(value)), NAMES) for value in expression.constants.tolist())
    return complexity(expression) + sum(printed_cost(number, most_digits) - 1 for number in numbers)


def _row(kind: str, lines: Sequence[Line]) -> list[str]:
    ratios = np.array([_ratio(line) for line in lines])
    before = np.array([line["cost_given"] / line["cost_truth"] for line in lines])
    seconds = np.quantile([line["seconds"] for line in lines], 0.95)
    shares = [np.mean([line[name] for line in lines]) for name in ("is_same", "is_settled")]
    return [
        kind,
        str(len(lines)),
        f"{np.mean(before <= SHORT):.1%}".rstrip("%"),
        f"{np.mean(ratios <= SHORT):.1%}".rstrip("%"),
        f"{np.mean([_complexity_ratio(line) <= SHORT for line in lines]):.1%}".rstrip("%"),
        str(int(np.sum(ratios > LONG))),
        f"{ratios.max():.2f}",
        *(f"{share:.1%}".rstrip("%") for share in shares),
        f"{seconds:.2f}",
    ]
