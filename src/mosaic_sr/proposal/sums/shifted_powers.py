"""Quotients of pure powers written as a person would: c + P/Q with powers of shifted columns, (x - 3)^4, in P and Q."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, join, scaled, variable
from mosaic_sr.expressions.powers import power as raised
from mosaic_sr.linear_algebra import thin_svd
from mosaic_sr.proposal.regression.null_vectors import find_null_vector
from mosaic_sr.proposal.terms.dictionary import Dictionary

Floats = NDArray[np.float64]

# Numbers of so many digits were set, when what was found agrees with them this well; others are left to the fit.
SET_DIGITS, AGREES = 5, 1e-6
# Terms of a shifted polynomial that are smaller than this share of the largest stand for rounding.
NEGLIGIBLE = 1e-8
# Weights of rows are found from the vector and the vector from them; the second turn changes the last digits.
MOST_TURNS = 2


@dataclass(frozen=True, eq=False)
class PowerTerm:
    """A term of P or Q over the table's columns; values: (rows,).  shift: what is taken from its column."""

    expression: Expression | None  # None is the number 1
    values: Floats
    shift: float = 0.0


@dataclass(frozen=True, eq=False)
class QuotientRows:
    """What a quotient is read from: columns (columns, rows) and target (rows,) of the table, which are the user's over
    2**exponent, and the weights of the rows.
    """

    columns: Floats
    target: Floats
    weights: Floats
    column_exponents: tuple[int, ...]
    target_exponent: int


def write_shifted_law(
    basis: Dictionary, sides: tuple[Floats, Floats], numbers: QuotientRows, tolerance: float
) -> Expression | None:
    """The law of the coefficients of P and Q, (1 + terms,) each, in no more numbers, or None where it takes more."""
    offset = _set_number(_common_part(*sides), numbers.target_exponent)
    written = [_written(basis, sides, numbers, tolerance, each) for each in dict.fromkeys((offset, 0.0))]
    most = sum(np.count_nonzero(side) for side in sides)
    usable = [each for each in written if each is not None and each[0] <= most]
    return min(usable, key=lambda each: each[0])[1] if usable else None


def _written(
    basis: Dictionary, sides: tuple[Floats, Floats], numbers: QuotientRows, tolerance: float, offset: float
) -> tuple[int, Expression] | None:
    """How many numbers the law takes with this offset, and the law."""
    numerator, denominator = sides
    rest = numerator - offset * denominator
    rest[np.abs(rest) <= NEGLIGIBLE * np.abs(offset * denominator)] = 0.0
    above, below = (_terms(basis, side, numbers) for side in (rest, denominator))
    with np.errstate(over="ignore", invalid="ignore"):
        target = numbers.target - offset
        system = _system(above, below, -target) * numbers.weights[:, None]
        sizes = np.abs(_system(above, below, np.abs(numbers.target) + np.abs(target)) * numbers.weights[:, None])
    if not np.all(np.isfinite(system)) or np.any(np.linalg.norm(system, axis=0) == 0):
        return None
    vector = find_null_vector(system, len(above), tolerance)
    if vector is None:
        return None
    vector = _sharpened(system, sizes, vector)
    upper, lower = vector[: len(above)], vector[len(above) :]
    scale = lower[np.flatnonzero(lower)[-1]]
    law = apply("div", _sum(above, upper / scale), _sum(below, lower / scale))
    count = int(np.count_nonzero(vector)) + len({term.shift for term in (*above, *below)} - {0.0})
    return (count, law) if offset == 0 else (count + 1, apply("add", constant(offset), law))


def _system(above: Sequence[PowerTerm], below: Sequence[PowerTerm], factor: Floats) -> Floats:
    """(rows, terms of P and of Q), the latter times a factor: (rows,)."""
    return np.stack([*(term.values for term in above), *(factor * term.values for term in below)], axis=1)


def _sharpened(system: Floats, sizes: Floats, vector: Floats) -> Floats:
    """The null vector in all its digits: rows count by the sizes of what was rounded in them, (rows, terms)."""
    support = np.flatnonzero(vector)
    found = vector[support]
    for _ in range(MOST_TURNS):
        weighted = system[:, support] / (sizes[:, support] @ np.abs(found))[:, None]
        scales = np.linalg.norm(weighted, axis=0)
        found = thin_svd(weighted / scales)[2][-1] / scales
    sharpened = np.zeros(len(vector))
    sharpened[support] = found
    return sharpened if np.all(np.isfinite(sharpened)) else vector


def _common_part(numerator: Floats, denominator: Floats) -> float:
    """The number c for which most terms of P - c Q vanish, those of high degree if any; 0 where none do."""
    shared = np.flatnonzero((numerator != 0) & (denominator != 0))
    if len(shared) == 0:
        return 0.0
    ratios = numerator[shared] / denominator[shared]
    counts = np.sum(np.abs(ratios[:, None] - ratios) <= AGREES * np.abs(ratios), axis=1)
    return float(ratios[len(ratios) - 1 - int(np.argmax(counts[::-1]))])


def _set_number(value: float, exponent: int) -> float:
    """The short decimal number in the user's units that the value may stand for, else the value."""
    own = float(np.ldexp(value, exponent))
    short = float(f"{own:.{SET_DIGITS}g}")
    return float(np.ldexp(short, -exponent)) if abs(own - short) <= AGREES * abs(own) else value


def _terms(basis: Dictionary, coefficients: Floats, numbers: QuotientRows) -> list[PowerTerm]:
    """The number 1, powers of columns or of shifted columns, and the products as they are."""
    found = [PowerTerm(None, np.ones(numbers.columns.shape[1]))]
    polynomials: dict[int, dict[int, float]] = {}
    for place in np.flatnonzero(coefficients[1:]).tolist():
        factors = basis.factors(place)
        columns = sorted(basis.columns(place))
        if len(columns) == 1:
            polynomials.setdefault(columns[0], {})[len(factors)] = float(coefficients[1 + place])
        else:
            found.append(PowerTerm(apply("mul", *factors), basis.values[:, place]))
    for column, powers in polynomials.items():
        values, degree = numbers.columns[column], max(powers)
        shift = _shift(powers, float(np.max(np.abs(values))), numbers.column_exponents[column])
        base = variable(column) if shift == 0 else apply("sub", variable(column), constant(shift))
        for power in range(1, degree + 1) if shift else sorted(powers):
            found.append(PowerTerm(raised(base, float(power)), (values - shift) ** power, shift))
    return found


def _shift(powers: dict[int, float], reach: float, exponent: int) -> float:
    """The number s for which a polynomial has fewer terms in x - s than in x; else 0."""
    degree = max(powers)
    if degree < 2 or len(powers) < degree:
        return 0.0
    shift = _set_number(-powers[degree - 1] / (degree * powers[degree]), exponent)
    polynomial = np.polynomial.Polynomial([0.0, *(powers[power] for power in range(1, degree + 1))])
    shifted = polynomial(np.polynomial.Polynomial([shift, 1.0])).coef
    sizes = np.abs(shifted[1:]) * (reach + abs(shift)) ** np.arange(1, degree + 1)
    return shift if np.count_nonzero(sizes > NEGLIGIBLE * sizes.max()) < degree else 0.0


def _sum(terms: Sequence[PowerTerm], coefficients: Floats) -> Expression:
    """The terms with their coefficients, those that are 1 left out."""
    pairs = [(term.expression, float(number)) for term, number in zip(terms, coefficients, strict=True) if number != 0]
    return join("add", [constant(number) if one is None else scaled(one, number) for one, number in reversed(pairs)])
