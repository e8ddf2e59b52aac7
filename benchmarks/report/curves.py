"""Recovery under noise and from few rows: a curve per method over the levels of one setting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.eased import MOST_ROWS
from benchmarks.report.lines import (
    OURS,
    Entrant,
    base_entrant,
    commands_for,
    common_problems,
    compared,
    has_accuracy,
    has_true_skeleton,
    is_strict,
    is_structure,
    mean_and_deviation,
    rate,
)
from benchmarks.report.section import PERCENT, Figure, Panel, Section, Series, markdown_table
from benchmarks.results_file import Result

MEASURES = {"strict": is_strict, "structure": is_structure, "skeleton": has_true_skeleton, "Acc": has_accuracy}
# Where a suite has several kinds of noise, each is a curve of its own.
NOISE_KINDS = ("additive", "multiplicative")
ALL_ROWS = 10**9


@dataclass(frozen=True)
class Study:
    """A setting whose levels are compared; usual: the level of lines that do not have it."""

    name: str
    title: str
    words: str
    axis: str
    usual: float

    def level_name(self, level: float) -> str:
        return "all" if level == ALL_ROWS else f"{level:g}"


STUDIES = (
    Study(
        name="noise",
        title="Noise",
        words="Gaussian noise on the training targets; the test rows are clean. Without noise, methods other"
        f" than {OURS} get the first {MOST_ROWS} rows; with noise, all methods get all rows.",
        axis="noise on the targets",
        usual=0.0,
    ),
    Study(
        name="rows",
        title="Few rows",
        words="A method gets only the first rows of the training set, and no validation rows.",
        axis="rows",
        usual=ALL_ROWS,
    ),
)


def curve_sections(results: Sequence[Result]) -> list[Section]:
    """The studies that have lines of several levels."""
    studied = {study: _shared(study, compared(results, study.name)) for study in STUDIES}
    return [_section(study, lines) for study, lines in studied.items() if lines]


def _section(study: Study, results: Sequence[Result]) -> Section:
    levels = sorted({_level(study, result) for result in results})
    rows, figures = [], []
    for suite in dict.fromkeys(result.suite for result in results):
        curves = _curves(study, [result for result in results if result.suite == suite])
        for label, lines in curves.items():
            for measure, is_hit in _measures(results).items():
                rows.append([label, suite, measure, *(rate(lines.get(level, []), is_hit) for level in levels)])
        figures.append(_figure(study, suite, levels, curves, _measures(results)))
    words = (
        f"{study.words} All ran the same problems: {_sizes(results)}. *strict* needs"
        " constants right to 4 digits, which noise may make impossible; *skeleton*: the printed equation is the true"
        " law up to its constants, including scales and offsets.\n\n"
    )
    header = ["Method", "Suite", "Measure", *(f"{study.axis} {study.level_name(level)}" for level in levels)]
    return Section(study.title, words + markdown_table(header, rows, 3), commands_for(results), tuple(figures))


def _measures(results: Sequence[Result]) -> dict[str, Callable[[Result], bool]]:
    """The measures that all lines have."""
    is_judged = all(result.structure is not None for result in results)
    return {name: is_hit for name, is_hit in MEASURES.items() if is_hit is not is_structure or is_judged}


def _shared(study: Study, results: Sequence[Result]) -> list[Result]:
    """The lines on problems that every curve of a suite has at all its levels; a single level is no curve."""
    kept = []
    for suite in dict.fromkeys(result.suite for result in results):
        own = [result for result in results if result.suite == suite]
        curves = _curves(study, own)
        levels = [lines for by_level in curves.values() for lines in by_level.values()]
        shared = common_problems(levels) if any(len(by_level) > 1 for by_level in curves.values()) else set()
        kept += [result for result in own if (suite, result.problem) in shared]
    return kept


def _sizes(results: Sequence[Result]) -> str:
    suites = dict.fromkeys(result.suite for result in results)
    counts = {suite: len({result.problem for result in results if result.suite == suite}) for suite in suites}
    return " and ".join(f"{count} of {suite}" for suite, count in counts.items())


def _level(study: Study, result: Result) -> float:
    return float(result.settings.get(study.name, study.usual))


def _curves(study: Study, results: Sequence[Result]) -> dict[str, dict[float, list[Result]]]:
    """By label, ours first, the lines at each level; lines at the usual level belong to every kind of noise."""
    curves: dict[tuple[bool, str], dict[float, list[Result]]] = {}
    used = [result for result in results if study.name in result.settings]
    for entrant, kind in dict.fromkeys((base_entrant(result, study.name), _kind(result)) for result in used):
        at_levels: dict[float, list[Result]] = {}
        for result in results:
            is_usual = study.name not in result.settings
            if base_entrant(result, study.name) == entrant and (is_usual or _kind(result) == kind):
                at_levels.setdefault(_level(study, result), []).append(result)
        curves[entrant.method != OURS, _label(entrant, kind)] = at_levels
    return {label: curves[is_other, label] for is_other, label in sorted(curves)}


def _kind(result: Result) -> str:
    return str(result.settings.get("noise_kind", NOISE_KINDS[0]))


def _label(entrant: Entrant, kind: str) -> str:
    return entrant.label if kind == NOISE_KINDS[0] else f"{entrant.label}, {kind}"


def _figure(
    study: Study,
    suite: str,
    levels: Sequence[float],
    curves: dict[str, dict[float, list[Result]]],
    measures: dict[str, Callable[[Result], bool]],
) -> Figure:
    """Levels at equal distances, for 0 and `all` have no place on a logarithmic axis."""
    panels = []
    for measure, is_hit in measures.items():
        series = []
        for label, lines in curves.items():
            points = [
                (place, *mean_and_deviation(lines[level], is_hit))
                for place, level in enumerate(levels)
                if level in lines
            ]
            places, means, deviations = zip(*points, strict=True)
            low = tuple(mean - deviation for mean, deviation in zip(means, deviations, strict=True))
            high = tuple(mean + deviation for mean, deviation in zip(means, deviations, strict=True))
            series.append(Series(label, tuple(map(float, places)), means, "line", low, high))
        names = tuple(study.level_name(level) for level in levels)
        panels.append(
            Panel(f"{suite}, {measure}", study.axis, "% of problems", tuple(series), x_names=names, y_range=PERCENT)
        )
    return Figure(f"{study.name}-{suite}", f"{study.title} on {suite}", tuple(panels))
