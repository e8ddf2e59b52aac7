"""Views of the target: what it becomes when outer functions or known parts are undone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.proposal.views.steps import COMMON, INVERTIBLE, find_branches

Floats = NDArray[np.float64]

# The functions that are undone, the likeliest first.
FUNCTIONS = (*COMMON, *(name for name in INVERTIBLE if name not in COMMON))
# Those whose values have one sign: the target or its negative may be one.
ONE_SIGNED = ("exp", "sq", "sqrt", "cosh")
# Undone one after the other they give the target back or an affine copy of it, or are one function in disguise.
OPPOSITES = {("inv", "inv"), ("exp", "log"), ("log", "exp"), ("sq", "sqrt"), ("sqrt", "sq"), ("exp", "inv")}
OPPOSITES |= {("sin", "cos"), ("inv", "exp"), ("sin", "asin"), ("cos", "acos")}
# Variation of a view, as a share of its size, that is rounding.
LEAST_VARIATION = 1e-8


@dataclass(frozen=True)
class View:
    """g = forward(target); `undo` writes the target as a formula in the formula of g.

    extras: library entries that may join the relation with free coefficients, each with whether it multiplies g.
    is_linear: `undo` of a sum is the sum of `undo` of its terms.
    """

    forward: Callable[[Floats], Floats]
    undo: Callable[[Expression], Expression]
    is_linear: bool = False
    extras: tuple[tuple[int, bool], ...] = ()

    def with_extras(self, *entries: int, is_times: bool = False) -> View:
        """The view with entries free to join the relation."""
        return replace(self, extras=(*self.extras, *((entry, is_times) for entry in entries)))

    def further(
        self, undo: Callable[[Floats], Floats], write: Callable[[Expression], Expression], is_linear: bool = False
    ) -> View:
        """The view of this view: with one more operation undone on its values, and written around its formula."""
        return View(lambda given: undo(self.forward(given)), lambda inner: self.undo(write(inner)), is_linear)

    def values(self, target: Floats) -> Floats:
        """The view in each row; not finite where the target is out of range."""
        with np.errstate(all="ignore"):
            return self.forward(target)


@dataclass(frozen=True, eq=False)
class KnownPart:
    """A small entry of the library that is tried as a part of the law; values: (rows,)."""

    entry: int
    formula: Expression
    values: Floats

    def as_factor(self, view: View) -> View:
        """The view with the factor undone."""
        write = partial(apply, "mul", self.formula)
        return view.further(lambda values: values / self.values, write, view.is_linear)

    def as_divisor(self, view: View) -> View:
        """The view with the divisor undone."""
        return view.further(
            lambda values: values * self.values, lambda inner: apply("div", inner, self.formula), view.is_linear
        )

    def as_term(self, view: View, sign: float) -> View:
        """The view with a term of coefficient 1 or -1 undone, so that the rest may be a product."""
        name = "add" if sign > 0 else "sub"
        return view.further(lambda values: values - sign * self.values, lambda inner: apply(name, inner, self.formula))


def scale_to_user(exponent: int) -> View:
    """The target in the user's units, of which the table took out a power of two."""
    if exponent == 0:
        return View(lambda target: target, lambda inner: inner, is_linear=True)
    factor = constant(math.ldexp(1.0, -exponent))
    return View(lambda target: np.ldexp(target, exponent), lambda inner: apply("mul", factor, inner), is_linear=True)


def keep_usable(views: Iterable[View], target: Floats) -> Iterator[View]:
    """Those that are finite and not constant on every row."""
    for view in views:
        values = view.values(target)
        if np.all(np.isfinite(values)) and np.ptp(values) > LEAST_VARIATION * np.max(np.abs(values)):
            yield view


def undo_function(view: View, function: str, target: Floats) -> Iterator[View]:
    """The view with an outer function undone; both signs where only one of them is in the function's range."""
    values = view.values(target)
    for sign in (1.0, -1.0) if function in ONE_SIGNED else (1.0,):
        # Squaring forgets the sign, so a root is undone only where all values have one sign.
        if function != "sqrt" or np.all(sign * values >= 0):
            yield _undone(view, function, sign)


def _undone(view: View, function: str, sign: float) -> View:
    undo = find_branches(function)[0].undo

    def write(inner: Expression) -> Expression:
        value = apply(function, inner)
        return value if sign > 0 else apply("neg", value)

    return view.further(lambda values: undo(sign * values), write)


def undo_one(first: View, functions: Sequence[str], target: Floats) -> Iterator[View]:
    """The target, and it with one function undone."""
    yield first
    for outer in functions:
        yield from undo_function(first, outer, target)


def undo_two(first: View, functions: Sequence[str], target: Floats) -> Iterator[View]:
    """The target with two functions undone, or with one undone after a step by 1."""
    common = [outer for outer in functions if outer in COMMON]
    for outer in functions:
        for view in undo_function(first, outer, target):
            for inner in common:
                if (outer, inner) not in OPPOSITES:
                    yield from undo_function(view, inner, target)
    for number in (1.0, -1.0):
        shifted = first.further(partial(np.add, -number), partial(apply, "add", constant(number)))
        for outer in common:
            if outer != "inv":
                yield from undo_function(shifted, outer, target)


def take_part(first: View, parts: Sequence[KnownPart]) -> Iterator[View]:
    """The target less a part in each way in which it may take part: factor, divisor, term."""
    for part in parts:
        yield first.with_extras(part.entry)
        yield part.as_factor(first)
        yield part.as_divisor(first)
        yield first.with_extras(part.entry, is_times=True)
        yield part.as_term(first, 1.0)
        yield part.as_term(first, -1.0)


def take_two_parts(first: View, parts: Sequence[KnownPart]) -> Iterator[View]:
    """The target with two parts free as terms, or with one as a factor or divisor and another as a term."""
    for one, other in combinations(parts, 2):
        yield first.with_extras(one.entry, other.entry)
    for one in parts:
        for peeled in (one.as_factor(first), one.as_divisor(first)):
            for other in parts:
                yield peeled.with_extras(other.entry)


def take_part_and_undo(
    first: View, parts: Sequence[KnownPart], functions: Sequence[str], target: Floats
) -> Iterator[View]:
    """The target less a part, then with one function undone."""
    for part in parts:
        ways = (part.as_factor(first), part.as_divisor(first), part.as_term(first, 1.0), part.as_term(first, -1.0))
        for view in ways:
            for outer in functions:
                if outer != "inv":  # a quotient of sums needs no inverse
                    yield from undo_function(view, outer, target)
