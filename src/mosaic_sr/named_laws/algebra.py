"""Operators on quotients of sums: arithmetic, powers, exponentials, logarithms and waves in normal form."""

from __future__ import annotations

import math
from collections.abc import Callable

from mosaic_sr.named_laws.scalars import HALF, MINUS, ONE, TWO, ZERO, Scalar, Unwritable, scalar
from mosaic_sr.named_laws.terms import UNIT, Atom, Quotient, Sum, Term, common_factors, quotient, sum_of

# Powers of sums that are multiplied out; (1 + x)^7 stays a power, in laws and in forms.
MOST_MULTIPLIED = 4
QUARTER_TURN = 0.5 * math.pi


def number(value: Scalar) -> Quotient:
    return Quotient(Sum(() if value.is_zero else (Term(value),)))


def column(place: int) -> Quotient:
    return Quotient(Sum((Term(ONE, ((Atom("x", column=place), ONE),)),)))


def _atom(kind: str, inside: Quotient, exponent: Scalar = ONE) -> Quotient:
    return Quotient(Sum((Term(ONE, ((Atom(kind, inside), exponent),)),)))


def add(left: Quotient, right: Quotient) -> Quotient:
    if left.bottom is right.bottom or left.bottom.key == right.bottom.key:
        return _settled(quotient(joined(left.top + right.top), left.bottom))
    return _settled(quotient(joined(left.top * right.bottom + right.top * left.bottom), left.bottom * right.bottom))


def multiply(left: Quotient, right: Quotient) -> Quotient:
    left, right = _crossed(left, right)
    return _settled(quotient(left.top * right.top, left.bottom * right.bottom))


def _crossed(left: Quotient, right: Quotient) -> tuple[Quotient, Quotient]:
    """Both without the sums that are the numerator of one and the denominator of the other."""
    tops = [left.top, right.top]
    bottoms = [left.bottom, right.bottom]
    for one, other in ((0, 1), (1, 0)):
        if bottoms[other] is UNIT or len(tops[one].terms) != len(bottoms[other].terms):
            continue
        whole = quotient(tops[one], bottoms[other])
        if whole.is_constant:
            tops[one], bottoms[other] = whole.top, UNIT
    return Quotient(tops[0], bottoms[0]), Quotient(tops[1], bottoms[1])


def negate(value: Quotient) -> Quotient:
    return Quotient(value.top.times(Term(MINUS)), value.bottom)


def invert(value: Quotient) -> Quotient:
    return quotient(value.bottom, value.top)


def power(base: Quotient, exponent: Quotient) -> Quotient:
    """Any power: of a number, a sum or a term to a number; else by exponential and logarithm."""
    fixed = exponent.constant
    if fixed is None:
        return exponential(multiply(exponent, logarithm(base)))
    if fixed.is_zero:
        return number(ONE)
    if fixed.is_integer and abs(fixed.value) <= MOST_MULTIPLIED:
        return _whole_power(base, round(fixed.value))
    return multiply(_raised(base.top, fixed), _raised(base.bottom, -fixed))


def _whole_power(base: Quotient, exponent: int) -> Quotient:
    if base.bottom is UNIT and base.top.is_single:
        return _settled(Quotient(Sum((base.top.terms[0].power(scalar(exponent)),))))
    if exponent < 0:
        return _whole_power(invert(base), -exponent)
    result = base
    for _ in range(exponent - 1):
        result = multiply(result, base)
    return result


def _raised(base: Sum, exponent: Scalar) -> Quotient:
    """A sum to a number that is not small and whole: its size comes out, the rest is an atom."""
    if not base.terms:
        raise Unwritable
    if base.is_single:
        return _settled(Quotient(Sum((base.terms[0].power(exponent),))))
    common, rest = _sized(base)
    return multiply(Quotient(Sum((common.power(exponent),))), _atom("sum", Quotient(rest), exponent))


