"""Taste as cost: what a scientist would not write although it is as short."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mosaic_sr.writing.numbers import is_short_base
from mosaic_sr.writing.sums import Base, Call, Factors, Sum, Term

# One node is 1. What nobody writes costs a few nodes; what is only less usual breaks ties.
NEVER, UGLY, UNUSUAL, TIE = 20.0, 5.0, 1.5, 0.02
# A sum with several terms like a*(b + c*d) reads better as a sum of products, where that is not much longer.
BRACKETED = 2.2
WAVES = ("sin", "cos")
FUNCTIONS_OF_INVERSES = {(outer, inner) for outer in ("sin", "cos", "tan") for inner in ("asin", "acos", "atan")} | {
    ("exp", "log"),
    ("log", "exp"),
}


def distaste_for_sum(in_order: Sequence[Term]) -> float:
    """Minus signs, above all at the front; products that would read better multiplied out; growth off its centre."""
    minus = sum(value < 0.0 for value, _ in in_order)
    cost = TIE * minus + (0.5 if in_order[0][0] < 0.0 else 0.0)
    bracketed = sum(_is_distributable(factors) for _, factors in in_order)
    cost += BRACKETED * bracketed if bracketed > 1 or len(in_order) > 3 else 0.0
    for _, factors in in_order:
        above = any(is_growth(base) for base, exponent in factors if exponent > 0.0)
        below = [base for base, exponent in factors if isinstance(base, Sum) and exponent < 0.0]
        cost += sum(_distaste_below_line(base, above) for base in below)
        cost += _distaste_for_product(factors, len(in_order) > 1)
        cost += 2 * UNUSUAL * sum(_is_square_of_calls(*factor) for factor in factors) if len(in_order) > 1 else 0.0
    return cost


def _is_square_of_calls(base: Base, exponent: float) -> bool:
    """Whether a completed square hides a product: (x - y*cos(z))^2 + (y*sin(z))^2 is x^2 + y^2 - 2*x*y*cos(z)."""
    return isinstance(base, Sum) and exponent == 2.0 and any(isinstance(inner, Call) for inner in _bases(base))


def _is_distributable(factors: Factors) -> bool:
    """Whether a product is plain factors times one sum of two terms: a*(b + c*d)."""
    sums = [base for base, exponent in factors if isinstance(base, Sum)]
    return len(sums) == 1 < len(factors) and len(sums[0].terms) == 2 and all(exponent == 1.0 for _, exponent in factors)


def _distaste_for_product(factors: Factors, is_term: bool) -> float:
    """Polynomials of one base taken apart: x*(1 + x)*(1 + x^2 + x^4), and 5 + x*(2 + 3*x) in a sum."""
    cost = 2 * UNUSUAL if len(factors) > 2 and len(_all_bases(factors)) == 1 else 0.0
    beside = {other for other, _ in factors}
    for base, exponent in factors:
        if not isinstance(base, Sum) or exponent != 1.0 or len(base.terms) < 2:
            continue
        inside = {inner for _, deeper in base.terms for inner, power in deeper if power > 0.0}
        is_long = len(base.terms) > 2 and len(inside) == 1
        if is_long and (inside & beside or _shares_base(inside, factors, base)):
            cost += UGLY
        elif inside & beside:
            is_alone = len(factors) == 2 and len(inside) == 1
            cost += UGLY if is_term else 3 * TIE * is_alone
    return cost


def _all_bases(factors: Factors) -> set[Base]:
    """What a product of sums and of plain bases is made of."""
    return {inner for base, _ in factors for inner in (_bases(base) if isinstance(base, Sum) else {base})}


def _shares_base(inside: set[Base], factors: Factors, base: Sum) -> bool:
    others = {inner for other, _ in factors if isinstance(other, Sum) and other != base for inner in _bases(other)}
    return bool(inside & others)


def _bases(one: Sum) -> set[Base]:
    return {base for _, factors in one.terms for base, _ in factors}


def distaste_for_factor(base: Sum, exponent: float) -> float:
    """Parentheses inside parentheses, as in x*(1 + x*(1 + x)), fractions below a line, factors not taken out."""
    if len(base.terms) == 1:
        return TIE if exponent < 0.0 and exponent != int(exponent) else 0.0
    powers = [factor for _, factors in base.terms for factor in factors]
    nested = any(isinstance(inner, Sum) and deeper == 1.0 for inner, deeper in powers)
    fractions = exponent < 0.0 and exponent == int(exponent) and any(deeper < 0.0 for _, deeper in powers)
    shared = set.intersection(*({inner for inner, deeper in factors if deeper > 0.0} for _, factors in base.terms))
    return (UNUSUAL if nested else 0.0) + (UGLY if fractions else 0.0) + (UNUSUAL if shared else 0.0)


def _distaste_below_line(base: Sum, has_growth_above: bool) -> float:
    """1/(1 + c*exp(k*t)), which is 1/(1 + exp(k*(t - t0))), and exp(u)/(1 + exp(u)), which is 1/(1 + exp(-u))."""
    growth = [value for value, factors in base.terms if len(factors) == 1 and is_growth(factors[0][0])]
    offsets = [value for value, factors in base.terms if not factors]
    if len(base.terms) != 2 or not growth or not offsets:
        return 0.0
    is_centred_at_one = abs(growth[0]) == 1.0 == abs(offsets[0])
    return (2 * UNUSUAL if has_growth_above else 0.0) + (0.0 if is_centred_at_one else UGLY)


def is_growth(base: object) -> bool:
    """Whether a base is an exponential."""
    return isinstance(base, Call) and base.name == "exp"


def distaste_for_call(one: Call, is_exact: bool) -> float:
    """Powers of a fitted number, exponentials of an offset, phases beyond half a turn.

    is_exact: whether constants have no errors; a base of few digits was set then, and not fitted.
    """
    argument = one.arguments[-1]
    if (one.name, _name_of(argument)) in FUNCTIONS_OF_INVERSES:
        return NEVER
    if one.name == "pow":
        base = one.arguments[0]
        if not base.is_number or base.number == math.floor(base.number):
            return 0.0
        return UNUSUAL if is_exact and is_short_base(base.number) else NEVER
    offset = next((value for value, factors in argument.terms if not factors), 0.0)
    if one.name == "exp" and not is_exact and is_bell_off_centre(argument):
        return 2 * UGLY
    if one.name == "exp":
        return UNUSUAL if offset != 0.0 else UNUSUAL / 2 if is_centred(argument) else 0.0
    if one.name in WAVES and len(argument.terms) > 1:
        return 0.0 if 0.0 <= offset <= math.pi else TIE * 10
    return 0.0


def _name_of(argument: Sum) -> str:
    """The function that an argument is."""
    factors = argument.terms[0][1] if len(argument.terms) == 1 and abs(argument.terms[0][0]) == 1.0 else ()
    return factors[0][0].name if len(factors) == 1 and isinstance(factors[0][0], Call) else ""


def is_bell_off_centre(argument: Sum) -> bool:
    """Whether a sum is a*u - b*u^2 or u*(a - b*u), whose top says where a bell is."""
    if len(argument.terms) == 1:
        value, factors = argument.terms[0]
        inner = [base for base, exponent in factors if isinstance(base, Sum) and exponent == 1.0]
        beside = [base for base, exponent in factors if exponent == 1.0 and base not in inner]
        if len(factors) != 2 or len(inner) != 1 or not beside:
            return False
        shares = {own: value * share for share, own in inner[0].terms}
        return len(shares) == 2 and shares.get((), 0.0) > 0.0 > shares.get(((beside[0], 1.0),), 0.0)
    shares = {own: share for share, own in argument.terms}
    squares = [own[0][0] for own, share in shares.items() if len(own) == 1 and own[0][1] == 2.0 and share < 0.0]
    return any(shares.get(((base, 1.0),), 0.0) > 0.0 for base in squares)


def is_centred(argument: Sum) -> bool:
    """Whether a sum is a number times (t - t0)."""
    if len(argument.terms) != 1:
        return False
    factors = argument.terms[0][1]
    return any(
        isinstance(base, Sum) and exponent == 1.0 and any(not inner for _, inner in base.terms)
        for base, exponent in factors
    )
