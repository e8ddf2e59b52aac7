"""Tables as they are measured: noise, outliers, rounded values, and columns that do not belong to the law."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from benchmarks.suites.problem import Draw, Floats, Law, NoiseKind, Sample, with_noise
from benchmarks.suites.sampling import Axis

NUM_TEST = 1_000
# Outliers are off by this many deviations of the noise, up or down.
LEAST_OFF, MOST_OFF = 10.0, 40.0
# How far an almost constant column varies, and how far a correlated one is from its partner's scale, as shares.
ALMOST_CONSTANT = 1e-3
DISTANCE_FROM_PARTNER = 0.15


@dataclass(frozen=True)
class Condition:
    """How a law is measured.

    noise: its level; additive in units of the targets' root mean square, or multiplicative.
    outliers: the share of training rows that are off, at least one row where it is not 0.
    digits: significant digits of all numbers in the table; 0 for all there are.
    """

    rows: int
    noise: float
    kind: NoiseKind = "additive"
    outliers: float = 0.0
    digits: int = 0

    @property
    def label(self) -> str:
        """As part of a problem's name: r100-n2 is 100 rows with additive noise of 2 %, n2p proportional noise."""
        words = [f"r{self.rows}", f"n{100 * self.noise:g}{'p' if self.kind == 'multiplicative' else ''}"]
        words += ["out"] * (self.outliers > 0.0) + [f"d{self.digits}"] * (self.digits > 0)
        return "-".join(words)


@dataclass(frozen=True)
class Extra:
    """A column that does not belong to the law.

    kind: `irrelevant`, `constant` (almost), or `correlated` with the first real column.
    place: before which real column it stands; their number for behind the last.
    axis: where an irrelevant or an almost constant column lies.
    """

    kind: str
    place: int
    axis: Axis

    @property
    def label(self) -> str:
        return {"irrelevant": "irr", "constant": "const", "correlated": "corr"}[self.kind]


@dataclass(frozen=True)
class Measurement:
    """Training rows under a condition, test rows without noise; a law sees all columns, the extra one among them."""

    axes: tuple[Axis, ...]
    condition: Condition
    extra: Extra | None = None

    @property
    def real_columns(self) -> tuple[int, ...]:
        """Places of the law's columns among all columns."""
        place = len(self.axes) if self.extra is None else self.extra.place
        return tuple(column + (column >= place) for column in range(len(self.axes)))

    @property
    def num_columns(self) -> int:
        return len(self.axes) + (self.extra is not None)

    def rename(self, formula: str) -> str:
        """The formula of the real columns in terms of all columns."""
        return re.sub(r"\bx(\d+)\b", lambda match: f"x{self.real_columns[int(match[1])]}", formula)

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        condition = self.condition
        columns = rounded(self._columns(condition.rows, rng), condition.digits)
        train = Sample(columns, law(columns))
        noisy = with_noise(train, condition.noise, condition.kind, rng)
        target = with_outliers(noisy.target, train.target, condition, rng)
        test_columns = self._columns(NUM_TEST, rng)
        return Draw(Sample(columns, rounded(target, condition.digits)), None, Sample(test_columns, law(test_columns)))

    def _columns(self, rows: int, rng: np.random.Generator) -> Floats:
        real = [axis.draw(rows, rng) for axis in self.axes]
        if self.extra is not None:
            real.insert(self.extra.place, _extra_column(self.extra, real[0], rng))
        return np.stack(real)


def _extra_column(extra: Extra, partner: Floats, rng: np.random.Generator) -> Floats:
    rows = len(partner)
    if extra.kind == "correlated":
        factors = np.exp(DISTANCE_FROM_PARTNER * rng.standard_normal(rows))
        return np.asarray(partner * factors * extra.axis.high)
    if extra.kind == "constant":
        return np.asarray(extra.axis.high * (1.0 + ALMOST_CONSTANT * rng.standard_normal(rows)))
    return extra.axis.draw(rows, rng)


def with_outliers(noisy: Floats, clean: Floats, condition: Condition, rng: np.random.Generator) -> Floats:
    """The noisy targets, a share of them off by far more than the noise."""
    if condition.outliers == 0.0:
        return noisy
    count = max(1, round(condition.outliers * len(noisy)))
    rows = rng.choice(len(noisy), count, replace=False)
    largest = np.abs(clean).max()
    deviation = condition.noise * largest * np.sqrt(np.mean((clean / largest) ** 2))
    off = noisy.copy()
    off[rows] += deviation * rng.uniform(LEAST_OFF, MOST_OFF, count) * rng.choice((-1.0, 1.0), count)
    return off


def rounded(numbers: Floats, digits: int) -> Floats:
    """The numbers with so many significant digits, as a table prints them; 0 for as they are."""
    if digits == 0:
        return numbers
    return np.array([float(f"{number:.{digits}g}") for number in numbers.ravel()]).reshape(numbers.shape)
