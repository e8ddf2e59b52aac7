"""Questions to result lines: which belong to which study, whose they are, and what share of them are hits."""

from __future__ import annotations

import json
import re
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from benchmarks.measures import is_accurate
from benchmarks.report.section import ABSENT
from benchmarks.results_file import Result
from benchmarks.suites import SUITES, load
from benchmarks.suites.measured import is_drawn
from mosaic_sr import OLD_FINDERS, InvalidFormula, parse, skeleton_hash

# This package's method, which leads every table and has the same colour in every figure.
OURS = "mosaic"
# Settings that make a line part of a study of its own, and presets that exist for one.
STUDIES = {"without", "noise", "rows", "units", "templates"}
# Suites whose problems come with what a user knows.
TOLD_SUITES = ("class", "templates")
NOISY_SUITES = ("measured", "unseen", "open")
STAGE_PRESETS = ("paper-grammar", "paper-decoder", "paper-mcts")
BUDGET_PRESET = "paper-budget"
# What is left on, where that says more than what is switched off.
LEFT_ON = {
    frozenset(("finders", "grammar")): "only the learned prior",
    frozenset(("prior", "grammar")): "only finders",
}
# A sparser choice of problems is plainer when they are named.
MOST_STEP = 5
# No truth has more nodes; the structure of a longer equation is not worth computing.
MOST_NODES = 200


@dataclass(frozen=True)
class Entrant:
    """A measured row: a method with its settings, which are kept as JSON text."""

    method: str
    settings: str

    @property
    def label(self) -> str:
        return f"{self.method} ({describe(json.loads(self.settings))})"

    @property
    def slug(self) -> str:
        """The label as part of a file's name."""
        return re.sub(r"[^a-z0-9.]+", "-", self.label.lower()).strip("-")


def describe(settings: dict[str, Any]) -> str:
    """Settings in words: `10 s, preset paper, without lookup`."""
    words = [f"{settings['time_limit']:g} s"] if "time_limit" in settings else []
    for name, value in sorted(settings.items()):
        if name == "without" and frozenset(value) in LEFT_ON:
            words.append(LEFT_ON[frozenset(value)])
        elif value is True:
            words.append(f"with {name}")
        elif name != "time_limit":
            shown = " and ".join(map(_with_present_name, value)) if isinstance(value, list) else value
            words.append(f"{name.replace('_', ' ')} {shown}")
    return ", ".join(words) or "default"


def _with_present_name(proposer: str) -> str:
    """A proposer that was switched off, with the finder that an earlier one is part of now."""
    return f"{proposer} (now in {OLD_FINDERS[proposer]})" if proposer in OLD_FINDERS else proposer


def plain(results: Iterable[Result]) -> list[Result]:
    """The lines of the main comparison."""
    return [result for result in results if _is_of_no_study(result) and not is_noisy_table(result)]


def of_noisy_tables(results: Iterable[Result]) -> list[Result]:
    """The lines of suites whose own tables are noisy, which are compared by themselves."""
    return [result for result in results if _is_of_no_study(result) and is_noisy_table(result)]


def is_noisy_table(result: Result) -> bool:
    """Whether the rows of a line's suite are noisy, or follow no law."""
    return result.suite.split("-")[0] in NOISY_SUITES


def _is_of_no_study(result: Result) -> bool:
    aside = {*STAGE_PRESETS, BUDGET_PRESET}
    is_apart = result.suite in TOLD_SUITES or bool(STUDIES & result.settings.keys())
    return not is_apart and result.settings.get("preset") not in aside


def with_present_marks(results: Iterable[Result]) -> list[Result]:
    """The lines with what is known by now of what rows can tell: a fact of the problem, whenever it was run."""
    marks = {(name, problem.id): problem.unidentifiable for name, suite in SUITES.items() for problem in suite.problems}
    return [
        replace(result, unidentifiable=marks.get((result.suite, result.problem), result.unidentifiable))
        for result in results
    ]


def our_lines(results: Sequence[Result]) -> list[Result]:
    """The lines of our default settings; of several budgets the one with most lines, then the longest."""
    budget = {"time_limit", "max_evaluations"}
    default = [result for result in plain(results) if result.method == OURS and result.settings.keys() <= budget]
    groups = by_entrant(default).values()
    return max(groups, key=lambda own: (len(own), own[0].settings.get("time_limit", 0.0)), default=[])


