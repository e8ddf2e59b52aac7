"""Constants of formulas: when two of them count as equal, which may move, and numbers folded into one."""

from __future__ import annotations

import math

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.operators import CODES, CONSTANT, Operator

from benchmarks.verify.precise import COMPUTE, Number, is_real, to_number

SIGNIFICANT_DIGITS = 4


def allowance(value: float) -> float:
    """Half a unit in the fourth significant digit of the value."""
    if value == 0 or not math.isfinite(value):
        return 0.0
    return 0.5 * 10.0 ** (math.floor(math.log10(abs(value))) + 1 - SIGNIFICANT_DIGITS)


def are_close(true_value: float, value: float) -> bool:
    """Whether the value is the true one to four significant digits."""
    # The last factor forgives the rounding of the difference itself: 2.5 and 2.4995 are half a unit apart.
    return true_value == value or abs(true_value - value) <= allowance(true_value) * (1 + 1e-9)


def fold_numbers(expression: Expression) -> Expression:
    """The expression with every part that has no variable replaced by its value, where that is a finite number."""
    return expression.fold(_fold_node, variable, constant)


def _fold_node(operator: Operator, children: list[Expression]) -> Expression:
    if all(len(child) == 1 and child.codes[0] == CONSTANT for child in children):
        operands = [to_number(float(child.constants[0])) for child in children]
        value = COMPUTE[operator.name](operands)
        if _is_double(value):
            return constant(float(value))
    return apply(operator.name, *children)


def _is_double(value: Number) -> bool:
    """Whether a result in many digits is real and within the range of doubles."""
    return is_real(value) and (value == 0 or 1e-300 < abs(value) < 1e300)


def fixed_constants(expression: Expression) -> set[int]:
    """Places of the constants that must stay: zeros, and whole exponents, whose powers of negative numbers exist."""
    codes, slots = expression.codes.tolist(), expression.slots.tolist()
    values = expression.constants.tolist()
    exponents = {
        slots[index - 1]
        for index, code in enumerate(codes)
        if code == CODES["pow"] and codes[index - 1] == CONSTANT and values[slots[index - 1]].is_integer()
    }
    return exponents | {place for place, value in enumerate(values) if value == 0}
