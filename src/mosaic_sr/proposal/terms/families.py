"""Families of curves of one column: a form with free numbers inside, and numbers to begin with on a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, make_expression, operator_names, variable
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import CONSTANT, VARIABLE

Floats = NDArray[np.float64]
# Of a column (rows,): (curves, numbers), one row of numbers for each curve.
Starts = Callable[[Floats], Floats]

# Operators that sums and products are written with; a form that needs others is left out where they are not allowed.
ALWAYS = frozenset(("add", "sub", "mul", "div", "neg", "inv", "sq", "cube"))


@dataclass(frozen=True)
class Family:
    """Curves that differ in the numbers inside.

    form: over column 0, with a constant for each number.  starts: numbers to begin with; neighbours on the grid overlap
    so far that a fit reaches all curves in between.
    """

    form: Expression
    starts: Starts

    @cached_property
    def operators(self) -> frozenset[str]:
        """Names of the operators without which it cannot be written."""
        return operator_names(self.form) - ALWAYS

    def values(self, column: Floats, numbers: Floats) -> Floats:
        """The curves with numbers (curves, numbers) on a column (rows,): (curves, rows)."""
        rows = np.tile(column, (1, len(numbers)))
        opened = np.concatenate([rows, np.repeat(numbers.T, len(column), axis=1)])
        return evaluate_expression(self._opened, opened).reshape(len(numbers), len(column))

    @cached_property
    def _opened(self) -> Expression:
        """The form with columns 1, 2, ... in the place of its numbers, so that one evaluation serves many curves."""
        is_number = self.form.codes == CONSTANT
        return make_expression(np.where(is_number, VARIABLE, self.form.codes), self.form.slots + is_number, [])


def make_grid(*axes: Floats) -> Floats:
    """All combinations: (product of lengths, axes)."""
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


# The numbers of both stay numpy's: their squares may be infinite, where those of Python's own floats raise.
def find_middle(column: Floats) -> tuple[np.float64, np.float64]:
    """Centre and half width of the range."""
    low, high = np.min(column), np.max(column)
    return 0.5 * (low + high), 0.5 * (high - low)


def _reach(column: Floats) -> np.float64:
    return np.float64(np.max(np.abs(column)))


def _none(column: Floats) -> Floats:
    return np.empty((1, 0))


def _both(sizes: Floats) -> Floats:
    return np.concatenate([-sizes[::-1], sizes])


def _rates(column: Floats) -> Floats:
    return make_grid(_both(np.geomspace(0.2, 12.0, 11)) / find_middle(column)[1])


def _square_rates(column: Floats) -> Floats:
    return make_grid(_both(np.geomspace(0.3, 30.0, 9)) / np.square(_reach(column)))


def _inverse_rates(column: Floats) -> Floats:
    return make_grid(_both(np.geomspace(0.2, 12.0, 9)) * float(np.min(np.abs(column))) * 2.0)


def _exponents(column: Floats) -> Floats:
    return make_grid(_both(np.arange(0.25, 4.1, 0.25)))


def _steps(column: Floats) -> Floats:
    """Steepness b and offset c of steps b x + c somewhere in the range or close by."""
    centre, half = find_middle(column)
    rates, places = make_grid(np.geomspace(0.4, 20.0, 8) / half, centre + half * np.linspace(-1.2, 1.2, 13)).T
    return np.stack([rates, -rates * places], axis=1)


def _bells(column: Floats) -> Floats:
    centre, half = find_middle(column)
    return make_grid(-np.geomspace(0.3, 60.0, 8) / np.square(half), centre + half * np.linspace(-1.3, 1.3, 15))


def _valleys(column: Floats) -> Floats:
    """Place and floor of parabolas that are positive everywhere."""
    centre, half = find_middle(column)
    return make_grid(centre + half * np.linspace(-1.25, 1.25, 11), np.geomspace(0.01, 3.0, 6) * np.square(half))


# Of a singularity from the rows, in widths of their range; a fit bridges the factor of 2.7 between neighbours.
DISTANCES = np.geomspace(0.01, 30.0, 9)


def _above(column: Floats) -> Floats:
    """Numbers c for which x + c is positive on all rows."""
    return make_grid(-float(column.min()) + 2.0 * find_middle(column)[1] * DISTANCES)


def _below(column: Floats) -> Floats:
    """Numbers c for which c - x is positive on all rows."""
    return make_grid(float(column.max()) + 2.0 * find_middle(column)[1] * DISTANCES)


def _beyond(column: Floats) -> Floats:
    """Numbers c for which x + c has one sign on all rows."""
    return np.concatenate([_above(column), -_below(column)])


def _floors(column: Floats) -> Floats:
    return make_grid(np.geomspace(1e-3, 10.0, 12) * np.square(_reach(column)))


def _ceilings(column: Floats) -> Floats:
    return make_grid((1.0 + np.geomspace(0.01, 10.0, 7)) * np.square(_reach(column)))


def _shifted_exponents(column: Floats) -> Floats:
    exponents = np.array([-3.0, -2.0, -1.5, -0.5, 1.0 / 3.0, 1.5, 2.5, 3.5])
    return make_grid(-float(column.min()) + 2.0 * find_middle(column)[1] * DISTANCES[::2], exponents)


# Periods over the range; faster waves are left to the scan of frequencies.
PERIODS = np.arange(0.2, 15.1, 0.2)
# An eighth of a turn apart, which a fit bridges; the other half of a turn is a change of sign.
PHASES = np.linspace(0.0, np.pi, 4, endpoint=False)


def _waves(column: Floats) -> Floats:
    centre, half = find_middle(column)
    rates, phases = make_grid(np.pi * PERIODS / half, PHASES).T
    return np.stack([rates, phases - rates * centre], axis=1)


def _occupations(column: Floats) -> Floats:
    """Rate b and number c of 1 / (exp(b x) + c)."""
    half = find_middle(column)[1]
    rates, shares = make_grid(_both(np.geomspace(0.4, 12.0, 6)) / half, np.array([-0.8, 0.1, 0.5, 2.0, 8.0])).T
    # A negative number must stay below the least exponential.
    sizes = np.where(shares < 0, np.exp(np.minimum(rates * column.min(), rates * column.max())), 1.0)
    return np.stack([rates, shares * sizes], axis=1)


def _written(text: str) -> Expression:
    return parse(text, "a")


SIMPLE = tuple(
    Family(_written(text), _none) for text in ("a", "a^2", "a^3", "inv(a)", "inv(a^2)", "sqrt(a)", "inv(sqrt(a))")
)
BENT = (
    Family(_written("exp(1.5*a)"), _rates),
    Family(_written("exp(1.5*a^2)"), _square_rates),
    Family(_written("exp(1.5*inv(a))"), _inverse_rates),
    Family(apply("pow", variable(0), constant(1.5)), _exponents),
    Family(_written("log(a)"), _none),
    Family(_written("tanh(1.5*a + 2.5)"), _steps),
    Family(_written("atan(1.5*a + 2.5)"), _steps),
    Family(_written("exp(1.5*(a - 2.5)^2)"), _bells),
    Family(_written("inv((a - 1.5)^2 + 2.5)"), _valleys),
    Family(_written("sqrt((a - 1.5)^2 + 2.5)"), _valleys),
    Family(_written("log((a - 1.5)^2 + 2.5)"), _valleys),
    Family(_written("inv(a + 1.5)"), _beyond),
    Family(_written("inv((a + 1.5)^2)"), _beyond),
    Family(_written("log(a + 1.5)"), _above),
    Family(_written("log(1.5 - a)"), _below),
    Family(_written("sqrt(a + 1.5)"), _above),
    Family(_written("sqrt(1.5 - a)"), _below),
    Family(_written("inv(a^2 + 1.5)"), _floors),
    Family(_written("sqrt(a^2 + 1.5)"), _floors),
    Family(_written("log(a^2 + 1.5)"), _floors),
    Family(_written("inv(1.5 - a^2)"), _ceilings),
    Family(_written("sqrt(1.5 - a^2)"), _ceilings),
    Family(_written("log(1.5 - a^2)"), _ceilings),
    Family(apply("pow", _written("a + 1.5"), constant(2.5)), _shifted_exponents),
    Family(_written("sin(1.5*a + 2.5)"), _waves),
    Family(_written("inv(exp(1.5*a) + 2.5)"), _occupations),
)
FAMILIES: Sequence[Family] = (*SIMPLE, *BENT)
