"""Terms that are one together: sines and cosines, exponentials, logarithms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

from mosaic_sr.writing.expanding import as_factors, joined, multiplied_out
from mosaic_sr.writing.joining import is_call
from mosaic_sr.writing.numbers import clean
from mosaic_sr.writing.sums import (
    Call,
    Factor,
    Factors,
    Sum,
    Term,
    added,
    call,
    from_factors,
    from_terms,
    number,
    power,
    product,
    scaled,
)


def paired(one: Sum) -> Iterator[Sum]:
    """The sum with two of its terms as one."""
    for first, second in combinations(one.terms, 2):
        if not _has_partner(first) and not _has_partner(second):
            continue
        others = from_terms(term for term in one.terms if term is not first and term is not second)
        for left, right in ((first, second), (second, first)):
            for found in _pair(left, right):
                yield added(others, found)


def _has_partner(term: Term) -> bool:
    return any(isinstance(base, Sum) or is_call(base, "sin", "cos", "exp", "log") for base, _ in term[1])


def _pair(left: Term, right: Term) -> Iterator[Sum]:
    common = _common(left[1], right[1])
    away = tuple((base, -exponent) for base, exponent in common)
    own, other = joined(left[1], away), joined(right[1], away)
    before = from_factors(1.0, common)
    for rule in (
        _squares,
        _angles,
        _half_angles,
        _one_wave,
        _triple_angles,
        _growth,
        _saturation,
        _logarithms,
        _offset_of_log,
    ):
        for found in rule((left[0], own), (right[0], other)):
            yield product(before, found)


def _common(left: Factors, right: Factors) -> Factors:
    powers = dict(right)
    shared = {base: min(e, powers[base]) for base, e in left if base in powers and e * powers[base] > 0.0}
    # Exponentials have no common power: exp(x) and exp(-x) belong together.
    return as_factors({base: e for base, e in shared.items() if not is_call(base, "exp")})


def _single(factors: Factors, *names: str) -> Factor | None:
    """The power of a function that a product is."""
    return factors[0] if len(factors) == 1 and is_call(factors[0][0], *names) else None


def _squares(left: Term, right: Term) -> Iterator[Sum]:
    """C - c*cos(u)^2 is c*sin(u)^2; c*sin(u)^2 + c*cos(u)^2 is c."""
    wave = _single(right[1], "sin", "cos")
    if wave is None or wave[1] != 2.0:
        return
    argument = wave[0].arguments[0] if isinstance(wave[0], Call) else number(0.0)
    other = "cos" if is_call(wave[0], "sin") else "sin"
    if not left[1] and left[0] == -right[0]:
        yield product(number(left[0]), power(call(other, argument), 2.0))
    if left[0] == right[0] and left[1] == ((Call(other, argument), 2.0),):
        yield number(left[0])


def _angles(left: Term, right: Term) -> Iterator[Sum]:
    """sin(u)*cos(v) ± cos(u)*sin(v), cos(u)*cos(v) ± sin(u)*sin(v)."""
    if len(left[1]) != 2 or len(right[1]) != 2 or abs(left[0]) != abs(right[0]):
        return
    if not all(is_call(base, "sin", "cos") and e == 1.0 for base, e in (*left[1], *right[1])):
        return
    waves = [base for base, _ in left[1] if isinstance(base, Call)]
    turned = {Call("cos" if base.name == "sin" else "sin", *base.arguments) for base in waves}
    if turned != {base for base, _ in right[1]}:
        return
    names, arguments = [base.name for base in waves], [base.arguments[0] for base in waves]
    same = left[0] == right[0]
    if names[0] != names[1]:
        if names[0] == "cos":
            arguments.reverse()
        sign = 1.0 if same else -1.0
        yield product(number(left[0]), call("sin", multiplied_out(added(arguments[0], scaled(arguments[1], sign)))))
    elif names[0] == "cos":
        sign = -1.0 if same else 1.0
        yield product(number(left[0]), call("cos", multiplied_out(added(arguments[0], scaled(arguments[1], sign)))))


def _half_angles(left: Term, right: Term) -> Iterator[Sum]:
    """C - c*cos(u) is 2*c*sin(u/2)^2, c + c*cos(u) is 2*c*cos(u/2)^2."""
    wave = _single(right[1], "cos")
    if wave is None or wave[1] != 1.0 or left[1] or abs(left[0]) != abs(right[0]) or not isinstance(wave[0], Call):
        return
    half = scaled(wave[0].arguments[0], 0.5)
    name = "cos" if left[0] == right[0] else "sin"
    yield product(number(2.0 * left[0]), power(call(name, half), 2.0))


def _one_wave(left: Term, right: Term) -> Iterator[Sum]:
    """a*sin(u) + b*cos(u) is r*sin(u + phase)."""
    sine, cosine = _single(left[1], "sin"), _single(right[1], "cos")
    if sine is None or cosine is None or sine[1] != 1.0 or cosine[1] != 1.0:
        return
    if isinstance(sine[0], Call) and isinstance(cosine[0], Call) and sine[0].arguments == cosine[0].arguments:
        size, phase = math.hypot(left[0], right[0]), math.atan2(right[0], left[0])
        yield product(number(size), call("sin", added(sine[0].arguments[0], number(phase))))


def _triple_angles(left: Term, right: Term) -> Iterator[Sum]:
    """a*cos(u) + b*cos(3*u) is 4*b*cos(u)^3 + (a - 3*b)*cos(u), and what sines make of it."""
    first, second = _single(left[1], "sin", "cos"), _single(right[1], "sin", "cos")
    if first is None or second is None or first[1] != 1.0 or second[1] != 1.0:
        return
    if not isinstance(first[0], Call) or not isinstance(second[0], Call) or first[0].name != second[0].name:
        return
    angle = multiplied_out(first[0].arguments[0])
    if scaled(angle, 3.0) == multiplied_out(second[0].arguments[0]):
        sign = 1.0 if first[0].name == "cos" else -1.0
        cube = product(number(4.0 * sign * right[0]), power(call(first[0].name, angle), 3.0))
        yield added(cube, product(number(left[0] - 3.0 * sign * right[0]), call(first[0].name, angle)))


def _growth(left: Term, right: Term) -> Iterator[Sum]:
    """c*exp(u) + c*exp(-u) is 2*c*cosh(u); the difference is 2*c*sinh(u)."""
    first, second = _single(left[1], "exp"), _single(right[1], "exp")
    if first is None or second is None or abs(left[0]) != abs(right[0]):
        return
    if isinstance(first[0], Call) and isinstance(second[0], Call):
        one = scaled(multiplied_out(first[0].arguments[0]), first[1])
        other = scaled(multiplied_out(second[0].arguments[0]), second[1])
        if added(one, other).is_number and added(one, other).number == 0.0:
            yield product(number(2.0 * left[0]), call("cosh" if left[0] == right[0] else "sinh", one))


def _saturation(left: Term, right: Term) -> Iterator[Sum]:
    """Yield c*tanh(u/2) for c - 2*c/(1 + exp(u))."""
    if left[1] or right[0] != -2.0 * left[0] or len(right[1]) != 1 or right[1][0][1] != -1.0:
        return
    below = right[1][0][0]
    if not isinstance(below, Sum) or len(below.terms) != 2 or any(value != 1.0 for value, _ in below.terms):
        return
    growth = [factors[0] for _, factors in below.terms if _single(factors, "exp") is not None]
    is_one = any(not factors for _, factors in below.terms)
    if growth and is_one and isinstance(growth[0][0], Call):
        angle = scaled(growth[0][0].arguments[0], 0.5 * growth[0][1])
        yield product(number(left[0]), call("tanh", angle))


def _logarithms(left: Term, right: Term) -> Iterator[Sum]:
    """c*log(u) ± k*c*log(v) is c*log(u * v^±k) for k of 1 and 2."""
    first, second = _single(left[1], "log"), _single(right[1], "log")
    if first is None or second is None or first[1] != 1.0 or second[1] != 1.0:
        return
    ratio = clean(right[0] / left[0])
    if abs(ratio) in (1.0, 2.0) and isinstance(first[0], Call) and isinstance(second[0], Call):
        inner = product(first[0].arguments[0], power(second[0].arguments[0], ratio))
        yield product(number(left[0]), call("log", inner))


def _offset_of_log(left: Term, right: Term) -> Iterator[Sum]:
    """K + c*log(u) is c*log(e^(k/c) * u)."""
    log = _single(right[1], "log")
    # Numbers beyond these leave float64 together with u.
    if log is None or left[1] or log[1] != 1.0 or not abs(left[0] / right[0]) < 300.0:
        return
    if isinstance(log[0], Call):
        inside = product(number(math.exp(left[0] / right[0])), log[0].arguments[0])
        yield product(number(right[0]), call("log", inside))
