"""The suite `wide`: 500 rows of 2,000 columns, of which the law reads four; 1 % noise.

`wide` is read from a committed table and only reported on. `wide-7` is drawn with the seed 7 when it is asked for;
settings may be tuned on `wide-1` to `wide-9`. The table is made by `python -m benchmarks.suites.wide`.
One column in ten is a neighbour of another one: correlated by 0.9, 0.99 or 0.999.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.suites.problem import Draw, Floats, Law, Problem, Sample, Suite, with_noise
from benchmarks.suites.wide_laws import NUM_REAL, draw_column, draw_kind, draw_law

TABLE = Path(__file__).with_name("wide.json")
NUM_LAWS, NUM_COLUMNS, NUM_ROWS, NUM_TEST, NOISE = 50, 2_000, 500, 1_000, 0.01
STREAM = 20_261_120
NEIGHBOURS, CORRELATIONS = NUM_COLUMNS // 10, (0.9, 0.99, 0.999)


@dataclass(frozen=True)
class WideRows:
    """Rows of many columns; the law reads those at `places`, which have the kinds given.

    watched: whether the first column of the law has a neighbour.
    """

    places: tuple[int, ...]
    kinds: tuple[str, ...]
    watched: bool

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        """Training rows with noise, test rows without."""
        columns = self._columns(NUM_ROWS + NUM_TEST, rng)
        sample = Sample(columns, law(columns))
        train, test = sample.rows(slice(NUM_ROWS)), sample.rows(slice(NUM_ROWS, None))
        return Draw(with_noise(train, NOISE, "additive", rng), None, test)

    def _columns(self, rows: int, rng: np.random.Generator) -> Floats:
        kinds = [draw_kind(rng) for _ in range(NUM_COLUMNS)]
        for place, kind in zip(self.places, self.kinds, strict=True):
            kinds[place] = kind
        columns = np.stack([draw_column(kind, rows, rng) for kind in kinds])
        others = [place for place in rng.permutation(NUM_COLUMNS).tolist() if place not in self.places]
        partners = [self.places[0] if self.watched else others[-1], *others[NEIGHBOURS:]]
        for number, place in enumerate(others[:NEIGHBOURS]):
            columns[place] = _neighbour(columns[partners[number]], CORRELATIONS[number % 3], rng)
        return columns


def _neighbour(column: Floats, correlation: float, rng: np.random.Generator) -> Floats:
    other = rng.standard_normal(len(column)) * column.std()
    return np.asarray(correlation * column + np.sqrt(1.0 - correlation**2) * other)


@cache
def wide_suite() -> Suite:
    """The suite from its table."""
    return _suite("wide", json.loads(TABLE.read_text()))


def is_drawn_wide(name: str) -> bool:
    """Whether a name is that of such a suite drawn with a seed, as wide-7."""
    return re.fullmatch(r"wide-[1-9]\d*", name) is not None


@cache
def drawn_wide_suite(name: str) -> Suite:
    """The suite of such a name."""
    return _suite(name, draw_rows(int(name.split("-")[1])))


def draw_rows(seed: int) -> list[dict[str, Any]]:
    """The laws of a suite as rows of its table."""
    with np.errstate(all="ignore"):
        return [_row(np.random.default_rng([STREAM, seed, index])) for index in range(NUM_LAWS)]


def _row(rng: np.random.Generator) -> dict[str, Any]:
    law = draw_law(rng)
    places = rng.choice(NUM_COLUMNS, NUM_REAL, replace=False).tolist()
    return {
        "formula": _renamed(law.formula, places),
        "places": places,
        "kinds": list(law.kinds),
        "watched": bool(rng.random() < 0.5),
    }


def _renamed(formula: str, places: Sequence[int]) -> str:
    return re.sub(r"\bx(\d+)\b", lambda match: f"x{places[int(match[1])]}", formula)


def _suite(name: str, rows: Sequence[dict[str, Any]]) -> Suite:
    problems = tuple(
        Problem(
            name, f"{name}-{index:03d}", row["formula"], NUM_COLUMNS,
            WideRows(tuple(row["places"]), tuple(row["kinds"]), row["watched"]),
        )
        for index, row in enumerate(rows)
    )  # fmt: skip
    # Sums of two products are everybody's mathematics; what is hard here is to find the columns.
    return Suite(name, problems, is_kept_out=False)


def main() -> None:
    """Write the table of `wide`."""
    TABLE.write_text("[\n" + ",\n".join(map(json.dumps, draw_rows(0))) + "\n]\n")


if __name__ == "__main__":
    main()
