"""Values of expressions in many digits, so that cancellation in double precision never decides a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import mpmath
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import NAMES

from benchmarks.verify.rows import Arithmetic

# 150 digits: laws of physics cancel up to ~25 of them, numerical derivatives use up 50.
DIGITS = 150
CONTEXT = mpmath.MPContext()
CONTEXT.dps = DIGITS
UNDEFINED = CONTEXT.nan

Number = CONTEXT.mpf

# Functions of an argument beyond 2**64 cost time and say nothing; these few are cheap for any argument.
MAX_BITS_OF_ARGUMENT = 64
CHEAP = ("sqrt", "log", "abs")


class Precise:
    """An expression that is ready to be evaluated in many digits, with its constants open."""

    def __init__(self, expression: Expression) -> None:
        self.constants: list[Number] = [to_number(value) for value in expression.constants.tolist()]
        self._steps = _steps(expression)

    def __call__(self, constants: Sequence[Number], point: Sequence[Number]) -> Number:
        """The value at one point, NaN where the expression is undefined or out of reach."""
        stack: list[Number] = []
        for arity, step in self._steps:
            if arity == 0:
                stack.append(step(constants, point))
                continue
            operands = stack[-arity:]
            del stack[-arity:]
            value = step(operands)
            if not is_real(value):
                return UNDEFINED
            stack.append(value)
        return stack[0]


def to_number(value: float) -> Number:
    """The exact value of a double."""
    return CONTEXT.mpf(value)


def is_real(value: object) -> bool:
    """Whether a result is a finite real number; roots and logarithms of negative numbers are not."""
    return isinstance(value, Number) and bool(CONTEXT.isfinite(value))


def relative_difference(a: Number, b: Number) -> Number:
    """|a - b| over the larger magnitude; 0 for equal values, NaN when one is undefined."""
    if a == b:
        return CONTEXT.zero
    return abs(a - b) / max(abs(a), abs(b)) if is_real(a) and is_real(b) else UNDEFINED


def _steps(expression: Expression) -> list[tuple[int, Callable[..., Number]]]:
    """One step per node in postfix order: its arity, and what it reads or computes."""
    places = iter(range(expression.num_constants))
    return expression.fold(
        node=lambda operator, children: [*sum(children, []), (operator.arity, COMPUTE[operator.name])],
        variable=lambda column: [(0, lambda _, point: point[column])],
        constant=lambda _: [(0, _read_constant(next(places)))],
    )


def _read_constant(place: int) -> Callable[..., Number]:
    return lambda constants, _: constants[place]


def _call(name: str, argument: Number) -> Number:
    if name not in CHEAP and argument and CONTEXT.mag(argument) > MAX_BITS_OF_ARGUMENT:
        return UNDEFINED
    return CONTEXT.fabs(argument) if name == "abs" else getattr(CONTEXT, name)(argument)


def _divide(a: Number, b: Number) -> Number:
    return a / b if b else UNDEFINED


def _power(a: Number, b: Number) -> Number:
    if not a:
        return CONTEXT.zero if b > 0 else CONTEXT.one if b == 0 else UNDEFINED
    if a < 0 and not CONTEXT.isint(b):
        return UNDEFINED
    if b and CONTEXT.mag(b) + CONTEXT.mag(CONTEXT.mag(a) or 1) > MAX_BITS_OF_ARGUMENT:
        return UNDEFINED
    return a**b


MANY_DIGITS = Arithmetic(to_number, _call, _divide, _power)
COMPUTE: dict[str, Callable[[Sequence[Number]], Number]] = {name: partial(MANY_DIGITS.compute, name) for name in NAMES}
