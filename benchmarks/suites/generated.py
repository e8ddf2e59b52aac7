"""The generated suites: fixed lists of laws that no published set contains, read from committed tables.

The tables are made once by `python -m benchmarks.suites.generation`, so a change of the generator changes no suite.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.suites.problem import Problem, Suite
from benchmarks.suites.sampling import Axis, Random, Slices, is_float32_normal

SIZES = (400, 100, 500)
# The seed that made each list.
SEEDS = {"generated": 20_261_115, "generated-b": 20_261_116}


def table_path(name: str) -> Path:
    """Where the table of a generated suite is kept."""
    return Path(__file__).with_name(f"{name}.json")


def make_problem(suite: str, row: dict[str, Any]) -> Problem:
    """A row of the table as a problem."""
    axes = tuple(Axis(*variable) for variable in row["variables"])
    source = Slices(Random(axes, sum(SIZES), is_float32_normal), SIZES)
    return Problem(suite, row["id"], row["formula"], len(axes), source)


def generated_suite(name: str) -> Suite:
    """The suite of that name."""
    rows: list[dict[str, Any]] = json.loads(table_path(name).read_text())
    return Suite(name, tuple(make_problem(name, row) for row in rows))
