"""Logarithms of factors that hold a free number, such as x + 0.7 or tanh(0.3 x), and their Gauss-Newton refinement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.powers import simple_number
from mosaic_sr.proposal.products.log_regression import Remainder

Floats = NDArray[np.float64]

# Distances of the singularity from the data in units of their spread; in between a shift changes little. From afar a
# law hardly bends, but the digits of exact data show it.
DISTANCES = np.concatenate([np.geomspace(0.01, 30.0, 10), [1e2, 1e3, 1e4, 1e5]])
# Scales times the median operand: beyond these a function is its own limit, below it hardly bends.
SCALES = np.concatenate([[1e-4, 1e-3, 1e-2], np.geomspace(0.1, 10.0, 8)])
# An amount this many times the spread leaves nothing of the other summand.
FARTHEST = 1e7
# Quadratic convergence needs some six steps, damped starts a few more.
MOST_STEPS = 16
# Relative steps below this change nothing but the last digit.
STILL = 1e-15
# Squares of a term beside others, as a share of its own, that are rounding.
DEPENDENT = 1e-26
# Steps under a known exponent; they begin within a millionth.
MOST_POLISHING = 3
# Functions with a scale inside; the derivative of log|f(k u)| by k is u times the second entry at k u.
SCALED_FUNCTIONS: dict[str, tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]] = {
    "tanh": (np.tanh, lambda z: 2.0 / np.sinh(2.0 * z)),
    "atan": (np.arctan, lambda z: 1.0 / ((1.0 + z * z) * np.arctan(z))),
    "sinh": (np.sinh, lambda z: 1.0 / np.tanh(z)),
    "cosh": (np.cosh, np.tanh),
    "sin": (np.sin, lambda z: 1.0 / np.tan(z)),
    "cos": (np.cos, lambda z: -np.tan(z)),
    "log 1 +": (np.log1p, lambda z: 1.0 / ((1.0 + z) * np.log1p(z))),
    "exp - 1": (np.expm1, lambda z: -1.0 / np.expm1(-z)),
    "exp + 1": (lambda z: np.exp(z) + 1.0, lambda z: 1.0 / (1.0 + np.exp(-z))),
}
# Those that a change of the scale's sign changes by more than a sign.
LOPSIDED = ("log 1 +", "exp - 1", "exp + 1")


class FreeTerm(Protocol):
    """log|factor| of a factor with a free amount."""

    @property
    def amount(self) -> float: ...

    @property
    def term(self) -> Floats:
        """(rows,)."""

    @property
    def slope(self) -> Floats:
        """Its derivative by the amount: (rows,)."""

    def moved(self, step: float) -> FreeTerm:
        """With another amount, as far as the step can be trusted; NaN when it runs away."""


@dataclass(frozen=True, eq=False)
class Shift:
    """log|whole + amount part|; whole, part: (rows,), part is nowhere 0."""

    whole: Floats
    part: Floats
    amount: float

    @property
    def term(self) -> Floats:
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return np.log(np.abs(self.whole + self.amount * self.part))

    @property
    def slope(self) -> Floats:
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return self.part / (self.whole + self.amount * self.part)

    def moved(self, step: float) -> Shift:
        """By half of the way to the next singularity at most."""
        with np.errstate(over="ignore"):
            ratios = self.whole / self.part
        room = 0.5 * float(np.min(np.abs(ratios + self.amount)))
        amount = self.amount + float(np.clip(step, -room, room))
        return replace(self, amount=amount if abs(amount) <= FARTHEST * float(np.ptp(ratios)) else np.nan)


@dataclass(frozen=True, eq=False)
class Scaled:
    """log|f(amount operand)| of the function f called `name`; operand: (rows,), nowhere 0."""

    name: str
    operand: Floats
    amount: float

    @property
    def term(self) -> Floats:
        with np.errstate(all="ignore"):
            values = SCALED_FUNCTIONS[self.name][0](self.amount * self.operand)
            return np.log(np.abs(values))

    @property
    def slope(self) -> Floats:
        with np.errstate(all="ignore"):
            return self.operand * SCALED_FUNCTIONS[self.name][1](self.amount * self.operand)

    def moved(self, step: float) -> Scaled:
        """By half of the amount at most."""
        room = 0.5 * abs(self.amount)
        return replace(self, amount=self.amount + float(np.clip(step, -room, room)))


def shift_amounts(whole: Floats, part: Floats) -> Floats:
    """Amounts to begin with, for which the sums have one sign on all rows.

    whole, part: (sums, rows); result: (sums, amounts).
    """
    ratios = -whole / part
    low, high = ratios.min(axis=1)[:, None], ratios.max(axis=1)[:, None]
    return np.concatenate([low - (high - low) * DISTANCES, high + (high - low) * DISTANCES], axis=1)


def scale_amounts(name: str, operands: Floats) -> Floats:
    """Amounts to begin with for the function called `name`; operands: (operands, rows), result: (operands, amounts)."""
    scales = np.concatenate([SCALES, -SCALES]) if name in LOPSIDED else SCALES
    medians: Floats = np.median(np.abs(operands), axis=1)
    return scales / medians[:, None]


def refined_factor(factor: FreeTerm, others: Floats, target: Floats) -> FreeTerm | None:
    """The factor whose term, beside the terms others: (terms, rows), fits the target best near where it is."""
    beside = _beside(others)
    rest, exponent = beside.of(target[None])[0], 0.0
    for _ in range(MOST_STEPS):
        terms = np.array([factor.term, factor.slope])
        if not np.all(np.isfinite(terms)):
            return None
        term, slope = beside.of(terms)
        size = float(term @ term)
        if size <= DEPENDENT * float(terms[0] @ terms[0]):
            return None
        # The exponent without the slope beside it: with it, where the two are much alike, it may have any sign.
        exponent = float(term @ rest) / size
        if exponent == 0:
            return None
        moved = factor.moved(_coefficient(slope - (slope @ term / size) * term, rest, terms[1]) / exponent)
        is_last, factor = _is_still(moved, factor), moved
        if is_last:
            break
    simple = simple_number(exponent, 0.0)
    factor = _polished(factor, beside, rest, simple) if simple else factor
    return None if np.isnan(factor.amount) else factor


def _polished(factor: FreeTerm, beside: Remainder, rest: Floats, exponent: float) -> FreeTerm:
    """The factor under a known exponent: where a function is close to its limit, both together lose many digits."""
    for _ in range(MOST_POLISHING):
        terms = np.array([factor.term, factor.slope])
        if np.all(np.isfinite(terms)):
            term, slope = beside.of(terms)
            factor = factor.moved(_coefficient(slope, rest - exponent * term, terms[1]) / exponent)
    return factor


def refined_target(shift: Shift, terms: Floats) -> Shift | None:
    """The shift whose own logarithm the terms explain best near where it is."""
    beside = _beside(terms)
    for _ in range(MOST_STEPS):
        own = np.array([shift.term, shift.slope])
        if not np.all(np.isfinite(own)):
            return None
        rest, slope = beside.of(own)
        moved = shift.moved(-_coefficient(slope, rest, own[1]))
        is_last, shift = _is_still(moved, shift), moved
        if is_last:
            break
    return None if np.isnan(shift.amount) else shift


def _beside(terms: Floats) -> Remainder:
    """What an intercept and the terms: (terms, rows) leave of others."""
    return Remainder(terms, terms[:0])


def _coefficient(new: Floats, rest: Floats, whole: Floats) -> float:
    """Of the part of a term that is new beside others; 0 where rounding is all that is new of the whole."""
    size = float(new @ new)
    return float(new @ rest) / size if size > DEPENDENT * float(whole @ whole) else 0.0


def _is_still(moved: FreeTerm, factor: FreeTerm) -> bool:
    return abs(moved.amount - factor.amount) <= STILL * abs(factor.amount)
