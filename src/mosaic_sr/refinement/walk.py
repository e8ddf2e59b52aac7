"""One search path, compiled: edits, screening on few rows, a refit, acceptance. It reads nothing shared."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, OUT_ROWS, compiled, pointer, shifted, unowned
from mosaic_sr.kernel.linear import TALLY
from mosaic_sr.refinement.candidates import Data, Scratch, has_curved, is_new, make_room, refit, scratch_in, screen
from mosaic_sr.refinement.chance import OUT_STATE, State, below, drawn, uniform
from mosaic_sr.refinement.edits import apply_edit
from mosaic_sr.refinement.formulas import formulas_of, longest_evaluated
from mosaic_sr.refinement.programs import Buffer, Floats, Ints, Places, copy_program, find_starts, lent, reads_column
from mosaic_sr.refinement.scaling import count_terms, has_twins, mark_nodes, trim, write_normal
from mosaic_sr.refinement.settings import (
    CURVED_LENIENCE,
    EDITS_PER_FIT,
    FLOOR,
    HAS_OFFSET,
    IS_SCALED,
    LENIENCE,
    MAX_CONSTANTS,
    MAXSIZE,
    MAY_INVERT,
    MOST_WORK,
    NUM_TRIALS,
    PARSIMONY,
    STARTS,
    TEMPERATURE,
    TRIES,
)  # fmt: skip
from mosaic_sr.refinement.units import fits_units
from mosaic_sr.refinement.vocabulary import Words, words_of

POOL_INTS, POOL_SIZES = "Array(int32, 2, 'C', readonly=True)", "Array(int64, 2, 'C', readonly=True)"

# Places in `counts`: candidates screened, candidates fitted.
SCREENED, FITTED = 0, 1


class Buffers(NamedTuple):
    """Programs under construction."""

    first: Buffer
    second: Buffer
    stripped: Buffer  # what the path edits
    completed: Buffer  # what is screened and fitted


@compiled()
def row_of(programs: Buffer, row: int) -> Buffer:
    """One of several programs in pointers to as many times its capacity."""
    first, capacity = row * programs.capacity, programs.capacity
    return Buffer(
        shifted(programs.codes, first), shifted(programs.slots, first), shifted(programs.constants, first),
        shifted(programs.sizes, 2 * row), capacity,
    )  # fmt: skip


@compiled()
def edited(
    current: Buffer, buffers: Buffers, vocabulary: Words, settings: Floats, state: State, scratch: Scratch
) -> Buffer:
    """The current program after one or more random edits, in one of two buffers."""
    source, starts, into, spare = current, scratch.current_starts, buffers.first, buffers.second
    for number in range(1 + below(state, int(settings[EDITS_PER_FIT]))):
        if number > 0:
            starts = scratch.starts
            find_starts(source, starts)
        apply_edit(drawn(state, vocabulary.edits, vocabulary.num_edits), source, starts, vocabulary, state, into)
        source, into, spare = into, spare, into
        if source.sizes[0] < 0:
            break
    return source


@compiled()
def normalise(program: Buffer, settings: Floats, buffers: Buffers, scratch: Scratch) -> bool:
    """Write the stripped form of a program and mark its nodes; returns whether it is worth a look.

    It is the program itself when scales are not free.
    """
    size, count = program.sizes[0], program.sizes[1]
    if size < 1 or size > settings[MAXSIZE] or count > settings[MAX_CONSTANTS] or not reads_column(program):
        return False
    if settings[IS_SCALED] == 0.0:
        copy_program(program, buffers.stripped)
        return True
    find_starts(program, scratch.starts)
    mark_nodes(program, scratch.starts, settings[MAY_INVERT] > 0.0, scratch.marks)
    write_normal(program, scratch.marks, False, False, buffers.stripped)
    num_constants = buffers.stripped.sizes[1] + count_terms(program, scratch.marks) + 1
    return num_constants <= settings[MAX_CONSTANTS] and not has_twins(program, scratch.starts, scratch.marks)


@compiled()
def complete(program: Buffer, settings: Floats, buffers: Buffers, scratch: Scratch) -> bool:
    """Write the completed form of a program that was normalised; returns whether there was room for it."""
    if settings[IS_SCALED] == 0.0:
        copy_program(program, buffers.completed)
    else:
        write_normal(program, scratch.marks, True, settings[HAS_OFFSET] > 0.0, buffers.completed)
    return bool(buffers.completed.sizes[0] > 0)


@compiled()
def keep(
    program: Buffer,
    loss: float,
    total_weight: float,
    settings: Floats,
    buffers: Buffers,
    scratch: Scratch,
    front_losses: Floats,
    front: Buffer,
) -> None:
    """Store a fitted program if it is the best of its size."""
    if settings[IS_SCALED] > 0.0:
        find_starts(program, scratch.starts)
        trim(program, scratch.starts, loss, total_weight, settings[HAS_OFFSET] > 0.0, scratch.marks, buffers.second)
        program = buffers.second
    size = program.sizes[0]
    if size <= settings[MAXSIZE] and loss < front_losses[size]:
        front_losses[size] = loss
        copy_program(program, row_of(front, size))


@compiled()
def take(
    program: Buffer, loss: float, current: Buffer, losses: Floats, data: Data, settings: Floats, scratch: Scratch
) -> None:
    """Make a fitted program the current one."""
    losses[0] = loss
    losses[1] = screen(program, data, scratch)
    if settings[IS_SCALED] == 0.0:
        copy_program(program, current)
    else:
        find_starts(program, scratch.starts)
        mark_nodes(program, scratch.starts, settings[MAY_INVERT] > 0.0, scratch.marks)
        write_normal(program, scratch.marks, False, False, current)
    find_starts(current, scratch.current_starts)


@compiled()
def walk(
    current: Buffer, losses: Floats, state: State, seen: NDArray[np.uint32], counts: Places, data: Data,
    vocabulary: Words, settings: Floats, front_losses: Floats, front: Buffer, buffers: Buffers, scratch: Scratch,
) -> None:  # fmt: skip
    """Move a path by a number of trials, each of one or more edits, in place."""
    is_sent = not losses[1] < np.inf  # the path was just sent here: its program is fitted before it is edited
    work, total_weight = 0.0, data.weights.sum()
    find_starts(current, scratch.current_starts)
    for number in range(int(settings[NUM_TRIALS])):
        is_first = is_sent and number == 0
        trial = current if is_first else edited(current, buffers, vocabulary, settings, state, scratch)
        if not normalise(trial, settings, buffers, scratch):
            continue
        if not is_first and not fits_units(buffers.stripped, data.units, scratch.units):
            continue
        stripped, completed = buffers.stripped, buffers.completed
        salt = below(state, int(settings[TRIES])) if stripped.sizes[1] > 0 else 0
        if not is_first and not is_new(stripped, data, seen, salt, scratch):
            continue
        if not complete(trial, settings, buffers, scratch):
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
            keep(completed, loss, total_weight, settings, buffers, scratch, front_losses, front)
            if loss < most * losses[0]:
                take(completed, loss, current, losses, data, settings, scratch)
        if losses[0] <= settings[FLOOR] or work > settings[MOST_WORK]:
            return


@compiled(
    f"void(int32[::1], int32[::1], {OUT}, int64[::1], {OUT}, {OUT_STATE}, uint32[::1], int64[::1],"
    f" {COLUMNS}, {FLOATS}, {FLOATS}, {COLUMNS}, {FLOATS}, {COLUMNS}, {COLUMNS},"
    f" {INTS}, {FLOATS}, {INTS}, {FLOATS}, {FLOATS}, {FLOATS},"
    f" {POOL_INTS}, {POOL_INTS}, {COLUMNS}, {POOL_SIZES},"
    f" {INTS}, {POOL_INTS}, {POOL_INTS}, {COLUMNS}, Array(int64, 1, 'C', readonly=True), {FLOATS},"
    f" {OUT}, int64[:, ::1], int32[:, ::1], int32[:, ::1], {OUT_ROWS}, {OUT})",
    is_slow=True,
)
def run_path(
    codes: Ints, slots: Ints, constants: Floats, sizes: Places, losses: Floats, state: State,
    seen: NDArray[np.uint32], counts: Places,
    columns: Floats, target: Floats, weights: Floats, few_columns: Floats, few_target: Floats, few_weights: Floats,
    units: Floats,
    unary: Ints, unary_chances: Floats, binary: Ints, binary_chances: Floats,
    column_chances: Floats, edit_chances: Floats,
    pool_codes: Ints, pool_slots: Ints, pool_constants: Floats, pool_sizes: Places,
    formula_rows: Ints, formula_codes: Ints, formula_slots: Ints, formula_constants: Floats, formula_sizes: Places,
    settings: Floats,
    front_losses: Floats, front_sizes: Places, front_codes: Ints, front_slots: Ints, front_constants: Floats,
    work: Floats,
) -> None:  # fmt: skip
    """Move a path by a number of trials, each of one or more edits, in place.

    codes, slots, constants, sizes: the current program in buffers.  losses: (2,) its loss and its loss on the few rows.
    seen: (power of two,) halves of hashes of what was tried.  front_*: the best program of each size.
    formula_*: those of the operators that users define.
    work: (fit_work_size(longest, longest),) for the longest program that is evaluated; contents without meaning.
    """
    capacity, starts = len(codes), int(settings[STARTS])
    longest = longest_evaluated(capacity, len(formula_sizes))
    nodes, constant_room = np.empty((2, 4, capacity), np.int32), np.empty((4, capacity))
    sizes_room, room = np.zeros((4, 2), np.int64), make_room(capacity, longest, starts)
    programs = Buffer(pointer(nodes[0]), pointer(nodes[1]), pointer(constant_room), pointer(sizes_room), capacity)
    walk(
        lent(codes, slots, constants, sizes), pointer(losses), pointer(state), unowned(seen), pointer(counts),
        Data(
            unowned(columns), unowned(target), unowned(weights),
            unowned(few_columns), unowned(few_target), unowned(few_weights), unowned(units),
        ),
        words_of(
            unary, unary_chances, binary, binary_chances, column_chances, edit_chances,
            pool_codes, pool_slots, pool_constants, pool_sizes,
        ),
        pointer(settings), pointer(front_losses),
        Buffer(
            pointer(front_codes), pointer(front_slots), pointer(front_constants), pointer(front_sizes),
            front_codes.shape[1],
        ),
        Buffers(row_of(programs, 0), row_of(programs, 1), row_of(programs, 2), row_of(programs, 3)),
        scratch_in(
            room, work, capacity,
            formulas_of(formula_rows, formula_codes, formula_slots, formula_constants, formula_sizes),
        ),
    )  # fmt: skip
    # The owners of what was lent are used once more, so that they live until here.
    sizes_room[0, 0] = nodes[0, 0, 0] = room.plan[0, 0] = room.owners[0] = 0
    constant_room[0, 0] = 0.0
