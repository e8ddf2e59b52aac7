"""Programs under edit: postfix arrays with room to grow, and the few ways to write them, all compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.kernel.jit import FLOATS, INTS, OUT, compiled
from mosaic_sr.operators import ARITY, CONSTANT, VARIABLE

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


class Program(NamedTuple):
    """A formula in buffers; sizes holds the number of nodes and of constants, -1 nodes when the buffers overflowed."""

    codes: NDArray[np.int32]
    slots: NDArray[np.int32]
    constants: NDArray[np.float64]
    sizes: NDArray[np.int64]


@compiled()
def clear(program):
    """Make the program empty."""
    program.sizes[0] = 0
    program.sizes[1] = 0


@compiled()
def push(program, code, slot):
    """Append a variable of that column or an operator."""
    size = program.sizes[0]
    if size < 0 or size >= len(program.codes):
        program.sizes[0] = -1
        return
    program.codes[size] = code
    program.slots[size] = slot if code == VARIABLE else 0
    program.sizes[0] = size + 1


@compiled()
def push_constant(program, value):
    """Append a constant of that value."""
    size, count = program.sizes[0], program.sizes[1]
    if size < 0 or size >= len(program.codes):
        program.sizes[0] = -1
        return
    program.codes[size] = CONSTANT
    program.slots[size] = count
    program.constants[count] = value
    program.sizes[0] = size + 1
    program.sizes[1] = count + 1


@compiled()
def append(program, source, start, stop):
    """Append the nodes [start, stop) of another program."""
    append_nodes(
        source.codes, source.slots, source.constants, start, stop,
        program.codes, program.slots, program.constants, program.sizes,
    )  # fmt: skip


# An entry point, because a copy of it in each of its many callers would take long to compile.
@compiled(f"void({INTS}, {INTS}, {FLOATS}, int64, int64, int32[::1], int32[::1], {OUT}, int64[::1])")
def append_nodes(
    codes: Ints, slots: Ints, constants: Floats, start: int, stop: int,
    into_codes: Ints, into_slots: Ints, into_constants: Floats, into_sizes: NDArray[np.int64],
) -> None:  # fmt: skip
    """Append the nodes [start, stop) of one program to another, which is marked when it overflows."""
    size, count = into_sizes[0], into_sizes[1]
    if size < 0 or size + stop - start > len(into_codes):
        into_sizes[0] = -1
        return
    for node in range(start, stop):
        into_codes[size], into_slots[size] = codes[node], slots[node]
        if codes[node] == CONSTANT:
            into_slots[size], into_constants[count] = count, constants[slots[node]]
            count += 1
        size += 1
    into_sizes[0], into_sizes[1] = size, count


@compiled()
def copy_program(source, into):
    """Make `into` equal to the source."""
    clear(into)
    append(into, source, 0, source.sizes[0])


@compiled()
def find_starts(program, starts):
    """Write where the subtree of each node starts."""
    for node in range(program.sizes[0]):
        start = node
        for _ in range(ARITY[program.codes[node]]):
            start = starts[start - 1]
        starts[node] = start


@compiled()
def reads_column(program):
    """Whether a variable occurs."""
    for node in range(program.sizes[0]):
        if program.codes[node] == VARIABLE:
            return True
    return False


def to_program(expression: Expression, capacity: int) -> Program:
    """The expression in buffers of that capacity."""
    codes, slots, constants = np.zeros(capacity, np.int32), np.zeros(capacity, np.int32), np.zeros(capacity)
    codes[: len(expression)], slots[: len(expression)] = expression.codes, expression.slots
    constants[: expression.num_constants] = expression.constants
    return Program(codes, slots, constants, np.array([len(expression), expression.num_constants]))


def to_expression(
    codes: NDArray[np.int32], slots: NDArray[np.int32], constants: NDArray[np.float64], sizes: NDArray[np.int64]
) -> Expression:
    """The expression that stands in buffers."""
    return make_expression(codes[: sizes[0]], slots[: sizes[0]], constants[: sizes[1]])


def copied(program: Program) -> Program:
    """The program in arrays of its own."""
    return Program(program.codes.copy(), program.slots.copy(), program.constants.copy(), program.sizes.copy())
