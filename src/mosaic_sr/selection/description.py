"""Description length: the bits of a formula, of its constants as far as they matter, and of what it leaves over."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from mosaic_sr.equation import Equation, Errors
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.simple_numbers import bits_of_whole, closed_form
from mosaic_sr.operators import PLAIN_BITS, Operator
from mosaic_sr.selection.codata import BITS as BITS_OF_PHYSICAL
from mosaic_sr.selection.codata import name_of
from mosaic_sr.table import Rows, Table, divided, squaring_exponent

# What a function of a function costs beside its own bits, which stand in its row.
NESTED_BITS = 4.0
BITS_PER_DIGIT = math.log2(10.0)
# Numbers with more digits than this are fitted, not set.
MOST_DIGITS = 9
# Beyond this a half or a quarter is written in decimals.
MOST_NUMERATOR = 60.0
# No constant has more bits than its float64 number, and each has its sign.
MOST_BITS = 53.0
# A law that errs by more than a third of the target does not tell its size, on which a spread in proportion rests.
MOST_RELATIVE = 0.1
# Squared errors below this are rounding: a law gains nothing by going further.
LEAST_ERROR = 1e-28


def description_length(equation: Equation, table: Table) -> float:
    """Bits that tell the targets of a table by way of the equation; only differences between equations mean anything.

    Rows that were fitted count as those that were not: the bits of constants pay for what fitting gains.
    """
    return law_bits(equation) + unexplained_bits(equation, table)


def unexplained_bits(equation: Equation, table: Table) -> float:
    """Bits of what the equation leaves over in the rows of a table."""
    bits = residual_bits(equation.training, table.training)
    is_shared = table.validation is table.training
    return bits if is_shared else bits + residual_bits(equation.validation, table.validation)


def law_bits(equation: Equation) -> float:
    """Bits of the nodes and of the constants.

    A number below its own error may be nearly 0; several of them balance each other, and all their digits matter.
    """
    constants = sum(constant_bits(value, error) for value, error, _ in equation.constants)
    num_vague = sum(abs(value) <= error for value, error, _ in equation.constants)
    return structure_bits(equation.expression) + constants + MOST_BITS * max(num_vague - 1, 0)


def structure_bits(expression: Expression) -> float:
    """Bits of the nodes: leaves and arithmetic are what laws are made of, a function of a function is rare in them."""

    def node(operator: Operator, operands: list[_Part]) -> _Part:
        is_function = operator.bits > PLAIN_BITS
        nested = NESTED_BITS * (is_function and any(operand.is_function for operand in operands))
        return _Part(operator.bits + nested + sum(operand.bits for operand in operands), is_function)

    leaf = _Part(PLAIN_BITS, is_function=False)
    return expression.fold(node, lambda _: leaf, lambda _: leaf, lambda: leaf).bits


@dataclass(frozen=True)
class _Part:
    """Bits of a part of a formula, and whether a function stands at its root."""

    bits: float
    is_function: bool


def constant_bits(value: float, standard_error: float) -> float:
    """Bits of a constant: those of a simple number, else those that its standard error leaves standing."""
    simple = simple_bits(value)
    return min(known_bits(value, standard_error), MOST_BITS if simple is None else simple)


def known_bits(value: float, standard_error: float) -> float:
    """Bits of a fitted constant that the rows determine; all of them where nobody knows."""
    if value == 0.0 or not standard_error > 0.0:
        return MOST_BITS
    return 1.0 + min(math.log2(max(abs(value) / standard_error, 1.0)), MOST_BITS - 1.0)


def simple_bits(value: float) -> float | None:
    """Bits of a number that a person could have written, None for one that only a fit could have."""
    if value == 0.0:
        return 1.0
    form = closed_form(value)
    if form is not None:
        return form.bits
    costs = [_decimal_bits(value), *_fraction_bits(abs(value))]
    if float(value).is_integer() and abs(value) < 10.0**MOST_DIGITS:
        costs.append(bits_of_whole(int(abs(value))))
    if name_of(value):
        costs.append(BITS_OF_PHYSICAL)
    least = min(costs)
    return least if math.isfinite(least) else None


def is_simple(value: float) -> bool:
    """Whether a person could have written the number."""
    return simple_bits(value) is not None


def _decimal_bits(value: float) -> float:
    """Bits of the digits and of the place of the point."""
    shortest = Decimal(repr(value)).normalize()
    num_digits = len(shortest.as_tuple().digits)
    if num_digits > MOST_DIGITS:
        return math.inf
    return BITS_PER_DIGIT * num_digits + math.log2(1 + abs(shortest.adjusted()))


def _fraction_bits(magnitude: float) -> Iterator[float]:
    """Bits as a fraction whose decimals end: a half, a quarter or an eighth of a whole number."""
    for below in (2, 4, 8):
        above = magnitude * below
        if above.is_integer() and above <= MOST_NUMERATOR:
            yield bits_of_whole(int(above)) + bits_of_whole(below)


def residual_bits(errors: Errors, rows: Rows) -> float:
    """Bits of the residuals, with one spread in all rows or one in proportion to the law, whichever tells more."""
    if not math.isfinite(errors.nmse):
        return math.inf
    half = 0.5 * rows.num_rows
    exponent = squaring_exponent(rows.target)
    variance = float(np.var(divided(rows.target, exponent))) or 1.0
    uniform = half * (math.log2(max(errors.nmse, LEAST_ERROR) * variance) + 2.0 * exponent)
    if np.any(rows.target == 0.0) or errors.relative > MOST_RELATIVE:
        return uniform
    sizes = float(np.sum(np.log2(np.abs(rows.target))))
    return min(uniform, half * math.log2(max(errors.relative, LEAST_ERROR)) + sizes)
