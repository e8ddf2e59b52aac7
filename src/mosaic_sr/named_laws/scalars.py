"""`Scalar`: a number by its sign and logarithm, and how it depends on the constants of a named form.

exp(-mu²/(2 s²)) leaves float64 for mu = 100 and s = 1; its logarithm does not. The constants of a form enter by the
logarithms of their sizes, so that most of them can be solved for by undoing one step after another.
"""

from __future__ import annotations

import math
from functools import reduce

# A sum below this share of its parts is rounding: constants of laws have 16 digits, of which a few cancel.
CANCELLED = 1e-11
# Beyond this exp leaves float64.
LARGEST_LOG = 700.0

# A part of a formula over the constants: ("L", number of a constant) is the logarithm of its size, ("c", value) a
# number, ("+", a, b), ("*", a, b), ("exp", a) and ("log", a), the logarithm of the size of a.
Part = tuple[object, ...]


class Unwritable(ArithmeticError):
    """An expression has no normal form here, or one that is too long."""


class Scalar:
    """A real number; of: the logarithm of its size as a formula over the constants of a form, None for a plain one.

    A plain class, because thousands are made for the index of the catalogue.
    """

    __slots__ = ("log", "of", "sign")

    def __init__(self, sign: float, log: float, of: Part | None = None) -> None:
        self.sign, self.log, self.of = sign, log, of

    @property
    def is_zero(self) -> bool:
        return self.sign == 0.0

    @property
    def value(self) -> float:
        if self.log > LARGEST_LOG:
            raise Unwritable
        return self.sign * math.exp(self.log) if self.sign else 0.0

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer whatever the constants are."""
        return self.of is None and self.log < LARGEST_LOG and abs(self.value - round(self.value)) < CANCELLED

    def __mul__(self, other: Scalar) -> Scalar:
        of = None if self.of is None and other.of is None else plus(self._part, other._part)
        return Scalar(self.sign * other.sign, self.log + other.log, of) if self.sign * other.sign else ZERO

    def __add__(self, other: Scalar) -> Scalar:
        if self.is_zero or other.is_zero:
            return other if self.is_zero else self
        top = max(self.log, other.log)
        value = self.sign * math.exp(self.log - top) + other.sign * math.exp(other.log - top)
        if abs(value) < CANCELLED:
            return ZERO
        sign = math.copysign(1.0, value)
        of = None if self.of is None and other.of is None else log(times(("c", sign), plus(self.linear, other.linear)))
        return Scalar(sign, top + math.log(abs(value)), of)

    def __neg__(self) -> Scalar:
        return Scalar(-self.sign, self.log, self.of)

    def power(self, exponent: Scalar) -> Scalar:
        """The scalar to an exponent; Unwritable for roots of negative numbers and for 1/0."""
        if self.is_zero or (self.sign < 0.0 and not exponent.is_integer):
            raise Unwritable
        sign = -1.0 if self.sign < 0.0 and round(exponent.value) % 2 else 1.0
        of = None if self.of is None and exponent.of is None else times(exponent.linear, self._part)
        return Scalar(sign, self.log * exponent.value, of)

    def exponential(self) -> Scalar:
        return Scalar(1.0, self.value, None if self.of is None else self.linear)

    def logarithm(self) -> Scalar:
        if self.sign <= 0.0:
            raise Unwritable
        if self.of is None:
            return scalar(self.log)
        sign = math.copysign(1.0, self.log)
        return Scalar(sign, math.log(abs(self.log)), log(times(("c", sign), self.of))) if self.log else ZERO

    @property
    def _part(self) -> Part:
        return ("c", self.log) if self.of is None else self.of

    @property
    def linear(self) -> Part:
        """Its value as a formula over the constants."""
        if self.of is None:
            return ("c", self.value)
        return exp(self.of) if self.sign > 0.0 else times(("c", -1.0), exp(self.of))


ZERO = Scalar(0.0, -math.inf)


def scalar(value: float) -> Scalar:
    """A plain number."""
    if not math.isfinite(value):
        raise Unwritable
    return Scalar(math.copysign(1.0, value), math.log(abs(value))) if value else ZERO


ONE, HALF, TWO, MINUS = scalar(1.0), scalar(0.5), scalar(2.0), scalar(-1.0)


def unknown(number: int, value: float) -> Scalar:
    """A constant of a form with the value that it is tried at."""
    return Scalar(math.copysign(1.0, value), math.log(abs(value)), ("L", number))


def plus(left: Part, right: Part) -> Part:
    """The sum of two formulas, with equal terms merged: k + k occurs once, as 2*k."""
    number, shares = 0.0, dict[Part, float]()
    for weight, term in (*_terms(left), *_terms(right)):
        if term[0] == "c":
            number += weight * float(term[1])  # type: ignore[arg-type]
        else:
            shares[term] = shares.get(term, 0.0) + weight
    whole: Part = ("c", number)
    for term, weight in shares.items():
        if abs(weight) > CANCELLED:
            part: Part = term if weight == 1.0 else ("*", ("c", weight), term)
            whole = part if whole == ("c", 0.0) else ("+", whole, part)
    return whole


def _terms(part: Part) -> list[tuple[float, Part]]:
    """The terms of a sum with their weights."""
    if part[0] == "+":
        return [*_terms(part[1]), *_terms(part[2])]  # type: ignore[arg-type]
    if part[0] == "*" and part[1][0] == "c":  # type: ignore[index]
        return [(part[1][1] * weight, term) for weight, term in _terms(part[2])]  # type: ignore[index,arg-type]
    return [(1.0, part)]


def times(left: Part, right: Part) -> Part:
    """The product of two formulas, a number first."""
    if right[0] == "c":
        left, right = right, left
    if left[0] != "c":
        return ("*", left, right)
    if right[0] == "c":
        return ("c", left[1] * right[1])  # type: ignore[operator]
    if left == ("c", 1.0):
        return right
    scaled = [("*", ("c", left[1] * weight), term) for weight, term in _terms(right)]  # type: ignore[operator]
    return reduce(plus, scaled)


def exp(part: Part) -> Part:
    """The exponential; what stands under a logarithm is positive."""
    return part[1] if part[0] == "log" else ("exp", part)  # type: ignore[return-value]


def log(part: Part) -> Part:
    """The logarithm of the size of a formula that is positive where the form is tried."""
    return part[1] if part[0] == "exp" else ("log", part)  # type: ignore[return-value]
