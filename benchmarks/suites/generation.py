"""Makes the tables of the generated suites: `python -m benchmarks.suites.generation [NAME]`.

Laws come from four makers in fixed shares of sizes; a law enters the list when its skeleton is new to every suite and
its numbers show every variable and every term.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.suites import SUITES
from benchmarks.suites.generated import SEEDS, generated_suite, table_path
from benchmarks.suites.generated_laws import MAX_VARIABLES, SIZES, new_laws, next_row
from benchmarks.suites.problem import Problem, column_names
from mosaic_sr import parse, skeleton_hash

# How many laws of each size a maker gives: 80, 80 and 40 in all.
SHARES: dict[str, tuple[int, int, int]] = {
    "random": (40, 40, 20),
    "monomial": (12, 12, 6),
    "sum": (10, 14, 6),
    "composition": (18, 14, 8),
}


def make_table(name: str) -> list[dict[str, Any]]:
    """The rows of a generated suite."""
    rng = np.random.default_rng(SEEDS[name])
    taken = {skeleton_hash(problem.truth) for problem in _other_problems(name) if problem.truth is not None}
    rows: list[dict[str, Any]] = []
    for maker, counts in SHARES.items():
        for size, count in zip(SIZES, counts, strict=True):
            laws = new_laws(maker, size, taken, rng)
            for _ in range(count):
                row = next_row(name, len(rows), laws, rng)
                taken.add(skeleton_hash(parse(row["formula"], column_names(MAX_VARIABLES))))
                rows.append({"maker": maker, **row})
    return rows


def _other_problems(name: str) -> Iterator[Problem]:
    """Problems of the published suites and of the generated ones that stand before this one."""
    for suite in SUITES.values():
        if suite.name not in SEEDS:
            yield from suite.problems
    for earlier in itertools.takewhile(lambda other: other != name, SEEDS):
        yield from generated_suite(earlier).problems


def main(names: list[str]) -> None:
    """Write the tables of the named suites, by default of all."""
    for name in names or list(SEEDS):
        with np.errstate(all="ignore"):
            rows = make_table(name)
        table_path(name).write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main(sys.argv[1:])
