"""Fits from many starts: draws are screened on few rows with linear constants projected, the best go to all rows."""

from __future__ import annotations

import numpy as np

from mosaic_sr.kernel.jit import compiled
from mosaic_sr.kernel.levenberg import (
    NO_CONSTANTS,
    RANK_DEFICIENT,
    TOO_FEW_ROWS,
    copy,
    descend,
    name_failure,
    rank_of,
)
from mosaic_sr.kernel.linear import DRAWN, HOME, LINEAR, ORDER, Codes, Floats, Plan, make_plan, solve_linear
from mosaic_sr.kernel.moments import Work, carve, measure
from mosaic_sr.kernel.starts import draw_start

# Iterations of a start on the few rows, before it is known whether it deserves all rows.
SHORT = 20
# Starts that go on to all rows.
POLISHED = 4
# A loss this many times the floor leaves nothing to look for.
EXACT = 1e6


@compiled()
def project(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Floats,
    target: Floats,
    weights: Floats,
    num_linear: int,
    plan: Plan,
    work: Work,
) -> float:
    """The weighted sum of squares over one block of rows with the linear parameters at their best values."""
    loss = measure(codes, slots, constants, columns, target, weights, num_linear, plan, work, work.moments)
    if num_linear == 0 or not loss < np.inf:
        return loss
    solve_linear(work.moments, num_linear, num_linear, work.scales, work.factor, work.step)
    total = 0.0
    for row in range(len(target)):
        residual = work.values[row]
        for k in range(num_linear):
            residual -= work.step[k] * work.jacobian[plan[ORDER, k], row]
        total += residual * residual * (weights[row] if len(weights) > 0 else 1.0)
    return total


@compiled(
    "float64(int32[::1], int32[::1], float64[::1], int32[::1], float64[:,::1], float64[::1], float64[::1],"
    " int64[:,::1], float64[::1])"
)
def screen_program(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    parameter_of_constant: Codes,
    columns: Floats,
    target: Floats,
    weights: Floats,
    plan: Plan,
    buffer: Floats,
) -> float:
    """The weighted sum of squares with linear constants at their best, the others as given; at most one block of rows.

    The given constants are kept. The other arguments are those of `fit_program`.
    """
    work = carve(buffer, len(codes), len(constants))
    num_linear, _ = make_plan(codes, slots, parameter_of_constant, plan)
    copy(constants, work.trial)
    for k in range(num_linear):
        work.trial[plan[ORDER, k]] = 0.0
    for constant in range(len(constants)):
        if plan[HOME, constant] >= 0 and plan[LINEAR, plan[HOME, constant]] == 1:
            work.trial[constant] = 0.0
    return project(codes, slots, work.trial, columns, target, weights, num_linear, plan, work)


@compiled()
def mark_drawn(constants: Floats, plan: Plan) -> bool:
    """Mark the constants that starts draw: those without a value, or all when every one has one; True then."""
    is_known = True
    for constant in range(len(constants)):
        if plan[HOME, constant] >= 0 and np.isnan(constants[constant]):
            is_known = False
    for constant in range(len(constants)):
        plan[DRAWN, constant] = 1 if is_known or np.isnan(constants[constant]) else 0
    return is_known


@compiled()
def draw_best(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Floats,
    target: Floats,
    weights: Floats,
    num_linear: int,
    first: int,
    draws: int,
    shift: float,
    plan: Plan,
    work: Work,
    best: Floats,
) -> None:
    """Write the draw with the least projected loss among `draws`, beginning with number `first`."""
    least = np.inf
    for index in range(first, first + draws):
        copy(constants, work.trial)
        draw_start(codes, slots, work.trial, columns, index, shift, plan, work)
        if index == first:
            copy(work.trial, best)
        loss = project(codes, slots, work.trial, columns, target, weights, num_linear, plan, work)
        if loss < least:
            least = loss
            copy(work.trial, best)


@compiled()
def next_start(losses: Floats) -> int:
    """The untried start with the least loss, -1 when none is left; starts that ended alike count once."""
    best = -1
    for start in range(len(losses)):
        if losses[start] < np.inf and (best < 0 or losses[start] < losses[best]):
            best = start
    if best >= 0:
        least = losses[best]
        for start in range(len(losses)):
            if abs(losses[start] - least) <= 1e-6 * least:
                losses[start] = np.inf
    return best


@compiled(
    "Tuple((int64, float64))(int32[::1], int32[::1], float64[::1], int32[::1], float64[:,::1], float64[::1],"
    " float64[:,::1], float64[:,::1], float64[::1], float64[::1], int64, int64, int64, float64, float64, int64[:,::1],"
    " float64[::1], float64[:,::1])"
)
def fit_from_starts(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    parameter_of_constant: Codes,
    few_columns: Floats,
    few_target: Floats,
    few_weights: Floats,
    columns: Floats,
    target: Floats,
    weights: Floats,
    starts: int,
    draws: int,
    max_iterations: int,
    floor: float,
    shift: float,
    plan: Plan,
    buffer: Floats,
    candidates: Floats,
) -> tuple[int, float]:
    """Write the best constants from `starts` starts; returns the outcome and the weighted sum of squares.

    Constants without a value are drawn; when all have one, they are the first start. Each start is the best of `draws`.
    few_*: at most one block of rows.  shift: moves the sequence of draws.  candidates: (>= starts, constants + 1).
    The other arguments are those of `fit_program`.
    """
    work = carve(buffer, len(codes), len(constants))
    num_linear, size = make_plan(codes, slots, parameter_of_constant, plan)
    if size > len(target):
        return TOO_FEW_ROWS, np.inf
    is_known = mark_drawn(constants, plan)
    if size == num_linear:
        starts = 1
    losses = candidates[:, len(constants)].copy()
    losses[:] = np.inf
    few_floor = floor * len(few_target) / len(target)
    for start in range(starts):
        candidate = candidates[start, : len(constants)]
        few_own = few_weights[start % len(few_weights)]
        if start == 0 and is_known:
            copy(constants, candidate)
        else:
            draw_best(
                codes, slots, constants, few_columns, few_target, few_own, num_linear, start * draws,
                draws if size > num_linear else 1, shift, plan, work, candidate,
            )  # fmt: skip
        losses[start] = 0.0
        if starts > 1:
            _, losses[start], _ = descend(
                codes, slots, candidate, few_columns, few_target, few_own, num_linear, size, SHORT, few_floor,
                plan, work,
            )  # fmt: skip
            if losses[start] < np.inf and start % len(few_weights) > 0:
                copy(candidate, work.trial)
                losses[start] = project(
                    codes, slots, work.trial, few_columns, few_target, few_weights[0], num_linear, plan, work
                )
    best_status, best_loss = name_failure(np.nan), np.inf
    for _ in range(POLISHED):
        start = next_start(losses)
        if start < 0 or best_loss <= EXACT * floor:
            break
        candidate = candidates[start, : len(constants)]
        status, loss, _ = descend(
            codes, slots, candidate, columns, target, weights, num_linear, size, max_iterations, floor, plan, work
        )
        if not loss < np.inf and not best_loss < np.inf:
            best_status = status
        if loss < best_loss:
            best_loss = loss
            copy(candidate, constants)
            best_status = status
            if size == 0:
                best_status = NO_CONSTANTS
            elif rank_of(size, work) < size:
                best_status = RANK_DEFICIENT
    return best_status, best_loss
