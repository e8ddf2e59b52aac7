"""Many descents at once to scaling laws: log|y| = log c + a.l + sum of p log|f| over logarithms l of the columns.

Each factor f has groups z of columns, with log|z| = k + b.l. What is linear, c and a, follows from the rest by least
squares (variable projection); Levenberg-Marquardt steps move k, b and p from random starts, and after a few steps only
the best go on. Where f changes its sign, log|y| has spikes that lead nowhere: there y itself is followed first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.products.functions import ScalingForm
from mosaic_sr.proposal.products.scaling_rows import ScalingRows
from mosaic_sr.proposal.regression.levenberg_marquardt import Evaluate, Evaluated, minimise_squares, zero_infinite
from mosaic_sr.proposal.regression.projection import remove_span
from mosaic_sr.proposal.regression.systems import fit_magnitudes

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# log|f| where f is 0, and how far log|z| is followed.
LOWEST, WIDEST = -30.0, 40.0
# Powers of factors in laws; 1 is the most frequent.
START_POWERS = (1.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0)
# Starts: how far the exponents go, the share of those that are none, and how large a bounded group is at most.
START_SPREAD, START_ZEROS, START_BOUNDS = 1.2, 0.4, (0.1, 0.95)
START_OFFSET = 0.7  # how far from there, as a logarithm


@dataclass(frozen=True)
class DescentConfig:
    """Starts, steps that all of them make, and then the best."""

    num_starts: int
    first_steps: int
    num_best: int
    more_steps: int


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent came to.

    error: deviation of log|y|.  groups: (groups, 1 + columns), k and b of each.  powers: (factors,).
    is_odd: (groups, columns), columns whose sign a group takes on.
    front: (columns,), exponents of the product in front where they were held.
    """

    form: ScalingForm
    error: float
    groups: Floats
    powers: Floats
    is_odd: Bools
    front: Floats | None = None


@dataclass(frozen=True, eq=False)
class _Points:
    """Parameters of many descents: groups (starts, groups, 1 + columns), powers (starts, factors)."""

    groups: Floats
    powers: Floats
    is_odd: Bools

    def best(self, costs: Floats, number: int) -> _Points:
        chosen = np.argsort(costs, kind="stable")[:number]
        return _Points(self.groups[chosen], self.powers[chosen], self.is_odd[chosen])

    @property
    def flat(self) -> Floats:
        return np.concatenate([self.groups.reshape(len(self.groups), -1), self.powers], axis=1)

    def with_flat(self, flat: Floats) -> _Points:
        groups, powers = np.split(flat, [self.groups[0].size], axis=1)
        return _Points(groups.reshape(self.groups.shape), powers[:, : self.powers.shape[1]], self.is_odd)


def descend(scaling_rows: ScalingRows, form: ScalingForm, config: DescentConfig, rng: np.random.Generator) -> Descent:
    """The best law of a form that some descents come to."""
    points = _starts(scaling_rows, form, config.num_starts, rng)
    if scaling_rows.crosses:
        points = _joined([_followed(scaling_rows, form, config, points, power) for power in (1.0, -1.0)])
    else:
        points, costs = _descended(scaling_rows, form, points, config.first_steps)
        points = points.best(costs, config.num_best)
    points, costs = _descended(scaling_rows, form, points, config.more_steps)
    return _descent(scaling_rows, form, points, costs)


def refit(scaling_rows: ScalingRows, descent: Descent, is_free: Bools, num_steps: int) -> Descent:
    """The descent after some more steps, in which only free parameters move: those of groups, then powers, flat."""
    point = _Points(descent.groups[None], descent.powers[None], descent.is_odd[None])
    return _descent(scaling_rows, descent.form, *_descended(scaling_rows, descent.form, point, num_steps, is_free))


def evaluate_factors(scaling_rows: ScalingRows, descent: Descent) -> tuple[Floats, Floats]:
    """Logarithms of the factors' sizes (factors, rows), slopes of log|y| over k and b (groups, rows, 1 + columns)."""
    point = _Points(descent.groups[None], descent.powers[None], descent.is_odd[None])
    factors = _Factors(scaling_rows, descent.form, point)
    with np.errstate(all="ignore"):
        _, logs, slopes = factors.at(point)
    return logs[:, 0], slopes[:, 0, :, None] * factors.designs


