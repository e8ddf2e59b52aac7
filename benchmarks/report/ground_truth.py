"""SRBench's ground-truth problems under noise: rates by its verifier beside the published ones, and by structure."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence

from benchmarks.report.lines import Entrant, by_entrant, commands_for, is_strict, is_structure, rate
from benchmarks.report.section import ABSENT, Section, markdown_table
from benchmarks.results_file import Result
from benchmarks.srbench_rows import NOISES, PUBLISHED

WORDS = """\
Rates in percent by noise on the training targets, in units of their root mean square; test rows are clean. *Sym* is the
rate of SRBench's verifier, which ignores a factor and an offset; *structure* does not. Published rows are means over 10
seeds with at most 10,000 training rows and a limit of 8 hours; all except PhySO's come from figures and are accurate to
about a point. PhySO used units. The protocol here differs: new rows for every seed, the stated number of rows
(Strogatz: 300 in both), fewer seeds, and seconds on one core.
"""
MEASURES: dict[str, Callable[[Result], bool]] = {
    "Sym": lambda result: result.srbench,
    "structure": is_structure,
    "strict": is_strict,
}


def ground_truth_sections(results: Sequence[Result]) -> list[Section]:
    """A section for each of the two sets that has lines with noise."""
    return [section for suite in PUBLISHED for section in _section(suite, _own_lines(suite, results))]


def _own_lines(suite: str, results: Sequence[Result]) -> list[Result]:
    """Lines of the suite at the published levels of noise, of methods and settings that have some noise."""
    own = [
        result
        for result in results
        if result.suite == suite
        and result.settings.get("noise", 0.0) in NOISES
        and not {"without", "preset", "noise_kind", "data", "units"} & result.settings.keys()
    ]
    noisy = {_apart_from_noise(result) for result in own if "noise" in result.settings}
    return [result for result in own if _apart_from_noise(result) in noisy]


def _apart_from_noise(result: Result) -> Entrant:
    settings = {name: value for name, value in result.settings.items() if name != "noise"}
    return Entrant(result.method, json.dumps(settings, sort_keys=True))


def _section(suite: str, results: Sequence[Result]) -> list[Section]:
    if not results:
        return []
    rows = [[row.method, "Sym, published", *(f"{value:.1f}" for value in row.rates)] for row in PUBLISHED[suite]]
    for entrant, levels in _by_level(results).items():
        problems = {result.problem for own in levels.values() for result in own}
        label = f"**{entrant.label}**, {len(problems)} problem{'s' * (len(problems) > 1)}"
        for name, is_hit in MEASURES.items():
            if name == "structure" and any(run.structure is None for own in levels.values() for run in own):
                continue
            cells = [rate(levels[noise], is_hit) if noise in levels else ABSENT for noise in NOISES]
            rows.append([label, name, *cells])
    header = ["Method", "Measure", *(f"noise {noise:g}" for noise in NOISES)]
    text = f"{WORDS}\n{markdown_table(header, rows, 2)}"
    return [Section(f"SRBench ground truth under noise: {suite}", text, commands_for(results))]


def _by_level(results: Sequence[Result]) -> dict[Entrant, dict[float, list[Result]]]:
    """By method and settings but for the noise, ours first, the lines at each level."""
    levels: dict[Entrant, dict[float, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for own in by_entrant(results).values():
        for result in own:
            levels[_apart_from_noise(result)][float(result.settings.get("noise", 0.0))].append(result)
    return {entrant: dict(by_noise) for entrant, by_noise in levels.items()}
