"""One search path, compiled: edits, screening on few rows, a refit, acceptance. It reads nothing shared."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.evaluate import block_values
from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, OUT_ROWS, compiled, float_bits
from mosaic_sr.kernel.levenberg import fit_program
from mosaic_sr.kernel.linear import LINEAR, PLAN_ROWS
from mosaic_sr.kernel.moments import fit_work_size
from mosaic_sr.kernel.multistart import fit_from_starts, screen_program
from mosaic_sr.refinement.chance import OUT_STATE, below, drawn, mixed, uniform
from mosaic_sr.refinement.edits import CUMULATIVE, Vocabulary, apply_edit
from mosaic_sr.refinement.programs import Program, copy_program, find_starts, make_program, reads_column

# Rows whose values tell structures apart, with generic numbers for constants.
HASH_ROWS = 8
# The lowest bits of a value are rounding; twins in disguise agree in the others.
KEPT_BITS = np.int64(~((1 << 20) - 1))
GOLDEN_RATIO = 0.6180339887498949

# Places in `settings` of `run_path`.
NUM_EDITS, EDITS_PER_FIT, MAXSIZE, MAX_CONSTANTS, MAX_ITERATIONS, STARTS, DRAWS = range(7)
TEMPERATURE, PARSIMONY, LENIENCE, FLOOR, RESTART_SHARE = range(7, 12)
NUM_SETTINGS = 12
# Places in `counts`: candidates screened, candidates fitted.
SCREENED, FITTED = 0, 1


class Data(NamedTuple):
    """Rows to fit on and few rows to screen on; weights make the weighted sum of squares the loss itself."""

    columns: NDArray[np.float64]
    target: NDArray[np.float64]
    weights: NDArray[np.float64]
    few_columns: NDArray[np.float64]
    few_target: NDArray[np.float64]
    few_weights: NDArray[np.float64]  # (choices, rows), the fit's own first


class Scratch(NamedTuple):
    """Buffers of one path."""

    starts: NDArray[np.int64]
    plan: NDArray[np.int64]
    work: NDArray[np.float64]
    values: NDArray[np.float64]
    generic: NDArray[np.float64]
    own: NDArray[np.int32]
    candidates: NDArray[np.float64]


@compiled()
def make_scratch(capacity, starts):
    """Buffers for programs of that capacity."""
    return Scratch(
        np.empty(capacity, np.int64),
        np.zeros((PLAN_ROWS, capacity), np.int64),
        np.empty(fit_work_size(capacity, capacity)),
        np.empty(HASH_ROWS),
        1.0 + (np.arange(capacity) * GOLDEN_RATIO + 0.3) % 1.0,
        np.arange(capacity).astype(np.int32),
        np.empty((starts, capacity + 1)),
    )


@compiled()
def is_new(program, data, seen, scratch):
    """Whether no program of the same values was met before; remembers it."""
    size = program.sizes[0]
    rows = min(HASH_ROWS, len(data.few_target))
    block_values(
        program.codes[:size], program.slots[:size], scratch.generic[: program.sizes[1]], data.few_columns, 0, rows,
        scratch.work, scratch.values,
    )  # fmt: skip
    bits = np.uint64(program.sizes[1] + 1)
    is_known = False
    for row in range(rows):
        is_known = is_known or math.isfinite(scratch.values[row])
        bits = mixed(bits ^ np.uint64(float_bits(scratch.values[row]) & KEPT_BITS))
    if not is_known:  # generic numbers fall outside the domain: go by the structure
        for node in range(size):
            bits = mixed(bits ^ np.uint64(program.codes[node] * 4096 + program.slots[node]))
    place = np.int64(bits % np.uint64(len(seen)))
    if seen[place] == bits:
        return False
    seen[place] = bits
    return True


@compiled()
def screen(program, data, scratch):
    """The loss on the few rows with linear constants at their best."""
    size, count = program.sizes
    return screen_program(
        program.codes[:size], program.slots[:size], program.constants[:count], scratch.own[:count],
        data.few_columns, data.few_target, data.few_weights[0], scratch.plan, scratch.work,
    )  # fmt: skip


@compiled()
def refit(program, data, settings, state, scratch):
    """Fit the constants in place; returns the loss."""
    size, count = program.sizes
    num_curved = 0
    for constant in range(count):
        num_curved += scratch.plan[LINEAR, constant] == 0
    codes, slots, constants, own = (
        program.codes[:size], program.slots[:size], program.constants[:count], scratch.own[:count]
    )  # fmt: skip
    iterations = int(settings[MAX_ITERATIONS])
    if num_curved == 0 or uniform(state) >= settings[RESTART_SHARE]:
        _, loss = fit_program(
            codes, slots, constants, own, data.columns, data.target, data.weights, iterations, settings[FLOOR],
            scratch.plan, scratch.work,
        )  # fmt: skip
        return loss
    _, loss = fit_from_starts(
        codes, slots, constants, own, data.few_columns, data.few_target, data.few_weights,
        data.columns, data.target, data.weights, int(settings[STARTS]), int(settings[DRAWS]), iterations,
        settings[FLOOR], uniform(state), scratch.plan, scratch.work, scratch.candidates[:, : count + 1].copy(),
    )  # fmt: skip
    return loss


@compiled()
def edited(current, first, second, vocabulary, settings, state, scratch):
    """The current program after one or more random edits, in one of the two buffers."""
    copy_program(current, first)
    for _ in range(1 + below(state, int(settings[EDITS_PER_FIT]))):
        find_starts(first, scratch.starts)
        apply_edit(drawn(state, CUMULATIVE), first, scratch.starts, vocabulary, state, second)
        first, second = second, first
        if first.sizes[0] < 0:
            break
    return first


@compiled()
def keep(program, loss, losses, sizes, codes, slots, constants):
    """Store the program if it is the best of its size."""
    size, count = program.sizes
    if loss < losses[size]:
        losses[size] = loss
        sizes[size, 0], sizes[size, 1] = size, count
        codes[size, :size] = program.codes[:size]
        slots[size, :size] = program.slots[:size]
        constants[size, :count] = program.constants[:count]


@compiled(
    f"void(int32[::1], int32[::1], {OUT}, int64[::1], {OUT}, {OUT_STATE}, uint64[::1], int64[::1],"
    f" {COLUMNS}, {FLOATS}, {FLOATS}, {COLUMNS}, {FLOATS}, {COLUMNS}, {INTS}, {INTS}, {FLOATS}, {FLOATS},"
    f" {OUT}, int64[:, ::1], int32[:, ::1], int32[:, ::1], {OUT_ROWS})",
    is_slow=True,
)
def run_path(
    codes, slots, constants, sizes, losses, state, seen, counts,
    columns, target, weights, few_columns, few_target, few_weights, unary, binary, chances, settings,
    front_losses, front_sizes, front_codes, front_slots, front_constants,
):  # fmt: skip
    """Move a path by a number of edits, in place.

    codes, slots, constants, sizes: the current program in buffers.  losses: (2,) its loss and its loss on the few rows.
    seen: (power of two,) hashes of what was tried.  front_*: the best program of each size.
    """
    current = Program(codes, slots, constants, sizes)
    data = Data(columns, target, weights, few_columns, few_target, few_weights)
    vocabulary = Vocabulary(unary, binary, chances)
    scratch = make_scratch(len(codes), int(settings[STARTS]))
    first, second = make_program(len(codes)), make_program(len(codes))
    if not losses[1] < np.inf:  # the path was just sent here
        losses[1] = screen(current, data, scratch)
        losses[0] = refit(current, data, settings, state, scratch)
        if losses[0] < np.inf:
            keep(current, losses[0], front_losses, front_sizes, front_codes, front_slots, front_constants)
    for _ in range(int(settings[NUM_EDITS])):
        trial = edited(current, first, second, vocabulary, settings, state, scratch)
        size, count = trial.sizes
        if size < 1 or size > settings[MAXSIZE] or count > settings[MAX_CONSTANTS] or not reads_column(trial):
            continue
        if not is_new(trial, data, seen, scratch):
            continue
        counts[SCREENED] += 1
        few_loss = screen(trial, data, scratch)
        if not few_loss < settings[LENIENCE] * losses[1]:
            continue
        counts[FITTED] += 1
        loss = refit(trial, data, settings, state, scratch)
        if not loss < np.inf:
            continue
        keep(trial, loss, front_losses, front_sizes, front_codes, front_slots, front_constants)
        gain = 0.5 * math.log((losses[0] + 1e-40) / (loss + 1e-40)) + settings[PARSIMONY] * (sizes[0] - size)
        if gain > settings[TEMPERATURE] * math.log(uniform(state) + 1e-300):
            copy_program(trial, current)
            losses[0] = loss
            losses[1] = screen(current, data, scratch)
            if loss <= settings[FLOOR]:
                return