def find_front(descent: Descent, scaling_rows: ScalingRows) -> Floats:
    """The exponents of the product in front, which follow from the rest: (columns,)."""
    if descent.front is not None:
        return descent.front
    logs, _ = evaluate_factors(scaling_rows, descent)
    weights = scaling_rows.weights
    return solve_least_squares(
        weights[:, None] * scaling_rows.design, weights * (scaling_rows.heights - descent.powers @ logs)
    )[1:]


def _descent(scaling_rows: ScalingRows, form: ScalingForm, points: _Points, costs: Floats) -> Descent:
    place = int(np.argmin(costs))
    error = float(np.sqrt(costs[place] / np.sum(np.square(scaling_rows.weights))))
    return Descent(form, error, points.groups[place], points.powers[place], points.is_odd[place], scaling_rows.front)


def _starts(scaling_rows: ScalingRows, form: ScalingForm, number: int, rng: np.random.Generator) -> _Points:
    shape = (number, form.num_groups, scaling_rows.logs.shape[1])
    exponents = rng.normal(0.0, START_SPREAD, shape) * (rng.random(shape) >= START_ZEROS)
    # A function bends where its group is about 1: somewhere among the rows. Sums of columns are near 0 in the middle.
    somewhere = scaling_rows.logs[rng.integers(len(scaling_rows.logs), size=shape[:2])]
    numbers = rng.normal(0.0, START_OFFSET, shape[:2]) - (exponents * somewhere).sum(axis=2)
    bounds = np.log(rng.uniform(*START_BOUNDS, shape[:2]))
    is_bounded = form.bounded_groups
    if scaling_rows.crosses:  # which the first factor does
        is_bounded[: form.factors[0].num_groups] = False
    numbers = np.where(is_bounded, bounds - (exponents @ scaling_rows.logs.T).max(axis=2), numbers)
    numbers = np.where(form.linear_groups, rng.normal(0.0, 1.0, shape[:2]), numbers)
    powers = rng.choice(START_POWERS, (number, len(form.factors)))
    is_odd = (rng.random(shape) < 0.5) & np.any(scaling_rows.signs < 0, axis=0) & ~form.linear_groups[:, None]
    return _Points(np.concatenate([numbers[:, :, None], exponents], axis=2), powers, is_odd)


def _joined(parts: list[_Points]) -> _Points:
    return _Points(
        np.concatenate([part.groups for part in parts]),
        np.concatenate([part.powers for part in parts]),
        np.concatenate([part.is_odd for part in parts]),
    )


def _descended(
    scaling_rows: ScalingRows, form: ScalingForm, points: _Points, num_steps: int, is_free: Bools | bool = True
) -> tuple[_Points, Floats]:
    """_Points after some steps towards log|y|, and the squares that they leave."""
    flat, costs = minimise_squares(_follow_logarithm(scaling_rows, form, points), points.flat, num_steps, is_free)
    return points.with_flat(flat), costs


def _followed(
    scaling_rows: ScalingRows, form: ScalingForm, config: DescentConfig, points: _Points, power: float
) -> _Points:
    """Where starts come to that follow y^power itself, the factor that changes its sign having no power of its own."""
    powers = points.powers.copy()
    powers[:, 0] = 1.0
    points = replace(points, powers=powers)
    is_free = np.ones(points.flat.shape[1] + scaling_rows.logs.shape[1], dtype=bool)
    is_free[points.groups[0].size] = False
    for num_steps in (config.first_steps, config.more_steps):
        starts = np.column_stack([points.flat, np.zeros((len(points.groups), scaling_rows.logs.shape[1]))])
        flat, costs = minimise_squares(_follow_power(scaling_rows, form, points, power), starts, num_steps, is_free)
        points = points.with_flat(flat).best(costs, config.num_best)
    return replace(points, powers=power * points.powers)