def leading(results: Sequence[Result]) -> list[Result]:
    """The lines of the main comparison; of ours with default settings those of the leading budget alone.

    The others are what studies and other methods are compared with.
    """
    budget = {"time_limit", "max_evaluations"}
    chosen = {id(result) for result in our_lines(results)}
    return [
        result
        for result in plain(results)
        if result.method != OURS or result.settings.keys() - budget or id(result) in chosen
    ]


def is_timed(result: Result) -> bool:
    """Whether the seconds of a line say anything: a budget of evaluations is for machines that do other work too."""
    return "max_evaluations" not in result.settings


def compared(results: Sequence[Result], name: str) -> list[Result]:
    """The lines that use a setting, and those on the same problems that differ from them in this setting only."""
    used = [result for result in results if name in result.settings]
    bases = {(result.suite, result.problem, base_entrant(result, name)) for result in used}
    return [
        result
        for result in results
        if name in result.settings or (result.suite, result.problem, entrant_of(result)) in bases
    ]


def entrant_of(result: Result) -> Entrant:
    """Whose line it is."""
    return Entrant(result.method, result.key[-1])


def base_entrant(result: Result, name: str) -> Entrant:
    """Whose line it would be without a setting; `noise` stands for `noise_kind` too."""
    rest = {key: value for key, value in result.settings.items() if not key.startswith(name)}
    return Entrant(result.method, json.dumps(rest, sort_keys=True))


def by_entrant(results: Iterable[Result]) -> dict[Entrant, list[Result]]:
    """The lines of each entrant: ours first, then in the order of their labels."""
    entrants: dict[Entrant, list[Result]] = defaultdict(list)
    for result in results:
        entrants[entrant_of(result)].append(result)
    return dict(sorted(entrants.items(), key=lambda item: (item[0].method != OURS, item[0].label)))


def rivals(results: Iterable[Result]) -> dict[str, dict[Entrant, list[Result]]]:
    """By settings, the methods that have run with these, where there are several: only such lines can be compared.

    Presets are studies of one method, and lines under a budget of evaluations say nothing of time.
    """
    comparable = [result for result in plain(results) if is_timed(result) and "preset" not in result.settings]
    groups: dict[str, dict[Entrant, list[Result]]] = defaultdict(dict)
    for entrant, own in by_entrant(comparable).items():
        groups[entrant.settings][entrant] = own
    return {settings: own for settings, own in groups.items() if len(own) > 1}


def on_shared_problems(lines: Mapping[Entrant, Sequence[Result]]) -> dict[Entrant, list[Result]]:
    """The lines on problems that every entrant has run; empty where there are none."""
    shared = common_problems(lines.values())
    kept = {
        entrant: [result for result in own if (result.suite, result.problem) in shared]
        for entrant, own in lines.items()
    }
    return kept if shared else {}


def commands_for(results: Sequence[Result]) -> tuple[str, ...]:
    """The commands that make these lines, which all continue FILE.jsonl: methods that did the same share one."""
    groups: dict[tuple[str, frozenset[tuple[str, str, int]]], list[Result]] = defaultdict(list)
    for entrant, every in by_entrant(results).items():
        for own in _by_seeds(every):
            done = frozenset((result.suite, result.problem, result.seed) for result in own)
            groups[entrant.settings, done] += own
    return tuple(sorted(_command(own) for own in groups.values()))


def _by_seeds(results: Sequence[Result]) -> Iterable[list[Result]]:
    """The lines of suites that were run with the same seeds."""
    seeds: dict[str, set[int]] = defaultdict(set)
    for result in results:
        seeds[result.suite].add(result.seed)
    groups: dict[tuple[int, ...], list[Result]] = defaultdict(list)
    for result in results:
        groups[tuple(sorted(seeds[result.suite]))].append(result)
    return groups.values()


def _command(results: Sequence[Result]) -> str:
    problems: dict[str, dict[str, None]] = defaultdict(dict)
    for result in results:
        problems[result.suite][result.problem] = None
    words = ["python -m benchmarks run --suite", ",".join(problems)]
    words += _chosen_problems(problems)
    words += ["--method", ",".join(sorted({result.method for result in results}))]
    words += ["--seeds", ",".join(map(str, sorted({result.seed for result in results})))]
    for name, value in sorted(results[0].settings.items()):
        shown = ",".join(value) if isinstance(value, list) else f"{value:g}" if isinstance(value, float) else value
        words.append(f"--{name.replace('_', '-')}" + ("" if value is True else f" {shown}"))
    machine = results[0].machine
    jobs = machine.get("cores", 1) // machine.get("cores_per_run", machine.get("cores", 1))
    return " ".join([*words, *([f"--jobs {jobs}"] if jobs > 1 else []), "--out FILE.jsonl"])


