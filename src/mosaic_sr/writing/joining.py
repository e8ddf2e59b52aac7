"""Factors of a term that are one together: equal roots, magnitudes, sines over cosines, powers of powers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mosaic_sr.writing.sums import (
    Base,
    Call,
    Factor,
    Factors,
    Sum,
    added,
    call,
    from_factors,
    from_terms,
    number,
    power,
    product,
    scaled,
)


def is_call(base: Base, *names: str) -> bool:
    """Whether a base is a call of one of these functions."""
    return isinstance(base, Call) and base.name in names


def joined_factors(one: Sum) -> Iterator[Sum]:
    """Each term with factors that are one together: equal roots, magnitudes, sines over cosines."""
    for place, (value, factors) in enumerate(one.terms):
        others = Sum((*one.terms[:place], *one.terms[place + 1 :])) if len(one.terms) > 1 else number(0.0)
        for found in _joined(factors):
            yield added(others, product(number(value), found))


def _joined(factors: Factors) -> Iterator[Sum]:
    roots = [(base, e) for base, e in factors if e != int(e)]
    for size in dict.fromkeys(abs(e) for _, e in roots):
        alike = [(base, e) for base, e in roots if abs(e) == size]
        for turn in (1.0, -1.0):
            inside = product(*(power(_as_sum(base), math.copysign(1.0, e * turn)) for base, e in alike))
            if len(alike) > 1 or (turn > 0.0 and _is_below_line(alike[0])):
                yield product(from_factors(1.0, _less(factors, alike)), power(inside, size * turn))
    halves = [(base, e) for base, e in roots if (2.0 * e) == int(2.0 * e)]
    if len(halves) > 1 and any(abs(e) != 0.5 for _, e in halves):
        inside = product(*(power(_as_sum(base), 2.0 * e) for base, e in halves))
        yield product(from_factors(1.0, _less(factors, halves)), power(inside, 0.5))
    for base, exponent in roots:
        if isinstance(base, Sum) and len(base.terms) == 1:
            yield from _out_of_root(factors, base, exponent)
    magnitudes = [(base, e) for base, e in factors if is_call(base, "abs")]
    if len(magnitudes) > 1:
        parts = (power(base.arguments[0], e) for base, e in magnitudes if isinstance(base, Call))
        yield product(from_factors(1.0, _less(factors, magnitudes)), call("abs", product(*parts)))
    yield from _quotients_of_waves(factors)
    yield from _powers_of_calls(factors)
    yield from _saturations(factors)


def _saturations(factors: Factors) -> Iterator[Sum]:
    """(exp(u) - 1)/(exp(u) + 1) is tanh(u/2), and upside down."""
    for base, exponent in factors:
        if not isinstance(base, Sum) or abs(exponent) != 1.0 or len(base.terms) != 2:
            continue
        one, growth = sorted(base.terms, key=lambda term: len(term[1]))
        if one != (1.0, ()) or growth[0] != 1.0 or len(growth[1]) != 1 or not is_call(growth[1][0][0], "exp"):
            continue
        for sign in (1.0, -1.0):
            other = from_terms([(-sign, ()), (sign, growth[1])])
            exponential = growth[1][0][0]
            if (other, -exponent) in factors and isinstance(exponential, Call):
                rest = from_factors(sign, _less(factors, [(base, exponent), (other, -exponent)]))
                half = scaled(exponential.arguments[0], 0.5 * growth[1][0][1])
                yield product(rest, power(call("tanh", half), -exponent))


def _powers_of_calls(factors: Factors) -> Iterator[Sum]:
    """(u^v)^k is u^(k*v), exp(u)^k is exp(k*u), cos(u)^2 is (1 + cos(2*u))/2."""
    for base, exponent in factors:
        if not isinstance(base, Call) or exponent == 1.0:
            continue
        rest = from_factors(1.0, _less(factors, [(base, exponent)]))
        if base.name in ("pow", "exp"):
            *bases, inner = base.arguments
            yield product(rest, call(base.name, *bases, scaled(inner, exponent)))
        if base.name in ("sin", "cos") and exponent == 2.0:
            double = call("cos", scaled(base.arguments[0], 2.0))
            yield product(rest, number(0.5), added(number(1.0), scaled(double, 1.0 if base.name == "cos" else -1.0)))


def _is_below_line(root: Factor) -> bool:
    """Whether a root of a quotient stands below a line: 1/sqrt(a/b) is sqrt(b/a)."""
    base, exponent = root
    return isinstance(base, Sum) and len(base.terms) == 1 and len(base.terms[0][1]) > 1 and exponent < 0.0


def _less(factors: Factors, gone: list[Factor]) -> list[Factor]:
    return [each for each in factors if each not in gone]


def _out_of_root(factors: Factors, base: Sum, exponent: float) -> Iterator[Sum]:
    """Numbers and what is never negative come out of a root, even powers as magnitudes."""
    value, inner = base.terms[0]
    rest = from_factors(1.0, _less(factors, [(base, exponent)]))
    if value > 0.0 and value != 1.0:
        yield product(rest, number(value**exponent), power(Sum(((1.0, inner),)), exponent))
    for each, deeper in inner:
        left = Sum(((value, tuple(one for one in inner if one[0] != each)),))
        if deeper % 2.0 == 0.0:
            out = power(call("abs", _as_sum(each)), deeper * exponent)
            yield product(rest, out, power(left, exponent))
        elif is_call(each, "exp", "abs", "cosh"):
            yield product(rest, power(_as_sum(each), deeper * exponent), power(left, exponent))


def _quotients_of_waves(factors: Factors) -> Iterator[Sum]:
    """sin(u)/cos(u) is tan(u), sinh(u)/cosh(u) is tanh(u), sin(u)*cos(u) is sin(2*u)/2."""
    powers = dict(factors)
    for base, exponent in factors:
        if not isinstance(base, Call) or base.name not in ("sin", "sinh"):
            continue
        other = Call({"sin": "cos", "sinh": "cosh"}[base.name], *base.arguments)
        beside = powers.get(other, 0.0)
        rest = from_factors(1.0, _less(factors, [(base, exponent), (other, beside)]))
        if beside == -exponent:
            name = {"sin": "tan", "sinh": "tanh"}[base.name]
            yield product(rest, power(call(name, *base.arguments), exponent))
        if beside == exponent == 1.0:
            yield product(rest, number(0.5), call(base.name, scaled(base.arguments[0], 2.0)))


def _as_sum(base: Base) -> Sum:
    return base if isinstance(base, Sum) else Sum(((1.0, ((base, 1.0),)),))
