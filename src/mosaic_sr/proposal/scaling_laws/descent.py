"""Many descents at once to scaling laws: log|y| = log c + a.l + p log|f(z)| with log|z| = k + b.l, l being logarithms.

What is linear, c and a, follows from the rest by least squares (variable projection); Levenberg-Marquardt steps move
k, b and p from random starts, and after a few steps only the best go on. Where f changes its sign, log|y| has spikes
that lead nowhere: there y itself is followed first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.scaling_laws.shapes import Shape

Floats = NDArray[np.float64]

FIRST_DAMPING, LEAST_DAMPING = 1e-2, 1e-12
# A parameter moves by no more than this in a step.
FARTHEST = 1.0
# log|f| where f is 0, and how far log|z| is followed.
LOWEST, WIDEST = -30.0, 40.0
# Deviations of logarithms below this are rounding.
ROUNDING = 1e-13
START_POWERS = (1.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0)
# Starts: how far the exponents go, and the share of those that are none.
START_SPREAD, START_ZEROS = 1.2, 0.4
# Rows whose logarithm lies below this quantile are near a zero, where a product shows least.
NEAR_ZERO = 0.1


@dataclass(frozen=True)
class DescentConfig:
    """Starts of each shape, steps that all of them make, and then the best."""

    num_starts: int = 24
    first_steps: int = 10
    num_best: int = 5
    more_steps: int = 30


@dataclass(frozen=True, eq=False)
class Scene:
    """logs: (rows, columns), those of the columns' magnitudes less their means.  target: (rows,), not 0.

    signs: (rows, columns), of the columns.
    """

    logs: Floats
    means: Floats
    signs: Floats
    target: Floats

    @property
    def crosses(self) -> bool:
        """Whether y changes its sign although no column does."""
        return not _changes(self.signs) and _changes(np.sign(self.target))

    @property
    def design(self) -> Floats:
        """A column of ones and the logarithms."""
        return np.column_stack([np.ones(len(self.logs)), self.logs])

    @property
    def heights(self) -> Floats:
        """log|y|."""
        return np.log(np.abs(self.target))


def make_scene(columns: Floats, target: Floats) -> Scene:
    """The scene of some rows; columns: (columns, rows), none of them 0."""
    logs = np.log(np.abs(columns)).T
    means = logs.mean(axis=0)
    return Scene(logs - means, means, np.sign(columns).T, target)


def _changes(signs: Floats) -> bool:
    return bool(np.any(signs != signs[0]))


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent came to.

    error: deviation of log|y|.  parameters: k, b of each column, p.  is_odd: columns whose sign z takes on.
    """

    shape: Shape
    error: float
    parameters: Floats
    is_odd: NDArray[np.bool_]

    @property
    def number(self) -> float:
        return float(self.parameters[0])

    @property
    def inner(self) -> Floats:
        return self.parameters[1:-1]

    @property
    def power(self) -> float:
        return float(self.parameters[-1])


def descend(scene: Scene, shape: Shape, config: DescentConfig, rng: np.random.Generator) -> Descent:
    """The best law of a shape that some descents come to."""
    starts = _starts(scene.logs.shape[1], config.num_starts, rng)
    is_odd = _odd_columns(scene, config.num_starts, rng)
    if scene.crosses:
        starts = np.concatenate([_followed(scene, shape, config, starts, power) for power in (1.0, -1.0)])
        is_odd = is_odd[: len(starts)]
    else:
        starts, costs = _moved(_Logarithmic(scene, shape, is_odd).look, starts, config.first_steps)
        best = np.argsort(costs, kind="stable")[: config.num_best]
        starts, is_odd = starts[best], is_odd[best]
    parameters, costs = _moved(_Logarithmic(scene, shape, is_odd).look, starts, config.more_steps)
    place = int(np.argmin(costs))
    return Descent(shape, _deviation(costs[place], scene), parameters[place], is_odd[place])


def refit(scene: Scene, descent: Descent, is_free: NDArray[np.bool_], num_steps: int) -> Descent:
    """The descent after some more steps, in which only free parameters move."""
    look = _Logarithmic(scene, descent.shape, descent.is_odd[None]).look
    parameters, costs = _moved(look, descent.parameters[None], num_steps, is_free)
    return replace(descent, error=_deviation(costs[0], scene), parameters=parameters[0])


def _deviation(cost: float, scene: Scene) -> float:
    return float(np.sqrt(cost / len(scene.target)))


def _starts(num_columns: int, num_starts: int, rng: np.random.Generator) -> Floats:
    starts = np.empty((num_starts, num_columns + 2))
    starts[:, 0] = rng.normal(0.0, 1.0, num_starts)
    starts[:, 1:-1] = rng.normal(0.0, START_SPREAD, (num_starts, num_columns))
    starts[:, 1:-1] *= rng.random((num_starts, num_columns)) >= START_ZEROS
    starts[:, -1] = rng.choice(START_POWERS, num_starts)
    return starts


