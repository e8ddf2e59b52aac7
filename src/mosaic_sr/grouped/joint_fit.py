"""Constants of a form in all groups at once, by Levenberg-Marquardt steps.

Constants of different groups meet only in shared ones, so the normal equations are solved group by group and the shared
constants by their Schur complement: the time grows with the number of rows, whatever the number of groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.grouped.forms import Form
from mosaic_sr.grouped.rows import GroupedRows

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

MAX_STEPS = 60
# Sums of squares that fall by less than this share have settled: of a thousand rows that is 1e-6 of a score, and where
# rows are exact they fall by far more until only rounding is left. Steps that fail so often in turn lead nowhere.
SETTLED = 1e-9
MOST_FAILURES = 8
START_DAMPING, EASIER, HARDER = 1e-3, 0.2, 6.0
# Added to the diagonal, as a share of it: a constant that a group does not determine stays where it is.
RIDGE = 1e-14


@dataclass(frozen=True)
class Pull:
    """What draws the constants of a group to their mean: mean and precision in units of the noise, (parameters,)."""

    mean: Floats
    precision: Floats


@dataclass(frozen=True, eq=False)
class Local:
    """A form at some constants, seen on all rows over the sizes of the noise.

    information: (groups, parameters, parameters), gradient: (groups, parameters), squares: (groups,) of the residuals.
    """

    values: Floats
    information: Floats
    gradient: Floats
    squares: Floats

    def chosen(self, is_chosen: Mask, other: Local, rows: GroupedRows) -> Local:
        """This in the groups chosen, the other elsewhere: (groups,)."""
        if is_chosen.all():
            return self
        return Local(
            np.where(is_chosen[rows.group_of_row], self.values, other.values),
            np.where(is_chosen[:, None, None], self.information, other.information),
            np.where(is_chosen[:, None], self.gradient, other.gradient),
            np.where(is_chosen, self.squares, other.squares),
        )


@np.errstate(all="ignore")  # numerical trouble is a value
def look(form: Form, rows: GroupedRows, theta: Floats, sizes: Floats) -> Local:
    """The form at `theta` (groups, parameters); sizes: of the noise, (rows,)."""
    values, slopes = form.evaluate(rows, theta)
    root = np.sqrt(rows.weights) / sizes
    residuals, slopes = (rows.target - values) * root, slopes * root
    count = form.num_parameters
    information = np.empty((rows.num_groups, count, count))
    for one in range(count):
        for other in range(one + 1):
            information[:, one, other] = information[:, other, one] = rows.sums(slopes[one] * slopes[other])
    return Local(values, information, rows.sums(slopes * residuals).T, rows.sums(np.square(residuals)))


@np.errstate(all="ignore")
def fit_all(
    form: Form,
    rows: GroupedRows,
    theta: Floats,
    sizes: Floats,
    is_shared: Mask,
    pull: Pull | None = None,
    most_steps: int = MAX_STEPS,
) -> tuple[Floats, Local]:
    """Constants of all groups at the least sum of squares near `theta`, and the form seen there.

    theta: (groups, parameters), equal in all groups where `is_shared`.
    """
    here, damping, failures = look(form, rows, theta, sizes), np.full(rows.num_groups, START_DAMPING), 0
    cost = _cost(here, theta, pull)
    if not form.num_parameters:
        return theta, here
    for _ in range(most_steps):
        heed_stop()
        moved = theta + _step(here, theta, damping, is_shared, pull)
        there = look(form, rows, moved, sizes)
        costs = _cost(there, moved, pull)
        is_better = np.isfinite(costs) & (costs < cost)
        if is_shared.any():
            is_better = np.full(len(cost), bool(np.sum(costs) < np.sum(cost)))
        gain = np.where(is_better, cost - costs, 0.0)
        has_settled = np.all(gain[is_better] <= SETTLED * cost[is_better])
        theta = np.where(is_better[:, None], moved, theta)
        here = there.chosen(is_better, here, rows)
        cost = np.where(is_better, costs, cost)
        damping = np.clip(np.where(is_better, damping * EASIER, damping * HARDER), 1e-12, 1e12)
        failures = 0 if is_better.any() else failures + 1
        if (is_better.any() and has_settled) or failures >= MOST_FAILURES:
            break
    return theta, here


def _cost(local: Local, theta: Floats, pull: Pull | None) -> Floats:
    squares = np.where(np.isfinite(local.squares), local.squares, np.inf)
    if pull is None:
        return squares
    return np.asarray(squares + np.square(theta - pull.mean) @ pull.precision)


def _step(here: Local, theta: Floats, damping: Floats, is_shared: Mask, pull: Pull | None) -> Floats:
    """The damped Gauss-Newton step of all constants: (groups, parameters)."""
    information, gradient = np.nan_to_num(here.information), np.nan_to_num(here.gradient)
    count = information.shape[1]
    places = np.arange(count)
    if pull is not None:
        information, gradient = information.copy(), gradient + pull.precision * (pull.mean - theta)
        information[:, places, places] += pull.precision
    diagonal = information[:, places, places]
    shared, own = np.flatnonzero(is_shared), np.flatnonzero(~is_shared)
    step = np.zeros_like(theta)
    blocks = information[:, own[:, None], own].copy()
    spots = np.arange(len(own))
    blocks[:, spots, spots] += _lift(diagonal[:, own], damping[:, None])
    if not len(shared):
        step[:, own] = _solved(blocks, gradient[:, own, None])[..., 0]
        return step
    across = information[:, own[:, None], shared]
    solved = _solved(blocks, np.concatenate([across, gradient[:, own, None]], axis=2)) if len(own) else None
    whole, right = information[:, shared[:, None], shared].sum(axis=0), gradient[:, shared].sum(axis=0)
    lift = _lift(np.diag(whole), float(damping[0]))
    if solved is not None:
        reduced = np.einsum("gps,gpt->st", across, solved)
        whole, right = whole - reduced[:, :-1], right - reduced[:, -1]
    common = _solved((whole + np.diag(lift))[None], right[None, :, None])[0, :, 0]
    step[:, shared] = common
    if solved is not None:
        step[:, own] = solved[..., -1] - solved[..., :-1] @ common
    return step


def _lift(diagonal: Floats, damping: Floats | float) -> Floats:
    return np.asarray(np.where(diagonal > 0.0, (damping + RIDGE) * diagonal, 1.0))


def _solved(matrices: Floats, right: Floats) -> Floats:
    """Solutions of many small systems, whose constants may have very different sizes."""
    scales = np.sqrt(np.maximum(np.diagonal(matrices, axis1=1, axis2=2), np.finfo(np.float64).tiny))
    scaled = matrices / scales[:, :, None] / scales[:, None, :]
    try:
        solution = np.linalg.solve(scaled, right / scales[:, :, None])
    except np.linalg.LinAlgError:
        places = np.arange(scaled.shape[1])
        scaled[:, places, places] += 1e-8
        try:
            solution = np.linalg.solve(scaled, right / scales[:, :, None])
        except np.linalg.LinAlgError:
            return np.zeros_like(right)
    return np.asarray(np.nan_to_num(solution / scales[:, :, None]))
