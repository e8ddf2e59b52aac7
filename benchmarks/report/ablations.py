"""What the parts of the search contribute: stages, proposers, and the number and length of search paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from benchmarks.budgets import BREADTHS, DEPTHS
from benchmarks.paper_rows import BUDGET_ABLATION, STAGE_ABLATION, PaperTable
from benchmarks.report.lines import (
    LEFT_ON,
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
        *_prior_and_finders(switched),
        *_budgets(results),
    ]


def _stages(results: Sequence[Result]) -> list[Section]:
    """The presets that end after a stage, beside the published rates; lines with other studies' settings stay out."""
    chosen = [
        result
        for result in results
        if result.settings.get("preset") in (*STAGE_PRESETS, *FULL_PRESETS)
        and result.settings.keys() <= {"time_limit", "preset"}
    ]
    ablated = {result.suite for result in chosen if result.settings["preset"] in STAGE_PRESETS}
    tables = [STAGE_ABLATION]
    tables += [
        PaperTable(f"Stage ablation on {suite}", {suite: 0}, ()) for suite in sorted(ablated - {*STAGE_ABLATION.suites})
    ]
    sections = []
    for table in tables:
        own = [result for result in chosen if result.suite in table.suites]
        if ablated & table.suites.keys():
            entrants = dict(sorted(by_entrant(own).items(), key=lambda item: _stage_of(item[1][0])))
            sections.append(Section(table.title, _stage_words(own) + main_table(table, entrants), commands_for(own)))
    return sections


def _stage_of(result: Result) -> int:
    return (*STAGE_PRESETS, *FULL_PRESETS).index(result.settings["preset"])


def _stage_words(results: Sequence[Result]) -> str:
    words = (
        "`paper-grammar` draws the same number of sketches without reading the table, `paper-decoder` uses the prior's"
        " sketches directly, `paper-mcts` adds the tree search over variables, `paper` adds 24 x 300 candidates."
    )
    absent = " No weights of a prior were installed for these runs: the grammar sampler replaced it."
    return f"{words}{'' if _has_prior(results) else absent}\n\n"


def _has_prior(results: Sequence[Result]) -> bool:
    """Whether a learned prior decoded anything in these lines."""
    return any(result.decoded_operators is not None for result in results)


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
    header = ["Method", "Runs compared", "Found only with the proposer on", "Found only with it off"]
    text = markdown_table(header, rows, num_words=4)
    return [Section("Contribution of each proposer", text)] if rows else []


def _prior_and_finders(results: Sequence[Result]) -> list[Section]:
    """The laws that the learned prior finds on its own, those that the finders do, and what both find."""
    rows = []
    for base in dict.fromkeys(base for _, base in _pairs(results)):
        found = {
            words: _found_in_any_seed(result for result in results if _is_only(result, base, names))
            for names, words in LEFT_ON.items()
        }
        prior, finders = found.values()
        shared = prior.keys() & finders.keys()
        for suite in dict.fromkeys(suite for suite, _ in sorted(shared)):
            problems = sorted(problem for own, problem in shared if own == suite)
            groups: dict[tuple[bool, bool], list[str]] = {}
            for problem in problems:
                groups.setdefault((prior[suite, problem], finders[suite, problem]), []).append(problem)
            cells = [groups.get(group, []) for group in ((True, True), (True, False), (False, True), (False, False))]
            rows.append([base.label, suite, str(len(cells[0])), *(_counted(names) for names in cells[1:])])
    if not rows:
        return []
    words = "Each alone, with search paths and no other proposer; a law counts as found if it is strict in any seed."
    words += "" if _has_prior(results) else " No weights of a prior were installed: its paths started at the mean."
    header = ["Method", "Suite", "Found by both", "Only by the prior", "Only by finders", "By neither"]
    return [Section("Prior and finders, each alone", f"{words}\n\n{markdown_table(header, rows, num_words=6)}")]


def _is_only(result: Result, base: Entrant, names: frozenset[str]) -> bool:
    return base_entrant(result, "without") == base and frozenset(result.settings.get("without", ())) == names


def _found_in_any_seed(results: Iterable[Result]) -> dict[tuple[str, str], bool]:
    found: dict[tuple[str, str], bool] = {}
    for result in results:
        key = result.suite, result.problem
        found[key] = found.get(key, False) or result.strict
    return found


def _counted(names: Sequence[str]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "0"


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
        "Each cell uses the first paths of one run per problem, up to the given step; the published rates are for"
        " srsd-easy. Here a step is one candidate, made by one to three edits and refitted; the paper counts mutation"
        " attempts.\n"
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
