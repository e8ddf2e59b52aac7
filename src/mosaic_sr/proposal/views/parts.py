"""Views of the target: what it becomes when an outer function or a known part is undone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.proposal.views.steps import COMMON, INVERTIBLE, branches_of

Floats = NDArray[np.float64]
Forward = Callable[[Floats], Floats]
Undo = Callable[[Expression], Expression]


@dataclass(frozen=True)
class View:
    """g = forward(target); `undo` writes the target as a formula in the formula of g.

    extras: library entries that may join the relation with free coefficients, each with whether it multiplies g.
    cost: how much the view adds to the size of a law.
    is_linear: `undo` of a sum is the sum of `undo` of its terms.
    """

    forward: Forward
    undo: Undo
    cost: int
    extras: tuple[tuple[int, bool], ...] = ()
    is_linear: bool = False

    def with_extras(self, *entries: int, is_times: bool = False, cost: int = 0) -> View:
        """The view with entries free to join the relation."""
        extras = (*self.extras, *((entry, is_times) for entry in entries))
        return replace(self, extras=extras, cost=self.cost + cost)


# The functions that are undone, the likeliest first; those that are not common cost one more and come one size later.
FUNCTIONS = (*COMMON, *(name for name in INVERTIBLE if name not in COMMON))


def identity_view() -> View:
    """The target as it is."""
    return View(lambda target: target, lambda inner: inner, 0, is_linear=True)


def undone_views(view: View, function: str, target: Floats) -> Iterator[View]:
    """The view with an outer function undone; both signs where only one of them is in the function's range."""
    values = _quiet(view.forward, target)
    signs = (1.0, -1.0) if function in ("exp", "sq", "sqrt", "cosh") else (1.0,)
    for sign in signs:
        # Squaring forgets the sign, so a root is undone only where all values have one sign.
        if function == "sqrt" and not np.all(sign * values >= 0):
            continue
        yield _undone(view, function, sign)


def _undone(view: View, function: str, sign: float) -> View:
    undo = branches_of(function)[0].undo
    return View(
        lambda given: undo(sign * view.forward(given)),
        lambda inner: view.undo(_signed(apply(function, inner), sign)),
        view.cost + (1 if function in COMMON else 2),
    )


def divided(view: View, part: Floats, formula: Expression, cost: int) -> View:
    """The view with a known factor undone; part: (rows,), the factor's values."""
    return View(
        lambda given: view.forward(given) / part,
        lambda inner: view.undo(apply("mul", formula, inner)),
        view.cost + cost,
        is_linear=view.is_linear,
    )


def multiplied(view: View, part: Floats, formula: Expression, cost: int) -> View:
    """The view with a known divisor undone."""
    return View(
        lambda given: view.forward(given) * part,
        lambda inner: view.undo(apply("div", inner, formula)),
        view.cost + cost,
        is_linear=view.is_linear,
    )


def lessened(view: View, part: Floats, formula: Expression, cost: int, sign: float) -> View:
    """The view with a known term undone: g = sign * part + the rest."""
    return View(
        lambda given: view.forward(given) - sign * part,
        lambda inner: view.undo(apply("add" if sign > 0 else "sub", inner, formula)),
        view.cost + cost,
    )


def shifted(view: View, number: float) -> View:
    """The view with a whole number subtracted."""
    return View(
        lambda given: view.forward(given) - number,
        lambda inner: view.undo(apply("add", constant(number), inner)),
        view.cost + 2,
    )


def scaled_to_table(exponent: int) -> View:
    """The target in the user's units, of which the table took out a power of two."""
    if exponent == 0:
        return identity_view()
    factor = constant(math.ldexp(1.0, -exponent))
    return View(lambda target: np.ldexp(target, exponent), lambda inner: apply("mul", factor, inner), 0, is_linear=True)


def usable_views(views: Iterable[View], target: Floats) -> Iterator[View]:
    """Those that are finite and not constant on every row."""
    for view in views:
        values = _quiet(view.forward, target)
        if np.all(np.isfinite(values)) and np.ptp(values) > 1e-8 * np.max(np.abs(values)):
            yield view


def _quiet(forward: Forward, target: Floats) -> Floats:
    with np.errstate(all="ignore"):
        return forward(target)


def _signed(formula: Expression, sign: float) -> Expression:
    return formula if sign > 0 else apply("neg", formula)
