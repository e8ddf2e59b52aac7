"""Tables that no closed form describes: random functions, targets in another row's place, and nothing but noise.

Whatever is claimed of them is false. They show how often a method claims something.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.suites.measured import measured_suite
from benchmarks.suites.measurement import NUM_TEST
from benchmarks.suites.problem import Draw, Floats, Law, Problem, Sample, Source, Suite, with_noise
from benchmarks.suites.sampling import Axis

COUNTS = {"smooth": 40, "rough": 15, "permuted": 25, "noise": 20}
ROWS, NOISES = (30, 100, 300), (0.0, 0.01, 0.02, 0.05)
STREAM = 20_261_119
# Waves that make up a random function; so many make it a Gaussian process for any purpose.
NUM_WAVES = 300
# The length over which a random smooth function forgets its values, as a share of a column's range: shorter with fewer
# columns, so that several bends are seen and no short formula follows them.
LENGTHS = {1: (0.05, 0.09), 2: (0.09, 0.15), 3: (0.14, 0.22)}
REASON = "no closed form describes these rows"


@dataclass(frozen=True)
class RandomFunction:
    """A draw of a Gaussian process over the unit cube of the columns' ranges.

    length: that of a squared-exponential covariance; 0 for a Brownian path along the first column.
    """

    seed: int
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    length: float

    def __call__(self, columns: Floats) -> Floats:
        lows, highs = np.array(self.lows)[:, None], np.array(self.highs)[:, None]
        unit = (columns - lows) / (highs - lows)
        frequencies, phases, sizes = _waves(self.seed, len(self.lows), self.length)
        return np.asarray(sizes @ np.cos(frequencies @ unit + phases[:, None]))


@lru_cache(maxsize=8)
def _waves(seed: int, num_columns: int, length: float) -> tuple[Floats, Floats, Floats]:
    """Frequencies (waves, columns), phases and sizes (waves,) of a random function."""
    rng = np.random.default_rng([STREAM, seed])
    if length > 0.0:
        frequencies = rng.standard_normal((NUM_WAVES, num_columns)) / length
        return frequencies, rng.uniform(0.0, 2.0 * np.pi, NUM_WAVES), np.full(NUM_WAVES, np.sqrt(2.0 / NUM_WAVES))
    # The series of Karhunen and Loeve, whose sines are cosines a quarter of a wave later.
    frequencies = np.zeros((NUM_WAVES, num_columns))
    frequencies[:, 0] = np.pi * (np.arange(NUM_WAVES) + 0.5)
    sizes = np.sqrt(2.0) * rng.standard_normal(NUM_WAVES) / frequencies[:, 0]
    return frequencies, np.full(NUM_WAVES, -np.pi / 2.0), sizes


@dataclass(frozen=True)
class NoisyRows:
    """Rows that follow the problem's function, with noise on the training targets."""

    axes: tuple[Axis, ...]
    rows: int
    noise: float

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        train, test = (np.stack([axis.draw(rows, rng) for axis in self.axes]) for rows in (self.rows, NUM_TEST))
        noisy = with_noise(Sample(train, law(train)), self.noise, "additive", rng)
        return Draw(noisy, None, Sample(test, law(test)))


@dataclass(frozen=True)
class PermutedRows:
    """Rows of a measured law whose targets stand in each other's places; the law is not asked."""

    original: Problem
    rows: int

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        del law
        rows = self.original.source.draw(self.original.law, rng).test
        permuted = Sample(rows.columns, rng.permutation(rows.target))
        return Draw(permuted.rows(slice(self.rows)), None, permuted.rows(slice(self.rows, None)))


@dataclass(frozen=True)
class UnrelatedRows:
    """Columns, and targets that have nothing to do with them; tails: of the targets' distribution."""

    axes: tuple[Axis, ...]
    rows: int
    tails: str

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        del law
        total = self.rows + NUM_TEST
        columns = np.stack([axis.draw(total, rng) for axis in self.axes])
        draws = {"normal": rng.standard_normal, "positive": lambda n: rng.lognormal(0.0, 0.8, n), "heavy": _heavy(rng)}
        sample = Sample(columns, draws[self.tails](total))
        return Draw(sample.rows(slice(self.rows)), None, sample.rows(slice(self.rows, None)))


def _heavy(rng: np.random.Generator):  # type: ignore[no-untyped-def]
    return lambda count: rng.standard_t(3.0, count)


def nothing(columns: Floats) -> Floats:
    """What targets follow that follow nothing."""
    return np.zeros(columns.shape[1])


def open_suite() -> Suite:
    """A hundred tables."""
    kinds = [kind for kind, count in COUNTS.items() for _ in range(count)]
    return Suite("open", tuple(_problem(kind, index) for index, kind in enumerate(kinds)))


def _problem(kind: str, index: int) -> Problem:
    rng = np.random.default_rng([STREAM, index])
    # Columns, rows and noise take turns at different speeds, so that all combinations occur.
    rows, noise = ROWS[index // 3 % len(ROWS)], NOISES[index % len(NOISES)]
    num_columns = 1 if kind == "rough" else 1 + index % 3
    axes = tuple(_axis(rng) for _ in range(num_columns))
    name = f"open-{kind}-{index:03d}-r{rows}"
    source: Source
    law: Law = nothing
    if kind == "permuted":
        originals = measured_suite("measured").problems
        original = originals[int(rng.integers(len(originals)))]
        source = PermutedRows(original, rows)
        num_columns = original.num_columns
    elif kind == "noise":
        source = UnrelatedRows(axes, rows, ("normal", "positive", "heavy")[index % 3])
    else:
        length = float(rng.uniform(*LENGTHS[num_columns])) if kind == "smooth" else 0.0
        law = RandomFunction(index, tuple(a.low for a in axes), tuple(a.high for a in axes), length)
        source, name = NoisyRows(axes, rows, noise), f"{name}-n{100 * noise:g}"
    return Problem("open", name, f"({kind})", num_columns, source, unidentifiable=REASON, data_law=law)


def _axis(rng: np.random.Generator) -> Axis:
    high = float(f"{10.0 ** rng.uniform(-2.0, 3.0):.2g}")
    return Axis("uniform", float(f"{high * rng.uniform(0.0, 0.3):.2g}"), high)
