"""Units of programs under edit, compiled: a path does not fit what cannot measure what the target does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import compiled
from mosaic_sr.operators import ARITY, CODES, CONSTANT, VARIABLE
from mosaic_sr.refinement.programs import Buffer

Floats = NDArray[np.float64]

ADD, SUB, MUL, DIV, POW = (CODES[name] for name in ("add", "sub", "mul", "div", "pow"))
NEG, ABS, INV, SQ, CUBE, SQRT = (CODES[name] for name in ("neg", "abs", "inv", "sq", "cube", "sqrt"))

# Base units: more are in no system.
MOST_BASES = 8
# Exponents that differ by less are the same.
SAME = 1e-6
# Fitted exponents of quantities with a unit are near fractions of this denominator, or they will not become simple.
DENOMINATOR, NEAR = 12.0, 1e-2


def no_units() -> Floats:
    """Where units are not known."""
    return np.empty((0, MOST_BASES))


@compiled()
def is_pure(exponents: Floats, base_count: int) -> bool:
    """Whether a row of exponents is none."""
    for base in range(base_count):
        if abs(exponents[base]) > SAME:
            return False
    return True


@compiled()
def raised(exponents: Floats, base_count: int, power: float) -> None:
    """Multiply a row of exponents in place."""
    for base in range(base_count):
        exponents[base] *= power


@compiled()
def power_of(code: int) -> float:
    """The exponent of an operator of one operand that is a power; 0 for another one."""
    if code == NEG or code == ABS:
        return 1.0
    if code == INV:
        return -1.0
    if code == SQ:
        return 2.0
    if code == CUBE:
        return 3.0
    return 0.5 if code == SQRT else 0.0


@compiled()
def joined(code: int, first: Floats, second: Floats, base_count: int, exponent: float) -> bool:
    """Write the unit of an operator of two operands over that of the first; returns whether it has one.

    exponent: the number to which `pow` raises, NaN where it is none.
    """
    if code == MUL or code == DIV:
        for base in range(base_count):
            first[base] += second[base] if code == MUL else -second[base]
        return True
    if code == ADD or code == SUB:
        for base in range(base_count):
            if abs(first[base] - second[base]) > SAME:
                return False
        return True
    if is_pure(first, base_count):
        return is_pure(second, base_count)
    simple = round(DENOMINATOR * exponent) / DENOMINATOR if abs(exponent) < 100.0 else 0.0
    if code != POW or not abs(simple - exponent) < NEAR:
        return False
    raised(first, base_count, simple)
    return True


@compiled()
def fits_units(program: Buffer, units: Floats, room: Floats) -> bool:
    """Whether a program measures what the target does; its constants are pure numbers.

    units: (columns + 1, bases) exponents of base units, those of the target last; (0, bases) where all fits.
    room: (nodes, bases), contents without meaning.
    """
    if len(units) == 0:
        return True
    base_count, top = units.shape[1], 0
    for node in range(program.sizes[0]):
        code = program.codes[node]
        if code == VARIABLE or code == CONSTANT:
            for base in range(base_count):
                room[top, base] = units[program.slots[node], base] if code == VARIABLE else 0.0
            top += 1
        elif ARITY[code] == 1:
            power = power_of(code)
            if power != 0.0:
                raised(room[top - 1], base_count, power)
            elif not is_pure(room[top - 1], base_count):
                return False
        else:
            is_number = program.codes[node - 1] == CONSTANT
            exponent = program.constants[program.slots[node - 1]] if is_number else np.nan
            if not joined(code, room[top - 2], room[top - 1], base_count, exponent):
                return False
            top -= 1
    for base in range(base_count):
        if abs(room[0, base] - units[len(units) - 1, base]) > SAME:
            return False
    return True
