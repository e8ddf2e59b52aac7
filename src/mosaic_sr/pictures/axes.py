"""Axes: what range they show, where their ticks are and what these are called."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.pictures.picture import Picture

Floats = NDArray[np.float64]

# Room between the outermost marks and the frame, as a share of the range.
PADDING = 0.05
# Ticks that fit on an axis of 300 pixels.
NUM_TICKS = 5
# A step may be so much smaller than asked for: rounding it up would leave too few ticks.
LEAST_SHARE = 0.7
# Fewer marks say nothing of the range that a curve should be seen in.
LEAST_MARKS = 3
# Sizes outside of these decades are written as a factor in the label of the axis.
LEAST_PLAIN, MOST_PLAIN = -3, 5
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# Of float64: powers of ten below are not exact, above not finite.
LEAST_POWER, MOST_POWER = -300, 300


@dataclass(frozen=True)
class Axis:
    """One axis: a number is at the share `place(number)` of its length.

    low, high: its ends over 10**exponent, or their logarithms.  ticks: shares of the length with labels.
    """

    low: float
    high: float
    is_log: bool
    exponent: int
    ticks: tuple[tuple[float, str], ...]

    def place(self, values: Floats) -> Floats:
        """Where numbers are: 0 at the low end, 1 at the high end, NaN where they have no place."""
        return (_coordinates(values, self.is_log, self.exponent) - self.low) / (self.high - self.low)

    @property
    def factor(self) -> str:
        """The factor that labels leave out, as ×10⁻¹⁶; mostly empty."""
        return f"×10{str(self.exponent).translate(SUPERSCRIPTS)}" if self.exponent else ""


def axes_of(picture: Picture) -> tuple[Axis, Axis] | None:
    """The horizontal and the vertical axis of a picture; None where there is nothing to draw."""
    if picture.is_empty:
        return None
    horizontal, vertical = _numbers(picture)
    if picture.has_diagonal:
        horizontal = vertical = [*horizontal, *vertical]
    if picture.y_range is not None:
        vertical = [np.array(picture.y_range)]
    return axis_for(horizontal, picture.is_log_x), axis_for(vertical, picture.is_log_y)


def _numbers(picture: Picture) -> tuple[list[Floats], list[Floats]]:
    """All numbers that the axes have to show."""
    marks = [mark for mark in (picture.points, picture.outliers) if mark is not None]
    x = [*(mark.x for mark in marks), *(curve.x for curve in picture.curves)]
    y = [mark.y for mark in marks]
    for curve in picture.curves:
        y += [_within_reach(line, y) for line in (curve.y, curve.low, curve.high)]
    if picture.histogram is not None:
        x.append(picture.histogram.edges)
        y += [picture.histogram.counts, np.zeros(1)]
    return x, y if picture.level is None else [*y, np.array([picture.level])]


def _within_reach(line: Floats, others: list[Floats]) -> Floats:
    """A line as far as it leaves room for the rest: one that climbs to a pole is not shown whole."""
    numbers = np.concatenate([np.empty(0), *others])
    known = numbers[np.isfinite(numbers)]
    if len(known) < LEAST_MARKS:
        return line
    reach = known.max() - known.min()
    return np.clip(line, known.min() - reach, known.max() + reach)


@np.errstate(all="ignore")
def axis_for(numbers: Iterable[Floats], is_log: bool) -> Axis:
    """An axis that shows all finite numbers."""
    values = np.concatenate([np.ravel(own) for own in numbers])
    known = values[np.isfinite(values) & (values > 0.0)] if is_log else values[np.isfinite(values)]
    if not len(known):
        known = np.array([1.0])
    exponent = 0 if is_log else _exponent(float(np.max(np.abs(known))))
    places = _coordinates(known, is_log, exponent)
    low, high = _ends(float(places.min()), float(places.max()))
    ticks = _decades(low, high) if is_log else _round_numbers(low, high)
    return Axis(low, high, is_log, exponent, tuple(((at - low) / (high - low), label) for at, label in ticks))


def _coordinates(values: Floats, is_log: bool, exponent: int) -> Floats:
    with np.errstate(all="ignore"):
        return np.log10(values) if is_log else values / 10.0**exponent


def _exponent(size: float) -> int:
    """The power of ten that labels leave out; 0 for numbers of a usual size."""
    if size == 0.0:
        return 0
    exponent = min(max(math.floor(math.log10(size)), LEAST_POWER), MOST_POWER)
    return 0 if LEAST_PLAIN <= exponent <= MOST_PLAIN else exponent


def _ends(low: float, high: float) -> tuple[float, float]:
    margin = PADDING * (high - low)
    if margin <= 1e-12 * max(abs(low), abs(high)):  # one number, or nearly
        margin = 0.5 * abs(low) or 1.0
    return low - margin, high + margin


def _round_numbers(low: float, high: float) -> list[tuple[float, str]]:
    """Multiples of 1, 2 or 5 times a power of ten between low and high, as text of the digits that they need."""
    rough = LEAST_SHARE * (high - low) / NUM_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= rough * (1.0 - 1e-9))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(number * step, minus(f"{number * step:.{decimals}f}")) for number in range(first, last + 1)]


def _decades(low: float, high: float) -> list[tuple[float, str]]:
    """Powers of ten between the ends of a logarithmic axis, and 2 and 5 times these where there are few."""
    every = max(1, math.ceil((high - low) / (NUM_TICKS + 1)))
    powers = [power for power in range(math.floor(low), math.ceil(high) + 1) if power % every == 0]
    factors = (1.0, 2.0, 5.0) if high - low < 2.0 else (1.0,)
    found = [(power + math.log10(factor), _log_label(power, factor)) for power in powers for factor in factors]
    return [(at, label) for at, label in found if low <= at <= high]


def _log_label(power: int, factor: float) -> str:
    if LEAST_PLAIN <= power < MOST_PLAIN:
        return f"{factor * 10.0**power:g}"
    return f"{'' if factor == 1.0 else f'{factor:g}·'}10{str(power).translate(SUPERSCRIPTS)}"


def minus(number: str) -> str:
    """A number with a minus sign as long as a plus sign, and no minus before 0."""
    return number.replace("-", "−") if number.strip("-0.") else number.lstrip("-")
