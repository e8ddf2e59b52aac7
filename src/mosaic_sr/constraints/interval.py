"""Interval arithmetic over expressions: for each of many boxes, a range that holds every value of the expression.

A range holds the values that are numbers: where a function has no value, as log has none below 0, nothing is held, and
a range of NaN holds nothing at all. Ranges are widened by more than the rounding of the functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression, operator_names, substituted
from mosaic_sr.expressions.parser import parse
from mosaic_sr.operators import CONSTANT, NAMES, VARIABLE, Operator, operator_of

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Functions of numpy are right to four units in the last place, and a division here takes two steps of half a unit.
SLACK = 8.0 * float(np.finfo(np.float64).eps)
# Below the normal numbers a relative share is nothing.
TINY = 1e-300
# Beyond this an argument of a wave is known to less than a hundredth of a turn at the slack above.
FAR = 1e12
_TURN = 2.0 * np.pi
LARGEST = float(np.finfo(np.float64).max)


class Interval(NamedTuple):
    """Ranges of values, one for each box: (boxes,) each.

    is_whole: whether the expression has a value everywhere in the box and is continuous there.
    """

    low: Floats
    high: Floats
    is_whole: Mask


Rule = Callable[..., Interval]


def _widened(low: Floats, high: Floats, *operands: Interval, is_whole: Mask | None = None) -> Interval:
    """The range, a little larger; what is not a number becomes unbounded, and nothing stays nothing."""
    empty, whole = np.isnan(operands[0].low), operands[0].is_whole
    for operand in operands[1:]:
        empty, whole = empty | np.isnan(operand.low), whole & operand.is_whole
    whole = whole & ~empty if is_whole is None else whole & is_whole & ~empty
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    # What is too large for float64 is still larger than its largest number.
    low, high = np.minimum(low, LARGEST), np.maximum(high, -LARGEST)
    low = low - np.where(low == 0.0, 0.0, SLACK * np.abs(low) + TINY)
    high = high + np.where(high == 0.0, 0.0, SLACK * np.abs(high) + TINY)
    return Interval(np.where(empty, np.nan, low), np.where(empty, np.nan, high), whole)


def _within(found: Interval, least: float, most: float) -> Interval:
    """The range cut to what the function can reach."""
    return Interval(np.maximum(found.low, least), np.minimum(found.high, most), found.is_whole)


def _cut(operand: Interval, least: float, most: float) -> Interval:
    """The operand within the domain of a function; nothing where it is outside."""
    is_outside = (operand.high < least) | (operand.low > most)
    low, high = np.maximum(operand.low, least), np.minimum(operand.high, most)
    whole = operand.is_whole & (operand.low >= least) & (operand.high <= most)
    return Interval(np.where(is_outside, np.nan, low), np.where(is_outside, np.nan, high), whole)


def _times(x: Floats, y: Floats) -> Floats:
    """The product of two ends; an infinite end is no value, so that zero times it is zero."""
    return np.where((x == 0.0) | (y == 0.0), 0.0, x * y)


def add(a: Interval, b: Interval) -> Interval:
    return _widened(a.low + b.low, a.high + b.high, a, b)


def sub(a: Interval, b: Interval) -> Interval:
    return _widened(a.low - b.high, a.high - b.low, a, b)


def neg(a: Interval) -> Interval:
    return Interval(-a.high, -a.low, a.is_whole)


def mul(a: Interval, b: Interval) -> Interval:
    ends = np.array([_times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)])
    return _widened(ends.min(axis=0), ends.max(axis=0), a, b)


def inv(a: Interval) -> Interval:
    has_zero = (a.low <= 0.0) & (a.high >= 0.0)
    low = np.where(has_zero & ~(a.low == 0.0), -np.inf, 1.0 / a.high)
    high = np.where(has_zero & ~(a.high == 0.0), np.inf, 1.0 / a.low)
    low = np.where((a.low == 0.0) & (a.high == 0.0), -np.inf, low)
    high = np.where(a.low == 0.0, np.inf, high)
    low = np.where(a.high == 0.0, -np.inf, low)
    return _widened(low, high, a, is_whole=~has_zero)


def div(a: Interval, b: Interval) -> Interval:
    return mul(a, inv(b))


def sq(a: Interval) -> Interval:
    ends = np.square(np.array([a.low, a.high]))
    low = np.where((a.low <= 0.0) & (a.high >= 0.0), 0.0, ends.min(axis=0))
    return _within(_widened(low, ends.max(axis=0), a), 0.0, np.inf)


def absolute(a: Interval) -> Interval:
    ends = np.abs(np.array([a.low, a.high]))
    low = np.where((a.low <= 0.0) & (a.high >= 0.0), 0.0, ends.min(axis=0))
    return _within(_widened(low, ends.max(axis=0), a), 0.0, np.inf)


def _rising(function: Callable[[Floats], Floats], least: float = -np.inf, most: float = np.inf) -> Rule:
    """The rule of a function that rises everywhere and stays between two values."""

    def rule(a: Interval) -> Interval:
        return _within(_widened(function(a.low), function(a.high), a), least, most)

    return rule


def sqrt(a: Interval) -> Interval:
    inside = _cut(a, 0.0, np.inf)
    return _within(_widened(np.sqrt(inside.low), np.sqrt(inside.high), inside), 0.0, np.inf)


def log(a: Interval) -> Interval:
    inside = _cut(a, 0.0, np.inf)
    return _widened(np.log(inside.low), np.log(inside.high), inside, is_whole=inside.low > 0.0)


def arcsin(a: Interval) -> Interval:
    inside = _cut(a, -1.0, 1.0)
    return _widened(np.arcsin(inside.low), np.arcsin(inside.high), inside)


def arccos(a: Interval) -> Interval:
    inside = _cut(a, -1.0, 1.0)
    return _within(_widened(np.arccos(inside.high), np.arccos(inside.low), inside), 0.0, np.inf)


def cosh(a: Interval) -> Interval:
    size = absolute(a)
    return _within(_widened(np.cosh(size.low), np.cosh(size.high), a), 1.0, np.inf)


def _has_turn(a: Interval, place: float, period: float) -> Mask:
    """Whether a range holds a number `place` plus whole periods; near ones count, because ends are rounded."""
    margin = SLACK * (np.abs(a.low) + np.abs(a.high) + 1.0)
    return np.floor((a.high + margin - place) / period) > np.floor((a.low - margin - place) / period)


def _is_far(a: Interval) -> Mask:
    return ~(np.abs(a.low) < FAR) | ~(np.abs(a.high) < FAR)


def _wave(function: Callable[[Floats], Floats], top: float) -> Rule:
    """The rule of a sine that is 1 at `top` and -1 half a turn later."""

    def rule(a: Interval) -> Interval:
        ends = np.array([function(a.low), function(a.high)])
        low = np.where(_is_far(a) | _has_turn(a, top + np.pi, _TURN), -1.0, ends.min(axis=0))
        high = np.where(_is_far(a) | _has_turn(a, top, _TURN), 1.0, ends.max(axis=0))
        return _within(_widened(low, high, a), -1.0, 1.0)

    return rule


def tan(a: Interval) -> Interval:
    has_pole = _is_far(a) | _has_turn(a, 0.5 * np.pi, np.pi)
    low, high = np.where(has_pole, -np.inf, np.tan(a.low)), np.where(has_pole, np.inf, np.tan(a.high))
    return _widened(low, high, a, is_whole=~has_pole)


def power(a: Interval, b: Interval) -> Interval:
    """The power; to the exponent 0 also what is not a number has the value 1, and 1 has it to any exponent."""
    found = _power(a, b)
    may_be_one = ~a.is_whole & ~((b.low > 0.0) | (b.high < 0.0)) | ~b.is_whole & ~((a.low > 1.0) | (a.high < 1.0))
    low, high = np.where(may_be_one, np.fmin(found.low, 1.0), found.low), np.fmax(found.high, 1.0)
    return Interval(low, np.where(may_be_one, high, found.high), found.is_whole)


def _power(a: Interval, b: Interval) -> Interval:
    """One number as exponent, as in most laws, else exp(b log a)."""
    exponent = float(b.low[0]) if len(b.low) and np.all(b.low == b.low[0]) and np.all(b.high == b.low) else np.nan
    if np.isfinite(exponent):
        return _number_power(a, exponent)
    raised = exp(mul(b, log(a)))
    # A negative base has values at whole exponents.
    is_unknown = a.low < 0.0
    low, high = np.where(is_unknown, -np.inf, raised.low), np.where(is_unknown, np.inf, raised.high)
    return Interval(low, high, raised.is_whole & ~is_unknown)


def _number_power(a: Interval, exponent: float) -> Interval:
    if exponent < 0.0:
        return inv(_number_power(a, -exponent))
    if not exponent.is_integer():
        inside = _cut(a, 0.0, np.inf)
        return _within(_widened(inside.low**exponent, inside.high**exponent, inside), 0.0, np.inf)
    if exponent % 2 == 1:
        return _widened(a.low**exponent, a.high**exponent, a)
    size = absolute(a)
    return _within(_widened(size.low**exponent, size.high**exponent, a), 0.0, np.inf)


exp = _rising(np.exp, 0.0)
RULES: dict[str, Rule] = {
    "add": add, "sub": sub, "mul": mul, "div": div, "pow": power, "neg": neg, "inv": inv, "sq": sq,
    "cube": _rising(lambda a: a * a * a), "sqrt": sqrt, "exp": exp, "log": log,
    "sin": _wave(np.sin, 0.5 * np.pi), "cos": _wave(np.cos, 0.0), "tan": tan, "tanh": _rising(np.tanh, -1.0, 1.0),
    "atan": _rising(np.arctan), "abs": absolute, "asin": arcsin, "acos": arccos, "sinh": _rising(np.sinh),
    "cosh": cosh,
}  # fmt: skip


@np.errstate(all="ignore")
def enclose(expression: Expression, lows: Floats, highs: Floats) -> Interval:
    """The ranges of an expression over boxes; lows, highs: (columns, boxes)."""
    plain = write_out(expression).expression
    stack: list[Interval] = []
    whole = np.ones(lows.shape[1], dtype=np.bool_)
    for code, slot in zip(plain.codes.tolist(), plain.slots.tolist(), strict=True):
        if code == VARIABLE:
            stack.append(Interval(lows[slot], highs[slot], whole))
        elif code == CONSTANT:
            value = np.full(len(whole), plain.constants[slot])
            stack.append(Interval(value, value, whole))
        else:
            operator = operator_of(code)
            operands = stack[len(stack) - operator.arity :]
            del stack[len(stack) - operator.arity :]
            stack.append(_applied(operator, operands))
    return stack[0]


def _applied(operator: Operator, operands: list[Interval]) -> Interval:
    """The rule of an operator: its own, that of its formula, or any value where neither is known."""
    if operator.name in RULES:
        return RULES[operator.name](*operands)
    formula = _formula_of(operator)
    if formula is not None:
        found = enclose(formula, np.array([one.low for one in operands]), np.array([one.high for one in operands]))
        return found._replace(is_whole=np.logical_and.reduce([found.is_whole, *(one.is_whole for one in operands)]))
    nowhere = np.zeros(len(operands[0].low), dtype=np.bool_)
    return Interval(np.full(len(nowhere), -np.inf), np.full(len(nowhere), np.inf), nowhere)


@cache
def _formula_of(operator: Operator) -> Expression | None:
    """The value of an operator of the table as an expression of those that have rules; None where it is no such."""
    return parsed_text(operator.value, tuple(RULES))


@cache
def parsed_text(text: str, known: tuple[str, ...] = NAMES) -> Expression | None:
    """A text of the operator table over `a`, `b` and `v` as columns 0, 1 and 2; None where it uses other functions."""
    try:
        formula = parse(text, ["a", "b", "v"])
    except InvalidFormula:
        return None
    return formula if operator_names(formula).issubset(known) else None


def chained(formula: Expression, operands: list[Expression], value: Expression) -> Expression:
    """A text of the operator table, parsed, over given operands and value."""
    places = {0: operands[0], 1: operands[-1], 2: value}
    return substituted(formula, {column: places[column] for column in formula.columns}) if formula.columns else formula