def _sized(base: Sum) -> tuple[Term, Sum]:
    """The powers that all terms share times the size of the leading coefficient, and the sum without them."""
    factors = common_factors(base)
    rest = base.times(Term(ONE, factors).power(MINUS))
    leading = rest.leading.coefficient
    size = leading if leading.sign > 0.0 else -leading
    return Term(size, factors), rest.times(Term(size.power(MINUS)))


def exponential(argument: Quotient) -> Quotient:
    """The product of exponentials of its terms; a number goes to the front, multiples of logarithms become powers."""
    if argument.bottom is not UNIT:
        return _exponential_of_fraction(argument)
    result = number(ONE)
    for term in argument.top.terms:
        result = multiply(result, _exponential_of_term(term))
    return result


def _exponential_of_term(term: Term) -> Quotient:
    if not term.factors:
        return number(term.coefficient.exponential())
    atom, exponent = term.factors[0]
    if len(term.factors) == 1 and atom.kind == "log" and exponent.of is None and exponent.value == 1.0:
        assert atom.inside is not None
        return power(atom.inside, number(term.coefficient))
    return _atom("exp", Quotient(Sum((Term(ONE, term.factors),))), term.coefficient)


def _exponential_of_fraction(argument: Quotient) -> Quotient:
    """exp(a + b/(x + c)): the number a comes out, b is a power."""
    top, bottom = argument.top, argument.bottom
    leading, whole = bottom.leading, ZERO
    for term in top.terms:
        if term.key == leading.key:
            whole = term.coefficient
    rest = quotient(top + bottom.times(Term(-whole)), bottom) if not whole.is_zero else argument
    if rest.bottom is UNIT:
        return multiply(number(whole.exponential()), exponential(rest))
    rate = rest.top.leading.coefficient
    inside = Quotient(rest.top.times(Term(rate.power(MINUS))), rest.bottom)
    return multiply(number(whole.exponential()), _atom("exp", inside, rate))


def logarithm(argument: Quotient) -> Quotient:
    return add(_logarithm(argument.top), negate(_logarithm(argument.bottom)))


def _logarithm(argument: Sum) -> Quotient:
    if not argument.terms:
        raise Unwritable
    if not argument.is_single:
        common, rest = _sized(argument)
        return add(_logarithm(Sum((common,))), _atom("log", Quotient(rest)))
    term = argument.terms[0]
    result = number(term.coefficient.logarithm())
    for atom, exponent in term.factors:
        own = _logarithm_of_atom(atom)
        result = add(result, Quotient(own.top.times(Term(exponent)), own.bottom))
    return result


def _logarithm_of_atom(atom: Atom) -> Quotient:
    if atom.kind == "exp" and atom.inside is not None:
        return atom.inside
    if atom.kind == "sum" and atom.inside is not None:
        return _atom("log", atom.inside)
    return _atom("log", Quotient(Sum((Term(ONE, ((atom, ONE),)),))))


def sine(argument: Quotient) -> Quotient:
    """A sine whose argument leads with a positive number and whose phase is within a quarter turn."""
    if argument.is_constant:
        value = argument.constant
        assert value is not None
        if value.of is not None:
            raise Unwritable
        return number(scalar(math.sin(value.value)))
    if argument.top.leading.coefficient.sign < 0.0:
        return negate(sine(negate(argument)))
    phase = _phase(argument)
    half_turns = 0 if phase.is_zero else math.ceil(phase.value / math.pi - 0.5)
    if half_turns:
        argument = add(argument, number(scalar(-math.pi * half_turns)))
    wave = _atom("sin", argument)
    return negate(wave) if half_turns % 2 else wave


def _phase(argument: Quotient) -> Scalar:
    if argument.bottom is not UNIT:
        return ZERO
    return next((term.coefficient for term in argument.top.terms if not term.factors), ZERO)


def cosine(argument: Quotient) -> Quotient:
    return sine(add(argument, number(scalar(QUARTER_TURN))))


