"""Derivatives of expressions as expressions, from the texts of the operator table."""

from __future__ import annotations

from dataclasses import dataclass

from mosaic_sr.constraints.interval import chained, parsed_text
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.operators import Operator

# What the texts of the table say in functions that are no operators.
SAID_OTHERWISE = {"copysign(1.0, a)": "a / abs(a)", "v * log(maximum(abs(a), 5e-324))": "v * log(abs(a))"}
# Longer derivatives take longer to enclose than samples that decide as well.
MOST_NODES = 2000


@dataclass(frozen=True)
class _Sloped:
    """An expression and its derivative; None stands for 0."""

    value: Expression
    slope: Expression | None


class _Unknown(Exception):  # no error: samples decide then
    """An operator has no derivative that can be written as an expression."""


def slope_of(expression: Expression, column: int) -> Expression | None:
    """The derivative by a column; None where it cannot be written."""

    def node(operator: Operator, operands: list[_Sloped]) -> _Sloped:
        value = apply(operator.name, *(one.value for one in operands))
        slope: Expression | None = None
        for text, operand in zip(operator.partials, operands, strict=True):
            if operand.slope is None:
                continue
            partial = parsed_text(SAID_OTHERWISE.get(text, text))
            if partial is None:
                raise _Unknown
            term = apply("mul", chained(partial, [one.value for one in operands], value), operand.slope)
            slope = term if slope is None else apply("add", slope, term)
            if len(slope) > MOST_NODES:
                raise _Unknown
        return _Sloped(value, slope)

    try:
        found: _Sloped = write_out(expression).expression.fold(
            node,
            lambda place: _Sloped(variable(place), constant(1.0) if place == column else None),
            lambda value: _Sloped(constant(value), None),
        )
    except _Unknown:
        return None
    return canonical(found.slope) if found.slope is not None else constant(0.0)
