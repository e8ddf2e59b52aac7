"""About a centre: 1/(1 + c*exp(k*t)) as 1/(1 + exp(k*(t - t0))), and c*exp(a*x - b*x^2) as d*exp(-b*(x - x0)^2)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from mosaic_sr.writing.expanding import multiplied_out
from mosaic_sr.writing.sums import (
    Base,
    Call,
    Factors,
    Sum,
    Term,
    added,
    call,
    from_terms,
    number,
    power,
    product,
    scaled,
)
from mosaic_sr.writing.taste import is_growth


def centred_growth(one: Sum) -> Iterator[Sum]:
    """The sum with an exponential beside a number below a line, or under a root, written about its centre."""
    for place, (value, factors) in enumerate(one.terms):
        others = from_terms((*one.terms[:place], *one.terms[place + 1 :]))
        for index, (base, exponent) in enumerate(factors):
            if exponent < 0.0 and isinstance(base, Sum) and len(base.terms) == 2:
                rest = (*factors[:index], *factors[index + 1 :])
                for found in _about_centres(base):
                    yield added(others, _term(value, rest, found, exponent))


def centred_bells(one: Sum) -> Iterator[Sum]:
    """The sum with an exponential of a parabola written about its top."""
    for place, (value, factors) in enumerate(one.terms):
        others = from_terms((*one.terms[:place], *one.terms[place + 1 :]))
        for index, (base, exponent) in enumerate(factors):
            is_alone = is_growth(base) and exponent == 1.0
            parabola = parabola_in(multiplied_out(_argument(base))) if is_alone else None
            if parabola is not None:
                rest = (*factors[:index], *factors[index + 1 :])
                yield added(others, product(Sum(((value * parabola.height, rest),)), parabola.bell))


def levelled_growth(one: Sum) -> Iterator[Sum]:
    """The sum with exp(u)*s^n for a sum s as (exp(u/n)*s)^n: exp(u)/(a + b*exp(u)) is 1/(a*exp(-u) + b)."""
    for place, (value, factors) in enumerate(one.terms):
        others = from_terms((*one.terms[:place], *one.terms[place + 1 :]))
        above = [base for base, exponent in factors if is_growth(base) and exponent == 1.0]
        for base, exponent in factors:
            if above and isinstance(base, Sum) and exponent == int(exponent):
                growth = call("exp", scaled(_argument(above[0]), 1.0 / exponent))
                whole = multiplied_out(product(base, growth))
                rest = tuple(each for each in factors if each[0] not in (base, above[0]))
                yield added(others, product(Sum(((value, rest),)), power(whole, exponent)))


@dataclass(frozen=True)
class Parabola:
    """exp(a + b*u - c*u^2) as height*bell, a bell of height 1 about its top."""

    height: float
    bell: Sum


def parabola_in(argument: Sum) -> Parabola | None:
    """The parabola that an argument of an exponential is, if its top is at a positive value of its variable."""
    squares = [term for term in argument.terms if len(term[1]) == 1 and term[1][0][1] == 2.0]
    if len(squares) != 1 or squares[0][0] >= 0.0:
        return None
    bend, ((base, _),) = squares[0]
    slope = sum(value for value, factors in argument.terms if factors == ((base, 1.0),))
    level = sum(value for value, factors in argument.terms if not factors)
    known = [squares[0][1], ((base, 1.0),), ()]
    if slope <= 0.0 or any(factors not in known for _, factors in argument.terms):
        return None
    centre = -0.5 * slope / bend
    about = added(Sum(((1.0, ((base, 1.0),)),)), number(-centre))
    return Parabola(math.exp(level + 0.5 * slope * centre), call("exp", product(number(bend), power(about, 2.0))))


def _argument(base: Base) -> Sum:
    return base.arguments[0] if isinstance(base, Call) else number(0.0)


def _term(value: float, rest: Factors, whole: tuple[float, Sum], exponent: float) -> Sum:
    scale, base = whole
    return product(Sum(((value, rest),)), power(number(scale), exponent), power(base, exponent))


def _about_centres(base: Sum) -> Iterator[tuple[float, Sum]]:
    """A number and a sum of ±1 and an exponential about its centre."""
    first, second = base.terms
    for offset, growth in ((first, second), (second, first)):
        if offset[1] or len(growth[1]) != 1 or not is_growth(growth[1][0][0]):
            continue
        found = _about_centre(growth, abs(offset[0]))
        if found is not None:
            sign = math.copysign(1.0, growth[0])
            yield abs(offset[0]), added(number(math.copysign(1.0, offset[0])), scaled(found, sign))


def _about_centre(growth: Term, offset: float) -> Sum | None:
    """exp(k*(t - t0)) for c*exp(k*t)/offset; None where the exponent is no single term."""
    value, ((exponential, exponent),) = growth
    assert isinstance(exponential, Call)
    argument = scaled(multiplied_out(exponential.arguments[0]), exponent)
    moving = [term for term in argument.terms if term[1]]
    if len(moving) != 1:
        return None
    within = sum(share for share, factors in argument.terms if not factors)
    centre = -(math.log(abs(value) / offset) + within) / moving[0][0]
    about = added(Sum(((1.0, moving[0][1]),)), number(-centre))
    return call("exp", product(number(moving[0][0]), about))
