"""Parts of the finders that were taken out on trial: the laws and the seconds with each and without it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.report.section import Section, markdown_table
from benchmarks.results_file import Result, read_results
from mosaic_sr import InvalidFile

# Below a folder of results: the list of trials, beside the result lines that it names.
LIST = Path("removals") / "trials.json"
WORDS = """\
Each row compares result lines of the same tables with a part and without it. *Laws* are strict ones, on noisy rows
those with the structure of the truth. A part stays where its removal loses a law or a tenth of the time. Seconds are
sums over the tables; they depend on what else the machine was doing.
"""


@dataclass(frozen=True)
class Trial:
    """A removal.

    lines: source lines that it deletes.  verdict: `removed` or `kept`, with the reason where figures do not tell it.
    commit: the commit that deletes them, empty where they stay.  before, after: result lines with the part and without.
    """

    part: str
    lines: int
    verdict: str
    commit: str
    before: tuple[Result, ...]
    after: tuple[Result, ...]


def read_trials(folders: Sequence[Path]) -> list[Trial]:
    """The trials that are listed below folders of results."""
    return [
        _read_trial(entry, folder / LIST.parent)
        for folder in folders
        if (folder / LIST).exists()
        for entry in json.loads((folder / LIST).read_text(encoding="utf-8"))
    ]


def _read_trial(entry: dict[str, Any], folder: Path) -> Trial:
    def raise_damaged(words: str) -> None:
        raise InvalidFile(f"{words}; run the command of this trial again")

    before, after = (
        {result.key: result for result in read_results([folder / entry[side]], raise_damaged)}
        for side in ("before", "after")
    )
    both = sorted(before.keys() & after.keys())
    return Trial(
        entry["part"], entry["lines"], entry["verdict"], entry["commit"],
        tuple(before[key] for key in both), tuple(after[key] for key in both),
    )  # fmt: skip


def removal_sections(trials: Sequence[Trial]) -> list[Section]:
    """One row per trial, the largest part first."""
    if not trials:
        return []
    header = [
        "Part",
        "Verdict",
        "Lost and gained",
        "Lines",
        "Tables",
        "Laws with",
        "Laws without",
        "s with",
        "s without",
    ]
    rows = [_row(trial) for trial in sorted(trials, key=lambda trial: -trial.lines)]
    return [Section("Parts taken out on trial", f"{WORDS}\n{markdown_table(header, rows, num_words=3)}")]


def _row(trial: Trial) -> list[str]:
    pairs = list(zip(trial.before, trial.after, strict=True))
    lost = [f"- {one.problem}" for one, other in pairs if is_law(one) and not is_law(other)]
    gained = [f"+ {one.problem}" for one, other in pairs if is_law(other) and not is_law(one)]
    numbers = [
        trial.lines, len(pairs), *(sum(map(is_law, side)) for side in (trial.before, trial.after)),
        *(round(sum(result.seconds for result in side)) for side in (trial.before, trial.after)),
    ]  # fmt: skip
    verdict = f"{trial.verdict} ({trial.commit})" if trial.commit else trial.verdict
    return [trial.part, verdict, ", ".join([*lost, *gained]), *map(str, numbers)]


def is_law(result: Result) -> bool:
    """Whether a run has found the law, as far as its rows tell it."""
    is_noisy = bool(result.settings.get("noise")) or result.suite.startswith("measured")
    return bool(result.structure) if is_noisy else result.strict