def hyperbolic(argument: Quotient, sign: Scalar) -> Quotient:
    """The cosine for a sign of 1 and the sine for -1."""
    grown = exponential(argument)
    return multiply(number(HALF), add(grown, multiply(number(sign), invert(grown))))


def hyperbolic_tangent(argument: Quotient) -> Quotient:
    grown = exponential(multiply(number(TWO), argument))
    return multiply(add(grown, number(MINUS)), invert(add(grown, number(ONE))))


def other_function(name: str, parity: int) -> Callable[[Quotient], Quotient]:
    """A function without rules of its own; the sign of its argument comes out where it is odd or even."""

    def applied(argument: Quotient) -> Quotient:
        if parity and argument.top.terms and argument.top.leading.coefficient.sign < 0.0:
            outside = _atom(name, negate(argument))
            return negate(outside) if parity < 0 else outside
        return _atom(name, argument)

    return applied


def joined(terms: Sum) -> Sum:
    """The sum with sines of equal frequency joined: a*sin(w*t) + b*cos(w*t) is one wave with a phase."""
    groups: dict[str, list[tuple[Term, Atom]]] = {}
    rest: list[Term] = []
    for term in terms.terms:
        waves = [atom for atom, exponent in term.factors if atom.kind == "sin" and exponent.is_integer]
        is_plain = len(waves) == 1 and term.coefficient.of is None
        if not is_plain:
            rest.append(term)
            continue
        others = Term(ONE, tuple(factor for factor in term.factors if factor[0] is not waves[0]))
        assert waves[0].inside is not None
        moving = sum_of(each for each in waves[0].inside.top.terms if each.factors)
        groups.setdefault(f"{others.key} {moving.key} {waves[0].inside.bottom.key}", []).append((term, waves[0]))
    if all(len(group) == 1 for group in groups.values()):
        return terms
    for group in groups.values():
        rest += _one_wave(group) if len(group) > 1 else [group[0][0]]
    return sum_of(rest)


def _one_wave(group: list[tuple[Term, Atom]]) -> list[Term]:
    (first, wave), size = group[0], 0.0 + 0.0j
    assert wave.inside is not None
    for term, atom in group:
        assert atom.inside is not None
        phase = _phase(atom.inside).value
        size += term.coefficient.value * complex(math.cos(phase), math.sin(phase))
    if abs(size) == 0.0:
        return []
    turn = scalar(math.atan2(size.imag, size.real)) + -_phase(wave.inside)
    whole = multiply(number(scalar(abs(size))), sine(add(wave.inside, number(turn))))
    others = Term(ONE, tuple(factor for factor in first.factors if factor[0] is not wave))
    return [others * term for term in whole.top.terms]


def _settled(value: Quotient) -> Quotient:
    """The quotient without squares of sines and without whole powers of sums that are atoms."""
    for place, term in enumerate(value.top.terms):
        for atom, exponent in term.factors:
            if exponent.is_integer and (atom.kind == "sum" or (atom.kind == "sin" and abs(exponent.value) > 1.5)):
                rest = Quotient(Sum((*value.top.terms[:place], *value.top.terms[place + 1 :])), value.bottom)
                factors = tuple(factor for factor in term.factors if factor[0] is not atom)
                others = Quotient(Sum((Term(term.coefficient, factors),)), value.bottom)
                return add(rest, multiply(others, _opened(atom, round(exponent.value))))
    return value


def _opened(atom: Atom, exponent: int) -> Quotient:
    assert atom.inside is not None
    if atom.kind == "sum":
        if abs(exponent) > MOST_MULTIPLIED:
            raise Unwritable
        return _whole_power(atom.inside, exponent)
    if exponent < 0:
        return invert(_opened(atom, -exponent))
    # sin(u)² = 1/2 - cos(2 u)/2
    double = cosine(multiply(number(TWO), atom.inside))
    square = add(number(HALF), multiply(number(-HALF), double))
    return square if exponent == 2 else multiply(square, _atom("sin", atom.inside, scalar(exponent - 2.0)))
