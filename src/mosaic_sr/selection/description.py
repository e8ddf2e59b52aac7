"""Bits of laws that agree with the rows: of their formula, and of their constants as far as they matter.

Of noisy rows the evidence decides; see `evidence`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.simple_numbers import number_bits
from mosaic_sr.operators import PLAIN_BITS, Operator
from mosaic_sr.selection.codata import BITS as BITS_OF_PHYSICAL
from mosaic_sr.selection.codata import name_of

# What a function of a function costs beside its own bits, which stand in its row.
NESTED_BITS = 4.0
# No constant has more bits than its float64 number, and each has its sign.
MOST_BITS = 53.0


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
    """Bits of a number that a person could have written, a physical constant among them; None for any other."""
    own = number_bits(value)
    if not name_of(value):
        return own
    return BITS_OF_PHYSICAL if own is None else min(own, BITS_OF_PHYSICAL)


def is_simple(value: float) -> bool:
    """Whether a person could have written the number."""
    return simple_bits(value) is not None
