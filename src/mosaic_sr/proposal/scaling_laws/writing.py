"""What a descent came to as a law: its exponents made simple, its signs, the shorter of two ways to write a sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.powers import monomial
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.power_laws.products import Power, product_expression, simple_number
from mosaic_sr.proposal.scaling_laws.descent import Descent, Scene, finite, shape_at
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

# Numbers beyond the exponential of this overflow.
LARGEST_LOG = 700.0


@dataclass(frozen=True, eq=False)
class _Exponents:
    """front: a of each column.  inner: b of each column.  power: p.  number: before the product in z."""

    front: Floats
    inner: Floats
    power: float
    number: float

    @property
    def turned(self) -> _Exponents:
        """The same of a sum whose second part has been taken out: x^a (1 + z)^p as a product with (1 + 1/z)^p."""
        return _Exponents(self.front + self.power * self.inner, -self.inner, self.power, 1.0 / self.number)


def written(descent: Descent, scene: Scene, rows: Rows, columns: NDArray[np.intp]) -> Expression | None:
    """The law over the table's columns; None where no real powers have its signs."""
    exponents = _simple_exponents(descent, scene)
    bases = _inner_bases(descent, exponents, scene, columns)
    if bases is None or not np.any(exponents.inner) or exponents.power == 0:
        return None
    variables = [variable(int(column)) for column in columns]
    forms = [_product(descent, exponents, variables, bases)]
    if descent.shape.is_sum:
        forms.append(_product(descent, exponents.turned, variables, bases))
    if descent.shape.is_sum and not np.any(scene.signs < 0):
        forms.append(_sum(descent, exponents, variables))
    laws = [product_expression(powers, rows.columns, rows.target) for powers in forms]
    return min((law for law in laws if law is not None), key=lambda law: len(canonical(law)), default=None)


def _simple_exponents(descent: Descent, scene: Scene) -> _Exponents:
    """Each exponent as the simple number that it may stand for, else as it is."""
    num_columns = scene.logs.shape[1]
    values, errors = _estimates(descent, scene)
    scale = 1.0
    if descent.shape.is_logarithm:  # log(z^s) = s log(z): the largest exponent may as well be 1
        scale = 1.0 / max(np.abs(descent.inner).max(), np.finfo(np.float64).tiny)
        values[num_columns:-1] *= scale
        errors[num_columns:-1] *= scale
    simple = [simple_number(value, error) for value, error in zip(values.tolist(), errors.tolist(), strict=True)]
    nearest = np.array([value if near is None else near for value, near in zip(values.tolist(), simple, strict=True)])
    front, inner, (power,) = np.split(nearest, [num_columns, 2 * num_columns])
    number = float(np.exp(np.clip(scale * descent.number - inner @ scene.means, -LARGEST_LOG, LARGEST_LOG)))
    if descent.shape.is_exponential:
        return _Exponents(front, inner, 1.0, number * descent.power)
    return _Exponents(front, inner, float(power), number)


def _estimates(descent: Descent, scene: Scene) -> tuple[Floats, Floats]:
    """Exponents in front, inside and around, and their standard errors."""
    signs = np.where(descent.is_odd, scene.signs, 1.0).prod(axis=1)
    with np.errstate(all="ignore"):
        shape_values, slopes = shape_at(descent.shape, descent.number + scene.logs @ descent.inner, signs)
        heights = finite(np.log(np.abs(shape_values)))
    straight = solve_least_squares(scene.design, scene.heights - descent.power * heights)[1:]
    values = np.concatenate([straight, descent.inner, [descent.power]])
    moved = descent.power * slopes[:, None] * scene.design
    around = np.zeros_like(heights) if descent.shape.is_exponential else heights
    # The numbers c and k, whose columns come last, were fitted too.
    design = np.column_stack([scene.logs, moved[:, 1:], around, moved[:, 0], np.ones_like(heights)])
    spread = np.sqrt(np.abs(np.diag(np.linalg.pinv(design.T @ design))))
    return values, descent.error * spread[: len(values)]


def _inner_bases(
    descent: Descent, exponents: _Exponents, scene: Scene, columns: NDArray[np.intp]
) -> list[Expression] | None:
    """The columns or their magnitudes, as the signs of z ask for; None where a root would have to keep a sign."""
    bases = []
    for place, column in enumerate(columns.tolist()):
        exponent, has_sign = exponents.inner[place], bool(np.any(scene.signs[:, place] < 0))
        if has_sign and descent.is_odd[place] and exponent % 1:
            return None
        keeps = not has_sign or (exponent % 1 == 0 and (descent.is_odd[place] or exponent % 2 == 0))
        bases.append(variable(column) if keeps else apply("abs", variable(column)))
    return bases


def _product(
    descent: Descent, exponents: _Exponents, variables: list[Expression], bases: list[Expression]
) -> list[Power]:
    inside = apply("mul", constant(exponents.number), monomial(bases, exponents.inner))
    front = [Power(base, each, False) for base, each in zip(variables, exponents.front.tolist(), strict=True) if each]
    return [*front, Power(descent.shape.write(inside), exponents.power, False)]


def _sum(descent: Descent, exponents: _Exponents, variables: list[Expression]) -> list[Power]:
    """The product in front taken into the sum: x^(a/p) + k x^(b + a/p), to the power p."""
    first = exponents.front / exponents.power
    second = apply("mul", constant(exponents.number), monomial(variables, first + exponents.inner))
    name = "add" if descent.shape.name == "1 + z" else "sub"
    return [Power(apply(name, monomial(variables, first), second), exponents.power, False)]
