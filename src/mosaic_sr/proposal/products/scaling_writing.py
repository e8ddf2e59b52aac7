"""What a descent came to as a law: its exponents made simple, its signs, the shortest of several ways to write sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.powers import monomial
from mosaic_sr.proposal.powers import Power, write_product
from mosaic_sr.proposal.products.descent import Descent, evaluate_factors, find_front
from mosaic_sr.proposal.products.functions import Function, GroupFactor, write_linear
from mosaic_sr.proposal.products.scaling_rows import ScalingRows
from mosaic_sr.proposal.simple_exponents import LEAST_TOLERANCE, STANDARD_ERRORS, simplify_number
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
# One way to write a factor, and what that adds to the exponents in front.
Way = tuple[Power, Floats]

# Numbers beyond the exponential of this overflow.
LARGEST_LOG = 700.0


@dataclass(frozen=True, eq=False)
class ScalingNumbers:
    """front: a, (columns,).  inner: b, (groups, columns).  powers: p, (factors,).

    numbers: before the product of powers of each group, or added to its sum: (groups,).
    """

    front: Floats
    inner: Floats
    powers: Floats
    numbers: Floats


def write_descent(
    descent: Descent, scaling_rows: ScalingRows, rows: Rows, columns: NDArray[np.intp]
) -> Expression | None:
    """The law over the table's columns; None where no real powers have its signs."""
    law = simplify_law(descent, scaling_rows)
    if not np.all(np.any(law.inner, axis=1)) or not np.all(law.powers):
        return None
    variables = [variable(column) for column in columns.tolist()]
    bases = [
        _bases(variables, law.inner[group], descent.is_odd[group], scaling_rows) for group in range(len(law.inner))
    ]
    options = []
    for place, (factor, own) in enumerate(descent.form.parts()):
        if any(base is None for base in bases[own]):
            return None
        inner = [each for each in bases[own] if each is not None]
        options.append(list(_ways(factor, law, place, own, inner, variables, scaling_rows.has_signs)))
    forms = (_law_powers(law.front, variables, ways) for ways in product(*options))
    laws = (write_product(powers, rows.columns, rows.target) for powers in forms)
    return min((law for law in laws if law is not None), key=lambda law: len(canonical(law)), default=None)


def simplify_law(descent: Descent, scaling_rows: ScalingRows) -> ScalingNumbers:
    """Each exponent as the simple number that it may stand for, else as it is."""
    (num_groups, size), num_columns = descent.groups.shape, scaling_rows.logs.shape[1]
    scales = _logarithm_scales(descent)
    values, errors = _estimates(descent, scaling_rows)
    stretch = np.concatenate([np.ones(num_columns), np.repeat(scales, num_columns), np.ones(len(descent.powers))])
    is_coefficient = np.concatenate(
        [
            np.zeros(num_columns, bool),
            np.repeat(descent.form.linear_groups, num_columns),
            np.zeros(len(descent.powers), bool),
        ]
    )
    simple = [
        _present(value, error) if is_own else simplify_number(float(value), float(error))
        for value, error, is_own in zip(values * stretch, errors * stretch, is_coefficient, strict=True)
    ]
    front, inner, powers = np.split(np.array(simple), [num_columns, num_columns * (1 + num_groups)])
    inner = inner.reshape(num_groups, size - 1)
    heights = scales * descent.groups[:, 0] - inner @ scaling_rows.means
    numbers = np.exp(np.clip(heights, -LARGEST_LOG, LARGEST_LOG))
    is_linear = descent.form.linear_groups
    inner[is_linear] /= scaling_rows.spreads
    numbers[is_linear] = descent.groups[is_linear, 0] - inner[is_linear] @ scaling_rows.middles
    for place, (factor, own) in enumerate(descent.form.parts()):
        if factor.is_identity:  # (s z)^p is a multiple of z^p
            scale = np.abs(inner[own]).max()
            inner[own], numbers[own] = inner[own] / scale, numbers[own] / scale
        if factor.is_exponential:  # exp(z)^p = exp(p z)
            numbers[own], powers[place] = numbers[own] * descent.powers[place], 1.0
    return ScalingNumbers(front, inner, powers, numbers)


