"""Terms that are one together: sines and cosines, exponentials, logarithms, roots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

from mosaic_sr.writing.expanding import as_factors, joined, multiplied_out
from mosaic_sr.writing.numbers import clean
from mosaic_sr.writing.sums import (
    Base,
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
    return any(_is_call(base, "sin", "cos", "exp", "log") for base, _ in term[1])


def _pair(left: Term, right: Term) -> Iterator[Sum]:
    common = _common(left[1], right[1])
    away = tuple((base, -exponent) for base, exponent in common)
    own, other = joined(left[1], away), joined(right[1], away)
    before = from_factors(1.0, common)
    for rule in (_squares, _angles, _half_angles, _one_wave, _triple_angles, _growth, _logarithms, _offset_of_log):
        for found in rule((left[0], own), (right[0], other)):
            yield product(before, found)


def _common(left: Factors, right: Factors) -> Factors:
    powers = dict(right)
    shared = {base: min(e, powers[base]) for base, e in left if base in powers and e * powers[base] > 0.0}
    # Exponentials have no common power: exp(x) and exp(-x) belong together.
    return as_factors({base: e for base, e in shared.items() if not _is_call(base, "exp")})


def _is_call(base: Base, *names: str) -> bool:
    return isinstance(base, Call) and base.name in names


def _single(factors: Factors, *names: str) -> Factor | None:
    """The power of a function that a product is."""
    return factors[0] if len(factors) == 1 and _is_call(factors[0][0], *names) else None


def _squares(left: Term, right: Term) -> Iterator[Sum]:
    """C - c*cos(u)^2 is c*sin(u)^2; c*sin(u)^2 + c*cos(u)^2 is c."""
    wave = _single(right[1], "sin", "cos")
    if wave is None or wave[1] != 2.0:
        return
    argument = wave[0].arguments[0] if isinstance(wave[0], Call) else number(0.0)
    other = "cos" if _is_call(wave[0], "sin") else "sin"
    if not left[1] and left[0] == -right[0]:
        yield product(number(left[0]), power(call(other, argument), 2.0))
    if left[0] == right[0] and left[1] == ((Call(other, argument), 2.0),):
        yield number(left[0])


def _angles(left: Term, right: Term) -> Iterator[Sum]:
    """sin(u)*cos(v) ± cos(u)*sin(v), cos(u)*cos(v) ± sin(u)*sin(v)."""
    if len(left[1]) != 2 or len(right[1]) != 2 or abs(left[0]) != abs(right[0]):
        return
    if not all(_is_call(base, "sin", "cos") and e == 1.0 for base, e in (*left[1], *right[1])):
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
            if len(alike) > 1 or e_is_turned(alike, turn):
                yield product(from_factors(1.0, _less(factors, alike)), power(inside, size * turn))
    halves = [(base, e) for base, e in roots if (2.0 * e) == int(2.0 * e)]
    if len(halves) > 1 and any(abs(e) != 0.5 for _, e in halves):
        inside = product(*(power(_as_sum(base), 2.0 * e) for base, e in halves))
        yield product(from_factors(1.0, _less(factors, halves)), power(inside, 0.5))
    for base, exponent in roots:
        if isinstance(base, Sum) and len(base.terms) == 1:
            yield from _out_of_root(factors, base, exponent)
    magnitudes = [(base, e) for base, e in factors if _is_call(base, "abs")]
    if len(magnitudes) > 1:
        parts = (power(base.arguments[0], e) for base, e in magnitudes if isinstance(base, Call))
        yield product(from_factors(1.0, _less(factors, magnitudes)), call("abs", product(*parts)))
    yield from _quotients_of_waves(factors)
    yield from _powers_of_calls(factors)


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


def e_is_turned(alike: list[Factor], turn: float) -> bool:
    """Whether a single root of a quotient may be turned over: 1/sqrt(a/b) is sqrt(b/a)."""
    base, exponent = alike[0]
    return turn < 0.0 and isinstance(base, Sum) and len(base.terms) == 1 and len(base.terms[0][1]) > 1 and exponent < 0


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
        elif _is_call(each, "exp", "abs", "cosh"):
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
