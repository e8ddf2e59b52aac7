"""Logarithms of factors that hold a free number, such as x + 0.7 or tanh(0.3 x), and the number that fits best."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.products.functions import Function
from mosaic_sr.proposal.regression.levenberg_marquardt import Evaluated, minimise_squares
from mosaic_sr.proposal.regression.projection import Background, make_offset_background
from mosaic_sr.proposal.simple_exponents import find_simple_number

Floats = NDArray[np.float64]

# Distances of the singularity from the data in units of their spread; in between a shift changes little. From afar a
# law hardly bends, but the digits of exact data show it.
DISTANCES = np.concatenate([np.geomspace(0.01, 30.0, 10), [1e2, 1e3, 1e4, 1e5]])
# Scales times the median operand: beyond these a function is its own limit, below it hardly bends.
SCALES = np.concatenate([[1e-4, 1e-3, 1e-2], np.geomspace(0.1, 10.0, 8)])
# Quadratic convergence needs some six steps, damped starts a few more.
MOST_STEPS = 16
# Squares of a term beside others, as a share of its own, that are rounding.
DEPENDENT = 1e-26


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

    @property
    def reach(self) -> float:
        """Half of the way to the next singularity."""
        return 0.5 * float(np.min(np.abs(self.whole / self.part + self.amount)))


@dataclass(frozen=True, eq=False)
class Scaled:
    """log|f(amount operand)|; operand: (rows,), nowhere 0."""

    function: Function
    operand: Floats
    amount: float

    @property
    def term(self) -> Floats:
        with np.errstate(all="ignore"):
            return np.log(np.abs(self.function.value(self.amount * self.operand)))

    @property
    def slope(self) -> Floats:
        inner = self.amount * self.operand
        with np.errstate(all="ignore"):
            return self.function.slope(inner, self.function.value(inner)) / self.amount

    @property
    def reach(self) -> float:
        """Half of the amount."""
        return 0.5 * abs(self.amount)


FreeTerm = Shift | Scaled
Term = TypeVar("Term", bound=FreeTerm)


def choose_scales(function: Function, operands: Floats) -> Floats:
    """Amounts to begin with; operands: (operands, rows), result: (operands, amounts)."""
    # The sign of the scale matters to functions that are neither odd nor even.
    scales = SCALES if function.has_parity else np.concatenate([SCALES, -SCALES])
    return np.asarray(scales / np.median(np.abs(operands), axis=1)[:, None])


def choose_shifts(whole: Floats, part: Floats) -> Floats:
    """Amounts to begin with, for which the sums have one sign on all rows.

    whole, part: (sums, rows); result: (sums, amounts).
    """
    ratios = -whole / part
    low, high = ratios.min(axis=1)[:, None], ratios.max(axis=1)[:, None]
    return np.concatenate([low - (high - low) * DISTANCES, high + (high - low) * DISTANCES], axis=1)


def refine_factor(factor: FreeTerm, others: Floats, target: Floats) -> FreeTerm | None:
    """The factor whose term, beside the terms others: (terms, rows), fits the target best near where it is."""
    beside = make_offset_background(others)
    rest = beside.without(target)
    found = _refined(factor, beside, rest, None)
    if found is None:
        return None
    whole = found.term
    term = beside.without(whole)
    if not float(term @ term) > DEPENDENT * float(whole @ whole):
        return None
    simple = find_simple_number(float(term @ rest) / float(term @ term), 0.0)
    # Where a function is close to its limit, exponent and amount together lose many digits.
    return _refined(found, beside, rest, simple) if simple else found


def _refined(start: Term, beside: Background, rest: Floats, exponent: float | None) -> Term | None:
    """The term with the amount for which it leaves least of the rest; exponent: its coefficient, None for the best."""
    with np.errstate(all="ignore"):
        reach = start.reach

    def moved(steps: Floats) -> Term:
        return replace(start, amount=start.amount + reach * float(steps[0, 0]))

    def evaluate(steps: Floats) -> Evaluated:
        here = moved(steps)
        term, slope = beside.without(np.array([here.term, here.slope]))
        size = max(float(term @ term), sys.float_info.min)
        own = float(term @ rest) / size if exponent is None else exponent

        def slopes() -> Floats:
            free = slope - (float(slope @ term) / size) * term if exponent is None else slope
            return np.asarray(reach * own * free)[None, :, None]

        return np.asarray(rest - own * term)[None], slopes

    steps, costs = minimise_squares(evaluate, np.zeros((1, 1)), MOST_STEPS)
    return moved(steps) if np.isfinite(costs[0]) else None
