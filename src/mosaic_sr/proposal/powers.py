"""Products of powers of factors and an exponential: their exponents made simple, their signs, their expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, join, scaled
from mosaic_sr.expressions.powers import monomial
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import VARIABLE

Floats = NDArray[np.float64]

# Factors whose sign may be taken or left are tried in all combinations up to this many.
MOST_SIGNS = 6
# Share of rows whose sign has to be explained; rounding may turn one where the target is nearly 0.
LEAST_SIGNS = 0.98


@dataclass(frozen=True)
class Power:
    """A factor of a product, or a linear term of the exponent of its exponential."""

    base: Expression
    exponent: float
    is_exponential: bool


def write_product(powers: Sequence[Power], columns: Floats, target: Floats) -> Expression | None:
    """A constant times the powers, with the target's signs, or None when no choice of signs explains them.

    The constant is the median ratio, which a few rows that cancelled their digits do not move.
    """
    if not powers:
        return constant(float(np.median(target))) if _is_of_one_sign(np.sign(target)) else None
    expression = write_shape(powers, columns, target)
    if expression is None:
        return None
    with np.errstate(all="ignore"):
        scale = float(np.median(target / evaluate_expression(expression, columns)))
    if not np.isfinite(scale) or scale == 0:
        return None
    return scaled(expression, scale)


def write_shape(powers: Sequence[Power], columns: Floats, target: Floats) -> Expression | None:
    """The product of some powers, with the target's signs up to one for all, or None when no choice explains them."""
    factors = _with_signs([power for power in powers if not power.is_exponential], columns, target)
    if factors is None:
        return None
    return _quotient([*factors, *_exponential([power for power in powers if power.is_exponential])])


def write_plain_shapes(powers: Sequence[Power], columns: Floats) -> list[Expression]:
    """The product of the powers with the signs they have, moduli under roots, and with the modulus of one column."""
    factors = [power for power in powers if not power.is_exponential]
    has_signs = [bool(np.any(evaluate_expression(factor.base, columns) < 0)) for factor in factors]
    is_odd = [sign and factor.exponent % 2 == 1 for factor, sign in zip(factors, has_signs, strict=True)]
    plain = [
        _modulus(factor) if sign and factor.exponent % 1 else factor
        for factor, sign in zip(factors, has_signs, strict=True)
    ]
    choices = [plain]
    for place, odd in enumerate(is_odd):
        if odd and plain[place].base.codes[-1] == VARIABLE:
            choices.append([*plain[:place], _modulus(plain[place]), *plain[place + 1 :]])
    exponential = _exponential([power for power in powers if power.is_exponential])
    shapes = [_quotient([*choice, *exponential]) for choice in choices]
    return [shape for shape in shapes if shape is not None]


def _with_signs(factors: Sequence[Power], columns: Floats, target: Floats) -> list[Power] | None:
    """The factors with moduli taken where the target's signs and real powers ask for it, or None."""
    signs = [np.sign(evaluate_expression(factor.base, columns)) for factor in factors]
    open_places = []
    chosen = list(factors)
    total = np.sign(target)
    for place, (factor, sign) in enumerate(zip(factors, signs, strict=True)):
        if np.all(sign == sign[0]):
            if sign[0] < 0 and not factor.exponent.is_integer():
                chosen[place] = Power(apply("neg", factor.base), factor.exponent, False)
        elif not factor.exponent.is_integer():
            chosen[place] = _modulus(factor)
        elif factor.exponent % 2.0:
            open_places.append(place)
    for keeps in product((True, False), repeat=min(len(open_places), MOST_SIGNS)):
        left = total.copy()
        for place, keep in zip(open_places, keeps, strict=False):
            left = left * signs[place] if keep else left
        if _is_of_one_sign(left):
            for place, keep in zip(open_places, keeps, strict=False):
                chosen[place] = factors[place] if keep else _modulus(factors[place])
            return chosen
    return None


def _is_of_one_sign(signs: Floats) -> bool:
    return bool(abs(np.sum(signs)) >= (2.0 * LEAST_SIGNS - 1.0) * len(signs))


def _modulus(factor: Power) -> Power:
    return Power(apply("abs", factor.base), factor.exponent, False)


def _exponential(terms: Sequence[Power]) -> list[Power]:
    """The exponential of the terms with their coefficients, as a factor, if there is any."""
    if not terms:
        return []
    parts = (_multiple(term.base, term.exponent) for term in terms)
    return [Power(apply("exp", join("add", parts)), 1.0, False)]


def _multiple(base: Expression, coefficient: float) -> Expression:
    return apply("neg", base) if coefficient == -1 else scaled(base, coefficient)


def _quotient(factors: Sequence[Power]) -> Expression | None:
    """The product of the factors, negative exponents below the line; None when it is empty."""
    bases, exponents = [factor.base for factor in factors], np.array([factor.exponent for factor in factors])
    if not bases:
        return None
    return monomial(bases, exponents) if np.any(exponents > 0) else apply("inv", monomial(bases, -exponents))
