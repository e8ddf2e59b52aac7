"""Levenberg-Marquardt with variable projection: linear parameters are solved in every step, the others iterate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, compiled, pointer
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
from mosaic_sr.kernel.moments import Work, carve, prepare, sum_moments
from mosaic_sr.kernel.workspace import layout_in, set_numbers

# Outcomes of a fit, in the order of the enumeration that the Python door shows.
CONVERGED = 0
NO_CONSTANTS = 1
ITERATION_LIMIT = 2
RANK_DEFICIENT = 3
OVERFLOW = 4
NOT_A_NUMBER = 5
TOO_FEW_ROWS = 6

FIRST_DAMPING = 1e-2
# Share of the loss that is worth a move of linear parameters: far above rounding, far below what noise changes.
LEAST_LINEAR_GAIN = 1e-9
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


class Task(NamedTuple):
    """A formula, the rows it is fitted to, what of it is fitted, and the memory of the fit; arrays as in `fit_program`.

    num_linear, size: linear parameters, which come first in the plan, and all of them.
    """

    codes: Codes
    slots: Codes
    columns: Floats
    target: Floats
    weights: Floats
    num_linear: int
    size: int
    floor: float
    plan: Plan
    buffer: Floats


@compiled()
def measure_at(task: Task, constants: Floats, moments: Floats) -> float:
    """Write the moments at some constants of a task that was prepared; returns the weighted sum of squares."""
    n = len(task.codes)
    set_numbers(
        pointer(task.codes), pointer(task.slots), n, pointer(constants), layout_in(pointer(task.buffer), n)
    )  # fmt: skip
    return sum_moments(
        task.codes, task.slots, len(constants), task.columns, task.target, task.weights, task.size, task.plan,
        task.buffer, moments,
    )  # fmt: skip


@compiled()
def settle(task: Task, constants: Floats, moments: Floats) -> float:
    """Move the linear parameters to their best values where that matters; returns the loss and leaves its moments."""
    work, num_linear = carve(task.buffer, len(task.codes), len(constants)), task.num_linear
    loss = measure_at(task, constants, moments)
    # Steps of all parameters follow where some are not linear; where none are, this is the whole fit.
    enough = 0.9 if task.size > num_linear else 1.0 - LEAST_LINEAR_GAIN
    for _ in range(2):
        if num_linear == 0 or not task.floor < loss < np.inf:
            break
        left = solve_linear(moments, task.size, num_linear, work.scales, work.factor, work.step)
        if left > enough * loss:
            break
        copy(constants, work.spare)
        move(work.spare, work.step, num_linear, num_linear, False, task.plan, constants)
        better = measure_at(task, constants, moments)
        if not better < loss:
            copy(work.spare, constants)
            return measure_at(task, constants, moments)
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
def stretch(task: Task, constants: Floats, loss: float) -> tuple[float, int]:
    """Repeat the last step, twice as long each time, while that lowers the loss; returns it and the trials made."""
    work = carve(task.buffer, len(task.codes), len(constants))
    length = 2.0
    for trial in range(1, MOST_STRETCHES + 1):
        for constant in range(len(constants)):
            work.trial[constant] = constants[constant] + length * work.direction[constant]
        trial_loss = settle(task, work.trial, work.trial_moments)
        if not trial_loss < loss:
            return loss, trial
        loss = trial_loss
        accept(constants, task.size, work)
        length *= 2.0
    return loss, MOST_STRETCHES


@compiled()
def iterate(task: Task, constants: Floats, loss: float, max_iterations: int, tolerance: float) -> tuple[int, float]:
    """Damped steps from a settled point, in place, until nothing more is promised; returns the outcome and the loss."""
    work = carve(task.buffer, len(task.codes), len(constants))
    num_linear, size = task.num_linear, task.size
    damping, growth = FIRST_DAMPING, 2.0
    is_multiplied, has_failed = False, False
    iteration = 0
    while iteration < max_iterations:
        promise = find_step(num_linear, size, damping, work)
        if loss <= task.floor or not promise > tolerance * loss or damping > MOST_DAMPING:
            return CONVERGED, loss
        iteration += 1
        move(constants, work.step, num_linear, size, is_multiplied, task.plan, work.trial)
        trial_loss = settle(task, work.trial, work.trial_moments)
        if not trial_loss < loss:
            has_failed, is_multiplied = True, not is_multiplied
            damping *= growth
            growth *= 2.0
            continue
        damping = max(damping * trust((loss - trial_loss) / promise), LEAST_DAMPING)
        growth = 2.0
        is_slow = has_failed and trial_loss > SLOW * loss
        for constant in range(len(constants)):
            work.direction[constant] = work.trial[constant] - constants[constant]
        loss = trial_loss
        accept(constants, size, work)
        if is_slow:
            loss, tried = stretch(task, constants, loss)
            iteration += tried
    return ITERATION_LIMIT, loss


@compiled()
def trust(ratio: float) -> float:
    """What damping is multiplied by after a step that held this share of its promise."""
    return 0.1 if ratio > 0.75 else 0.5 if ratio > 0.25 else 2.0


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
    task = Task(codes, slots, columns, target, weights, num_linear, size, floor, plan, buffer)
    work = carve(buffer, len(codes), len(constants))
    prepare(codes, slots, constants, columns, size, plan, buffer)
    loss = settle(task, constants, work.moments)
    if not loss < np.inf:
        return name_failure(loss), np.inf
    status = CONVERGED
    if size > num_linear:
        status, loss = iterate(task, constants, loss, max_iterations, tolerance)
    return judge(status, size, work), loss


@compiled()
def descend_in(task: Task, constants: Floats, max_iterations: int, tolerance: float) -> tuple[int, float]:
    """`descend` for a task."""
    return descend(
        task.codes, task.slots, constants, task.columns, task.target, task.weights, task.num_linear, task.size,
        max_iterations, task.floor, tolerance, task.plan, task.buffer,
    )  # fmt: skip


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
    task = Task(codes, slots, columns, target, weights, num_linear, size, floor, plan, buffer)
    return descend_in(task, constants, max_iterations, tolerance)
