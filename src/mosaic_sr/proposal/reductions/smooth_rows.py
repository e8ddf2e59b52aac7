"""`SmoothRows`: coordinates in which a table is smooth, and its slopes in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.smooth import Settings, SmoothFit, fit_smooth, learn, standardised

Floats = NDArray[np.float64]

# Lengths are learned on the first rows, slopes are read from all: the time grows with the cube of their number.
ROWS_TO_LEARN = 150
# A choice of coordinates shows on fewer rows and after fewer steps.
ROWS_TO_CHOOSE, STEPS_TO_CHOOSE = 100, 12


@dataclass(frozen=True, eq=False)
class Chart:
    """A coordinate of some numbers.

    values: (rows,), standardised.  speed: (rows,), derivative by the number itself.
    sides: (rows,), the sign of the number where values on both sides of 0 are folded onto each other, else empty.
    """

    values: Floats
    speed: Floats
    sides: Floats


def chart(numbers: Floats, is_log: bool) -> Chart:
    """The numbers themselves, or the logarithms of their magnitudes."""
    if not is_log:
        values, spread = standardised(numbers)
        return Chart(values, np.full(len(numbers), 1.0 / spread), np.empty(0))
    values, spread = standardised(np.log(np.abs(numbers)))
    sides = np.sign(numbers)
    return Chart(values, 1.0 / (numbers * spread), sides if np.ptp(sides) > 0 else np.empty(0))


@dataclass(frozen=True)
class Scales:
    """Which columns, and whether the target, are seen on a logarithmic scale."""

    columns: tuple[bool, ...]
    target: bool


@dataclass(frozen=True, eq=False)
class SmoothRows:
    """A smooth view of some rows.

    columns: (columns, rows) and target: (rows,), the numbers themselves; `charts` and `height` their coordinates.
    slopes: (columns, rows), derivative of the height along each column's coordinate.
    residuals: (rows,), height minus its prediction from the other rows.
    """

    columns: Floats
    target: Floats
    scales: Scales
    charts: tuple[Chart, ...]
    height: Chart
    fit: SmoothFit

    @property
    def slopes(self) -> Floats:
        return self.fit.slopes[: len(self.columns)]

    @property
    def residuals(self) -> Floats:
        return self.fit.residuals

    @property
    def steps(self) -> Floats:
        """Change of each number for a step of its coordinate: (columns, rows)."""
        return np.array([1.0 / chart.speed for chart in self.charts])


def survey(columns: Floats, target: Floats) -> SmoothRows:
    """The smooth view of some rows, at most a few hundred, on the scales on which they are predicted best."""
    first = slice(0, ROWS_TO_CHOOSE)
    scales = min(_choices(columns, target), key=lambda scales: _error(columns[:, first], target[first], scales))
    return resurvey(columns, target, scales, None)


def resurvey(columns: Floats, target: Floats, scales: Scales, settings: Settings | None) -> SmoothRows:
    """The smooth rows on known scales; `settings` are learned unless known."""
    charts, height, coordinates = _charted(columns, target, scales)
    if settings is None or len(settings.lengths) != len(coordinates):
        settings = learn(coordinates[:, :ROWS_TO_LEARN], height.values[:ROWS_TO_LEARN])
    return SmoothRows(columns, target, scales, charts, height, fit_smooth(coordinates, height.values, settings))


def _charted(columns: Floats, target: Floats, scales: Scales) -> tuple[tuple[Chart, ...], Chart, Floats]:
    """Charts of the columns and the target, and all coordinates; sides are coordinates of their own and come last."""
    charts = tuple(chart(column, is_log) for column, is_log in zip(columns, scales.columns, strict=True))
    height = chart(target, scales.target)
    sides = [chart.sides for chart in (*charts, height) if len(chart.sides)]
    return charts, height, np.array([*(chart.values for chart in charts), *sides])


def _choices(columns: Floats, target: Floats) -> list[Scales]:
    """Plain columns, those that spread over decades on a logarithmic scale, or all that can be."""
    can_be = tuple(bool(np.all(column > 0) or np.all(column < 0)) for column in columns)
    even = tuple(_spreads_over_decades(column) for column in columns)
    choices = dict.fromkeys([(False,) * len(columns), even, can_be])
    targets = (False, True) if np.all(target != 0) else (False,)
    return [Scales(logs, is_log) for logs in choices for is_log in targets]


def _spreads_over_decades(numbers: Floats) -> bool:
    magnitudes = np.abs(numbers)
    return bool(np.all(magnitudes > 0) and _unevenness(np.log(magnitudes)) < _unevenness(magnitudes))


def _unevenness(values: Floats) -> float:
    """How far the median is from the middle of the range, as a share of the range."""
    width = float(np.ptp(values))
    return abs(float(np.median(values)) - float(values.min()) - 0.5 * width) / width if width > 0 else 1.0


def _error(columns: Floats, target: Floats, scales: Scales) -> float:
    """How well rows are predicted, as a share of the middle half's spread, which long tails do not stretch."""
    _, height, coordinates = _charted(columns, target, scales)
    fit = fit_smooth(coordinates, height.values, learn(coordinates, height.values, steps=STEPS_TO_CHOOSE))
    low, high = np.quantile(height.values, [0.25, 0.75])
    return float(np.median(np.abs(fit.residuals)) / max(high - low, 1e-12))