def _odd_columns(scene: Scene, num_starts: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Whether z takes on the sign of a column: (starts, columns)."""
    has_signs = np.any(scene.signs < 0, axis=0)
    return np.asarray((rng.random((num_starts, len(has_signs))) < 0.5) & has_signs)


def _followed(scene: Scene, shape: Shape, config: DescentConfig, starts: Floats, power: float) -> Floats:
    """Where starts come to that follow y^power itself."""
    plain = _Plain(scene, shape, power)
    followed, costs = _moved(plain.look, plain.starts(starts), config.first_steps)
    best = np.argsort(costs, kind="stable")[: config.num_best]
    followed, _ = _moved(plain.look, followed[best], config.more_steps)
    return np.column_stack([followed[:, : scene.logs.shape[1] + 1], np.full(len(best), power)])


# Residuals (starts, rows) at some parameters, and their negative slopes (starts, rows, parameters), made when called.
Look = Callable[[Floats], tuple[Floats, Callable[[], Floats]]]


class _Logarithmic:
    """log|y|, of which the straight part has been taken out; parameters k, b, p."""

    def __init__(self, scene: Scene, shape: Shape, is_odd: NDArray[np.bool_]) -> None:
        self._shape, self._design, self._heights = shape, scene.design, scene.heights
        self._span = np.linalg.qr(self._design)[0]
        self._signs = np.where(is_odd[:, None, :], scene.signs, 1.0).prod(axis=2)

    def look(self, parameters: Floats) -> tuple[Floats, Callable[[], Floats]]:
        powers = parameters[:, -1:]
        values, slopes = shape_at(self._shape, parameters[:, :-1] @ self._design.T, self._signs)
        logs = np.maximum(np.log(np.abs(values)), LOWEST)
        residuals = self._bent(self._heights - powers * logs)

        def jacobian() -> Floats:
            along = (powers * slopes)[:, :, None] * self._design
            return np.swapaxes(self._bent(np.swapaxes(np.dstack([along, logs]), 1, 2)), 1, 2)

        return residuals, jacobian

    def _bent(self, values: Floats) -> Floats:
        """Values over rows (..., rows) without what is straight in the logarithms."""
        return np.asarray(values - (values @ self._span) @ self._span.T)


class _Plain:
    """y or 1/y over the product that its magnitude follows on the whole; parameters k, b, and exponents it lacks."""

    def __init__(self, scene: Scene, shape: Shape, power: float) -> None:
        self._shape, self._design, self._logs = shape, scene.design, scene.logs
        heights = power * scene.heights
        kept = heights >= np.quantile(heights, NEAR_ZERO)
        slant = solve_least_squares(self._design[kept], heights[kept])
        self._upright = np.sign(scene.target) * np.exp(heights - self._design @ slant)

    def starts(self, starts: Floats) -> Floats:
        return np.column_stack([starts[:, :-1], np.zeros((len(starts), self._logs.shape[1]))])

    def look(self, parameters: Floats) -> tuple[Floats, Callable[[], Floats]]:
        num_inner = self._design.shape[1]
        values, slopes = shape_at(self._shape, parameters[:, :num_inner] @ self._design.T, 1.0)
        values = values * np.exp(np.clip(parameters[:, num_inner:] @ self._logs.T, -WIDEST, WIDEST))
        units = values / np.linalg.norm(values, axis=1, keepdims=True)
        sizes = units @ self._upright
        residuals = self._upright - sizes[:, None] * units

        def jacobian() -> Floats:
            fitted = sizes[:, None] * units
            moved = np.dstack([(fitted * slopes)[:, :, None] * self._design, fitted[:, :, None] * self._logs])
            return np.asarray(moved - units[:, :, None] * np.einsum("sn,snm->sm", units, moved)[:, None, :])

        return residuals, jacobian


def shape_at(shape: Shape, heights: Floats, signs: Floats | float) -> tuple[Floats, Floats]:
    """f(z) and the slopes of log|f| over log|z|, with 0 for what is not finite."""
    z = signs * np.exp(np.clip(heights, -WIDEST, WIDEST))
    values = shape.value(z)
    return finite(values), finite(shape.slope(z, values))


def finite(values: Floats) -> Floats:
    """The values with 0 for what is not finite."""
    return np.where(np.isfinite(values), values, 0.0)


def _moved(
    look: Look, parameters: Floats, num_steps: int, is_free: NDArray[np.bool_] | bool = True
) -> tuple[Floats, Floats]:
    """Parameters after some damped Gauss-Newton steps, each start on its own, and the sums of squares they leave."""
    with np.errstate(all="ignore"):
        residuals, jacobian = look(parameters)
        costs = np.nan_to_num(np.square(residuals).sum(axis=1), nan=np.inf)
        damping = np.full(len(parameters), FIRST_DAMPING)
        slopes = jacobian()
        least = residuals.shape[1] * ROUNDING**2
        for _ in range(num_steps):
            if costs.min() <= least:
                break
            tried = parameters + _step(slopes * is_free, residuals, damping)
            new_residuals, jacobian = look(tried)
            new_costs = np.nan_to_num(np.square(new_residuals).sum(axis=1), nan=np.inf)
            is_better = new_costs < costs
            parameters = np.where(is_better[:, None], tried, parameters)
            residuals = np.where(is_better[:, None], new_residuals, residuals)
            slopes = np.where(is_better[:, None, None], jacobian(), slopes)
            costs = np.where(is_better, new_costs, costs)
            damping = np.where(is_better, np.maximum(0.2 * damping, LEAST_DAMPING), 4.0 * damping)
    return parameters, costs


def _step(slopes: Floats, residuals: Floats, damping: Floats) -> Floats:
    """The damped steps: (starts, parameters)."""
    slopes = finite(slopes)
    normal = np.swapaxes(slopes, 1, 2) @ slopes
    pull = np.einsum("snm,sn->sm", slopes, finite(residuals))
    sizes = np.einsum("smm->sm", normal)
    # What moves nothing gets a little weight of its own: the matrix stays regular.
    weights = damping[:, None] * sizes + 1e-12 * sizes.max(axis=1, keepdims=True) + np.finfo(np.float64).tiny
    damped = normal + weights[:, :, None] * np.eye(normal.shape[1])
    return np.clip(np.linalg.solve(damped, pull[:, :, None])[:, :, 0], -FARTHEST, FARTHEST)
