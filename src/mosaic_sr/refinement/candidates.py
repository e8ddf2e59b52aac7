"""What is done with one candidate, compiled: is it new, is it promising on few rows, how good is it once fitted."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.evaluate import block_values
from mosaic_sr.kernel.jit import compiled, float_bits, part, pointer, rows_at, unowned
from mosaic_sr.kernel.levenberg import Task, descend_in
from mosaic_sr.kernel.linear import LINEAR, PLAN_ROWS
from mosaic_sr.kernel.multistart import fit_from_starts, screen_program
from mosaic_sr.refinement.chance import mixed, uniform
from mosaic_sr.refinement.scaling import MARKS_PER_NODE, Marks, marks_in
from mosaic_sr.refinement.settings import DRAWS, FLOOR, MAX_ITERATIONS, RESTART_SHARE, STARTS, TOLERANCE

# Rows whose values tell structures apart, with generic numbers for constants.
HASH_ROWS = 8
# The lowest bits of a value are rounding; twins in disguise agree in the others.
KEPT_BITS = np.int64(~((1 << 20) - 1))
# One half of a hash finds its place, the other is kept there.
HALF = np.uint64(32)
GOLDEN_RATIO = 0.6180339887498949


class Data(NamedTuple):
    """Rows to fit on and few rows to screen on; weights make the weighted sum of squares the loss itself."""

    columns: NDArray[np.float64]
    target: NDArray[np.float64]
    weights: NDArray[np.float64]
    few_columns: NDArray[np.float64]
    few_target: NDArray[np.float64]
    few_weights: NDArray[np.float64]  # (choices, rows), the fit's own first


class Room(NamedTuple):
    """Arrays behind the buffers of one path."""

    integers: NDArray[np.int64]
    plan: NDArray[np.int64]
    values: NDArray[np.float64]
    generic: NDArray[np.float64]
    own: NDArray[np.int32]
    candidates: NDArray[np.float64]


class Scratch(NamedTuple):
    """Buffers of one path; `starts`, `current_starts`, `generic` and `own` are pointers."""

    starts: NDArray[np.int64]
    current_starts: NDArray[np.int64]  # those of the program where the path stands
    marks: Marks
    plan: NDArray[np.int64]
    work: NDArray[np.float64]
    values: NDArray[np.float64]
    generic: NDArray[np.float64]
    own: NDArray[np.int32]
    candidates: NDArray[np.float64]


@compiled()
def make_room(capacity, starts):
    """Room for programs of that capacity."""
    return Room(
        np.empty((2 + MARKS_PER_NODE) * capacity, np.int64),
        np.zeros((PLAN_ROWS, capacity), np.int64),
        np.empty(HASH_ROWS),
        1.0 + (np.arange(capacity) * GOLDEN_RATIO + 0.3) % 1.0,
        np.arange(capacity).astype(np.int32),
        np.empty((starts, capacity + 1)),
    )


@compiled()
def scratch_in(room, work, capacity):
    """The buffers without their owners, which must live on; work: (fit_work_size(capacity, capacity),)."""
    return Scratch(
        pointer(room.integers), pointer(room.integers[capacity:]), marks_in(room.integers[2 * capacity :], capacity),
        unowned(room.plan), unowned(work), unowned(room.values), pointer(room.generic), pointer(room.own),
        unowned(room.candidates),
    )  # fmt: skip


@compiled()
def is_new(program, data, seen, salt, scratch):
    """Whether no program of the same values and salt was met before; remembers it."""
    size, count = program.sizes[0], program.sizes[1]
    rows = min(HASH_ROWS, len(data.few_target))
    block_values(
        part(program.codes, 0, size), part(program.slots, 0, size), part(scratch.generic, 0, count), data.few_columns,
        0, rows, scratch.work, scratch.values,
    )  # fmt: skip
    bits = mixed(np.uint64(count + 1) ^ np.uint64(salt << 8))
    is_known = False
    for row in range(rows):
        is_known = is_known or math.isfinite(scratch.values[row])
        bits = mixed(bits ^ np.uint64(float_bits(scratch.values[row]) & KEPT_BITS))
    if not is_known:  # generic numbers fall outside the domain: go by the structure
        for node in range(size):
            bits = mixed(bits ^ np.uint64(program.codes[node] * 4096 + program.slots[node]))
    place, rest = np.int64(bits % np.uint64(len(seen))), np.uint32(bits >> HALF)
    if seen[place] == rest:
        return False
    seen[place] = rest
    return True


@compiled()
def screen(program, data, scratch):
    """The loss on the few rows with linear constants at their best."""
    size, count = program.sizes[0], program.sizes[1]
    return screen_program(
        part(program.codes, 0, size), part(program.slots, 0, size), part(program.constants, 0, count),
        part(scratch.own, 0, count), data.few_columns, data.few_target, part(data.few_weights, 0, len(data.few_target)),
        scratch.plan, scratch.work,
    )  # fmt: skip


@compiled()
def num_linear_of(program, scratch):
    """How many constants of the program that was screened last enter linearly."""
    count = 0
    for constant in range(program.sizes[1]):
        count += scratch.plan[LINEAR, constant]
    return count


@compiled()
def has_curved(program, scratch):
    """Whether a constant of the program that was screened last does not enter linearly."""
    return num_linear_of(program, scratch) < program.sizes[1]


@compiled()
def descended(program, columns, target, weights, settings, scratch):
    """Fit the constants of the program that was screened last in place; returns the loss."""
    size, count = program.sizes[0], program.sizes[1]
    if count > len(target):
        return np.inf
    task = Task(
        part(program.codes, 0, size), part(program.slots, 0, size), columns, target, weights,
        num_linear_of(program, scratch), count, settings[FLOOR], scratch.plan, scratch.work,
    )  # fmt: skip
    _, loss = descend_in(task, part(program.constants, 0, count), int(settings[MAX_ITERATIONS]), TOLERANCE)
    return loss


@compiled()
def restarted(program, data, settings, state, scratch):
    """Fit the constants in place from several starts; returns the loss."""
    size, count = program.sizes[0], program.sizes[1]
    _, loss = fit_from_starts(
        part(program.codes, 0, size), part(program.slots, 0, size), part(program.constants, 0, count),
        part(scratch.own, 0, count), data.few_columns, data.few_target, data.few_weights,
        data.columns, data.target, data.weights, int(settings[STARTS]), int(settings[DRAWS]),
        int(settings[MAX_ITERATIONS]), settings[FLOOR], TOLERANCE, uniform(state), scratch.plan, scratch.work,
        rows_at(scratch.candidates, 0, len(scratch.candidates), count + 1),
    )  # fmt: skip
    return loss


@compiled()
def refit(program, data, limit, settings, state, scratch):
    """Fit the constants of the program that was screened last in place.

    Returns the loss, infinite when the few rows say that it stays above the limit.
    """
    is_curved = has_curved(program, scratch)
    if is_curved and uniform(state) < settings[RESTART_SHARE]:
        return restarted(program, data, settings, state, scratch)
    if is_curved and limit < np.inf:
        few_weights = part(data.few_weights, 0, len(data.few_target))
        if not descended(program, data.few_columns, data.few_target, few_weights, settings, scratch) < limit:
            return np.inf
    return descended(program, data.columns, data.target, data.weights, settings, scratch)