def _chosen_problems(problems: Mapping[str, Iterable[str]]) -> list[str]:
    """The option that leaves out all other problems of the suites: every so many, or one by one."""
    there = [suite for suite in problems if suite in SUITES or is_drawn(suite)]
    known = {suite: [problem.id for problem in load(suite).problems] for suite in there}
    for step in range(1, MOST_STEP + 1):
        if all(suite in known and set(known[suite][::step]) == set(own) for suite, own in problems.items()):
            return ["--every", str(step)] if step > 1 else []
    return ["--problem", ",".join(dict.fromkeys(problem for own in problems.values() for problem in own))]


def is_strict(result: Result) -> bool:
    """Whether the printed equation is the truth."""
    return result.strict


def is_structure(result: Result) -> bool:
    """Whether the printed equation is the truth but for the values of its free numbers."""
    return bool(result.structure)


def has_accuracy(result: Result) -> bool:
    """Whether the run counts as numerically recovered."""
    return is_accurate(result.suite, result.r2, result.nmse)


def has_true_skeleton(result: Result) -> bool:
    """Whether the equation is the truth but for the numbers in it, scales and offsets included."""
    return result.strict or shares_skeleton(result, result.truth)


def shares_skeleton(result: Result, formula: str) -> bool:
    """Whether the equation is the formula but for the numbers in it."""
    if not result.equation or result.complexity is None or result.complexity > MOST_NODES:
        return False
    found = skeleton_of(result.equation)
    return bool(found) and found == skeleton_of(formula)


@lru_cache(maxsize=10_000)
def skeleton_of(equation: str) -> str:
    """A hash of an equation's skeleton with the part that each column plays; empty for what is no formula."""
    columns = [int(number) for number in re.findall(r"\bx(\d+)", equation)]
    # A skeleton forgets which column is which; a column under its own number of tanh is known by it.
    marked = re.sub(r"\bx(\d+)", lambda match: _marked(int(match[1])), equation)
    try:
        expression = parse(marked, tuple(f"x{column}" for column in range(max(columns, default=0) + 1)))
    except InvalidFormula:
        return ""
    return skeleton_hash(expression)


def _marked(column: int) -> str:
    return "tanh(" * (column + 1) + f"x{column}" + ")" * (column + 1)


def problems_by_seed(results: Iterable[Result]) -> dict[int, set[tuple[str, str]]]:
    """The problems that each seed has run."""
    problems: dict[int, set[tuple[str, str]]] = defaultdict(set)
    for result in results:
        problems[result.seed].add((result.suite, result.problem))
    return dict(sorted(problems.items()))


def of_whole_seeds(results: Sequence[Result]) -> Sequence[Result]:
    """The lines of the seeds that have run every problem that any seed has, or all lines where no seed has.

    A seed that was interrupted has run the first problems only, and its share of hits is not that of the others.
    """
    problems = problems_by_seed(results)
    everything = set().union(*problems.values())
    whole = {seed for seed, own in problems.items() if own == everything}
    return [result for result in results if result.seed in whole] if whole else results


def shares(results: Sequence[Result], is_hit: Callable[[Result], bool]) -> list[float]:
    """The percentage of hits of every whole seed."""
    hits: dict[int, list[bool]] = defaultdict(list)
    for result in of_whole_seeds(results):
        hits[result.seed].append(is_hit(result))
    return [100.0 * statistics.fmean(own) for _, own in sorted(hits.items())]


def mean_and_deviation(results: Sequence[Result], is_hit: Callable[[Result], bool]) -> tuple[float, float]:
    """The mean over seeds of the percentage of hits, and its deviation, 0 for a single seed."""
    rates = shares(results, is_hit)
    return statistics.fmean(rates), statistics.stdev(rates) if len(rates) > 1 else 0.0


def rate(results: Sequence[Result], is_hit: Callable[[Result], bool]) -> str:
    """The mean over seeds of the share of hits, and its deviation where there are several seeds."""
    if not results:
        return ABSENT
    mean, deviation = mean_and_deviation(results, is_hit)
    return f"{mean:.1f} ± {deviation:.1f}" if len(shares(results, is_hit)) > 1 else f"{mean:.1f}"


def common_problems(entrants: Iterable[Sequence[Result]]) -> set[tuple[str, str]]:
    """The problems that every entrant has run."""
    groups = [{(result.suite, result.problem) for result in own} for own in entrants]
    return set.intersection(*groups) if groups else set()
