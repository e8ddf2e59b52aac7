"""The suites by name, and the types of a benchmark problem."""

from __future__ import annotations

from pathlib import Path

from benchmarks.suites.classic import classic_suites
from benchmarks.suites.data_sets import class_suite
from benchmarks.suites.generated import SEEDS, generated_suite, table_path
from benchmarks.suites.long import drawn_long_suite, is_drawn_long
from benchmarks.suites.measured import drawn_suite, is_drawn, measured_suite
from benchmarks.suites.open import open_suite
from benchmarks.suites.problem import Draw, Problem, Sample, Suite, with_noise
from benchmarks.suites.srbench import srbench_suite
from benchmarks.suites.srsd import srsd_suites
from benchmarks.suites.strogatz import strogatz_suite
from benchmarks.suites.taylor import taylor_suite
from benchmarks.suites.templates import templates_suite
from benchmarks.suites.trajectories import drawn_trajectories_suite, is_drawn_trajectories, trajectories_suite
from benchmarks.suites.wide import drawn_wide_suite, is_drawn_wide, wide_suite
from mosaic_sr import InvalidSettings


def _all_suites() -> tuple[Suite, ...]:
    generated = tuple(generated_suite(name) for name in SEEDS if table_path(name).exists())
    published = (*srsd_suites(), *classic_suites(), strogatz_suite(), taylor_suite())
    drawn = (measured_suite("measured"), measured_suite("unseen"), open_suite(), wide_suite(), trajectories_suite())
    return (*published, *generated, srbench_suite(), *drawn, class_suite(), templates_suite())


SUITES: dict[str, Suite] = {suite.name: suite for suite in _all_suites()}


def load(name: str, data: str | Path | None = None) -> Suite:
    """The suite of that name; `data` is a folder of published files, which only strogatz reads.

    `measured-7`, `unseen-7`, `wide-7`, `trajectories-7` and `long-7` are laws that the generators of these suites draw
    with the seed 7.
    """
    if is_drawn(name):
        return drawn_suite(name)
    if is_drawn_long(name):
        return drawn_long_suite(name)
    if is_drawn_trajectories(name):
        return drawn_trajectories_suite(name)
    if is_drawn_wide(name):
        return drawn_wide_suite(name)
    if name not in SUITES:
        drawn = "measured-1, unseen-1, wide-1, trajectories-1, long-1"
        raise InvalidSettings(f"no suite {name!r}; the suites are {', '.join(SUITES)}, {drawn}")
    if name == "strogatz" and data is not None:
        return strogatz_suite(Path(data))
    return SUITES[name]


__all__ = ["SUITES", "Draw", "Problem", "Sample", "Suite", "load", "with_noise"]
