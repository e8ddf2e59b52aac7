"""Taste as cost: what a scientist would not write although it is as short."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mosaic_sr.writing.sums import Base, Call, Factors, Sum, Term

# One node is 1. What nobody writes costs a few nodes; what is only less usual breaks ties.
NEVER, UGLY, UNUSUAL, TIE = 20.0, 5.0, 1.5, 0.02
WAVES = ("sin", "cos")
FUNCTIONS_OF_INVERSES = {(outer, inner) for outer in ("sin", "cos", "tan") for inner in ("asin", "acos", "atan")} | {
    ("exp", "log"),
    ("log", "exp"),
}


def distaste_for_sum(one: Sum, in_order: Sequence[Term]) -> float:
    """Minus signs, above all at the front; products of sums inside products of sums; waves and growth off centre."""
    minus = sum(value < 0.0 for value, _ in in_order)
    cost = TIE * minus + (0.5 if in_order[0][0] < 0.0 else 0.0)
    for _, factors in in_order:
        cost += sum(_distaste_below_line(base) for base, exponent in factors if isinstance(base, Sum) and exponent < 0)
        cost += _distaste_for_product(factors, len(in_order) > 1)
    return cost


def _distaste_for_product(factors: Factors, is_term: bool) -> float:
    """Polynomials of one column taken apart: x*(1 + x)*(1 + x^2 + x^4), and a*x + x^2*(b + x) in a sum."""
    cost = 0.0
    for base, exponent in factors:
        if not isinstance(base, Sum) or exponent != 1.0 or len(base.terms) < 2:
            continue
        inside = {inner for _, deeper in base.terms for inner, _ in deeper}
        beside = {other for other, _ in factors if not isinstance(other, Sum)}
        if is_term and inside & beside:
            cost += UNUSUAL
        if len(inside) == 1 and len(base.terms) > 2:
            cost += UGLY if _shares_base(inside, factors, base) else 0.0
    return cost


def _shares_base(inside: set[Base], factors: Factors, base: Sum) -> bool:
    others = {inner for other, _ in factors if isinstance(other, Sum) and other != base for inner in _bases(other)}
    return bool(inside & others)


def _bases(one: Sum) -> set[Base]:
    return {base for _, factors in one.terms for base, _ in factors}


def distaste_for_factor(base: Sum, exponent: float) -> float:
    """Parentheses inside parentheses, as in Horner's x*(1 + x*(1 + x)), and fractions below a line."""
    if len(base.terms) == 1:
        return TIE if exponent < 0.0 and exponent != int(exponent) else 0.0
    powers = [factor for _, factors in base.terms for factor in factors]
    nested = any(isinstance(inner, Sum) and deeper == 1.0 for inner, deeper in powers)
    fractions = exponent < 0.0 and exponent == int(exponent) and any(deeper < 0.0 for _, deeper in powers)
    return (UNUSUAL if nested else 0.0) + (UGLY if fractions else 0.0)


def _distaste_below_line(base: Sum) -> float:
    """1/(1 + c*exp(k*t)), which is 1/(1 + exp(k*(t - t0)))."""
    if len(base.terms) != 2:
        return 0.0
    has_offset = any(not factors for _, factors in base.terms)
    grows = any(len(f) == 1 and is_growth(f[0][0]) and abs(value) != 1.0 for value, f in base.terms)
    return UNUSUAL if has_offset and grows else 0.0


def is_growth(base: object) -> bool:
    """Whether a base is an exponential."""
    return isinstance(base, Call) and base.name == "exp"


def distaste_for_call(one: Call) -> float:
    """Powers of a fitted number, exponentials of an offset, phases beyond half a turn."""
    argument = one.arguments[-1]
    if (one.name, _name_of(argument)) in FUNCTIONS_OF_INVERSES:
        return NEVER
    if one.name == "pow":
        base = one.arguments[0]
        return NEVER if base.is_number and base.number != math.floor(base.number) else 0.0
    offset = next((value for value, factors in argument.terms if not factors), 0.0)
    if one.name == "exp":
        return UNUSUAL / 2 if offset != 0.0 or is_centred(argument) else 0.0
    if one.name in WAVES and len(argument.terms) > 1:
        return 0.0 if 0.0 <= offset <= math.pi else TIE * 10
    return 0.0


def _name_of(argument: Sum) -> str:
    """The function that an argument is."""
    factors = argument.terms[0][1] if len(argument.terms) == 1 and abs(argument.terms[0][0]) == 1.0 else ()
    return factors[0][0].name if len(factors) == 1 and isinstance(factors[0][0], Call) else ""


def is_centred(argument: Sum) -> bool:
    """Whether a sum is a number times (t - t0)."""
    if len(argument.terms) != 1:
        return False
    factors = argument.terms[0][1]
    return any(
        isinstance(base, Sum) and exponent == 1.0 and any(not inner for _, inner in base.terms)
        for base, exponent in factors
    )
