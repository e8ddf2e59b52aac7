"""Identities of functions that hold wherever the written function has a value: calls, products and sums of calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from mosaic_sr.writing.expanding import multiplied_out
from mosaic_sr.writing.numbers import MOST_DIGITS, clean, is_short_base, significant_digits
from mosaic_sr.writing.sums import (
    ONE,
    Call,
    Sum,
    added,
    call,
    from_terms,
    number,
    power,
    product,
    scaled,
)

HALF = 0.5
# A law that says "doubles every ten degrees" has 2^(t/10).
STEPS = (1.0, 10.0, 100.0)
LARGEST_LOGARITHM = 20.0


def _cosine_of_sine(sine: Sum) -> Sum:
    return power(added(ONE, scaled(power(sine, 2.0), -1.0)), HALF)


def _secant(tangent: Sum) -> Sum:
    return power(added(ONE, power(tangent, 2.0)), HALF)


# What is left of a function of the inverse of one.
UNDONE: dict[tuple[str, str], Callable[[Sum], Sum]] = {
    ("sin", "asin"): lambda u: u,
    ("cos", "acos"): lambda u: u,
    ("tan", "atan"): lambda u: u,
    ("exp", "log"): lambda u: u,
    ("log", "exp"): lambda u: u,
    ("cos", "asin"): _cosine_of_sine,
    ("sin", "acos"): _cosine_of_sine,
    ("tan", "asin"): lambda u: product(u, power(_cosine_of_sine(u), -1.0)),
    ("tan", "acos"): lambda u: product(_cosine_of_sine(u), power(u, -1.0)),
    ("sin", "atan"): lambda u: product(u, power(_secant(u), -1.0)),
    ("cos", "atan"): lambda u: power(_secant(u), -1.0),
}
# Sine and cosine none to three quarters of a turn later, and whether the sign is the other one.
QUARTERS = {
    "sin": (("sin", 1.0), ("cos", 1.0), ("sin", -1.0), ("cos", -1.0)),
    "cos": (("cos", 1.0), ("sin", -1.0), ("cos", -1.0), ("sin", 1.0)),
}
EVEN, ODD = ("cos", "cosh", "abs"), ("sin", "tan", "tanh", "atan", "asin", "sinh")


def renamed_calls(one: Call) -> Iterator[Sum]:
    """Other words for a call."""
    argument = one.arguments[0]
    for sign in (1.0, -1.0) if one.name in EVEN + ODD else (1.0,):
        inner = _only_call(scaled(argument, sign))
        if inner is not None and (one.name, inner.name) in UNDONE:
            value = sign if one.name in ODD else 1.0
            yield product(number(value), UNDONE[one.name, inner.name](inner.arguments[0]))
    if one.name in EVEN + ODD:
        yield product(number(1.0 if one.name in EVEN else -1.0), call(one.name, scaled(argument, -1.0)))
    rules = {"exp": _of_exp, "log": _of_log, "pow": _of_power, "abs": _of_abs, "tan": _of_tan}
    if one.name in rules:
        yield from rules[one.name](one)
    if one.name in QUARTERS:
        yield from _of_wave(one)


def _only_call(one: Sum) -> Call | None:
    """The call that a sum is."""
    if len(one.terms) == 1 and one.terms[0][0] == 1.0 and len(one.terms[0][1]) == 1:
        base, exponent = one.terms[0][1][0]
        if isinstance(base, Call) and exponent == 1.0:
            return base
    return None


def _of_exp(one: Call) -> Iterator[Sum]:
    """exp(k*log(u) + v + c) is u^k * exp(v) * e^c; a factor is centred by who knows the sum around it."""
    argument = multiplied_out(one.arguments[0])
    powers, others, offset = list[Sum](), list[Sum](), 0.0
    for value, factors in argument.terms:
        logs = [base for base, exponent in factors if isinstance(base, Call) and base.name == "log" and exponent == 1.0]
        if not factors:
            offset = value
        elif logs:
            rest = from_terms([(value, tuple(each for each in factors if each[0] != logs[0]))])
            powers.append(_raised(logs[0].arguments[0], rest))
        else:
            others.append(Sum(((value, factors),)))
    if powers or offset:
        growth = [call("exp", added(*others))] if others else []
        yield product(number(math.exp(offset)), *powers, *growth)
    if len(argument.terms) == 1 and argument != one.arguments[0]:
        yield call("exp", argument)
    yield from _powers_of_short_numbers(one.arguments[0])


def _powers_of_short_numbers(argument: Sum) -> Iterator[Sum]:
    """exp(k*u) is c^(u/10) where k has many digits and c = e^(10*k) has few, as in temperature coefficients."""
    if len(argument.terms) != 1 or significant_digits(argument.terms[0][0]) <= MOST_DIGITS:
        return
    value, factors = argument.terms[0]
    for step in STEPS:
        base = clean(math.exp(value * step)) if abs(value * step) < LARGEST_LOGARITHM else 0.0
        if is_short_base(base):
            yield call("pow", number(base), product(number(1.0 / step), Sum(((1.0, factors),))))


def _raised(base: Sum, exponent: Sum) -> Sum:
    return power(base, exponent.number) if exponent.is_number else call("pow", base, exponent)


def _of_log(one: Call) -> Iterator[Sum]:
    """log(c * u^k * exp(v)) is log(c) + k*log(u) + v, each part only where it is positive wherever the whole is."""
    argument = one.arguments[0]
    if len(argument.terms) != 1:
        return
    value, factors = argument.terms[0]
    growth = [(base, e) for base, e in factors if isinstance(base, Call) and base.name == "exp"]
    rest = tuple(each for each in factors if each not in growth)
    exponents = [scaled(base.arguments[0], e) for base, e in growth]
    if growth:
        yield added(call("log", Sum(((value, rest),))), *exponents)
    if value > 0.0 and value != 1.0 and rest:
        yield added(number(math.log(value)), call("log", Sum(((1.0, rest),))), *exponents)
    if value == 1.0 and len(rest) == 1 and not growth and rest[0][1] != 1.0:
        base, exponent = rest[0]
        inner = Sum(((1.0, ((base, 1.0),)),))
        yield product(number(exponent), call("log", call("abs", inner) if exponent % 2.0 == 0.0 else inner))


def _of_power(one: Call) -> Iterator[Sum]:
    """c^u is exp(u * log c); (u^k)^v is u^(k*v) where u is positive, as it must be."""
    base, exponent = one.arguments
    if base.is_number and base.number > 0.0 and base.number != 1.0:
        yield call("exp", product(number(math.log(base.number)), exponent))
    if len(base.terms) == 1 and base.terms[0][0] == 1.0 and len(base.terms[0][1]) == 1:
        inner, deeper = base.terms[0][1][0]
        if deeper == -1.0:
            yield call("pow", Sum(((1.0, ((inner, 1.0),)),)), scaled(exponent, -1.0))
        if isinstance(inner, Call) and inner.name == "exp":
            yield call("exp", product(number(deeper), inner.arguments[0], exponent))


def _of_abs(one: Call) -> Iterator[Sum]:
    """abs(c*u) is abs(c)*abs(u)."""
    argument = one.arguments[0]
    if len(argument.terms) == 1:
        value, factors = argument.terms[0]
        if value != 1.0:
            yield product(number(abs(value)), call("abs", Sum(((1.0, factors),))))
        if all(exponent % 2.0 == 0.0 or is_positive(base) for base, exponent in factors):
            yield Sum(((abs(value), factors),))


def is_positive(base: object) -> bool:
    """Whether a base has no negative values by its form."""
    return isinstance(base, Call) and base.name in ("exp", "abs", "cosh")


def _of_tan(one: Call) -> Iterator[Sum]:
    """tan(u/2 + pi/4) is tan(u) + 1/cos(u)."""
    argument = one.arguments[0]
    quarter = clean(math.pi / 4)
    if any(value == quarter and not factors for value, factors in argument.terms):
        angle = scaled(added(argument, number(-quarter)), 2.0)
        yield added(call("tan", angle), power(call("cos", angle), -1.0))


def _of_wave(one: Call) -> Iterator[Sum]:
    """A sine or cosine up to four quarters of a turn later, so that its phase may be short and within half a turn."""
    for argument in (multiplied_out(one.arguments[0]), _with_split_logarithms(one.arguments[0])):
        offset = next((value for value, factors in argument.terms if not factors), 0.0)
        if offset != 0.0:
            yield from _quarters_later(one.name, argument, offset)


def _with_split_logarithms(argument: Sum) -> Sum:
    """A sum whose logarithms log(c*u) are log(c) + log(u)."""
    parts = []
    for value, factors in argument.terms:
        base, exponent = factors[0] if len(factors) == 1 else (None, 0.0)
        split = None
        if isinstance(base, Call) and base.name == "log" and exponent == 1.0:
            split = next((form for form in _of_log(base) if len(form.terms) > 1), None)
        parts.append(Sum(((value, factors),)) if split is None else scaled(split, value))
    return added(*parts)


def _quarters_later(name_before: str, argument: Sum, offset: float) -> Iterator[Sum]:
    nearest = round(offset / (math.pi / 2))
    for quarters in range(nearest - 4, nearest + 5):
        name, sign = QUARTERS[name_before][quarters % 4]
        moved = added(argument, number(-quarters * math.pi / 2))
        yield product(number(sign), call(name, moved))
