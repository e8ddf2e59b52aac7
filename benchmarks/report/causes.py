"""Who found the laws, and why others were missed, decided from the lines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from benchmarks.report.lines import (
    OURS,
    Entrant,
    by_entrant,
    entrant_of,
    has_accuracy,
    has_true_skeleton,
    leading,
    our_lines,
)
from benchmarks.report.section import Section, code, markdown_table
from benchmarks.results_file import Result

CAUSES = {
    "unidentifiable": "the rows do not distinguish the true law from a simpler one",
    "failure": "no equation, or one that cannot be evaluated on all test rows",
    "undecided": "the strict verifier did not finish",
    "constants": "the structure of the true law with other constants",
    "selection": "another law, which matches the rows to rounding",
    "structure": "another law, which does not match the rows to rounding",
}
# The test NMSE below which the law of a method that claims nothing counts as one that explains the rows.
EXPLAINED = 1e-20
# A cell that names more is not read.
MOST_NAMES = 40


def cause_of_miss(result: Result) -> str:
    """The first of CAUSES that applies to a line that is not strict."""
    if result.unidentifiable:
        return "unidentifiable"
    if result.r2 is None:
        return "failure"
    if "the verifier strict was" in result.error:
        return "undecided"
    if result.structure or has_true_skeleton(result):
        return "constants"
    explains = result.claims_exact
    if explains is None:
        explains = result.nmse is not None and result.nmse < EXPLAINED
    return "selection" if explains else "structure"


def found_by_sections(results: Sequence[Result]) -> list[Section]:
    """Strict laws by suite and by the proposer that the method names, and the laws that are one proposer's alone."""
    found = [result for result in leading(results) if result.strict and result.found_by and result.method == OURS]
    counts: list[list[str]] = []
    names: list[list[str]] = []
    for entrant, own in by_entrant(found).items():
        counts += _counts_by_suite(entrant, own)
        names += _laws_of_one_proposer(entrant, own)
    if not counts:
        return []
    words = (
        "A law counts for the proposer whose sketch led to it first; the runs with proposers switched off show which"
        " laws no other proposer finds. The second table lists the laws that came from the same proposer in all seeds"
        " that found them.\n\n"
    )
    first = markdown_table(["Method", "Suite", "Strict laws", "Found by"], counts, 4)
    second = markdown_table(["Method", "Proposer", "Laws", "Problems"], names, 4)
    return [Section("Which proposer found the laws", f"{words}{first}\n{second}")]


def _counts_by_suite(entrant: Entrant, results: Sequence[Result]) -> list[list[str]]:
    rows = []
    for suite in dict.fromkeys(result.suite for result in results):
        counts = Counter(result.found_by for result in results if result.suite == suite)
        shown = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        rows.append([entrant.label, suite, str(counts.total()), shown])
    return rows


def _laws_of_one_proposer(entrant: Entrant, results: Sequence[Result]) -> list[list[str]]:
    finders: dict[str, set[str]] = defaultdict(set)
    for result in results:
        finders[f"{result.suite}/{result.problem}"].add(result.found_by)
    rows = []
    for proposer in sorted({result.found_by for result in results}):
        alone = [problem for problem, names in finders.items() if names == {proposer}]
        rest = f" and {len(alone) - MOST_NAMES} more" if len(alone) > MOST_NAMES else ""
        rows.append([entrant.label, proposer, str(len(alone)), ", ".join(alone[:MOST_NAMES]) + rest])
    return rows


def cause_sections(results: Sequence[Result]) -> list[Section]:
    """Counts of misses by method, suite and cause; those of other methods in one row each."""
    missed = [result for result in leading(results) if not result.strict]
    counts = Counter((entrant_of(result), _row_of(result), cause_of_miss(result)) for result in missed)
    rows = [
        [entrant.label, row, *(str(counts[entrant, row, cause]) for cause in CAUSES)]
        for entrant, own in by_entrant(missed).items()
        for row in dict.fromkeys(map(_row_of, own))
    ]
    if not rows:
        return []
    words = "\n".join(f"- *{cause}*: {meaning}" for cause, meaning in CAUSES.items())
    table = markdown_table(["Method", "Suite", *CAUSES], rows, 2)
    note = "Runs without the strict law, each counted under the first cause that applies:\n\n"
    return [Section("Why laws were missed", f"{note}{words}\n\n{table}")]


def _row_of(result: Result) -> str:
    return result.suite if result.method == OURS else "all its runs"


def missed_sections(results: Sequence[Result]) -> list[Section]:
    """Per suite, the problems that our default settings did not recover strictly; of all lines where none are ours."""
    sections = []
    for entrant, own in by_entrant(our_lines(results) or results).items():
        for suite in dict.fromkeys(result.suite for result in own):
            missed = [result for result in own if result.suite == suite and not result.strict]
            table = markdown_table(
                ["Problem", "Seed", "Found", "True law", "Cause", "Remark"],
                [_miss_cells(result) for result in missed],
                6,
            )
            sections += [Section(f"Misses on {suite}: {entrant.label}", table)] if missed else []
    return sections


def _miss_cells(result: Result) -> list[str]:
    remarks = [result.error, "right structure" * bool(result.structure)]
    remarks += ["accepted by SRBench's protocol" * result.srbench, "accurate" * has_accuracy(result)]
    remarks.append(result.unidentifiable and f"unidentifiable: {result.unidentifiable}")
    cells = [result.problem, str(result.seed), code(result.equation), code(result.truth), cause_of_miss(result)]
    return [*cells, "; ".join(filter(None, remarks))]
