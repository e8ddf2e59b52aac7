"""Calibration: stated probabilities of laws against the share of them that have the structure of the truth."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence

from benchmarks.report.lines import Entrant, by_entrant, commands_for, is_structure, of_noisy_tables
from benchmarks.report.measured import told_by
from benchmarks.report.section import ABSENT, Figure, Panel, Section, Series, markdown_table
from benchmarks.results_file import Result

# Narrower towards 1, where claims are made.
EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
SURE_FROM = 0.9
# A probability of 0 that turns out right, or 1 that turns out wrong, would cost infinitely much.
CLOSEST = 1e-4
# The suite that settings are tuned on says nothing of how well probabilities can be trusted.
TUNED_ON = "measured"
WORDS = """\
A method may state the probability that its law has the structure of the true law. Among laws with a probability of
about p, a share of about p should have it. *log score*: the mean logarithm of the probability stated for the actual
outcome, 0 is best; *score of the share*: that of a method that always states the share of right laws. *sure*: the share
of laws with a probability of 0.9 or more. `measured-N` are newly drawn laws; no setting is tuned on `unseen`.
"""
SILENT = "No result of these suites states a probability, so there is nothing to compare.\n"


def calibration_sections(results: Sequence[Result]) -> list[Section]:
    """Probabilities by suite and method, where there are lines of fresh measured tables or of `unseen`."""
    fresh = [result for result in of_noisy_tables(results) if told_by(result.problem) and result.suite != TUNED_ON]
    if not fresh:
        return []
    stating = [result for result in fresh if result.probability is not None]
    rows = [
        [entrant.label, suite, *_score_cells([result for result in own if result.suite == suite])]
        for entrant, own in by_entrant(fresh).items()
        for suite in dict.fromkeys(result.suite for result in own)
    ]
    header = [
        "Method",
        "Suite",
        "Tables",
        "right",
        "stating",
        "log score",
        "score of the share",
        "sure",
        "sure and right",
    ]
    text = f"{WORDS}\n{markdown_table(header, rows, 2)}\n{_bins(stating) if stating else SILENT}"
    return [Section("Calibration", text, commands_for(fresh), _figures(stating))]


def log_score(results: Sequence[Result], probability: float | None = None) -> float:
    """The mean logarithm of what was stated for what came true; probability: stated for all in place of their own."""
    scores = []
    for result in results:
        stated = result.probability if probability is None else probability
        assert stated is not None
        kept = min(max(stated, CLOSEST), 1.0 - CLOSEST)
        scores.append(math.log(kept if is_structure(result) else 1.0 - kept))
    return statistics.fmean(scores)


def _score_cells(results: Sequence[Result]) -> list[str]:
    stating = [result for result in results if result.probability is not None]
    cells = [str(len(results)), _share(results), str(len(stating))]
    if not stating:
        return [*cells, *[ABSENT] * 4]
    sure = [result for result in stating if (result.probability or 0.0) >= SURE_FROM]
    constant = statistics.fmean(map(is_structure, stating))
    scores = [f"{log_score(stating):.3f}", f"{log_score(stating, constant):.3f}"]
    return [*cells, *scores, f"{100.0 * len(sure) / len(stating):.1f}", _share(sure)]


def _share(results: Sequence[Result]) -> str:
    return f"{100.0 * statistics.fmean(map(is_structure, results)):.1f}" if results else ABSENT


def _bins(stating: Sequence[Result]) -> str:
    rows = []
    for entrant, own in by_entrant(stating).items():
        for suite in dict.fromkeys(result.suite for result in own):
            for low, high, inside in in_bins([result for result in own if result.suite == suite]):
                mean = 100.0 * statistics.fmean(result.probability or 0.0 for result in inside)
                cells = [f"{low:g} to {high:g}", str(len(inside)), f"{mean:.1f}", _share(inside), _error(inside)]
                rows.append([entrant.label, suite, *cells])
    return markdown_table(["Method", "Suite", "Stated", "Laws", "mean stated", "right", "±"], rows, 3)


def in_bins(results: Sequence[Result]) -> list[tuple[float, float, list[Result]]]:
    """The lines by what they state, bins without lines left out; 1 belongs to the last bin."""
    bins = []
    for low, high in itertools.pairwise(EDGES):
        inside = [
            result
            for result in results
            if low <= (result.probability or 0.0) < high or (high == EDGES[-1] == result.probability)
        ]
        bins += [(low, high, inside)] if inside else []
    return bins


def _error(results: Sequence[Result]) -> str:
    """The standard error of a share, by the rule of succession, which is not 0 for a share of 0."""
    share = (sum(map(is_structure, results)) + 1.0) / (len(results) + 2.0)
    return f"{100.0 * math.sqrt(share * (1.0 - share) / (len(results) + 2.0)):.1f}"


def _figures(stating: Sequence[Result]) -> tuple[Figure, ...]:
    panels = []
    for suite in dict.fromkeys(result.suite for result in stating):
        lines = by_entrant(result for result in stating if result.suite == suite)
        series = [Series("as stated", (0.0, 1.0), (0.0, 1.0), "faint"), *(_curve(*item) for item in lines.items())]
        panels.append(Panel(suite, "stated probability", "share right", tuple(series)))
    caption = "Stated probabilities against the share of laws that have the structure of the true law"
    return (Figure("calibration", caption, tuple(panels)),) if panels else ()


def _curve(entrant: Entrant, results: Sequence[Result]) -> Series:
    bins = [inside for _, _, inside in in_bins(results)]
    stated = tuple(statistics.fmean(result.probability or 0.0 for result in inside) for inside in bins)
    return Series(entrant.label, stated, tuple(statistics.fmean(map(is_structure, inside)) for inside in bins))
