"""What is done with one candidate, compiled: is it new, is it promising on few rows, how good is it once fitted."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.evaluate import block_values
from mosaic_sr.kernel.jit import compiled, float_bits, unowned
from mosaic_sr.kernel.levenberg import fit_program
from mosaic_sr.kernel.linear import LINEAR, PLAN_ROWS
from mosaic_sr.kernel.moments import fit_work_size
from mosaic_sr.kernel.multistart import fit_from_starts, screen_program
from mosaic_sr.refinement.chance import mixed, uniform
from mosaic_sr.refinement.scaling import Marks, make_marks
from mosaic_sr.refinement.settings import DRAWS, FLOOR, MAX_ITERATIONS, RESTART_SHARE, STARTS

# Rows whose values tell structures apart, with generic numbers for constants.
HASH_ROWS = 8
# The lowest bits of a value are rounding; twins in disguise agree in the others.
KEPT_BITS = np.int64(~((1 << 20) - 1))
GOLDEN_RATIO = 0.6180339887498949


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
    marks: Marks
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
        make_marks(capacity),
        np.zeros((PLAN_ROWS, capacity), np.int64),
        np.empty(fit_work_size(capacity, capacity)),
        np.empty(HASH_ROWS),
        1.0 + (np.arange(capacity) * GOLDEN_RATIO + 0.3) % 1.0,
        np.arange(capacity).astype(np.int32),
        np.empty((starts, capacity + 1)),
    )


@compiled()
def borrowed(scratch):
    """The buffers without their owner, which must live on."""
    marks = scratch.marks
    return Scratch(
        unowned(scratch.starts),
        Marks(
            unowned(marks.codes), unowned(marks.contexts), unowned(marks.is_kept), unowned(marks.is_fixed),
            unowned(marks.is_term), unowned(marks.begins),
        ),
        unowned(scratch.plan), unowned(scratch.work), unowned(scratch.values), unowned(scratch.generic),
        unowned(scratch.own), unowned(scratch.candidates),
    )  # fmt: skip


@compiled()
def is_new(program, data, seen, salt, scratch):
    """Whether no program of the same values and salt was met before; remembers it."""
    size = program.sizes[0]
    rows = min(HASH_ROWS, len(data.few_target))
    block_values(
        program.codes[:size], program.slots[:size], scratch.generic[: program.sizes[1]], data.few_columns, 0, rows,
        scratch.work, scratch.values,
    )  # fmt: skip
    bits = mixed(np.uint64(program.sizes[1] + 1) ^ np.uint64(salt << 8))
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
def has_curved(program, scratch):
    """Whether a constant of the program that was screened last does not enter linearly."""
    for constant in range(program.sizes[1]):
        if scratch.plan[LINEAR, constant] == 0:
            return True
    return False


@compiled()
def refit(program, data, limit, settings, state, scratch):
    """Fit the constants in place; returns the loss, infinite when the few rows say that it stays above the limit."""
    size, count = program.sizes
    codes, slots, constants, own = (
        program.codes[:size], program.slots[:size], program.constants[:count], scratch.own[:count]
    )  # fmt: skip
    iterations, is_curved = int(settings[MAX_ITERATIONS]), has_curved(program, scratch)
    if is_curved and uniform(state) < settings[RESTART_SHARE]:
        _, loss = fit_from_starts(
            codes, slots, constants, own, data.few_columns, data.few_target, data.few_weights,
            data.columns, data.target, data.weights, int(settings[STARTS]), int(settings[DRAWS]), iterations,
            settings[FLOOR], uniform(state), scratch.plan, scratch.work, scratch.candidates[:, : count + 1].copy(),
        )  # fmt: skip
        return loss
    if is_curved and limit < np.inf:
        _, loss = fit_program(
            codes, slots, constants, own, data.few_columns, data.few_target, data.few_weights[0], iterations,
            settings[FLOOR], scratch.plan, scratch.work,
        )  # fmt: skip
        if not loss < limit:
            return np.inf
    _, loss = fit_program(
        codes, slots, constants, own, data.columns, data.target, data.weights, iterations, settings[FLOOR],
        scratch.plan, scratch.work,
    )  # fmt: skip
    return loss
