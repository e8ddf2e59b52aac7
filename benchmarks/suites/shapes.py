"""Curves of one quantity as they occur across the sciences, and how the numbers in them are drawn.

A shape is text in which `x` is a column or a product of columns and braces hold a number, named by the part it plays.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.simple_numbers import is_simple

# Digits with which the numbers of a law are written.
NUM_DIGITS = 4
# An exponent this near to a multiple of 1/2 would be taken for that.
NEAR_HALF = 0.08


@dataclass(frozen=True)
class Range:
    """Where a quantity lies: between low and high, both positive, or between -high and high."""

    low: float
    high: float
    has_both_signs: bool = False

    @property
    def span(self) -> float:
        return self.high - (-self.high if self.has_both_signs else self.low)


@dataclass(frozen=True)
class Shape:
    """A curve; is_total: whether it has a value for negative quantities too."""

    text: str
    is_total: bool = False

    @property
    def roles(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(re.findall(r"{(\w+)}", self.text)))

    def filled(self, quantity: str, within: Range, rng: np.random.Generator) -> str:
        """The curve of a quantity, which is text, with numbers that matter where the quantity lies."""
        numbers = {role: draw_number(ROLES[role.rstrip("2")], within, rng) for role in self.roles}
        return re.sub(r"\bx\b", quantity, self.text).format(**numbers)


def draw_number(draw: Callable[[Range, np.random.Generator], float], within: Range, rng: np.random.Generator) -> str:
    """A number of four digits that nobody would take for a simple one."""
    while True:
        text = f"{draw(within, rng):.{NUM_DIGITS}g}"
        if not is_simple(float(text)):
            return text


def _scale(within: Range, rng: np.random.Generator) -> float:
    """Where the curve bends: inside the range, by decades."""
    low = max(within.low, within.high / 30.0)
    return float(low * (within.high / low) ** rng.uniform(0.15, 0.9))


def _place(within: Range, rng: np.random.Generator) -> float:
    low = -within.high if within.has_both_signs else within.low
    return float(low + within.span * rng.uniform(0.2, 0.8))


def _width(within: Range, rng: np.random.Generator) -> float:
    return float(within.span * rng.uniform(0.06, 0.25))


def _frequency(within: Range, rng: np.random.Generator) -> float:
    """At least most of a wave, and few enough that thirty rows show them."""
    return float(2.0 * math.pi * rng.uniform(0.8, 4.0) / within.span)


def _phase(_: Range, rng: np.random.Generator) -> float:
    return float(rng.uniform(0.3, 2.8))


def _exponent(_: Range, rng: np.random.Generator) -> float:
    while True:
        exponent = float(rng.uniform(0.2, 3.3) * rng.choice((1.0, 1.0, -1.0)))
        if abs(2.0 * exponent - round(2.0 * exponent)) > 2.0 * NEAR_HALF:
            return exponent


def _steepness(_: Range, rng: np.random.Generator) -> float:
    while True:
        exponent = float(rng.uniform(1.2, 4.4))
        if abs(2.0 * exponent - round(2.0 * exponent)) > 2.0 * NEAR_HALF:
            return exponent


def _stretch(_: Range, rng: np.random.Generator) -> float:
    return float(rng.uniform(0.55, 0.9) if rng.random() < 0.6 else rng.uniform(1.15, 1.4))


def _barrier(within: Range, rng: np.random.Generator) -> float:
    """An energy over the largest temperature."""
    return float(within.high * rng.uniform(0.6, 5.0))


def _factor(_: Range, rng: np.random.Generator) -> float:
    return float(math.exp(rng.uniform(-1.5, 1.5)))


# scale, place, width, frequency, phase, exponent, steepness, stretch, barrier, plain factor
ROLES: dict[str, Callable[[Range, np.random.Generator], float]] = {
    "K": _scale,
    "M": _place,
    "S": _width,
    "W": _frequency,
    "F": _phase,
    "P": _exponent,
    "N": _steepness,
    "B": _stretch,
    "E": _barrier,
    "D": _factor,
}

SATURATIONS = tuple(
    map(
        Shape,
        (
            "x/({K} + x)",
            "1/(1 + ({K}/x)^2)",
            "1/(1 + ({K}/x)^{N})",
            "1 - exp(-x/{K})",
            "1 - exp(-(x/{K})^{B})",
            "1 - exp(-(x/{K})^2)",
            "tanh(x/{K})",
            "atan(x/{K})",
            "log(1 + x/{K})",
            "x/sqrt({K}^2 + x^2)",
            "sqrt(1 + x/{K})",
        ),
    )
)
DECAYS = tuple(
    map(
        Shape,
        (
            "exp(-x/{K})",
            "exp(-x/{K})",
            "1/(1 + x/{K})",
            "1/(1 + x/{K})^2",
            "1/(1 + (x/{K})^2)",
            "1/(1 + (x/{K})^{N})",
            "exp(-(x/{K})^2)",
            "exp(-(x/{K})^{B})",
            "1/sqrt(1 + (x/{K})^2)",
        ),
    )
)
POWERS = tuple(map(Shape, ("x^{P}", "x^{P}", "x^{P}", "x", "x^2", "sqrt(x)", "1/x", "x^(3/2)", "log(x/{K})", "1/x^2")))
GROWTHS = (Shape("exp(x/{K})", True), Shape("cosh(x/{K})", True), Shape("exp(x/{K}) - 1"), Shape("sqrt({K}^2 + x^2)"))
BARRIERS = (Shape("exp(-{E}/x)"), Shape("1/(exp({E}/x) - 1)"), Shape("x*exp(-{E}/x)"))
PEAKS = (
    Shape("exp(-((x - {M})/{S})^2)", True),
    Shape("1/(1 + ((x - {M})/{S})^2)", True),
    Shape("1/cosh((x - {M})/{S})^2", True),
    Shape("exp(-(log(x/{K})/{D})^2)"),
    Shape("x*exp(-x/{K})"),
    Shape("x^2*exp(-x/{K})"),
    Shape("x/({K} + x + x^2/{K2})"),
    Shape("exp(-x/{K}) - exp(-x/{K2})"),
)
WAVES = (
    Shape("sin({W}*x)", True),
    Shape("cos({W}*x)", True),
    Shape("sin({W}*x + {F})", True),
    Shape("sin({W}*x + {F})", True),
    Shape("sin({W}*x)^2", True),
)
ENVELOPES = (
    Shape("exp(-x/{K})*sin({W}*x)"),
    Shape("exp(-x/{K})*cos({W}*x)"),
    Shape("exp(-x/{K})*sin({W}*x + {F})"),
    Shape("cos({W}*x)/(1 + x/{K})"),
    Shape("exp(-(x/{K})^2)*cos({W}*x)", True),
)
THRESHOLDS = (
    Shape("1/(1 + exp(-(x - {M})/{S}))", True),
    Shape("tanh((x - {M})/{S})", True),
    Shape("exp(-exp(-(x - {M})/{S}))", True),
    Shape("abs(x - {M})", True),
    Shape("(x - {M} + abs(x - {M}))", True),
    Shape("log(1 + exp((x - {M})/{S}))", True),
    Shape("atan((x - {M})/{S})", True),
)
# By kind, so that every kind of curve is as frequent as any other, however many there are of it.
KINDS = (SATURATIONS, DECAYS, POWERS, GROWTHS, BARRIERS, PEAKS, WAVES, ENVELOPES, THRESHOLDS)
