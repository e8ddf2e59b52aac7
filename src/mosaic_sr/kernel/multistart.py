"""Fits from many starts: draws are screened on few rows with linear constants projected, the best go to all rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, OUT_ROWS, compiled, pointer, shifted
from mosaic_sr.kernel.levenberg import NOT_A_NUMBER, TOO_FEW_ROWS, Task, copy, descend_in, name_failure
from mosaic_sr.kernel.linear import DRAWN, HOME, LINEAR, ORDER, OUT_PLAN, Codes, Floats, Plan, make_plan, solve_linear
from mosaic_sr.kernel.moments import carve, measure
from mosaic_sr.kernel.starts import draw_start
from mosaic_sr.kernel.workspace import BLOCK_ROWS

# Iterations of a start on the few rows, before it is known whether it deserves all rows.
SHORT = 30
# Starts that go on to all rows.
POLISHED = 6
# A loss this many times the floor leaves nothing to look for.
EXACT = 1e6


@compiled(f"float64({INTS}, {INTS}, {FLOATS}, {COLUMNS}, {FLOATS}, {FLOATS}, int64, {OUT_PLAN}, {OUT})")
def project(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Floats,
    target: Floats,
    weights: Floats,
    num_linear: int,
    plan: Plan,
    buffer: Floats,
) -> float:
    """The weighted sum of squares over one block of rows with the linear parameters at their best values."""
    work = carve(buffer, len(codes), len(constants))
    loss = measure(codes, slots, constants, columns, target, weights, num_linear, plan, buffer, work.moments)
    if num_linear == 0 or not loss < np.inf:
        return loss
    solve_linear(work.moments, num_linear, num_linear, work.scales, work.factor, work.step)
    residuals, count = pointer(work.values), len(target)
    for k in range(num_linear):
        slopes = shifted(pointer(work.slopes), plan[ORDER, k] * BLOCK_ROWS)
        for row in range(count):
            residuals[row] -= work.step[k] * slopes[row]
    total = 0.0
    for row in range(count):
        total += residuals[row] * residuals[row] * (weights[row] if len(weights) > 0 else 1.0)
    return total


@compiled()
def set_linear(constants: Floats, value: float, plan: Plan) -> None:
    """Give all linear constants one value."""
    for constant in range(len(constants)):
        if plan[HOME, constant] >= 0 and plan[LINEAR, plan[HOME, constant]] == 1:
            constants[constant] = value


@compiled(f"float64({INTS}, {INTS}, {FLOATS}, {INTS}, {COLUMNS}, {FLOATS}, {FLOATS}, {OUT_PLAN}, {OUT})")
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
    set_linear(work.trial, 0.0, plan)
    return project(codes, slots, work.trial, columns, target, weights, num_linear, plan, buffer)


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
def project_in(task: Task, constants: Floats) -> float:
    """`project` for a task."""
    return project(
        task.codes, task.slots, constants, task.columns, task.target, task.weights, task.num_linear, task.plan,
        task.buffer,
    )  # fmt: skip


class Draws(NamedTuple):
    """How starts are drawn: each is the best of `per_start`; shift moves the sequence of numbers."""

    per_start: int
    shift: float


@compiled()
def draw_best(task: Task, constants: Floats, first: int, draws: Draws, best: Floats) -> None:
    """Write the draw with the least projected loss, beginning with number `first`."""
    work = carve(task.buffer, len(task.codes), len(constants))
    least = np.inf
    for index in range(first, first + draws.per_start):
        copy(constants, work.trial)
        draw_start(task.codes, task.slots, work.trial, task.columns, index, draws.shift, task.plan, task.buffer)
        if index == first:
            copy(work.trial, best)
        loss = project_in(task, work.trial)
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


@compiled()
def try_start(task: Task, constants: Floats, start: int, draws: Draws, tolerance: float, candidate: Floats) -> float:
    """Write the constants that one start reaches on the few rows of a task; returns their loss."""
    if start > 0 or not mark_drawn(constants, task.plan):
        draw_best(task, constants, start * draws.per_start, draws, candidate)
    else:
        copy(constants, candidate)
    _, loss = descend_in(task, candidate, SHORT, tolerance)
    return loss


@compiled()
def polish_best(
    task: Task, constants: Floats, max_iterations: int, tolerance: float, candidates: Floats
) -> tuple[int, float]:
    """Fit the most promising candidates on all rows and write the best; returns its outcome and loss."""
    losses = candidates[:, len(constants)]
    best_status, best_loss = NOT_A_NUMBER, np.inf
    for _ in range(POLISHED):
        start = next_start(losses)
        if start < 0 or best_loss <= EXACT * task.floor:
            break
        candidate = candidates[start, : len(constants)]
        status, loss = descend_in(task, candidate, max_iterations, tolerance)
        if loss < best_loss:
            copy(candidate, constants)
            best_status, best_loss = status, loss
        elif not best_loss < np.inf:
            best_status = status
    return best_status, best_loss


@compiled(
    f"Tuple((int64, float64))({INTS}, {INTS}, {OUT}, {INTS}, {COLUMNS}, {FLOATS}, {COLUMNS}, {COLUMNS}, {FLOATS},"
    f" {FLOATS}, int64, int64, int64, float64, float64, float64, {OUT_PLAN}, {OUT}, {OUT_ROWS})"
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
    tolerance: float,
    shift: float,
    plan: Plan,
    buffer: Floats,
    candidates: Floats,
) -> tuple[int, float]:
    """Write the best constants from `starts` starts; returns the outcome and the weighted sum of squares.

    Constants without a value are drawn; when all have one, they are the first start. Each start is the best of `draws`.
    few_columns, few_target: at most one block of rows.  few_weights: (choices, rows) the fit's own weights first.
    shift: moves the sequence of draws.  candidates: (>= starts, constants + 1).  The rest as in `fit_program`.
    """
    num_linear, size = make_plan(codes, slots, parameter_of_constant, plan)
    if size > len(target):
        return TOO_FEW_ROWS, np.inf
    task = Task(codes, slots, columns, target, weights, num_linear, size, floor, plan, buffer)
    is_known = mark_drawn(constants, plan)
    losses = candidates[:, len(constants)]
    if size == num_linear or (starts == 1 and is_known):
        starts = 1
        copy(constants, candidates[0])
        if not is_known:
            draw_start(codes, slots, candidates[0, : len(constants)], few_columns, 0, shift, plan, buffer)
        losses[0] = 0.0
    else:
        few_floor = floor * len(few_target) / len(target)
        few = Task(codes, slots, few_columns, few_target, few_weights[0], num_linear, size, few_floor, plan, buffer)
        for start in range(starts):
            # Starts take the weights in turn, so that each weighting has its share of them.
            own = few_weights[start % len(few_weights)]
            weighted = Task(codes, slots, few_columns, few_target, own, num_linear, size, few_floor, plan, buffer)
            candidate = candidates[start, : len(constants)]
            losses[start] = try_start(weighted, constants, start, Draws(draws, shift), tolerance, candidate)
            if start % len(few_weights) > 0 and losses[start] < np.inf:
                losses[start] = project_in(few, candidate)
    status, loss = polish_best(task, constants, max_iterations, tolerance, candidates[:starts])
    if loss < np.inf:
        return status, loss
    failed = candidates[0, : len(constants)]
    # A linear constant at zero turns an overflow into 0 * inf, which is no number.
    set_linear(failed, 1.0, plan)
    moments = carve(buffer, len(codes), len(constants)).moments
    return name_failure(measure(codes, slots, failed, columns, target, weights, 0, plan, buffer, moments)), np.inf
