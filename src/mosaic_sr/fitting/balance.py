"""Fits whose numbers are far from 1 are made near 1: squares of numbers such as 1e-200 vanish in sums of squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.table import Rows, squaring_exponent
from mosaic_sr.table.scaling import SQUARABLE

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Balanced:
    """A fit near 1: the target is divided by 2**target_exponent and parameter i by 2**parameter_exponents[i].

    The powers of two stand in the expression as numbers that are held fixed; `places` says where the expression's own
    constants are among its constants.
    """

    expression: Expression
    parameter_of_constant: Codes
    rows: Rows
    target_exponent: int
    constant_exponents: Codes
    parameter_exponents: Codes
    places: NDArray[np.intp]

    def constants(self, fitted: Expression) -> Floats:
        """The constants of the expression that was balanced."""
        return np.ldexp(fitted.constants[self.places], self.constant_exponents)


def balance(expression: Expression, parameter_of_constant: Codes, rows: Rows) -> Balanced:
    """The same fit near 1; as it is, with the rows themselves, where all numbers are near enough."""
    of_target = squaring_exponent(rows.target)
    of_constants, of_parameters = _exponents(expression.constants, parameter_of_constant)
    if of_target == 0 and not of_constants.any():
        places = np.arange(expression.num_constants)
        return Balanced(expression, parameter_of_constant, rows, 0, of_constants, of_parameters, places)
    parameters: list[int] = []
    own = iter(range(expression.num_constants))

    def number(value: float) -> Expression:
        place = next(own)
        exponent = int(of_constants[place])
        is_held = exponent != 0
        parameters.extend([-1, int(parameter_of_constant[place])] if is_held else [int(parameter_of_constant[place])])
        moved = constant(float(np.ldexp(value, -exponent)))
        return apply("mul", constant(float(np.ldexp(1.0, exponent))), moved) if is_held else moved

    scaled = expression.fold(lambda operator, operands: apply(operator.name, *operands), variable, number)
    factor = [] if of_target == 0 else [-1]
    if factor:
        scaled = apply("mul", constant(float(np.ldexp(1.0, -of_target))), scaled)
    return Balanced(
        expression=scaled,
        parameter_of_constant=np.array([*factor, *parameters], dtype=np.int32),
        rows=rows.with_divided_target(of_target),
        target_exponent=of_target,
        constant_exponents=of_constants,
        parameter_exponents=of_parameters,
        # Each stands behind those that came before, their powers of two and its own.
        places=np.arange(len(of_constants)) + np.cumsum(of_constants != 0) + len(factor),
    )


def _exponents(constants: Floats, parameter_of_constant: Codes) -> tuple[Codes, Codes]:
    """Powers of two to take out of each constant and of each parameter: those of its first constant."""
    found = np.frexp(constants)[1]
    is_far = (np.abs(found) > SQUARABLE) & np.isfinite(constants) & (constants != 0.0) & (parameter_of_constant >= 0)
    of_constants = np.where(is_far, found, 0).astype(np.int32)
    of_parameters = np.zeros(int(parameter_of_constant.max(initial=-1)) + 1, dtype=np.int32)
    for place in range(len(constants) - 1, -1, -1):
        if parameter_of_constant[place] >= 0:
            of_parameters[parameter_of_constant[place]] = of_constants[place]
    is_free = parameter_of_constant >= 0
    of_constants[is_free] = of_parameters[parameter_of_constant[is_free]]
    return of_constants, of_parameters
