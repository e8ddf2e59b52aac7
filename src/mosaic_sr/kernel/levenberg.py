"""Levenberg-Marquardt with variable projection: linear parameters are solved in every step, the others iterate."""

from __future__ import annotations

import numpy as np

from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, compiled
from mosaic_sr.kernel.linear import (
    DEPENDENT,
    HOME,
    ORDER,
    OUT_PLAN,
    Codes,
    Floats,
    Plan,
    eliminate,
    make_plan,
    scale_moments,
    solve_linear,
    substitute_back,
    unscale,
)
from mosaic_sr.kernel.moments import Work, carve, measure

# Outcomes of a fit, in the order of the enumeration that the Python door shows.
CONVERGED = 0
NO_CONSTANTS = 1
ITERATION_LIMIT = 2
RANK_DEFICIENT = 3
OVERFLOW = 4
NOT_A_NUMBER = 5
TOO_FEW_ROWS = 6

FIRST_DAMPING = 1e-2
LEAST_DAMPING = 1e-14
MOST_DAMPING = 1e8
# A careful fit ends where the model promises less than this share of the present loss.
TOLERANCE = 1e-9
# Once a step has failed, one that leaves more than this share of the loss creeps along a valley: longer ones are tried.
SLOW = 0.5
MOST_STRETCHES = 20


@compiled()
def copy(source: Floats, out: Floats) -> None:
    """Copy one row of numbers; a slice assignment would compile numba's error messages with it."""
    for i in range(len(source)):
        out[i] = source[i]


@compiled()
def move(
    constants: Floats, step: Floats, num_linear: int, size: int, is_multiplied: bool, plan: Plan, out: Floats
) -> None:
    """Write the constants after a step of the first `size` parameters; tied constants follow their home.

    is_multiplied: parameters that are not linear are multiplied, x exp(step / x), which follows valleys of constant
    product; the factor stays within e² of one.
    """
    copy(constants, out)
    for k in range(size):
        home = plan[ORDER, k]
        if is_multiplied and k >= num_linear and constants[home] != 0.0:
            out[home] *= np.exp(min(max(step[k] / constants[home], -2.0), 2.0))
        else:
            out[home] += step[k]
    for constant in range(len(constants)):
        home = plan[HOME, constant]
        if home >= 0:
            out[constant] = out[home]


@compiled()
def settle(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Floats,
    target: Floats,
    weights: Floats,
    num_linear: int,
    size: int,
    floor: float,
    plan: Plan,
    buffer: Floats,
    moments: Floats,
) -> float:
    """Move the linear parameters to their best values where that matters; returns the loss and leaves its moments."""
    work = carve(buffer, len(codes), len(constants))
    loss = measure(codes, slots, constants, columns, target, weights, size, plan, buffer, moments)
    for _ in range(2):
        if num_linear == 0 or not floor < loss < np.inf:
            break
        left = solve_linear(moments, size, num_linear, work.scales, work.factor, work.step)
        if left > 0.9 * loss:
            break
        copy(constants, work.spare)
        move(work.spare, work.step, num_linear, num_linear, False, plan, constants)
        better = measure(codes, slots, constants, columns, target, weights, size, plan, buffer, moments)
        if not better < loss:
            copy(work.spare, constants)
            return measure(codes, slots, constants, columns, target, weights, size, plan, buffer, moments)
        loss = better
    return loss


@compiled()
def find_step(num_linear: int, size: int, damping: float, work: Work) -> float:
    """Write the step from the present moments; returns the decrease of the loss that the linear model promises."""
    scale_moments(work.moments, size, work.scales, work.factor)
    eliminate(work.factor, size, 0, num_linear, DEPENDENT)
    for k in range(num_linear, size):
        work.factor[k, k] += damping * max(work.factor[k, k], DEPENDENT)
    eliminate(work.factor, size, num_linear, size, DEPENDENT)
    substitute_back(work.factor, size, size, work.step)
    promise = 0.0
    for k in range(size):
        promise += work.factor[size, k] ** 2
    unscale(work.step, work.scales, size)
    return promise


@compiled()
def judge(status: int, size: int, work: Work) -> int:
    """The outcome of a descent, once the present moments have been asked which parameters the rows tell apart."""
    if size == 0:
        return NO_CONSTANTS
    scale_moments(work.moments, size, work.scales, work.factor)
    rank = eliminate(work.factor, size, 0, size, DEPENDENT)
    return RANK_DEFICIENT if rank < size else status


@compiled()
def name_failure(loss: float) -> int:
    """The outcome behind a loss that is no number or infinite."""
    return NOT_A_NUMBER if np.isnan(loss) else OVERFLOW


