"""The linear relation between a target and the entries that met on it, and the formula that it spells out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, join
from mosaic_sr.proposal.regression.null_vectors import find_null_vector
from mosaic_sr.proposal.regression.systems import weigh_by_size
from mosaic_sr.proposal.simple_exponents import simplify_number

Floats = NDArray[np.float64]

# What a relation leaves of columns of norm 1 is rounding below this, or below so many times the target's noise.
LEAST_TOLERANCE, SLACK = 1e-14, 10.0
# A coefficient is known to this share; one within it of a simple number is taken for it, and `agrees` decides.
NEAR = 2.5e-8


@dataclass(frozen=True, eq=False)
class Related:
    """Part of the relation: a formula (None is the number 1), its values, and whether it stands in the divisor."""

    formula: Expression | None
    values: Floats
    is_divisor: bool
    is_inverse: bool = False


def relate(target: Floats, terms: list[Related], noise: float) -> tuple[list[Related], Floats] | None:
    """The fewest of the terms, with coefficients, for which target * divisor = numerator; None if they do not.

    target: (rows,).  noise: of the target, relative to its size.
    """
    weights = weigh_by_size(target)
    ordered = sorted(terms, key=lambda term: term.is_divisor)
    columns = np.stack([_column(target, term) * weights for term in ordered], axis=1)
    sizes = np.linalg.norm(columns, axis=0)
    if not np.all((sizes > 0) & (sizes < np.inf)):
        return None
    num_above = sum(not term.is_divisor for term in ordered)
    vector = find_null_vector(columns, num_above, max(SLACK * noise, LEAST_TOLERANCE))
    if vector is None:
        return None
    kept = np.flatnonzero(vector).tolist()
    return [ordered[place] for place in kept], vector[kept]


def _column(target: Floats, term: Related) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = 1.0 / term.values if term.is_inverse else term.values
        return target * values if term.is_divisor else -values


@dataclass(frozen=True)
class Quotient:
    """A sum of formulas over a divisor, or times the inverse of one; no divisor is None."""

    addends: tuple[Expression, ...]
    divisor: Expression | None
    is_inverse: bool = False

    def over_divisor(self, formula: Expression) -> Expression:
        """The formula in place of the sum."""
        if self.divisor is None:
            return formula
        return apply("mul" if self.is_inverse else "div", formula, self.divisor)


def write_quotient(terms: list[Related], coefficients: Floats, is_rounded: bool) -> Quotient:
    """The quotient of the two sums; the first term of the divisor has the coefficient 1."""
    divisors = [index for index, term in enumerate(terms) if term.is_divisor]
    # A divisor of the form entry + number is scaled by the entry, which has mostly no factor of its own.
    divisors.sort(key=lambda index: terms[index].formula is None)
    numbers = coefficients / coefficients[divisors[0]]
    if is_rounded:
        numbers = np.array([simplify_number(each, NEAR * abs(each)) for each in numbers.tolist()])
    addends = tuple(_product(terms[i], float(numbers[i])) for i in range(len(terms)) if i not in divisors)
    if len(divisors) > 1:
        return Quotient(addends, join("add", [_product(terms[i], float(numbers[i])) for i in divisors]))
    only = terms[divisors[0]]
    return Quotient(addends, only.formula, only.is_inverse)


def _product(term: Related, number: float) -> Expression:
    if term.formula is None:
        return constant(number)
    if term.is_inverse:
        return apply("div", constant(number), term.formula)
    return apply("mul", constant(number), term.formula)
