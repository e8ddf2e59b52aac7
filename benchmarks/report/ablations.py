"""What the parts of the search contribute: stages, proposers, and the number and length of search paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.budgets import BREADTHS, DEPTHS
from benchmarks.paper_rows import BUDGET_ABLATION, STAGE_ABLATION
from benchmarks.report.lines import (
    STAGE_PRESETS,
    Entrant,
    base_entrant,
    by_entrant,
    commands_for,
    compared,
    has_accuracy,
    is_strict,
    rate,
)
from benchmarks.report.published import main_table, table_sections
from benchmarks.report.section import ABSENT, Section, markdown_table
from benchmarks.results_file import Result

FULL_PRESETS = ("paper", "paper-srsd")


def ablation_sections(results: Sequence[Result]) -> list[Section]:
    """Stages, proposers switched off, breadth x depth."""
    switched = compared(results, "without")
    return [
        *_stages(results),
        *table_sections(switched, (), "Proposers switched off"),
        *_lost_and_gained(switched),
        *_budgets(results),
    ]


def _stages(results: Sequence[Result]) -> list[Section]:
    """The presets that end after a stage, beside the published rates; lines with other studies' settings stay out."""
    chosen = [
        result
        for result in results
        if result.suite in STAGE_ABLATION.suites
        and result.settings.get("preset") in (*STAGE_PRESETS, *FULL_PRESETS)
        and result.settings.keys() <= {"time_limit", "preset"}
    ]
    if not any(result.settings["preset"] in STAGE_PRESETS for result in chosen):
        return []
    words = (
        "`paper-grammar` draws as many sketches without reading the table, `paper-decoder` takes the prior's sketches"
        " as decoded, `paper-mcts` adds the tree search over variables, `paper` adds 24 x 300 edits.\n\n"
    )
    return [Section(STAGE_ABLATION.title, words + main_table(STAGE_ABLATION, chosen), commands_for(chosen))]


def _lost_and_gained(results: Sequence[Result]) -> list[Section]:
    """Per proposer switched off, the problems that are found only with it and those found only without it."""
    found = {
        entrant: {(result.suite, result.problem, result.seed): result.strict for result in own}
        for entrant, own in by_entrant(results).items()
    }
    rows = []
    for entrant, base in _pairs(results):
        both = sorted(found[entrant].keys() & found.get(base, {}).keys())
        lost = [key for key in both if found[base][key] and not found[entrant][key]]
        gained = [key for key in both if found[entrant][key] and not found[base][key]]
        rows.append([entrant.label, str(len(both)), *(f"{len(keys)}: {_names(keys)}" for keys in (lost, gained))])
    header = ["Method", "Runs compared", "Found only with what is switched off", "Found only without it"]
    text = markdown_table(header, rows, num_words=4)
    return [Section("What a proposer adds", text)] if rows else []


def _pairs(results: Sequence[Result]) -> list[tuple[Entrant, Entrant]]:
    """Each entrant with something switched off, and the one with nothing switched off."""
    ablated = [result for result in results if "without" in result.settings]
    return [(entrant, base_entrant(own[0], "without")) for entrant, own in by_entrant(ablated).items()]


def _names(keys: Sequence[tuple[str, str, int]]) -> str:
    return ", ".join(dict.fromkeys(f"{suite}/{problem}" for suite, problem, _ in keys)) or ABSENT


def _budgets(results: Sequence[Result]) -> list[Section]:
    """Rates at every number of paths and steps, all read from one run per problem."""
    measured = [result for result in results if result.budgets]
    if not measured:
        return []
    header = ["Paths", *(f"{steps} steps {column}" for steps in DEPTHS for column in ("strict", "Sym", "Acc"))]
    published = []
    for row in BUDGET_ABLATION:
        cells = [cell for score in row.scores for cell in (ABSENT, f"{score.sym:.1f}", f"{score.acc:.1f}")]
        published.append([f"{row.method}, published", *cells])
    parts = [markdown_table(header, published)]
    for (suite, entrant), own in _by_suite_and_entrant(measured).items():
        rows = [
            [str(paths), *(cell for steps in DEPTHS for cell in _budget_cells(own, paths, steps))] for paths in BREADTHS
        ]
        parts.append(f"{entrant.label} on {suite}:\n\n" + markdown_table(header, rows))
    words = (
        "One run per problem is read after so many steps of its first paths; the published rates are of srsd-easy.\n"
    )
    return [Section("Breadth and depth of the search", "\n".join([words, *parts]), commands_for(measured))]


def _by_suite_and_entrant(results: Sequence[Result]) -> dict[tuple[str, Entrant], list[Result]]:
    return {
        (suite, entrant): [result for result in own if result.suite == suite]
        for entrant, own in by_entrant(results).items()
        for suite in dict.fromkeys(result.suite for result in own)
    }


def _budget_cells(results: Sequence[Result], paths: int, steps: int) -> list[str]:
    read = [_at_budget(result, paths, steps) for result in results]
    return [f"**{rate(read, is_strict)}**", rate(read, lambda result: result.srbench), rate(read, has_accuracy)]


def _at_budget(result: Result, paths: int, steps: int) -> Result:
    """The result as it would have been with fewer paths or steps; a miss where there was no law yet."""
    for entry in result.budgets:
        if (entry["paths"], entry["steps"]) == (paths, steps):
            return replace(result, **{name: entry[name] for name in ("equation", "strict", "srbench", "r2", "nmse")})
    return replace(result, equation="", strict=False, srbench=False, r2=None, nmse=None)