@compiled()
def accept(constants: Floats, size: int, work: Work) -> None:
    """Make the trial point the present one."""
    copy(work.trial, constants)
    for i in range(size + 1):
        copy(work.trial_moments[i], work.moments[i])


@compiled()
def stretch(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Floats,
    target: Floats,
    weights: Floats,
    num_linear: int,
    size: int,
    floor: float,
    plan: Plan,
    buffer: Floats,
    loss: float,
) -> tuple[float, int]:
    """Repeat the last step, twice as long each time, while that lowers the loss; returns it and the trials made."""
    work = carve(buffer, len(codes), len(constants))
    length = 2.0
    for trial in range(1, MOST_STRETCHES + 1):
        for constant in range(len(constants)):
            work.trial[constant] = constants[constant] + length * work.direction[constant]
        trial_loss = settle(
            codes,
            slots,
            work.trial,
            columns,
            target,
            weights,
            num_linear,
            size,
            floor,
            plan,
            buffer,
            work.trial_moments,
        )
        if not trial_loss < loss:
            return loss, trial
        loss = trial_loss
        accept(constants, size, work)
        length *= 2.0
    return loss, MOST_STRETCHES


@compiled(
    f"Tuple((int64, float64))({INTS}, {INTS}, {OUT}, {COLUMNS}, {FLOATS}, {FLOATS}, int64, int64, int64, float64,"
    f" float64, {OUT_PLAN}, {OUT})",
    is_slow=True,
)
def descend(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Floats,
    target: Floats,
    weights: Floats,
    num_linear: int,
    size: int,
    max_iterations: int,
    floor: float,
    tolerance: float,
    plan: Plan,
    buffer: Floats,
) -> tuple[int, float]:
    """Improve `constants` in place from where they are; returns the outcome and the weighted sum of squares."""
    work = carve(buffer, len(codes), len(constants))
    loss = settle(
        codes, slots, constants, columns, target, weights, num_linear, size, floor, plan, buffer, work.moments
    )
    if not loss < np.inf:
        return name_failure(loss), np.inf
    damping = FIRST_DAMPING
    growth = 2.0
    is_multiplied = False
    has_failed = False
    status = CONVERGED if size == num_linear else ITERATION_LIMIT
    iteration = 0
    while status == ITERATION_LIMIT and iteration < max_iterations:
        promise = find_step(num_linear, size, damping, work)
        if loss <= floor or not promise > tolerance * loss or damping > MOST_DAMPING:
            status = CONVERGED
            break
        iteration += 1
        move(constants, work.step, num_linear, size, is_multiplied, plan, work.trial)
        trial_loss = settle(
            codes,
            slots,
            work.trial,
            columns,
            target,
            weights,
            num_linear,
            size,
            floor,
            plan,
            buffer,
            work.trial_moments,
        )
        if trial_loss < loss:
            ratio = (loss - trial_loss) / promise
            damping = max(damping * (0.1 if ratio > 0.75 else 0.5 if ratio > 0.25 else 2.0), LEAST_DAMPING)
            growth = 2.0
            is_slow = has_failed and trial_loss > SLOW * loss
            for constant in range(len(constants)):
                work.direction[constant] = work.trial[constant] - constants[constant]
            loss = trial_loss
            accept(constants, size, work)
            if is_slow:
                loss, tried = stretch(
                    codes, slots, constants, columns, target, weights, num_linear, size, floor, plan, buffer, loss
                )
                iteration += tried
        else:
            has_failed = True
            is_multiplied = not is_multiplied
            damping *= growth
            growth *= 2.0
    return judge(status, size, work), loss


@compiled(
    f"Tuple((int64, float64))({INTS}, {INTS}, {OUT}, {INTS}, {COLUMNS}, {FLOATS}, {FLOATS},"
    f" int64, float64, float64, {OUT_PLAN}, {OUT})"
)
def fit_program(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    parameter_of_constant: Codes,
    columns: Floats,
    target: Floats,
    weights: Floats,
    max_iterations: int,
    floor: float,
    tolerance: float,
    plan: Plan,
    buffer: Floats,
) -> tuple[int, float]:
    """Improve `constants` in place from where they are; returns the outcome and the weighted sum of squares.

    parameter_of_constant: equal numbers tie constants together, a negative number holds one fixed.
    weights: (rows,) or empty for ones.  floor: sum of squares that counts as zero.
    tolerance: share of the loss that a step must promise.
    plan: (PLAN_ROWS, >= nodes).  buffer: (>= fit_work_size(nodes, constants),).
    """
    num_linear, size = make_plan(codes, slots, parameter_of_constant, plan)
    if size > len(target):
        return TOO_FEW_ROWS, np.inf
    return descend(
        codes, slots, constants, columns, target, weights, num_linear, size, max_iterations, floor, tolerance,
        plan, buffer,
    )  # fmt: skip
