"""SRSD-Feynman: 120 physical laws over realistic ranges, also in single precision, alone or with irrelevant columns."""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.suites.problem import Draw, Floats, Law, Problem, Sample, Suite
from benchmarks.suites.sampling import Axis, Random, Slices, cut, is_float32_normal

DIFFICULTIES = ("easy", "medium", "hard")
NUM_ROWS = 10_000
SIZES = (8_000, 1_000, 1_000)
# Where the published files do not say how the irrelevant columns are laid out, this seed decides, per problem.
LAYOUT_SEED = 20_221_106

_TABLE = Path(__file__).with_name("srsd.json")


@dataclass(frozen=True)
class Layout:
    """Places of the real columns among all columns, and the distributions of the dummy columns, left to right."""

    real_columns: tuple[int, ...]
    dummies: tuple[Axis, ...]

    @property
    def num_columns(self) -> int:
        return len(self.real_columns) + len(self.dummies)

    @property
    def dummy_columns(self) -> tuple[int, ...]:
        return tuple(column for column in range(self.num_columns) if column not in self.real_columns)

    def rename(self, formula: str) -> str:
        """The formula of the real columns in terms of all columns."""
        return re.sub(r"\bx(\d+)", lambda match: f"x{self.real_columns[int(match[1])]}", formula)


@dataclass(frozen=True)
class SinglePrecision:
    """Rows of the clean problem among dummy columns, if any; every column and the target are rounded to float32."""

    rows: Random
    layout: Layout

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        layout = self.layout

        def clean_law(columns: Floats) -> Floats:
            return law(self._spread(columns))

        clean = self.rows.sample(clean_law, rng)
        columns = self._spread(clean.columns)
        for column, axis in zip(layout.dummy_columns, layout.dummies, strict=True):
            columns[column] = axis.draw(clean.num_rows, rng)
        return cut(Sample(_single_precision(columns), _single_precision(clean.target)), SIZES)

    def _spread(self, columns: Floats) -> Floats:
        spread = np.ones((self.layout.num_columns, columns.shape[1]))
        spread[list(self.layout.real_columns)] = columns
        return spread


def _single_precision(values: Floats) -> Floats:
    return values.astype(np.float32).astype(np.float64)


def draw_layout(num_real: int, num_dummies: int, rng: np.random.Generator) -> Layout:
    """A layout as the benchmark draws it: each dummy stands before a random real column or after the last."""
    places = rng.integers(0, num_real + 1, num_dummies)
    real_columns = tuple(int(index + np.count_nonzero(places <= index)) for index in range(num_real))
    return Layout(real_columns, tuple(_draw_axis(rng) for _ in range(num_dummies)))


def _draw_axis(rng: np.random.Generator) -> Axis:
    exponent = int(rng.integers(-32, 33))
    return Axis("log", float(f"1e{exponent - 1}"), float(f"1e{exponent + 1}"), ("+", "+-")[int(rng.integers(2))])


def _layout(row: dict[str, Any]) -> Layout:
    rng = np.random.default_rng([LAYOUT_SEED, zlib.crc32(row["id"].encode())])
    drawn = draw_layout(len(row["variables"]), row["dummies"], rng)
    return Layout(tuple(row.get("real_columns", drawn.real_columns)), drawn.dummies)


def _layout_alone(row: dict[str, Any]) -> Layout:
    return Layout(tuple(range(len(row["variables"]))), ())


def _rows(row: dict[str, Any]) -> Random:
    return Random(tuple(Axis(*variable) for variable in row["variables"]), NUM_ROWS, is_float32_normal)


def _reason(data_formula: str, simpler: str) -> str:
    if data_formula:
        return f"the benchmark's data follow {data_formula}, not its stored formula"
    return f"within the rounding of the data they equal {simpler}" if simpler else ""


def _clean_problem(row: dict[str, Any]) -> Problem:
    data_formula, simpler = row.get("data_formula", ""), row.get("simpler", "")
    return Problem(
        suite=f"srsd-{row['difficulty']}",
        id=row["id"],
        formula=row["formula"],
        num_columns=len(row["variables"]),
        source=Slices(_rows(row), SIZES),
        unidentifiable=_reason(data_formula, simpler),
        data_formula=data_formula,
        simpler=simpler,
    )


def _single_precision_problem(row: dict[str, Any], ending: str, layout: Layout) -> Problem:
    data_formula = layout.rename(row.get("data_formula", ""))
    simpler = layout.rename(row.get("simpler_float32", ""))
    return Problem(
        suite=f"srsd-{row['difficulty']}-{ending}",
        id=row["id"],
        formula=layout.rename(row["formula"]),
        num_columns=layout.num_columns,
        source=SinglePrecision(_rows(row), layout),
        unidentifiable=_reason(data_formula, simpler),
        data_formula=data_formula,
        simpler=simpler,
        float32=True,
    )


def _dummy_problem(row: dict[str, Any]) -> Problem:
    return _single_precision_problem(row, "dummy", _layout(row))


def _float32_problem(row: dict[str, Any]) -> Problem:
    return _single_precision_problem(row, "float32", _layout_alone(row))


def srsd_suites() -> tuple[Suite, ...]:
    """Easy, medium and hard, the same with dummy columns, and in single precision without them."""
    table: list[dict[str, Any]] = json.loads(_TABLE.read_text())
    variants = {"": _clean_problem, "-dummy": _dummy_problem, "-float32": _float32_problem}
    return tuple(
        Suite(
            f"srsd-{difficulty}{ending}",
            tuple(make(row) for row in table if row["difficulty"] == difficulty),
        )
        for ending, make in variants.items()
        for difficulty in DIFFICULTIES
    )
