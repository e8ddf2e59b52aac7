"""One search path, compiled: edits, screening on few rows, a refit, acceptance. It reads nothing shared."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, OUT_ROWS, compiled, unowned
from mosaic_sr.kernel.levenberg import copy
from mosaic_sr.kernel.linear import TALLY
from mosaic_sr.refinement.bests import Bests
from mosaic_sr.refinement.candidates import Data, borrowed, has_curved, is_new, make_scratch, refit, screen
from mosaic_sr.refinement.chance import OUT_STATE, below, drawn, uniform
from mosaic_sr.refinement.edits import apply_edit
from mosaic_sr.refinement.programs import Program, copy_program, find_starts, reads_column
from mosaic_sr.refinement.scaling import has_twins, mark_nodes, trim, write_normal
from mosaic_sr.refinement.settings import (
    CURVED_LENIENCE,
    EDITS_PER_FIT,
    FLOOR,
    IS_SCALED,
    LENIENCE,
    MAX_CONSTANTS,
    MAXSIZE,
    MAY_INVERT,
    MOST_WORK,
    NUM_EDITS,
    PARSIMONY,
    STARTS,
    TEMPERATURE,
    TRIES,
)  # fmt: skip
from mosaic_sr.refinement.vocabulary import Vocabulary

POOL_INTS, POOL_SIZES = "Array(int32, 2, 'C', readonly=True)", "Array(int64, 2, 'C', readonly=True)"

# Places in `counts`: candidates screened, candidates fitted.
SCREENED, FITTED = 0, 1


class Buffers(NamedTuple):
    """Programs under construction."""

    first: Program
    second: Program
    stripped: Program  # what the path edits
    completed: Program  # what is screened and fitted


@compiled()
def row_of(programs, row):
    """One of several programs, without its owner, which must live on."""
    return Program(
        unowned(programs.codes)[row], unowned(programs.slots)[row], unowned(programs.constants)[row],
        unowned(programs.sizes)[row],
    )  # fmt: skip


@compiled()
def edited(current, buffers, vocabulary, settings, state, scratch):
    """The current program after one or more random edits, in one of two buffers."""
    first, second = buffers.first, buffers.second
    copy_program(current, first)
    for _ in range(1 + below(state, int(settings[EDITS_PER_FIT]))):
        find_starts(first, scratch.starts)
        apply_edit(drawn(state, vocabulary.edits), first, scratch.starts, vocabulary, state, second)
        first, second = second, first
        if first.sizes[0] < 0:
            break
    return first


@compiled()
def normalise(program, settings, buffers, scratch):
    """Write the stripped and the completed form of a program; returns whether it is worth a look.

    Both are the program itself when scales are not free.
    """
    size, count = program.sizes
    if size < 1 or size > settings[MAXSIZE] or count > settings[MAX_CONSTANTS] or not reads_column(program):
        return False
    if settings[IS_SCALED] == 0.0:
        copy_program(program, buffers.stripped)
        copy_program(program, buffers.completed)
        return True
    find_starts(program, scratch.starts)
    mark_nodes(program, scratch.starts, settings[MAY_INVERT] > 0.0, scratch.marks)
    write_normal(program, scratch.marks, False, buffers.stripped)
    write_normal(program, scratch.marks, True, buffers.completed)
    is_short = buffers.completed.sizes[0] > 0 and buffers.completed.sizes[1] <= settings[MAX_CONSTANTS]
    return is_short and not has_twins(program, scratch.starts, scratch.marks)


@compiled()
def keep(program, loss, data, settings, buffers, scratch, front):
    """Store a fitted program if it is the best of its size."""
    if settings[IS_SCALED] > 0.0:
        find_starts(program, scratch.starts)
        trim(program, scratch.starts, loss, data.weights, scratch.marks, buffers.second)
        program = buffers.second
    size, count = program.sizes
    if size <= settings[MAXSIZE] and loss < front.losses[size]:
        front.losses[size] = loss
        front.sizes[size, 0], front.sizes[size, 1] = size, count
        copy_ints(program.codes, size, front.codes[size])
        copy_ints(program.slots, size, front.slots[size])
        copy(program.constants[:count], front.constants[size])


@compiled()
def copy_ints(source, count, out):
    """Copy the first integers."""
    for i in range(count):
        out[i] = source[i]


@compiled()
def take(program, loss, current, losses, data, settings, scratch):
    """Make a fitted program the current one."""
    losses[0] = loss
    losses[1] = screen(program, data, scratch)
    if settings[IS_SCALED] == 0.0:
        copy_program(program, current)
        return
    find_starts(program, scratch.starts)
    mark_nodes(program, scratch.starts, settings[MAY_INVERT] > 0.0, scratch.marks)
    write_normal(program, scratch.marks, False, current)


@compiled()
def walk(current, losses, state, seen, counts, data, vocabulary, settings, front, buffers, scratch):
    """Move a path by a number of edits, in place."""
    is_sent = not losses[1] < np.inf  # the path was just sent here: its program is fitted before it is edited
    work = 0.0
    for number in range(int(settings[NUM_EDITS])):
        is_first = is_sent and number == 0
        trial = current if is_first else edited(current, buffers, vocabulary, settings, state, scratch)
        if not normalise(trial, settings, buffers, scratch):
            continue
        stripped, completed = buffers.stripped, buffers.completed
        salt = below(state, int(settings[TRIES])) if stripped.sizes[1] > 0 else 0
        if not is_first and not is_new(stripped, data, seen, salt, scratch):
            continue
        # Chance decides beforehand how much worse a candidate may be, so that hopeless ones need no fit.
        patience = -settings[TEMPERATURE] * math.log(uniform(state) + 1e-300)
        patience += settings[PARSIMONY] * (current.sizes[0] - stripped.sizes[0])
        most = np.inf if is_first else math.exp(2.0 * patience)
        limit = settings[LENIENCE] * most * losses[1]
        counts[SCREENED] += 1
        few_loss = screen(completed, data, scratch)
        if not few_loss < limit * (settings[CURVED_LENIENCE] if has_curved(completed, scratch) else 1.0):
            continue
        counts[FITTED] += 1
        passes = scratch.plan[TALLY, 0]
        loss = refit(completed, data, limit, settings, state, scratch)
        work += (scratch.plan[TALLY, 0] - passes) * float(completed.sizes[0] * len(data.target))
        if loss < np.inf:
            keep(completed, loss, data, settings, buffers, scratch, front)
            if loss < most * losses[0]:
                take(completed, loss, current, losses, data, settings, scratch)
        if losses[0] <= settings[FLOOR] or work > settings[MOST_WORK]:
            return


@compiled(
    f"void(int32[::1], int32[::1], {OUT}, int64[::1], {OUT}, {OUT_STATE}, uint64[::1], int64[::1],"
    f" {COLUMNS}, {FLOATS}, {FLOATS}, {COLUMNS}, {FLOATS}, {COLUMNS},"
    f" {INTS}, {FLOATS}, {INTS}, {FLOATS}, {FLOATS}, {FLOATS},"
    f" {POOL_INTS}, {POOL_INTS}, {COLUMNS}, {POOL_SIZES}, {FLOATS},"
    f" {OUT}, int64[:, ::1], int32[:, ::1], int32[:, ::1], {OUT_ROWS})",
    is_slow=True,
)
def run_path(
    codes, slots, constants, sizes, losses, state, seen, counts,
    columns, target, weights, few_columns, few_target, few_weights,
    unary, unary_chances, binary, binary_chances, column_chances, edit_chances,
    pool_codes, pool_slots, pool_constants, pool_sizes, settings,
    front_losses, front_sizes, front_codes, front_slots, front_constants,
):  # fmt: skip
    """Move a path by a number of edits, in place.

    codes, slots, constants, sizes: the current program in buffers.  losses: (2,) its loss and its loss on the few rows.
    seen: (power of two,) hashes of what was tried.  front_*: the best program of each size.
    """
    capacity, starts = len(codes), int(settings[STARTS])
    programs = Program(
        np.empty((4, capacity), np.int32), np.empty((4, capacity), np.int32), np.empty((4, capacity)),
        np.zeros((4, 2), np.int64),
    )  # fmt: skip
    room = make_scratch(capacity, starts)
    walk(
        Program(unowned(codes), unowned(slots), unowned(constants), unowned(sizes)),
        unowned(losses), unowned(state), unowned(seen), unowned(counts),
        Data(
            unowned(columns), unowned(target), unowned(weights),
            unowned(few_columns), unowned(few_target), unowned(few_weights),
        ),
        Vocabulary(
            unowned(unary), unowned(unary_chances), unowned(binary), unowned(binary_chances), unowned(column_chances),
            unowned(edit_chances), unowned(pool_codes), unowned(pool_slots), unowned(pool_constants),
            unowned(pool_sizes),
        ),
        unowned(settings),
        Bests(
            unowned(front_losses), unowned(front_sizes), unowned(front_codes), unowned(front_slots),
            unowned(front_constants),
        ),
        Buffers(row_of(programs, 0), row_of(programs, 1), row_of(programs, 2), row_of(programs, 3)),
        borrowed(room),
    )  # fmt: skip
    # The owners of what was lent are used once more, so that they live until here.
    programs.sizes[0, 0] = room.starts[0] = 0
