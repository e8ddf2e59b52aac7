"""The suites by name, and the types of a benchmark problem."""

from __future__ import annotations

from pathlib import Path

from benchmarks.suites.classic import classic_suites
from benchmarks.suites.problem import Draw, Problem, Sample, Suite, with_noise
from benchmarks.suites.srsd import srsd_suites
from benchmarks.suites.strogatz import strogatz_suite
from benchmarks.suites.taylor import taylor_suite
from mosaic_sr.errors import InvalidSettings

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (*srsd_suites(), *classic_suites(), strogatz_suite(), taylor_suite())
}


def load(name: str, data: str | Path | None = None) -> Suite:
    """The suite of that name; `data` is a folder of published files, which only strogatz reads."""
    if name not in SUITES:
        raise InvalidSettings(f"there is no suite {name!r}; the suites are {', '.join(SUITES)}")
    if name == "strogatz" and data is not None:
        return strogatz_suite(Path(data))
    return SUITES[name]


__all__ = ["SUITES", "Draw", "Problem", "Sample", "Suite", "load", "with_noise"]