class _Factors:
    """The factors of a form at points whose groups take on the signs of some columns."""

    def __init__(self, scaling_rows: ScalingRows, form: ScalingForm, points: _Points) -> None:
        self._form = form
        self._signs = np.where(points.is_odd[:, :, None, :], scaling_rows.signs, 1.0).prod(axis=3)
        self.designs = np.stack(
            [scaling_rows.plain_design if linear else scaling_rows.design for linear in form.linear_groups]
        )

    def at(self, points: _Points) -> tuple[Floats, Floats, Floats]:
        """Values and logarithms (factors, starts, rows), slopes times powers summed over factors by group."""
        heights = np.einsum("sgm,gnm->sgn", points.groups, self.designs)
        products = self._signs * np.exp(np.clip(heights, -WIDEST, WIDEST))
        groups = np.where(self._form.linear_groups[:, None], heights, products)
        values, slopes = self._form.values_and_slopes(np.swapaxes(groups, 0, 1))
        values = zero_infinite(values)
        logs = np.maximum(np.log(np.abs(values)), LOWEST)
        return values, logs, np.einsum("sf,fgsn->gsn", points.powers, zero_infinite(slopes))

    def along(self, slopes: Floats) -> list[Floats]:
        """Slopes over k and b of each group, (starts, rows, 1 + columns), from those over its logarithm or sum."""
        return [slope[:, :, None] * design for slope, design in zip(slopes, self.designs, strict=True)]


def _follow_logarithm(scaling_rows: ScalingRows, form: ScalingForm, points: _Points) -> Evaluate:
    """Residuals of log|y|, of which the straight part is taken out; parameters k and b of each group, p of each factor.

    points: they tell which signs the groups take on.
    """
    factors, weights = _Factors(scaling_rows, form, points), scaling_rows.weights
    span = np.linalg.qr(weights[:, None] * scaling_rows.straight)[0]

    def bent(values: Floats) -> Floats:
        """Weighted values over rows (..., rows) without what is straight in the logarithms."""
        return remove_span(weights * values, span, num_passes=1)

    def evaluate(flat: Floats) -> Evaluated:
        here = points.with_flat(flat)
        _, logs, slopes = factors.at(here)

        def jacobian() -> Floats:
            moved = np.concatenate([*factors.along(slopes), np.moveaxis(logs, 0, 2)], axis=2)
            return np.swapaxes(bent(np.swapaxes(moved, 1, 2)), 1, 2)

        return bent(scaling_rows.heights - np.einsum("sf,fsn->sn", here.powers, logs)), jacobian

    return evaluate


def _follow_power(scaling_rows: ScalingRows, form: ScalingForm, points: _Points, power: float) -> Evaluate:
    """Residuals of y or 1/y over the product that its magnitude follows on the whole.

    At last among the parameters come the exponents that this product lacks.
    """
    factors, all_logs = _Factors(scaling_rows, form, points), scaling_rows.logs
    heights = power * scaling_rows.heights
    followed = scaling_rows.design @ fit_magnitudes(scaling_rows.design, heights)
    target = np.sign(scaling_rows.target) * np.exp(heights - followed)

    def evaluate(flat: Floats) -> Evaluated:
        here, lacking = points.with_flat(flat), flat[:, -all_logs.shape[1] :]
        values, logs, slopes = factors.at(here)
        sizes = np.einsum("sf,fsn->sn", here.powers, logs) + lacking @ all_logs.T
        product = np.sign(values).prod(axis=0) * np.exp(np.clip(sizes, -WIDEST, WIDEST))
        units = product / np.linalg.norm(product, axis=1, keepdims=True)
        fitted = (units @ target)[:, None] * units

        def jacobian() -> Floats:
            others = np.broadcast_to(all_logs, (len(flat), *all_logs.shape))
            moved = np.concatenate([*factors.along(slopes), np.moveaxis(logs, 0, 2), others], axis=2)
            moved = fitted[:, :, None] * moved
            return np.asarray(moved - units[:, :, None] * np.einsum("sn,snm->sm", units, moved)[:, None, :])

        return target - fitted, jacobian

    return evaluate
