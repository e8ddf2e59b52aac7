"""Tables of the corpus as they are measured: noise, outliers, rounded numbers, columns that do not belong, curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MeasurementConfig:
    """Shares of tables with each trouble; the rest are clean.

    noise: relative to the root mean square of the target (additive) or to each value (proportional), by decades.
    """

    noise_share: float = 0.5
    noise: tuple[float, float] = (0.002, 0.2)  # below, rounding looks the same; above, few structures can be told
    proportional_share: float = 0.35  # as in the suite `measured`
    outlier_share: float = 0.12
    rounded_share: float = 0.25
    correlated_share: float = 0.08
    constant_share: float = 0.05
    trajectory_share: float = 0.12


MEASURED = MeasurementConfig()
# Outliers: their share of the rows, and how many deviations of the noise they are off.
MOST_OUTLIERS = 0.08
OFF = (8.0, 40.0)
# What stands for the noise of clean tables where they have outliers, over the spread of the target.
LEAST_NOISE_OF_OUTLIERS = 0.01
DIGITS = (2, 3, 4, 7)  # of instruments, and of single precision
LEAST_EXPONENT = -300  # the smallest scale that rounds to seven digits within double precision
DISTANCE_FROM_PARTNER = (0.02, 0.3)
ALMOST_CONSTANT = 1e-3
# Waves, relaxations and drifts that make up the curve of one column along a trajectory.
TERMS = (1, 4)


def with_foreign_columns(columns: Floats, config: MeasurementConfig, most: int, rng: np.random.Generator) -> Floats:
    """The columns and, now and then, one that follows the first and one that hardly varies; at most `most` in all."""
    rows = columns.shape[1]
    if len(columns) < most and rng.random() < config.correlated_share:
        distance = rng.uniform(*DISTANCE_FROM_PARTNER)
        columns = np.vstack([columns, columns[0] * np.exp(distance * rng.standard_normal(rows))])
    if len(columns) < most and rng.random() < config.constant_share:
        level = 10.0 ** rng.uniform(-1.0, 2.0)
        columns = np.vstack([columns, level * (1.0 + ALMOST_CONSTANT * rng.standard_normal(rows))])
    return columns


def draw_digits(config: MeasurementConfig, rng: np.random.Generator) -> int:
    """Significant digits of the table's numbers; 0 for all there are."""
    return int(rng.choice(DIGITS)) if rng.random() < config.rounded_share else 0


def rounded(values: Floats, digits: int) -> Floats:
    """The values with so many significant digits; all of them where digits is 0."""
    if digits == 0:
        return values
    with np.errstate(divide="ignore"):
        exponents = np.floor(np.log10(np.abs(values)))
    # Below, the scale itself would overflow; such values keep fewer digits.
    exponents = np.maximum(exponents, LEAST_EXPONENT)
    scale = 10.0 ** (digits - 1 - exponents)
    return np.asarray(np.rint(values * scale) / scale)


def with_noise(target: Floats, config: MeasurementConfig, rng: np.random.Generator) -> Floats:
    """The target with noise and outliers, as far as this table has them."""
    level = 0.0
    if rng.random() < config.noise_share:
        low, high = np.log(config.noise)
        level = float(np.exp(rng.uniform(low, high)))
    size = np.full(len(target), float(np.sqrt(np.mean(target**2))))
    if rng.random() < config.proportional_share:
        size = np.abs(target)
    noisy = target + level * size * rng.standard_normal(len(target))
    if rng.random() >= config.outlier_share:
        return noisy
    count = max(1, int(rng.uniform(0.0, MOST_OUTLIERS) * len(target)))
    places = rng.choice(len(target), count, replace=False)
    deviation = max(level * float(np.mean(size)), LEAST_NOISE_OF_OUTLIERS * float(target.std()))
    noisy[places] += rng.uniform(*OFF, count) * rng.choice((-1.0, 1.0), count) * deviation
    return np.asarray(noisy)


def trajectory(num_columns: int, num_rows: int, rng: np.random.Generator) -> Floats:
    """Columns along one curve, as shares of their ranges in 0..1: (columns, rows); time itself may be one of them."""
    time = np.linspace(0.0, 1.0, num_rows)
    curves = np.stack([_curve(time, rng) for _ in range(num_columns)])
    low, high = curves.min(axis=1, keepdims=True), curves.max(axis=1, keepdims=True)
    return np.asarray((curves - low) / np.maximum(high - low, 1e-12))


def _curve(time: Floats, rng: np.random.Generator) -> Floats:
    """A sum of waves, damped or not, relaxations and a drift."""
    total = rng.standard_normal() * time
    for _ in range(int(rng.integers(*TERMS))):
        decay = np.exp(-rng.uniform(0.0, 5.0) * time)
        wave = np.cos(2.0 * np.pi * (rng.uniform(0.3, 4.0) * time + rng.random()))
        total = total + rng.standard_normal() * (decay * wave if rng.random() < 0.7 else decay)
    return np.asarray(total)
