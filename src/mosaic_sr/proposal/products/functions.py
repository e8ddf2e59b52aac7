"""The factors f of scaling laws c x^a f(k x^b)^p: functions of a group of columns, sums of 1 and signed groups.

`ScalingForm`: the factors that stand behind the product in front, each with groups and a power of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, operator_names, substituted
from mosaic_sr.expressions.text import parse
from mosaic_sr.operators import PARITY

Floats = NDArray[np.float64]
# Exponentials beyond this are of no use for a start and would overflow on the way.
LARGEST_EXPONENT = 300.0


@dataclass(frozen=True)
class Function:
    """A function of one group z, which is a product of powers k x^b or, where it is linear, a sum k + b.x.

    text: f of z.  value: f(z), within the range of floats.
    slope: z f'(z) / f(z), from z and f(z), which is the slope of log|f| over log|z|.
    crosses: whether f changes its sign for z > 0.
    is_exponential: whether powers of f only change the number before z.
    is_logarithm: whether powers of z only change the number before f.  is_identity: whether multiples of z do so too.
    """

    text: str
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats, Floats], Floats]
    crosses: bool = False
    is_exponential: bool = False
    is_logarithm: bool = False
    is_linear: bool = False
    is_identity: bool = False

    num_groups = 1
    signs = ()

    @cached_property
    def _form(self) -> Expression:
        return parse(self.text, "z")

    def write(self, group: Expression) -> Expression:
        """The function of a group as a formula."""
        return substituted(self._form, [group])

    @property
    def operators(self) -> frozenset[str]:
        """What it takes to write it beside products and powers."""
        return operator_names(self._form) | (frozenset({"add"}) if self.is_linear else frozenset())

    @property
    def has_parity(self) -> bool:
        """Whether it is one operator that is odd or even."""
        return len(self._form) == 2 and bool(PARITY[self._form.codes[-1]])

    def values_and_slopes(self, groups: Floats) -> tuple[Floats, Floats]:
        """Values (..., rows) for groups (1, ..., rows), and slopes of log|f| over log|z|, of a linear one over z."""
        z = groups[0]
        values = self.value(z)
        slopes = self.slope(z, values)
        return values, (slopes / z if self.is_linear else slopes)[None]


@dataclass(frozen=True)
class Sum:
    """1 and signed groups added up: 1 + z, 1 - z, 1 + z - w."""

    signs: tuple[float, ...]

    is_exponential = is_logarithm = is_linear = is_identity = False

    @property
    def num_groups(self) -> int:
        return len(self.signs)

    @property
    def crosses(self) -> bool:
        return min(self.signs) < 0

    @property
    def operators(self) -> frozenset[str]:
        return frozenset({"add"} | ({"sub"} if self.crosses else set()))

    def write(self, group: Expression) -> Expression:
        """The sum of 1 and one signed group as a formula."""
        return apply("add" if self.signs[0] > 0 else "sub", constant(1.0), group)

    def values_and_slopes(self, groups: Floats) -> tuple[Floats, Floats]:
        """The sum (..., rows) for groups (groups, ..., rows), and slopes of its logarithm over those of the groups."""
        parts = np.reshape(self.signs, (-1, *[1] * (groups.ndim - 1))) * groups
        values = 1.0 + parts.sum(axis=0)
        return values, parts / values


GroupFactor = Function | Sum


def _within(function: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    return lambda z: function(np.clip(z, -LARGEST_EXPONENT, LARGEST_EXPONENT))


_exp, _expm1, _cosh, _sinh = map(_within, (np.exp, np.expm1, np.cosh, np.sinh))


SUMS_OF_TWO = (Sum((1.0,)), Sum((-1.0,)))
SUMS_OF_THREE = (Sum((1.0, 1.0)), Sum((1.0, -1.0)), Sum((-1.0, -1.0)))
EXPONENTIAL = Function("exp(z)", _exp, lambda z, f: z, is_exponential=True)
FUNCTIONS = (
    EXPONENTIAL,
    Function("exp(z) - 1", _expm1, lambda z, f: z * (f + 1.0) / f),
    Function("exp(z) + 1", lambda z: _exp(z) + 1.0, lambda z, f: z * (f - 1.0) / f),
    Function("1 - exp(-z)", lambda z: -_expm1(-z), lambda z, f: z * (1.0 - f) / f),
    Function("sin(z)", np.sin, lambda z, f: z * np.cos(z) / f, crosses=True),
    Function("cos(z)", np.cos, lambda z, f: -z * np.sin(z) / f, crosses=True),
    Function("log(z)", lambda z: np.log(np.abs(z)), lambda z, f: 1.0 / f, crosses=True, is_logarithm=True),
    Function("log(1 + z)", np.log1p, lambda z, f: z / ((1.0 + z) * f)),
    Function("tanh(z)", np.tanh, lambda z, f: z * (1.0 - f * f) / f),
    Function("cosh(z)", _cosh, lambda z, f: z * np.tanh(z)),
    Function("sinh(z)", _sinh, lambda z, f: z / np.tanh(z)),
    Function("atan(z)", np.arctan, lambda z, f: z / ((1.0 + z * z) * f)),
)
_IDENTITY = Function("z", lambda z: z, lambda z, f: np.ones_like(z), is_identity=True)
# Of sums of columns, whether they change their sign; exp is a product, and of the others few laws are known.
_OF_SUMS = {"z": True, "exp(z) + 1": False, "exp(z) - 1": True, "sin(z)": True, "cos(z)": True, "log(z)": True,
            "tanh(z)": True, "atan(z)": True, "cosh(z)": False}  # fmt: skip
FUNCTIONS_OF_SUMS = tuple(
    replace(each, is_linear=True, crosses=_OF_SUMS[each.text])
    for each in (_IDENTITY, *FUNCTIONS)
    if each.text in _OF_SUMS
)


@dataclass(frozen=True)
class ScalingForm:
    """f(z)^p g(w)^q ...; where factors change their sign for groups that do not, the first one does."""

    factors: tuple[GroupFactor, ...]

    @cached_property
    def num_groups(self) -> int:
        return sum(factor.num_groups for factor in self.factors)

    @property
    def crosses(self) -> bool:
        return self.factors[0].crosses

    @property
    def operators(self) -> frozenset[str]:
        return frozenset().union(*(factor.operators for factor in self.factors))

    @property
    def bounded_groups(self) -> NDArray[np.bool_]:
        """Whether a group that grows past 1 makes a sum change its sign: (groups,)."""
        return np.array([sign < 0 for factor in self.factors for sign in (factor.signs or (1.0,))])

    @cached_property
    def linear_groups(self) -> NDArray[np.bool_]:
        """Whether a group is a sum of columns instead of a product of powers: (groups,)."""
        return np.array([factor.is_linear for factor in self.factors for _ in range(factor.num_groups)])

    def parts(self) -> Iterator[tuple[GroupFactor, slice]]:
        """The factors and the places of their groups."""
        start = 0
        for factor in self.factors:
            yield factor, slice(start, start + factor.num_groups)
            start += factor.num_groups

    def values_and_slopes(self, groups: Floats) -> tuple[Floats, Floats]:
        """Values (factors, ..., rows) for groups (groups, ..., rows), and slopes (factors, groups, ..., rows).

        The slopes are those of the logarithms of the factors' sizes over the logarithms of the groups' sizes, or over
        the groups where they are linear.
        """
        values = np.empty((len(self.factors), *groups.shape[1:]))
        slopes = np.zeros((len(self.factors), *groups.shape))
        for place, (factor, own) in enumerate(self.parts()):
            values[place], slopes[place, own] = factor.values_and_slopes(groups[own])
        return values, slopes


def write_linear(number: float, coefficients: Floats, variables: Sequence[Expression]) -> Expression:
    """Number + coefficients . variables, without those that are 0."""
    total = constant(number)
    for each, coefficient in zip(variables, coefficients.tolist(), strict=True):
        if coefficient:
            total = apply("add", total, apply("mul", constant(coefficient), each))
    return total


def make_single_forms(factors: Sequence[GroupFactor]) -> list[ScalingForm]:
    """One factor."""
    return [ScalingForm((factor,)) for factor in factors]


def make_paired_forms(first: Sequence[GroupFactor], second: Sequence[GroupFactor]) -> list[ScalingForm]:
    """Two factors, one that changes its sign in front; each pair once."""
    pairs = {frozenset((one, other)): (one, other) for one in first for other in second}
    return [ScalingForm(tuple(sorted(pair, key=lambda factor: not factor.crosses))) for pair in pairs.values()]
