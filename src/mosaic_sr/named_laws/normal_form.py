"""The normal form of an expression, as a law with numbers or as a named form with unknown constants."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.named_laws import algebra
from mosaic_sr.named_laws.scalars import MINUS, ONE, Scalar, scalar
from mosaic_sr.named_laws.terms import Quotient
from mosaic_sr.operators import CODES, CONSTANT, NAMES, PARITY, VARIABLE, operator_of


def _power_of(exponent: float) -> Callable[[Quotient], Quotient]:
    return lambda base: algebra.power(base, algebra.number(scalar(exponent)))


def _arc_cosine(argument: Quotient) -> Quotient:
    return algebra.add(algebra.number(scalar(0.5 * math.pi)), algebra.negate(RULES["asin"](argument)))


# Operators without a row here are kept as they are.
RULES: dict[str, Callable[..., Quotient]] = {
    **{name: algebra.other_function(name, int(PARITY[CODES[name]])) for name in NAMES},
    "add": algebra.add,
    "sub": lambda a, b: algebra.add(a, algebra.negate(b)),
    "mul": algebra.multiply,
    "div": lambda a, b: algebra.multiply(a, algebra.invert(b)),
    "pow": algebra.power,
    "neg": algebra.negate,
    "inv": algebra.invert,
    "sq": _power_of(2.0),
    "cube": _power_of(3.0),
    "sqrt": _power_of(0.5),
    "exp": algebra.exponential,
    "log": algebra.logarithm,
    "sin": algebra.sine,
    "cos": algebra.cosine,
    "tan": lambda a: algebra.multiply(algebra.sine(a), algebra.invert(algebra.cosine(a))),
    "sinh": lambda a: algebra.hyperbolic(a, MINUS),
    "cosh": lambda a: algebra.hyperbolic(a, ONE),
    "tanh": algebra.hyperbolic_tangent,
    "acos": _arc_cosine,
}


def law_in_normal_form(law: Expression, places: Sequence[int]) -> Quotient:
    """The normal form of a law whose column i becomes column `places[i]`; Unwritable where it has none."""
    written = write_out(law).expression
    return in_normal_form(written, [scalar(value) for value in written.constants.tolist()], places)


def in_normal_form(expression: Expression, constants: Sequence[Scalar], places: Sequence[int]) -> Quotient:
    """The normal form of an expression in built-in operators with these constants."""
    stack: list[Quotient] = []
    for code, slot in zip(expression.codes.tolist(), expression.slots.tolist(), strict=True):
        if code == VARIABLE:
            stack.append(algebra.column(places[slot]))
        elif code == CONSTANT:
            stack.append(algebra.number(constants[slot]))
        else:
            operator = operator_of(code)
            operands = stack[len(stack) - operator.arity :]
            del stack[len(stack) - operator.arity :]
            stack.append(RULES[operator.name](*operands))
    return stack[0]