def _present(value: float, error: float) -> float:
    """A coefficient of a standardised column, 0 where it is within its error."""
    return 0.0 if abs(value) <= max(STANDARD_ERRORS * error, LEAST_TOLERANCE) else float(value)


def _logarithm_scales(descent: Descent) -> Floats:
    """What exponents of each group are multiplied by: log(z^s) = s log(z), so its largest exponent may as well be 1."""
    scales = np.ones(len(descent.groups))
    for factor, own in descent.form.parts():
        if factor.is_logarithm and not factor.is_linear:
            scales[own] = 1.0 / np.maximum(np.abs(descent.groups[own, 1:]).max(axis=1), np.finfo(np.float64).tiny)
    return scales


def _estimates(descent: Descent, scaling_rows: ScalingRows) -> tuple[Floats, Floats]:
    """Exponents in front, of the groups and around the factors, and their standard errors."""
    logs, slopes = evaluate_factors(scaling_rows, descent)
    values = np.concatenate([find_front(descent, scaling_rows), descent.groups[:, 1:].ravel(), descent.powers])
    is_known = np.array([not factor.is_exponential for factor in descent.form.factors])
    # The numbers of the groups and the one in front of all, whose columns come last, were fitted too.
    design = np.column_stack(
        [
            scaling_rows.logs,
            *slopes[:, :, 1:],
            (is_known[:, None] * logs).T,
            slopes[:, :, 0].T,
            np.ones(len(scaling_rows.logs)),
        ]
    )
    design = scaling_rows.weights[:, None] * design
    spread = np.sqrt(np.abs(np.diag(np.linalg.pinv(design.T @ design))))
    return values, descent.error * spread[: len(values)]


def _bases(
    variables: list[Expression], exponents: Floats, is_odd: NDArray[np.bool_], scaling_rows: ScalingRows
) -> list[Expression] | None:
    """The columns or their magnitudes, as the signs of a group ask for; None where a root would have to keep a sign."""
    bases = []
    for place, (column, exponent) in enumerate(zip(variables, exponents.tolist(), strict=True)):
        has_sign = bool(np.any(scaling_rows.signs[:, place] < 0))
        if has_sign and is_odd[place] and exponent % 1:
            return None
        keeps = not has_sign or (exponent % 1 == 0 and (is_odd[place] or exponent % 2 == 0))
        bases.append(column if keeps else apply("abs", column))
    return bases


def _ways(
    factor: GroupFactor,
    law: ScalingNumbers,
    place: int,
    own: slice,
    bases: list[list[Expression]],
    variables: list[Expression],
    has_signs: bool,
) -> Iterator[Way]:
    """A function in the one way there is; a sum with any of its terms, or what they share, taken out of it."""
    power, inner, numbers = float(law.powers[place]), law.inner[own], law.numbers[own].tolist()
    if isinstance(factor, Function):
        if factor.is_linear:
            group = write_linear(numbers[0], inner[0], variables)
        else:
            group = apply("mul", constant(numbers[0]), monomial(bases[0], inner[0]))
        yield Power(factor.write(group), power, False), np.zeros_like(law.front)
        return
    exponents = np.vstack([np.zeros_like(law.front), inner])
    signed = [1.0, *(sign * number for sign, number in zip(factor.signs, numbers, strict=True))]
    taken_out = [np.zeros_like(law.front)]
    if not has_signs:
        taken_out += [*inner, exponents.min(axis=0), -law.front / power]
    for taken in taken_out:
        parts = [monomial(base, row - taken) for base, row in zip([variables, *bases], exponents, strict=True)]
        yield Power(_added(signed, parts), power, False), power * taken


def _added(numbers: list[float], parts: list[Expression]) -> Expression:
    total = parts[0]
    for number, part in zip(numbers[1:], parts[1:], strict=True):
        total = apply("add" if number > 0 else "sub", total, apply("mul", constant(abs(number)), part))
    return total


def _law_powers(front: Floats, variables: list[Expression], ways: tuple[Way, ...]) -> list[Power]:
    exponents = front + np.sum([more for _, more in ways], axis=0)
    columns = [Power(column, each, False) for column, each in zip(variables, exponents.tolist(), strict=True) if each]
    return [*columns, *(factor for factor, _ in ways)]
