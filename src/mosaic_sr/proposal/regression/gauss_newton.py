"""Numbers inside a term that stands beside a background, refined in machine code: a thousand terms in each search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, compiled, part, rows_at
from mosaic_sr.kernel.levenberg import copy
from mosaic_sr.kernel.linear import DEPENDENT, Codes, Floats, eliminate, scale_moments, substitute_back, unscale
from mosaic_sr.kernel.moments import fit_work_size, write_derivatives

Matrix = NDArray[np.float64]

# The least keeps the system of a step regular where two numbers do the same.
FIRST_DAMPING, LEAST_DAMPING = 1e-3, 1e-10
# A step that lowers what is left by less is one of the last; so is one that leaves rounding.
LEAST_GAIN, ROUNDING = 1.001, 1e-28
# Steps that did not help before a refinement ends.
MOST_FAILURES = 3


@compiled(reassociate=True)
def inner(one: Floats, other: Floats) -> float:
    """The sum of products of two rows."""
    total = 0.0
    for i in range(len(one)):
        total += one[i] * other[i]
    return total


@compiled()
def judge(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Matrix,
    weights: Floats,
    basis: Matrix,
    left: Floats,
    work: Floats,
    terms: Matrix,
) -> tuple[float, float]:
    """Write what the background leaves of the term and of its slopes; returns its factor and the share that it leaves.

    terms: (1 + constants, rows).
    """
    count = len(left)
    value = part(terms, 0, count)
    slopes = rows_at(terms, count, len(constants), count)
    write_derivatives(codes, slots, constants, columns, 0, count, value, slopes, work)
    for term in range(len(terms)):
        row = part(terms, term * count, count)
        for i in range(count):
            row[i] *= weights[i]
        for direction in range(len(basis)):
            axis = part(basis, direction * count, count)
            along = inner(row, axis)
            for i in range(count):
                row[i] -= along * axis[i]
    size = inner(value, value)
    if not size > 0.0:
        return np.nan, np.inf
    factor, share = inner(value, left) / size, 0.0
    for i in range(count):
        share += (left[i] - factor * value[i]) ** 2
    return factor, share if share < np.inf else np.inf


@compiled()
def write_moments(terms: Matrix, factor: float, left: Floats, moments: Matrix) -> None:
    """Write the lower triangle of moments of the term, of its slopes times its factor, and of what it leaves."""
    size, count = len(terms), len(left)
    for i in range(size):
        row, scale = part(terms, i * count, count), factor if i else 1.0
        for j in range(i + 1):
            product = inner(row, part(terms, j * count, count))
            moments[i, j] = product * scale * (factor if j else 1.0)
        moments[size, i] = (inner(row, left) - factor * inner(row, part(terms, 0, count))) * scale


@compiled(f"Tuple((float64, float64))({INTS}, {INTS}, {OUT}, {COLUMNS}, {FLOATS}, {COLUMNS}, {FLOATS}, int64)")
def refine(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Matrix,
    weights: Floats,
    basis: Matrix,
    left: Floats,
    most_steps: int,
) -> tuple[float, float]:
    """Improve `constants` in place; returns the factor before the term and the share of left: (rows,) that it leaves.

    The factor and the background, basis: (basis, rows), orthonormal, are at their best at every step.
    """
    size = len(constants) + 1
    work = np.empty(fit_work_size(len(codes), len(constants)))
    here, there = np.empty((size, len(left))), np.empty((size, len(left)))
    moments, matrix = np.empty((size + 1, size + 1)), np.empty((size + 1, size + 1))
    scales, step, trial = np.empty(size), np.empty(size), np.empty(size - 1)
    factor, share = judge(codes, slots, constants, columns, weights, basis, left, work, here)
    damping, failures = FIRST_DAMPING, 0
    for _ in range(most_steps if size > 1 else 0):
        write_moments(here, factor, left, moments)
        scale_moments(moments, size, scales, matrix)
        for k in range(1, size):
            matrix[k, k] += damping
        eliminate(matrix, size, 0, size, DEPENDENT)
        substitute_back(matrix, size, size, step)
        unscale(step, scales, size)
        for k in range(1, size):
            trial[k - 1] = constants[k - 1] + step[k]
        new_factor, new_share = judge(codes, slots, trial, columns, weights, basis, left, work, there)
        if new_share < share:
            gain, failures, damping = share / new_share, 0, max(0.1 * damping, LEAST_DAMPING)
            here, there, factor, share = there, here, new_factor, new_share
            copy(trial, constants)
            if gain < LEAST_GAIN or share < ROUNDING:
                break
        else:
            damping, failures = 10.0 * damping, failures + 1
            if failures == MOST_FAILURES:
                break
    return factor, share
