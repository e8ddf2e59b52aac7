"""The suite `trajectories`: rates of systems of differential equations, known along one integrated curve.

Tables are clean and in single precision, with 100 to 300 rows of one to three states; test rows lie on another curve.
`trajectories` is read from a committed table and only reported on. `trajectories-7` is drawn with the seed 7 when it is
asked for; settings may be tuned on `trajectories-1` to `trajectories-9`. The table is made by
`python -m benchmarks.suites.trajectories`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.suites.problem import Draw, Floats, Law, Problem, Sample, Suite
from benchmarks.suites.trajectory_laws import System, draw_system, integrate

TABLE = Path(__file__).with_name("trajectories.json")
NUM_LAWS = 100
STREAM = 20_261_121


@dataclass(frozen=True)
class Curves:
    """Rows on one curve of a system for training, on its other curve for the test; a seed only gives their order."""

    system: System

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        train, test = (Sample(columns, _single(law(columns))) for columns in integrate(self.system))
        return Draw(train.rows(rng.permutation(train.num_rows)), None, test)


def _single(values: Floats) -> Floats:
    return values.astype(np.float32).astype(np.float64)


@cache
def trajectories_suite() -> Suite:
    """The suite from its table."""
    return _suite("trajectories", json.loads(TABLE.read_text()))


def is_drawn_trajectories(name: str) -> bool:
    """Whether a name is that of such a suite drawn with a seed, as trajectories-7."""
    return re.fullmatch(r"trajectories-[1-9]\d*", name) is not None


@cache
def drawn_trajectories_suite(name: str) -> Suite:
    """The suite of such a name."""
    return _suite(name, draw_rows(int(name.split("-")[1])))


def draw_rows(seed: int) -> list[dict[str, Any]]:
    """The systems of a suite as rows of its table."""
    return [asdict(draw_system(np.random.default_rng([STREAM, seed, index]))) for index in range(NUM_LAWS)]


def _suite(name: str, rows: Sequence[dict[str, Any]]) -> Suite:
    return Suite(name, tuple(_problem(name, index, row) for index, row in enumerate(rows)))


def _problem(name: str, index: int, row: dict[str, Any]) -> Problem:
    system = System(tuple(row["rates"]), tuple(map(tuple, row["starts"])), row["span"], row["rows"])
    source = Curves(system)
    return Problem(name, f"{name}-{index:03d}", system.rates[0], len(system.rates), source, float32=True)


def main() -> None:
    """Write the table of `trajectories`."""
    TABLE.write_text("[\n" + ",\n".join(map(json.dumps, draw_rows(0))) + "\n]\n")


if __name__ == "__main__":
    main()
