"""`Loss`: how bad a value f of a law is where the target is y, by name or as a formula in y and f."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from mosaic_sr.errors import InvalidFormula, InvalidSettings, InvalidTable
from mosaic_sr.expressions.expression import Expression, apply, constant, substituted, variable
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting.slopes import slopes

Floats = NDArray[np.float64]
# (y, f, turn) to one number per row; turn: the error from which `huber` grows no faster than in proportion.
OfRows = Callable[[Floats, Floats, float], Floats]

SQUARED = "squared"
# Where Huber's loss turns, in standard deviations of normal noise: the usual figure, 95 % as efficient as squares.
HUBER_TURN = 1.345
# Steps from the target, in its standard deviation, at which a loss must not be less than at the target itself.
STEPS = (1e-3, 1e-2, 0.1, 1.0)
# Rounding in a formula, relative to its size.
ROUNDING = 1e-9
# Rows on which a loss is tried; more say no more.
MOST_ROWS = 2000


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss of each row; both functions take targets and values of a law, (rows,).

    text: its name or its formula.  excess: the loss beyond that of f = y, 0 or larger; infinite where it has no value.
    slope: derivative by f.  turn: see `OfRows`.
    """

    text: str
    of_rows: OfRows
    slope_of_rows: OfRows
    turn: float = math.inf

    @np.errstate(all="ignore")
    def excess(self, y: Floats, f: Floats) -> Floats:
        beyond = self.of_rows(y, f, self.turn) - self.of_rows(y, y, self.turn)
        return np.where(np.isnan(beyond) | ~np.isfinite(f), np.inf, np.maximum(beyond, 0.0))

    @np.errstate(all="ignore")
    def slope(self, y: Floats, f: Floats) -> Floats:
        return np.nan_to_num(self.slope_of_rows(y, f, self.turn), nan=0.0, posinf=0.0, neginf=0.0)

    def turning_at(self, deviation: float) -> Loss:
        """The loss for rows whose usual error is so large; only `huber` heeds it."""
        return replace(self, turn=HUBER_TURN * deviation) if self.text == "huber" and deviation > 0.0 else self

    def mean(self, y: Floats, f: Floats, weights: Floats) -> float:
        """The weighted mean over the rows; weights: (rows,) or (0,) for ones."""
        return float(np.average(self.excess(y, f), weights=weights if len(weights) else None))


def _huber(y: Floats, f: Floats, turn: float) -> Floats:
    size = np.abs(f - y)
    return np.where(size <= turn, 0.5 * np.square(size), turn * (size - 0.5 * turn) if turn < math.inf else size)


LOSSES: Mapping[str, tuple[OfRows, OfRows]] = {
    SQUARED: (lambda y, f, _: np.square(f - y), lambda y, f, _: 2.0 * (f - y)),
    "absolute": (lambda y, f, _: np.abs(f - y), lambda y, f, _: np.sign(f - y)),
    "relative": (lambda y, f, _: np.square((f - y) / y), lambda y, f, _: 2.0 * (f - y) / np.square(y)),
    "huber": (_huber, lambda y, f, turn: np.clip(f - y, -turn, turn)),
    # Half the deviance: with the logarithm of f the formula has no value below 0.
    "poisson": (
        lambda y, f, _: np.where(f >= 0.0, f - y - xlogy(y, f) + xlogy(y, y), np.inf),
        lambda y, f, _: 1.0 - y / f,
    ),
}
EXAMPLE = "abs(y - f)/(1 + abs(y))"


def to_loss(text: object) -> Loss:
    """The loss of a name or a formula; InvalidSettings says what is wrong with it."""
    if isinstance(text, str) and text in LOSSES:
        return Loss(text, *LOSSES[text])
    names = ", ".join(LOSSES)
    if not isinstance(text, str) or not text.strip():
        raise InvalidSettings(f"loss must be one of {names}, or a formula such as {EXAMPLE!r}, got {text!r:.60}")
    if text.strip().isidentifier() and text.strip() not in ("y", "f"):
        raise InvalidSettings(f"unknown loss {text!r}; the losses are {names}, or a formula such as {EXAMPLE!r}")
    return _of_formula(text)


def _of_formula(text: str) -> Loss:
    try:
        formula = parse(text, ["y", "f"])
    except InvalidFormula as error:
        raise InvalidSettings(
            f"loss {text!r}: {str(error).splitlines()[0]}; a loss is a formula in y, the target, and f, the value of "
            "the law, and no columns"
        ) from error
    if np.any(np.isnan(formula.constants)):
        raise InvalidSettings(f"loss {text!r} has an open constant _; write a number instead")
    if formula.columns != (0, 1):
        raise InvalidSettings(f"loss {text!r} must contain both y, the target, and f, the value of the law")
    return Loss(text, _values_of(formula), _slopes_of(formula))


def _values_of(formula: Expression) -> OfRows:
    return lambda y, f, _: evaluate_expression(formula, np.array([y, f]))


def _slopes_of(formula: Expression) -> OfRows:
    """The derivative by f, as that by a constant 0 that is added to f."""
    marker = math.pi  # found again among the constants, and then set to 0
    moved = substituted(formula, {0: variable(0), 1: apply("add", variable(1), constant(marker))})
    places = np.flatnonzero(moved.constants == marker)
    values = np.where(moved.constants == marker, 0.0, moved.constants)
    own = moved.with_constants(values)
    return lambda y, f, _: np.asarray(slopes(own, np.array([y, f]))[places].sum(axis=0))


@np.errstate(all="ignore")
def refuse_unfit_target(loss: Loss, target: Floats) -> None:
    """Refuse a loss that is not finite, or not least, where the law's value is the target of a row.

    target: (rows,) in the user's units.
    """
    if loss.text == SQUARED:
        return
    y = target[:: max(1, len(target) // MOST_ROWS)]
    _refuse_by_name(loss.text, y)
    least = loss.of_rows(y, y, loss.turn)
    if not np.all(np.isfinite(least)):
        bad = float(y[np.argmax(~np.isfinite(least))])
        raise InvalidTable(
            f"the loss {loss.text!r} has no finite value for f = y = {bad:g}; it must have one in every row"
        )
    spread = float(np.std(y)) or 1.0
    for step in STEPS:
        for moved in (y + step * spread, y - step * spread):
            beyond = loss.of_rows(y, moved, loss.turn) - least
            is_less = beyond < -ROUNDING * np.maximum(np.abs(least), 1e-300)
            if np.any(is_less):
                row = int(np.argmax(is_less))
                raise InvalidTable(
                    f"the loss {loss.text!r} is not least at f = y: for y = {y[row]:g} it is less at "
                    f"f = {moved[row]:g}; a loss must be least where the law gives the target"
                )
    if not np.any(beyond > 0.0):
        raise InvalidTable(f"the loss {loss.text!r} does not grow with the distance of f from y")


def _refuse_by_name(name: str, y: Floats) -> None:
    if name == "relative" and np.any(y == 0.0):
        raise InvalidTable(
            f"the loss 'relative' divides by the target, which is 0 in {np.count_nonzero(y == 0.0)} rows; leave these "
            "rows out, or use a formula such as '(f - y)^2/(1 + y^2)'"
        )
    if name == "poisson" and np.any(y < 0.0):
        raise InvalidTable(
            f"the loss 'poisson' is for counts, but the target is negative in {np.count_nonzero(y < 0.0)} rows; use "
            "another loss"
        )
