"""Steps: one operator undone on values and on their rounding, as the inverses in the operator table say."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.expressions.rows import numpy_value
from mosaic_sr.operators import OPERATORS, PLAIN_BITS, Inverse, operator_named

Floats = NDArray[np.float64]
# An operator of one operand, or one of two with the number that is its second operand.
Outer = str | tuple[str, float]

# Of these, one may stand for another: x*x is the square of x wherever multiplication is allowed.
KIN = {"sq": "mul", "cube": "mul", "neg": "sub", "inv": "div"}
# Branches of a wave farther from zero than this are left to the finder of waves.
FARTHEST = 2.5 * math.pi


@dataclass(frozen=True)
class Step:
    """v = outer(u).  undo: u of v, on any array.  low, high: v lies between them, or no u leads to it."""

    outer: tuple[Outer, ...]
    undo: Callable[[Floats], Floats]
    low: float = -math.inf
    high: float = math.inf

    def admits(self, lowest: Floats | float, highest: Floats | float) -> NDArray[np.bool_]:
        """Whether values between these can be undone."""
        return np.asarray((lowest >= self.low) & (highest <= self.high))


IDENTITY = Step((), np.positive)


@cache
def find_branches(outer: Outer) -> tuple[Step, ...]:
    """All ways to undo an operator, the one that leads nearest to zero first, of two that do the positive one."""
    name, number = (outer, math.nan) if isinstance(outer, str) else outer
    inverse = operator_named(name).inverses[0]
    # Real powers that are no whole numbers are never negative.
    low = 0.0 if name == "pow" and number % 1 else inverse.low
    turns = range(-2, 3) if inverse.period else (0,)
    ways = [_undo(text, number, turn * inverse.period) for text in inverse.branches for turn in turns]
    middle = _middle(inverse)
    places = [float(way(middle)[0]) for way in ways]
    order = sorted(range(len(ways)), key=lambda way: (round(abs(places[way]), 9), places[way] < 0))
    is_near = (lambda place: abs(place) <= FARTHEST) if inverse.period else math.isfinite
    return tuple(Step((outer,), ways[way], low, inverse.high) for way in order if is_near(places[way]))


def _undo(text: str, number: float, shift: float) -> Callable[[Floats], Floats]:
    tree = ast.parse(text, mode="eval").body

    def undo(values: Floats) -> Floats:
        found = np.asarray(numpy_value(tree, {"v": values, "b": number}))
        return found + shift if shift else found

    return undo


def _middle(inverse: Inverse) -> Floats:
    """A value in the middle of the range: (1,)."""
    low = inverse.low if math.isfinite(inverse.low) else -1.0
    high = inverse.high if math.isfinite(inverse.high) else low + 3.0
    return np.array([0.5 * (low + high)])


def make_step(*outer: Outer) -> Step:
    """The principal way to undo some operators, the innermost first."""
    if not outer:
        return IDENTITY
    steps = [find_branches(operator)[0] for operator in outer]

    def undo(values: Floats) -> Floats:
        for step in reversed(steps):
            values = step.undo(values)
        return values

    return Step(outer, undo, steps[-1].low, steps[-1].high)


# Functions of one operand that can be undone, but for signs, and those of them that are no powers.
INVERTIBLE = tuple(
    operator.name
    for operator in OPERATORS
    if operator.arity == 1 and operator.inverses and operator.name not in ("neg", "abs")
)
CURVED = tuple(name for name in INVERTIBLE if operator_named(name).bits > PLAIN_BITS)
# Functions that laws use most.
COMMON = ("inv", "exp", "sqrt", "sq", "log", "sin", "cos")


def undo_step(step: Step, targets: Floats, floors: Floats) -> tuple[Floats, Floats]:
    """A step undone on targets of any shape and on their floors, to which its own rounding is added."""
    if not step.outer:
        return targets, floors
    with np.errstate(all="ignore"):
        inner = step.undo(targets)
        moved = np.fmax(np.abs(step.undo(targets + floors) - inner), np.abs(step.undo(targets - floors) - inner))
        return inner, np.where(np.isfinite(moved), moved, 0.0) + np.spacing(np.abs(inner))


def wrap(inner: Expression, outer: Sequence[Outer]) -> Expression:
    """The operators applied to a formula, one after the other."""
    for operator in outer:
        inner = (
            apply(operator, inner) if isinstance(operator, str) else apply(operator[0], inner, constant(operator[1]))
        )
    return inner


def is_allowed(outer: Sequence[Outer], operators: Sequence[str]) -> bool:
    """Whether laws may use all of these operators."""
    names = [operator if isinstance(operator, str) else operator[0] for operator in outer]
    return all(name in operators or KIN.get(name) in operators for name in names)
