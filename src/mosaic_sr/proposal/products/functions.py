"""The factors f of scaling laws c x^a f(k x^b)^p: functions of a group of columns, sums of 1 and signed groups.

`ScalingForm`: the factors that stand behind the product in front, each with groups and a power of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant

Floats = NDArray[np.float64]
ONE = constant(1.0)
# Exponentials beyond this are of no use for a start and would overflow on the way.
LARGEST_EXPONENT = 300.0


@dataclass(frozen=True)
class Function:
    """A function of one group z, which is a product of powers k x^b or, where it is linear, a sum k + b.x.

    value: f(z).  slope: z f'(z) / f(z), from z and f(z), which is the slope of log|f| over log|z|.
    operators: what it takes to write f beside products and powers.  crosses: whether f changes its sign for z > 0.
    is_exponential: whether powers of f only change the number before z.
    is_logarithm: whether powers of z only change the number before f.  is_identity: whether multiples of z do so too.
    """

    name: str
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats, Floats], Floats]
    write: Callable[[Expression], Expression]
    operators: frozenset[str]
    crosses: bool = False
    is_exponential: bool = False
    is_logarithm: bool = False
    is_linear: bool = False
    is_identity: bool = False

    num_groups = 1
    signs = ()

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

    def values_and_slopes(self, groups: Floats) -> tuple[Floats, Floats]:
        """The sum (..., rows) for groups (groups, ..., rows), and slopes of its logarithm over those of the groups."""
        parts = np.reshape(self.signs, (-1, *[1] * (groups.ndim - 1))) * groups
        values = 1.0 + parts.sum(axis=0)
        return values, parts / values


GroupFactor = Function | Sum


def _exp(z: Floats) -> Floats:
    return np.exp(np.clip(z, -LARGEST_EXPONENT, LARGEST_EXPONENT))


def _expm1(z: Floats) -> Floats:
    return np.expm1(np.clip(z, -LARGEST_EXPONENT, LARGEST_EXPONENT))


def _cosh(z: Floats) -> Floats:
    return np.cosh(np.clip(z, -LARGEST_EXPONENT, LARGEST_EXPONENT))


def _sinh(z: Floats) -> Floats:
    return np.sinh(np.clip(z, -LARGEST_EXPONENT, LARGEST_EXPONENT))


def _named(name: str) -> Callable[[Expression], Expression]:
    return lambda z: apply(name, z)


SUMS_OF_TWO = (Sum((1.0,)), Sum((-1.0,)))
SUMS_OF_THREE = (Sum((1.0, 1.0)), Sum((1.0, -1.0)), Sum((-1.0, -1.0)))
EXPONENTIAL = Function("exp", _exp, lambda z, f: z, _named("exp"), frozenset({"exp"}), is_exponential=True)
FUNCTIONS = (
    EXPONENTIAL,
    Function(
        "exp z - 1",
        _expm1,
        lambda z, f: z * (f + 1.0) / f,
        lambda z: apply("sub", apply("exp", z), ONE),
        frozenset({"exp", "sub"}),
    ),
    Function(
        "exp z + 1",
        lambda z: _exp(z) + 1.0,
        lambda z, f: z * (f - 1.0) / f,
        lambda z: apply("add", apply("exp", z), ONE),
        frozenset({"exp", "add"}),
    ),
    Function(
        "1 - exp(-z)",
        lambda z: -_expm1(-z),
        lambda z, f: z * (1.0 - f) / f,
        lambda z: apply("sub", ONE, apply("exp", apply("neg", z))),
        frozenset({"exp", "sub", "neg"}),
    ),
    Function("sin", np.sin, lambda z, f: z * np.cos(z) / f, _named("sin"), frozenset({"sin"}), crosses=True),
    Function("cos", np.cos, lambda z, f: -z * np.sin(z) / f, _named("cos"), frozenset({"cos"}), crosses=True),
    Function(
        "log",
        lambda z: np.log(np.abs(z)),
        lambda z, f: 1.0 / f,
        _named("log"),
        frozenset({"log"}),
        crosses=True,
        is_logarithm=True,
    ),
    Function(
        "log(1 + z)",
        np.log1p,
        lambda z, f: z / ((1.0 + z) * f),
        lambda z: apply("log", apply("add", ONE, z)),
        frozenset({"log", "add"}),
    ),
    Function("tanh", np.tanh, lambda z, f: z * (1.0 - f * f) / f, _named("tanh"), frozenset({"tanh"})),
    Function("cosh", _cosh, lambda z, f: z * np.tanh(z), _named("cosh"), frozenset({"cosh"})),
    Function("sinh", _sinh, lambda z, f: z / np.tanh(z), _named("sinh"), frozenset({"sinh"})),
    Function("atan", np.arctan, lambda z, f: z / ((1.0 + z * z) * f), _named("atan"), frozenset({"atan"})),
)
_IDENTITY = Function("z", lambda z: z, lambda z, f: np.ones_like(z), lambda z: z, frozenset({"add"}), is_identity=True)
# Of sums of columns, whether they change their sign; exp is a product, and of the others few laws are known.
_OF_SUMS = {"z": True, "exp z + 1": False, "exp z - 1": True, "sin": True, "cos": True, "log": True, "tanh": True,
            "atan": True, "cosh": False}  # fmt: skip
FUNCTIONS_OF_SUMS = tuple(
    replace(each, is_linear=True, crosses=_OF_SUMS[each.name])
    for each in (_IDENTITY, *FUNCTIONS)
    if each.name in _OF_SUMS
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


def single_forms(factors: Sequence[GroupFactor]) -> list[ScalingForm]:
    """One factor."""
    return [ScalingForm((factor,)) for factor in factors]


def paired_forms(first: Sequence[GroupFactor], second: Sequence[GroupFactor]) -> list[ScalingForm]:
    """Two factors, one that changes its sign in front; each pair once."""
    pairs = {frozenset((one, other)): (one, other) for one in first for other in second}
    return [ScalingForm(tuple(sorted(pair, key=lambda factor: not factor.crosses))) for pair in pairs.values()]
