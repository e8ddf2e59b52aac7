"""The two arithmetics in which laws are compared: numpy's doubles, and 150 digits that no cancellation uses up."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
from scipy import special

from benchmarks.verify.rows import Arithmetic

# Laws of physics cancel up to ~25 digits, numerical derivatives use up 50.
DIGITS = 150
CONTEXT = mpmath.MPContext()
CONTEXT.dps = DIGITS
UNDEFINED = CONTEXT.nan

Number = Any  # a number of CONTEXT

# Functions of an argument beyond 2**64 cost time and say nothing; these few are cheap for any argument.
MAX_BITS_OF_ARGUMENT = 64
CHEAP = {"sqrt": CONTEXT.sqrt, "log": CONTEXT.log, "abs": CONTEXT.fabs, "maximum": max, "minimum": min}


def to_number(value: float) -> Number:
    """The exact value of a double."""
    return CONTEXT.mpf(value)


def is_real(value: Number) -> bool:
    """Whether a result is a finite real number; roots and logarithms of negative numbers are not."""
    return isinstance(value, CONTEXT.mpf) and bool(CONTEXT.isfinite(value))


def relative_difference(a: Number, b: Number) -> Number:
    """|a - b| over the larger magnitude; 0 for equal values, NaN when one is undefined."""
    if a == b:
        return CONTEXT.zero
    return abs(a - b) / max(abs(a), abs(b)) if is_real(a) and is_real(b) else UNDEFINED


def _call(name: str, *arguments: Number) -> Number:
    if not all(map(is_real, arguments)):
        return UNDEFINED
    if name not in CHEAP and any(each and CONTEXT.mag(each) > MAX_BITS_OF_ARGUMENT for each in arguments):
        return UNDEFINED
    value = CHEAP[name](*arguments) if name in CHEAP else getattr(CONTEXT, name)(*arguments)
    return value if is_real(value) else UNDEFINED


def _divide(a: Number, b: Number) -> Number:
    return a / b if b else UNDEFINED


def _power(a: Number, b: Number) -> Number:
    if not (is_real(a) and is_real(b)):
        return UNDEFINED
    if not a:
        return CONTEXT.zero if b > 0 else CONTEXT.one if b == 0 else UNDEFINED
    if a < 0 and not CONTEXT.isint(b):
        return UNDEFINED
    if b and CONTEXT.mag(b) + CONTEXT.mag(CONTEXT.mag(a) or 1) > MAX_BITS_OF_ARGUMENT:
        return UNDEFINED
    return a**b


def _call_numpy(name: str, *arguments: Any) -> Any:
    return getattr(np if name in vars(np) else special, name)(*arguments)


MANY_DIGITS = Arithmetic(to_number, _call, _divide, _power)
DOUBLES = Arithmetic(float, _call_numpy, np.divide, np.power)
