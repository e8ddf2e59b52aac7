"""`Cost`: how many constants need a unit for a part of a law to have a dimension, for each dimension."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

Dimension = int | Fraction

# A fitted exponent so near a simple fraction stands for it: fits of exact rows end closer.
NEAR = 1e-6
# Exponents with larger denominators are no simple fractions.
LARGEST_DENOMINATOR = 12
# Others are fractions with at most this denominator, which is finer than rows determine.
EXPONENT_PARTS = 10**4
# A sketch with many holes may have very many dimensions, and anything is as good as these.
MOST_KNOWN = 64


@dataclass(frozen=True, slots=True, eq=False)
class Cost:
    """known: the cost of some dimensions, each below that of others.  other: the cost of all others, maybe infinite.

    number: the value where the part is nothing but a constant, else None.
    inside: dimension of what the part is a logarithm of, up to a factor, where that is not a pure number; such a part
        has no dimension unless another logarithm takes this one away, and `known` is empty.
    """

    known: dict[Dimension, float]
    other: float
    number: float | None = None
    inside: Dimension = 0

    @property
    def least(self) -> float:
        return min(self.known.values(), default=self.other)

    def of(self, dimension: Dimension) -> float:
        return self.known.get(dimension, self.other)


IMPOSSIBLE = Cost({}, math.inf)
ANYTHING = Cost({}, 0.0)


def of_known(dimension: Dimension) -> Cost:
    """A part that has this dimension."""
    return Cost({dimension: 0.0}, math.inf)


def of_one_of(dimensions: Iterable[Dimension]) -> Cost:
    """A part that has one of these dimensions."""
    return Cost(dict.fromkeys(dimensions, 0.0), math.inf)


def of_constant(value: float, is_pure: bool) -> Cost:
    """A constant: a pure number, or one that takes a unit at the cost of one."""
    return Cost({0: 0.0}, math.inf if is_pure else 1.0, value)


def cost_of(name: str, operands: list[Cost], are_constants_pure: bool) -> Cost:
    """What an operator makes of the costs of its operands; IMPOSSIBLE where their dimensions do not fit."""
    if name == "log":
        return _logarithm(operands[0], are_constants_pure)
    if any(operand.inside for operand in operands):
        return _of_logarithms(name, operands)
    rule = RULES.get(name)
    cost = _dimensionless(*operands) if rule is None else rule(*operands)
    numbers = [operand.number for operand in operands if operand.number is not None]
    return _with_number(cost, name, numbers) if len(numbers) == len(operands) else cost


def _with_number(cost: Cost, name: str, numbers: list[float]) -> Cost:
    """A part of nothing but constants is a constant, whose value matters where it is an exponent, as 3/2."""
    with np.errstate(all="ignore"):
        value = REFERENCE[name](*map(np.float64, numbers)) if name in REFERENCE else math.nan
    return replace(cost, number=float(value))


def _logarithm(operand: Cost, are_constants_pure: bool) -> Cost:
    """A pure number where its argument is one.

    Else people write log(t) for log(t/t0): the constant t0, which stands nowhere or hides in a term that is added,
    costs one; and a difference of two logarithms is the logarithm of a quotient, which may be a pure number.
    """
    if not are_constants_pure:
        return _made({0: min(operand.of(0), operand.least + 1.0)}, math.inf)
    if operand.of(0) < math.inf or len(operand.known) != 1:
        return _dimensionless(operand)
    return Cost({}, math.inf, None, next(iter(operand.known)))


def _of_logarithms(name: str, operands: list[Cost]) -> Cost:
    """Sums and multiples of logarithms; nothing else has a dimension."""
    if name in ("add", "sub") and all(operand.inside or operand.of(0) < math.inf for operand in operands):
        return _logarithm_of(operands[0].inside + (1 if name == "add" else -1) * operands[1].inside)
    if name == "neg":
        return _logarithm_of(-operands[0].inside)
    if name in ("mul", "div"):
        factor, whole = operands if operands[1].inside else operands[::-1]
        if factor.number and math.isfinite(factor.number) and (name == "mul" or whole is operands[0]):
            exponent = simple_exponent(factor.number)
            return _logarithm_of(_scaled(whole.inside, exponent if name == "mul" else 1 / exponent))
    return IMPOSSIBLE


def _logarithm_of(inside: Dimension) -> Cost:
    return Cost({}, math.inf, None, inside) if inside else Cost({0: 0.0}, math.inf)


def _alike(one: Cost, other: Cost) -> Cost:
    """A sum: both operands have the same dimension."""
    rest = one.other + other.other
    return _made({own: one.of(own) + other.of(own) for own in {**one.known, **other.known}}, rest)


def _product(one: Cost, other: Cost) -> Cost:
    known: dict[Dimension, float] = {}
    for mine, price in one.known.items():
        for yours, more in other.known.items():
            known[mine + yours] = min(known.get(mine + yours, math.inf), price + more)
    rest = min(one.least + other.other, one.other + other.least)
    return _made(known, rest)


def _quotient(one: Cost, other: Cost) -> Cost:
    return _product(one, _raised(other, Fraction(-1)))


def _raised(base: Cost, exponent: Fraction) -> Cost:
    if exponent == 0:
        return _made({0: base.least}, math.inf)
    return Cost({_scaled(own, exponent): price for own, price in base.known.items()}, base.other)


def _power(base: Cost, exponent: Cost) -> Cost:
    """Exponents are pure; a base with a dimension has a number for its exponent."""
    if exponent.number is None:
        return _dimensionless(base, exponent)
    if math.isnan(exponent.number):
        # A number that is not known yet may become the right one.
        return Cost({0: base.of(0)}, base.least) if base.of(0) < base.least else Cost({}, base.least)
    return _raised(base, simple_exponent(exponent.number)) if math.isfinite(exponent.number) else IMPOSSIBLE


def _dimensionless(*operands: Cost) -> Cost:
    """A function: its arguments and its value are pure numbers."""
    return _made({0: sum(operand.of(0) for operand in operands)}, math.inf)


def _same(operand: Cost) -> Cost:
    return Cost(operand.known, operand.other)


def _made(known: dict[Dimension, float], other: float) -> Cost:
    cheaper = {own: price for own, price in known.items() if price < other}
    if not cheaper and other == math.inf:
        return IMPOSSIBLE
    return Cost({}, min(cheaper.values())) if len(cheaper) > MOST_KNOWN else Cost(cheaper, other)


def _scaled(dimension: Dimension, factor: Fraction) -> Dimension:
    product = dimension * factor
    return int(product) if product.denominator == 1 else product


@lru_cache(maxsize=10_000)
def simple_exponent(value: float) -> Fraction:
    """The exponent as a fraction: a simple one where it is near one."""
    simple = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    if abs(float(simple) - value) <= NEAR * max(1.0, abs(value)):
        return simple
    return Fraction(value).limit_denominator(EXPONENT_PARTS)


# Arithmetic of numbers in exponents; functions of numbers do not stand there.
REFERENCE: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "inv": np.reciprocal,
    "sq": np.square, "sqrt": np.sqrt,
}  # fmt: skip

RULES: dict[str, Callable[..., Cost]] = {
    "add": _alike,
    "sub": _alike,
    "mul": _product,
    "div": _quotient,
    "pow": _power,
    "neg": _same,
    "abs": _same,
    "inv": lambda operand: _raised(operand, Fraction(-1)),
    "sq": lambda operand: _raised(operand, Fraction(2)),
    "cube": lambda operand: _raised(operand, Fraction(3)),
    "sqrt": lambda operand: _raised(operand, Fraction(1, 2)),
}
