"""The work space of a fit, and the weighted moments of derivatives and residuals, summed block by block."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mosaic_sr.kernel.derivatives import BLOCK_ROWS, block_jacobian, lay_out_jacobian, run_jacobian, work_size
from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, OUT_ROWS, compiled, part, pointer, rows_at, shifted
from mosaic_sr.kernel.linear import HOME, ORDER, OUT_PLAN, TALLY, WANTED, Codes, Floats, Plan, plan_row


class Work(NamedTuple):
    """Buffers of one fit; `size` below is the number of parameters, at most the number of constants."""

    evaluation: Floats  # scratch of the evaluator
    values: Floats  # (block,) the row of `slopes` after those of the constants
    slopes: Floats  # (constants + 2, block) derivatives by constant, then values or residuals, then a weighted row
    moments: Floats  # (size + 1, size + 1) lower triangle at the present point
    trial_moments: Floats  # the same at the trial point
    factor: Floats  # the same, eliminated
    scales: Floats  # (size,) square roots of the diagonal
    step: Floats  # (size,)
    trial: Floats  # (constants,)
    spare: Floats  # (constants,)
    direction: Floats  # (constants,)


@compiled("int64(int64, int64)")
def fit_work_size(num_nodes: int, num_constants: int) -> int:
    """Length of the float work buffer of a fit."""
    side = num_constants + 1
    return int(work_size(num_nodes) + (2 + num_constants) * BLOCK_ROWS + 3 * side * side + 5 * side)


@compiled()
def carve(buffer: Floats, num_nodes: int, num_constants: int) -> Work:
    """Cut a flat buffer of `fit_work_size` into the arrays of a fit."""
    side = num_constants + 1
    square = side * side
    a = work_size(num_nodes)
    b = a + num_constants * BLOCK_ROWS
    d = a + (num_constants + 2) * BLOCK_ROWS
    e = d + 3 * square
    return Work(
        part(buffer, 0, a),
        part(buffer, b, BLOCK_ROWS),
        rows_at(buffer, a, num_constants + 2, BLOCK_ROWS),
        rows_at(buffer, d, side, side),
        rows_at(buffer, d + square, side, side),
        rows_at(buffer, d + 2 * square, side, side),
        part(buffer, e, side),
        part(buffer, e + side, side),
        part(buffer, e + 2 * side, num_constants),
        part(buffer, e + 3 * side, num_constants),
        part(buffer, e + 4 * side, num_constants),
    )


@compiled(reassociate=True)
def inner_products(row: Floats, first: Floats, second: Floats, count: int) -> tuple[float, float]:
    """Sums of the products of one row with two others over the first `count` entries; each entry is read once."""
    one, two = 0.0, 0.0
    for i in range(count):
        one += row[i] * first[i]
        two += row[i] * second[i]
    return one, two


@compiled()
def mark_wanted(num_constants: int, size: int, plan: Plan) -> None:
    """Mark the constants of the first `size` parameters."""
    wanted, order, homes = plan_row(plan, WANTED), plan_row(plan, ORDER), plan_row(plan, HOME)
    for constant in range(num_constants):
        wanted[constant] = 0
    for k in range(size):
        wanted[order[k]] = 1
    for constant in range(num_constants):
        if homes[constant] >= 0:
            wanted[constant] = wanted[homes[constant]]


@compiled()
def gather_ties(slopes: Floats, num_constants: int, count: int, plan: Plan) -> None:
    """Add the derivative of each tied constant that is wanted to that of its home."""
    wanted, homes = plan_row(plan, WANTED), plan_row(plan, HOME)
    for constant in range(num_constants):
        home = homes[constant]
        if wanted[constant] == 1 and home != constant:
            for i in range(count):
                slopes[home, i] += slopes[constant, i]


@compiled()
def add_block(
    target: Floats, weights: Floats, start: int, count: int, size: int, plan: Plan, slopes: Floats, moments: Floats
) -> None:
    """Add the moments of the `count` rows from `start`, whose derivatives and values stand in `slopes`."""
    length, rows, order = slopes.shape[1], pointer(slopes), plan_row(plan, ORDER)
    observed, weight = shifted(pointer(target), start), shifted(pointer(weights), start)
    residual, weighted = shifted(rows, (len(slopes) - 2) * length), shifted(rows, (len(slopes) - 1) * length)
    for i in range(count):
        residual[i] = observed[i] - residual[i]
    for j in range(size + 1):
        left = shifted(rows, order[j] * length) if j < size else residual
        if len(weights) > 0:
            for i in range(count):
                weighted[i] = weight[i] * left[i]
            left = weighted
        for k in range(j, size + 1, 2):
            first = shifted(rows, order[k] * length) if k < size else residual
            second = shifted(rows, order[k + 1] * length) if k + 1 < size else residual
            one, two = inner_products(left, first, second, count)
            moments[k, j] += one
            if k < size:
                moments[k + 1, j] += two


@compiled(
    f"float64({INTS}, {INTS}, int64, {COLUMNS}, {FLOATS}, {FLOATS}, int64, {OUT_PLAN}, {OUT}, {OUT_ROWS})",
    is_slow=True,
)
def sum_moments(
    codes: Codes,
    slots: Codes,
    num_constants: int,
    columns: Floats,
    target: Floats,
    weights: Floats,
    size: int,
    plan: Plan,
    buffer: Floats,
    moments: Floats,
) -> float:
    """Write the moments of [derivatives, residual] of a program that `prepare` laid out; returns the sum of squares.

    moments: (size + 1, size + 1), lower triangle; parameters stand in the plan's order, the residual last.
    """
    work = carve(buffer, len(codes), num_constants)
    num_rows = len(target)
    plan[TALLY, 0] += 1
    for i in range(size + 1):
        for j in range(i + 1):
            moments[i, j] = 0.0
    for start in range(0, num_rows, BLOCK_ROWS):
        count = min(BLOCK_ROWS, num_rows - start)
        run_jacobian(
            pointer(codes), pointer(slots), len(codes), shifted(pointer(columns), start), count,
            pointer(work.evaluation), pointer(work.values), pointer(work.slopes), BLOCK_ROWS,
        )  # fmt: skip
        gather_ties(work.slopes, num_constants, count, plan)
        add_block(target, weights, start, count, size, plan, work.slopes, moments)
        if not moments[size, size] < np.inf:
            break
    return float(moments[size, size])


@compiled()
def prepare(
    codes: Codes, slots: Codes, constants: Floats, columns: Floats, size: int, plan: Plan, buffer: Floats
) -> None:
    """Plan in the buffer how values and derivatives by the first `size` parameters are found over some columns."""
    mark_wanted(len(constants), size, plan)
    lay_out_jacobian(
        pointer(codes), pointer(slots), len(codes), pointer(constants), plan_row(plan, WANTED), columns.shape[1],
        pointer(buffer),
    )  # fmt: skip


@compiled()
def measure(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Floats,
    target: Floats,
    weights: Floats,
    size: int,
    plan: Plan,
    buffer: Floats,
    moments: Floats,
) -> float:
    """Write the moments at `constants`, as `sum_moments` does; returns the weighted sum of squares."""
    prepare(codes, slots, constants, columns, size, plan, buffer)
    return sum_moments(codes, slots, len(constants), columns, target, weights, size, plan, buffer, moments)


@compiled(f"void({INTS}, {INTS}, {FLOATS}, {COLUMNS}, int64, int64, {OUT}, {OUT_ROWS}, {OUT})")
def write_derivatives(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Floats,
    first: int,
    last: int,
    values: Floats,
    jacobian: Floats,
    buffer: Floats,
) -> None:
    """Write values (rows,) and derivatives by constant (constants, rows) of rows [first, last)."""
    work, wanted = carve(buffer, len(codes), len(constants)), np.ones(len(constants), np.int64)
    for start in range(first, last, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, last)
        block_jacobian(codes, slots, constants, wanted, columns, start, stop, work.evaluation, work.values, work.slopes)
        for i in range(stop - start):
            values[start - first + i] = work.values[i]
        for constant in range(len(constants)):
            for i in range(stop - start):
                jacobian[constant, start - first + i] = work.slopes[constant, i]
