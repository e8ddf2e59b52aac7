"""How rows are drawn: distributions of columns, random and grid rows, rejection, and the sources made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.suites.problem import Draw, Floats, Law, Sample

Accept = Callable[[Floats], NDArray[np.bool_]]

FLOAT32_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)
FLOAT32_LARGEST = float(np.finfo(np.float32).max)


def is_finite(target: Floats) -> NDArray[np.bool_]:
    return np.isfinite(target)


def is_float32_normal(target: Floats) -> NDArray[np.bool_]:
    """SRSD redraws rows whose target float32 cannot hold as a normal number."""
    magnitude = np.abs(target)
    return (magnitude >= FLOAT32_SMALLEST_NORMAL) & (magnitude <= FLOAT32_LARGEST)


def is_below_100(target: Floats) -> NDArray[np.bool_]:
    """The list that Nguyen and Livermore come from redraws rows outside (-100, 100)."""
    return np.abs(target) < 100.0


@dataclass(frozen=True)
class Axis:
    """Distribution of one column.

    kind: "log" (10^U(log10 low, log10 high)), "uniform", "integer" (low .. high-1, high excluded), or "even" and
        "even-log" for as many even steps as there are rows, plain or by decades, in random order.
    sign: "+" as drawn, "-" negated, "+-" a fair random sign applied to what was drawn.
    """

    kind: str
    low: float
    high: float
    sign: str = "+"

    def draw(self, rows: int, rng: np.random.Generator) -> Floats:
        drawn = DISTRIBUTIONS[self.kind](self.low, self.high, rows, rng)
        if self.sign == "+-":
            return np.where(rng.random(rows) < 0.5, -drawn, drawn)
        return -drawn if self.sign == "-" else drawn


def _log_uniform(low: float, high: float, rows: int, rng: np.random.Generator) -> Floats:
    return np.asarray(10.0 ** rng.uniform(np.log10(low), np.log10(high), rows))


def _uniform(low: float, high: float, rows: int, rng: np.random.Generator) -> Floats:
    return rng.uniform(low, high, rows)


def _integer_uniform(low: float, high: float, rows: int, rng: np.random.Generator) -> Floats:
    return rng.integers(int(low), int(high), rows).astype(np.float64)


def _even(low: float, high: float, rows: int, rng: np.random.Generator) -> Floats:
    return rng.permutation(np.linspace(low, high, rows))


def _even_by_decades(low: float, high: float, rows: int, rng: np.random.Generator) -> Floats:
    return rng.permutation(np.geomspace(low, high, rows))


DISTRIBUTIONS: dict[str, Callable[[float, float, int, np.random.Generator], Floats]] = {
    "log": _log_uniform,
    "uniform": _uniform,
    "integer": _integer_uniform,
    "even": _even,
    "even-log": _even_by_decades,
}


@dataclass(frozen=True)
class Random:
    """Independent random rows; rows that are not accepted are redrawn as a whole."""

    axes: tuple[Axis, ...]
    rows: int
    accept: Accept = is_finite

    def sample(self, law: Law, rng: np.random.Generator) -> Sample:
        kept: list[Sample] = []
        missing = self.rows
        while missing > 0:
            columns = np.stack([axis.draw(self.rows, rng) for axis in self.axes])
            target = law(columns)
            accepted = Sample(columns, target).rows(np.flatnonzero(self.accept(target))[:missing])
            kept.append(accepted)
            missing -= accepted.num_rows
        columns = np.concatenate([sample.columns for sample in kept], axis=1)
        return Sample(columns, np.concatenate([sample.target for sample in kept]))


@dataclass(frozen=True)
class Grid:
    """Even points low, low + step, ... up to high on each axis; several axes form the cartesian product."""

    axes: tuple[tuple[float, float, float], ...]

    def sample(self, law: Law, rng: np.random.Generator) -> Sample:
        del rng  # a grid is the same for every seed
        points = [_even_points(*axis) for axis in self.axes]
        columns = np.stack([axis.ravel() for axis in np.meshgrid(*points, indexing="ij")])
        return Sample(columns, law(columns))


def _even_points(low: float, high: float, step: float) -> Floats:
    # The tolerance keeps the end point when step does not divide the range exactly in binary.
    count = int(np.floor((high - low) / step + 1e-9)) + 1
    return np.asarray(low + step * np.arange(count), dtype=np.float64)


def uniform(rows: int, *ranges: tuple[float, float], accept: Accept = is_finite) -> Random:
    """Rows with column i uniform over ranges[i]."""
    return Random(tuple(Axis("uniform", low, high) for low, high in ranges), rows, accept)


def even(*axes: tuple[float, float, float]) -> Grid:
    """A grid of (low, high, step) axes."""
    return Grid(axes)


@dataclass(frozen=True)
class TrainAndTest:
    """Training and test rows of their own."""

    train: Random | Grid
    test: Random | Grid

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        return Draw(self.train.sample(law, rng), None, self.test.sample(law, rng))


@dataclass(frozen=True)
class Slices:
    """Rows of one draw cut into consecutive training, validation and test rows."""

    rows: Random
    sizes: tuple[int, int, int]

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        return cut(self.rows.sample(law, rng), self.sizes)


def cut(sample: Sample, sizes: tuple[int, int, int]) -> Draw:
    """The first rows for training, the next for validation, the next for testing."""
    train, validation, test = np.cumsum(sizes)
    return Draw(sample.rows(slice(train)), sample.rows(slice(train, validation)), sample.rows(slice(validation, test)))
