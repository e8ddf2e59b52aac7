"""`Formula`: an expression whose numbers are folded together and whose remaining constants are open."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.verify.arithmetic import MANY_DIGITS, is_real, to_number
from benchmarks.verify.rows import Arithmetic
from mosaic_sr import Expression

SIGNIFICANT_DIGITS = 4


@dataclass(frozen=True)
class Step:
    """One node in postfix order: reads a column, takes the next constant, or computes an operator's row."""

    row: str = ""
    arity: int = 0
    column: int = -1
    value: float = math.nan

    @property
    def is_number(self) -> bool:
        return self.arity == 0 and self.column < 0


Steps = tuple[Step, ...]


@dataclass(frozen=True)
class Formula:
    """Steps in postfix order; the constants are those of the steps, in that order."""

    steps: Steps

    @property
    def constants(self) -> list[float]:
        return [step.value for step in self.steps if step.is_number]

    @property
    def columns(self) -> set[int]:
        """The columns that occur."""
        return {step.column for step in self.steps if step.column >= 0}

    @property
    def fixed(self) -> set[int]:
        """Places of the constants that cannot move: zeros, and whole exponents, whose powers of negatives exist."""
        numbers = [index for index, step in enumerate(self.steps) if step.is_number]
        return {place for place, index in enumerate(numbers) if self._is_fixed(index)}

    def _is_fixed(self, index: int) -> bool:
        value = self.steps[index].value
        is_exponent = index + 1 < len(self.steps) and "**" in self.steps[index + 1].row
        return value == 0 or (is_exponent and value.is_integer())

    def evaluate(
        self, constants: Iterable[Any], point: Sequence[Any] | NDArray[np.float64], arithmetic: Arithmetic
    ) -> Any:
        """The value where column i is `point[i]`: a number, or an array when the columns are arrays."""
        remaining = iter(constants)
        stack: list[Any] = []
        for step in self.steps:
            if step.arity:
                last = stack.pop()
                first = stack.pop() if step.arity == 2 else last
                stack.append(arithmetic.function(step.row)(first, last))
            else:
                stack.append(next(remaining) if step.column < 0 else point[step.column])
        return stack[0]


def to_formula(expression: Expression) -> Formula:
    """The formula of an expression; every part without variables becomes its value, where that is a finite number."""
    steps: Steps = expression.fold(
        node=lambda operator, children: _folded((*chain(*children), Step(operator.value, operator.arity))),
        variable=lambda column: (Step(column=column),),
        constant=lambda value: (Step(value=value),),
    )
    return Formula(steps)


def _folded(steps: Steps) -> Steps:
    """The value of an operator over numbers as a single step, any other steps as they are."""
    if not all(step.is_number for step in steps[:-1]):
        return steps
    value = MANY_DIGITS.function(steps[-1].row)(to_number(steps[0].value), to_number(steps[-2].value))
    is_double = is_real(value) and (value == 0 or 1e-300 < abs(value) < 1e300)
    return (Step(value=float(value)),) if is_double else steps


def allowance(value: float) -> float:
    """Half a unit in the fourth significant digit of a constant."""
    if value == 0 or not math.isfinite(value):
        return 0.0
    return 0.5 * 10.0 ** (math.floor(math.log10(abs(value))) + 1 - SIGNIFICANT_DIGITS)


def are_close(true_value: float, value: float) -> bool:
    """Whether the value is the true one to four significant digits."""
    # The last factor forgives the rounding of the difference itself: 2.5 and 2.4995 are half a unit apart.
    return true_value == value or abs(true_value - value) <= allowance(true_value) * (1 + 1e-9)
