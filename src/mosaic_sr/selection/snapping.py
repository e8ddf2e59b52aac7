"""Snapping: simple numbers that a fitted constant may stand for, and the order in which constants are asked."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.simple_numbers import MOST_DIGITS, closed_forms_near
from mosaic_sr.operators import CODES, CONSTANT
from mosaic_sr.selection.codata import physical_constants
from mosaic_sr.selection.description import known_bits, simple_bits

# A fitted constant is within this many of its standard errors of the true one, 99 times in 100.
ERRORS_IN_REACH = 2.5
# The constants of an exact law may lie further off than rounding says, because some valleys are flat; exactness judges.
SHARE_IN_REACH = 1e-6
# By so many bits a simple number must be simpler than the rows can tell, or it is there by chance: one in eight.
# Exponents are mostly simple, so that theirs may be.
MARGIN_BITS = 3.0
# Physical constants are recognised by six digits.
PHYSICAL_SHARE = 5e-7


def simple_values(value: float, standard_error: float, is_exact: bool, margin: float = MARGIN_BITS) -> list[float]:
    """Simple numbers near a fitted constant, the simplest first and physical constants last."""
    if not math.isfinite(value) or value == 0.0:
        return []
    reach = ERRORS_IN_REACH * standard_error if standard_error > 0.0 else 0.0
    reach = max(reach, SHARE_IN_REACH * abs(value)) if is_exact else reach
    known = known_bits(value, standard_error)
    priced = {found: simple_bits(found) for found in _near(abs(value), reach)}
    ordered = sorted((bits, found) for found, bits in priced.items() if bits is not None)
    chosen = [found for bits, found in ordered if bits + margin <= known]
    if known >= -math.log2(PHYSICAL_SHARE):
        chosen += [found for found in _physical(abs(value), reach) if found not in priced]
    return [math.copysign(found, value) for found in chosen]


def physical_value(value: float, standard_error: float) -> float:
    """The physical constant that a fitted constant is, where its digits tell; else the value itself."""
    if known_bits(value, standard_error) < -math.log2(PHYSICAL_SHARE):
        return value
    found = next(_physical(abs(value), ERRORS_IN_REACH * standard_error), None)
    return value if found is None else math.copysign(found, value)


def _near(magnitude: float, reach: float) -> Iterator[float]:
    whole = float(round(magnitude))
    decimals = (float(f"{magnitude:.{digits}g}") for digits in range(1, MOST_DIGITS + 1))
    for found in (whole, *decimals, *(form.value for form in closed_forms_near(magnitude, reach))):
        if found > 0.0 and abs(found - magnitude) <= reach:
            yield found


def _physical(magnitude: float, reach: float) -> Iterator[float]:
    for known in physical_constants():
        gap = abs(known.value - magnitude)
        if gap <= max(reach, known.uncertainty) and gap <= PHYSICAL_SHARE * magnitude:
            yield known.value


def asking_order(law: Equation) -> list[int]:
    """Constants in the order of snapping: exponents first, then those that the rows determine best."""
    exponents = exponents_of(law.expression)
    values = np.abs(law.expression.constants)
    errors = np.array([constant.standard_error for constant in law.constants])
    with np.errstate(all="ignore"):
        shares = np.nan_to_num(errors / values, nan=np.inf)
    return sorted(range(len(values)), key=lambda index: (index not in exponents, shares[index]))


def exponents_of(expression: Expression) -> set[int]:
    """Constants that are the second operand of a power, which stands right behind them."""
    is_exponent = (expression.codes[:-1] == CONSTANT) & (expression.codes[1:] == CODES["pow"])
    return {int(slot) for slot in expression.slots[:-1][is_exponent]}
