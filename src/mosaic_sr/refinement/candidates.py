"""What is done with one candidate, compiled: is it new, is it promising on few rows, how good is it once fitted."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.evaluate import block_values
from mosaic_sr.kernel.jit import compiled, float_bits, part, pointer, rows_at, unowned
from mosaic_sr.kernel.levenberg import Task, descend_in
from mosaic_sr.kernel.linear import LINEAR, PLAN_ROWS
from mosaic_sr.kernel.multistart import fit_from_starts, screen_program
from mosaic_sr.refinement.chance import State, mixed, uniform
from mosaic_sr.refinement.formulas import FormulaPointers, collect, has_defined, stable_code, write_out
from mosaic_sr.refinement.programs import Buffer, Floats, Ints, Program, lent
from mosaic_sr.refinement.scaling import MARKS_PER_NODE, Marks, marks_in
from mosaic_sr.refinement.settings import DRAWS, FLOOR, MAX_ITERATIONS, RESTART_SHARE, STARTS, TOLERANCE
from mosaic_sr.refinement.units import MOST_BASES

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
    units: NDArray[np.float64]  # (columns + 1, bases), as in `fits_units`


class Room(NamedTuple):
    """Arrays behind the buffers of one path."""

    integers: NDArray[np.int64]
    plan: NDArray[np.int64]
    values: NDArray[np.float64]
    generic: NDArray[np.floating[Any]]
    own: NDArray[np.int32]
    candidates: NDArray[np.float64]
    written: Program
    owners: NDArray[np.int32]
    pending: NDArray[np.int64]
    units: NDArray[np.float64]


class Scratch(NamedTuple):
    """Buffers of one path; those that are no arrays of two dimensions, no work and no values are pointers."""

    starts: NDArray[np.int64]
    current_starts: NDArray[np.int64]  # those of the program where the path stands
    marks: Marks
    plan: NDArray[np.int64]
    work: NDArray[np.float64]
    values: NDArray[np.float64]
    generic: NDArray[np.float64]
    own: NDArray[np.int32]
    candidates: NDArray[np.float64]
    formulas: FormulaPointers
    written: Buffer  # the program at hand with formulas for its defined operators
    owners: NDArray[np.int32]  # the constant of the program that each constant of the written one is
    pending: NDArray[np.int64]
    units: NDArray[np.float64]  # (capacity, bases)


@compiled()
def make_room(capacity: int, longest: int, starts: int) -> Room:
    """Room for programs of that capacity, which have at most `longest` nodes when they are evaluated."""
    return Room(
        np.empty((2 + MARKS_PER_NODE) * capacity, np.int64),
        np.zeros((PLAN_ROWS, longest), np.int64),
        np.empty(HASH_ROWS),
        1.0 + (np.arange(capacity) * GOLDEN_RATIO + 0.3) % 1.0,
        np.arange(capacity).astype(np.int32),
        np.empty((starts, longest + 1)),
        Program(np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(longest), np.zeros(2, np.int64)),
        np.empty(longest, np.int32),
        np.empty(longest, np.int64),
        np.empty((capacity, MOST_BASES)),
    )


@compiled()
def scratch_in(room: Room, work: Floats, capacity: int, formulas: FormulaPointers) -> Scratch:
    """The buffers without their owners, which must live on; work: as in `run_path`."""
    return Scratch(
        pointer(room.integers), pointer(room.integers[capacity:]), marks_in(room.integers[2 * capacity :], capacity),
        unowned(room.plan), unowned(work), unowned(room.values), pointer(room.generic), pointer(room.own),
        unowned(room.candidates), formulas,
        lent(room.written.codes, room.written.slots, room.written.constants, room.written.sizes),
        pointer(room.owners), pointer(room.pending), unowned(room.units),
    )  # fmt: skip


@compiled()
def evaluable(program: Buffer, scratch: Scratch) -> tuple[Buffer, Ints, bool]:
    """The program as the kernel knows it, the parameter of each of its constants, and whether it was written out.

    Its size is -1 where it would be too long.
    """
    if scratch.formulas.num_formulas == 0 or not has_defined(program):
        return program, scratch.own, False
    write_out(program, scratch.formulas, scratch.written, scratch.owners, scratch.pending)
    return scratch.written, scratch.owners, True


@compiled()
def is_new(program: Buffer, data: Data, seen: NDArray[np.uint32], salt: int, scratch: Scratch) -> bool:
    """Whether no program of the same values and salt was met before; remembers it."""
    size, count = program.sizes[0], program.sizes[1]
    rows = min(HASH_ROWS, len(data.few_target))
    given, own, is_written = evaluable(program, scratch)
    if given.sizes[0] < 0:
        return False
    numbers = scratch.generic
    if is_written:
        numbers = given.constants
        for constant in range(given.sizes[1]):
            if own[constant] >= 0:
                numbers[constant] = scratch.generic[own[constant]]
    block_values(
        part(given.codes, 0, given.sizes[0]), part(given.slots, 0, given.sizes[0]), part(numbers, 0, given.sizes[1]),
        data.few_columns, 0, rows, scratch.work, scratch.values,
    )  # fmt: skip
    bits = mixed(np.uint64(count + 1) ^ np.uint64(salt << 8))
    is_known = False
    for row in range(rows):
        is_known = is_known or math.isfinite(scratch.values[row])
        bits = mixed(bits ^ np.uint64(float_bits(scratch.values[row]) & KEPT_BITS))
    if not is_known:  # generic numbers fall outside the domain: go by the structure
        for node in range(size):
            code = stable_code(program.codes[node], scratch.formulas)
            bits = mixed(bits ^ np.uint64(code * 4096 + program.slots[node]))
    place, rest = np.int64(bits % np.uint64(len(seen))), np.uint32(bits >> HALF)
    if seen[place] == rest:
        return False
    seen[place] = rest
    return True


@compiled()
def screen(program: Buffer, data: Data, scratch: Scratch) -> float:
    """The loss on the few rows with linear constants at their best."""
    given, own, _ = evaluable(program, scratch)
    size, count = given.sizes[0], given.sizes[1]
    if size < 0:
        return np.inf
    return screen_program(
        part(given.codes, 0, size), part(given.slots, 0, size), part(given.constants, 0, count),
        part(own, 0, count), data.few_columns, data.few_target, part(data.few_weights, 0, len(data.few_target)),
        scratch.plan, scratch.work,
    )  # fmt: skip


@compiled()
def num_linear_of(program: Buffer, scratch: Scratch) -> int:
    """How many constants of the program that was screened last enter linearly."""
    is_written = scratch.formulas.num_formulas > 0 and has_defined(program)
    count = 0
    for constant in range(scratch.written.sizes[1] if is_written else program.sizes[1]):
        count += scratch.plan[LINEAR, constant]
    return count


@compiled()
def has_curved(program: Buffer, scratch: Scratch) -> bool:
    """Whether a constant of the program that was screened last does not enter linearly."""
    return bool(num_linear_of(program, scratch) < program.sizes[1])


@compiled()
def descended(
    program: Buffer, columns: Floats, target: Floats, weights: Floats, settings: Floats, scratch: Scratch
) -> float:
    """Fit the constants of the program that was screened last in place; returns the loss."""
    if program.sizes[1] > len(target):
        return np.inf
    given, own, is_written = evaluable(program, scratch)
    size, count = given.sizes[0], given.sizes[1]
    task = Task(
        part(given.codes, 0, size), part(given.slots, 0, size), columns, target, weights,
        num_linear_of(program, scratch), program.sizes[1], settings[FLOOR], scratch.plan, scratch.work,
    )  # fmt: skip
    _, loss = descend_in(task, part(given.constants, 0, count), int(settings[MAX_ITERATIONS]), TOLERANCE)
    if is_written:
        collect(given, own, program)
    return loss


@compiled()
def restarted(program: Buffer, data: Data, settings: Floats, state: State, scratch: Scratch) -> float:
    """Fit the constants in place from several starts; returns the loss."""
    given, own, is_written = evaluable(program, scratch)
    size, count = given.sizes[0], given.sizes[1]
    _, loss = fit_from_starts(
        part(given.codes, 0, size), part(given.slots, 0, size), part(given.constants, 0, count),
        part(own, 0, count), data.few_columns, data.few_target, data.few_weights,
        data.columns, data.target, data.weights, int(settings[STARTS]), int(settings[DRAWS]),
        int(settings[MAX_ITERATIONS]), settings[FLOOR], TOLERANCE, uniform(state), scratch.plan, scratch.work,
        rows_at(scratch.candidates, 0, len(scratch.candidates), count + 1),
    )  # fmt: skip
    if is_written:
        collect(given, own, program)
    return loss


@compiled()
def refit(program: Buffer, data: Data, limit: float, settings: Floats, state: State, scratch: Scratch) -> float:
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
