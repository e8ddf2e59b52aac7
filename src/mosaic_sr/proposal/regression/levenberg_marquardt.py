"""Levenberg-Marquardt: damped Gauss-Newton steps of many starts at once, for residuals that numpy computes.

Numbers inside an expression have `gauss_newton`, which is machine code.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
# Residuals (starts, rows) at some parameters, and their negative slopes (starts, rows, parameters), made when called.
Evaluated = tuple[Floats, Callable[[], Floats]]
Evaluate = Callable[[Floats], Evaluated]

# Shares of the curvature: starts are far away, and at the end a step is Gauss-Newton's up to rounding. One that helps
# divides it by five, one that does not multiplies it by four.
FIRST_DAMPING, LEAST_DAMPING = 1e-2, 1e-12
EASED, TIGHTENED = 0.2, 4.0
# A parameter moves by no more than this in a step.
FARTHEST = 1.0
# Descents end where so many steps leave more than this share of the least squares.
PATIENCE, LEAST_FALL = 6, 0.95
# Residuals of targets of size 1 below this are rounding.
ROUNDING = 1e-13


def zero_infinite(values: Floats) -> Floats:
    """The values with 0 for what is not finite."""
    return np.where(np.isfinite(values), values, 0.0)


def minimise_squares(
    evaluate: Evaluate, parameters: Floats, num_steps: int, is_free: Bools | bool = True
) -> tuple[Floats, Floats]:
    """Parameters (starts, parameters) after some steps, each start on its own, and the squares that they leave."""
    with np.errstate(all="ignore"):
        residuals, jacobian = evaluate(parameters)
        costs = np.nan_to_num(np.square(residuals).sum(axis=1), nan=np.inf)
        damping = np.full(len(parameters), FIRST_DAMPING)
        slopes = jacobian()
        least, before, is_met = residuals.shape[1] * ROUNDING**2, np.inf, False
        for step in range(num_steps):
            heed_stop()
            if step % PATIENCE == 0:
                if costs.min() > LEAST_FALL * before:
                    break
                before = costs.min()
            if is_met:
                break
            is_met = bool(costs.min() <= least)  # one step more, which brings the last digits
            tried = parameters + _step(slopes * is_free, residuals, damping)
            new_residuals, jacobian = evaluate(tried)
            new_costs = np.nan_to_num(np.square(new_residuals).sum(axis=1), nan=np.inf)
            is_better = new_costs < costs
            parameters = np.where(is_better[:, None], tried, parameters)
            residuals = np.where(is_better[:, None], new_residuals, residuals)
            slopes = np.where(is_better[:, None, None], jacobian(), slopes)
            costs = np.where(is_better, new_costs, costs)
            damping = np.where(is_better, np.maximum(EASED * damping, LEAST_DAMPING), TIGHTENED * damping)
    return parameters, costs


def _step(slopes: Floats, residuals: Floats, damping: Floats) -> Floats:
    """The damped steps: (starts, parameters)."""
    slopes = zero_infinite(slopes)
    normal = np.swapaxes(slopes, 1, 2) @ slopes
    pull = np.einsum("snm,sn->sm", slopes, zero_infinite(residuals))
    sizes = np.einsum("smm->sm", normal)
    # What moves nothing gets a little weight of its own: the matrix stays regular.
    weights = damping[:, None] * sizes + 1e-12 * sizes.max(axis=1, keepdims=True) + np.finfo(np.float64).tiny
    damped = normal + weights[:, :, None] * np.eye(normal.shape[1])
    return np.clip(np.linalg.solve(damped, pull[:, :, None])[:, :, 0], -FARTHEST, FARTHEST)
