"""Programs under edit: postfix arrays with room to grow, and the few ways to write them, all compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.kernel.jit import POINTER, compiled, pointer
from mosaic_sr.operators import ARITY, CONSTANT, HOLE, VARIABLE

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Places = NDArray[np.int64]


class Program(NamedTuple):
    """A formula in buffers; sizes holds the number of nodes and of constants, -1 nodes when the buffers overflowed."""

    codes: NDArray[np.int32]
    slots: NDArray[np.int32]
    constants: NDArray[np.float64]
    sizes: NDArray[np.int64]


class Buffer(NamedTuple):
    """A program as compiled code sees it: pointers to the arrays of a `Program`, and how many nodes have room."""

    codes: Ints
    slots: Ints
    constants: Floats
    sizes: Places
    capacity: int


@compiled()
def lent(codes: Ints, slots: Ints, constants: Floats, sizes: Places) -> Buffer:
    """A program without its owner, which must live on."""
    return Buffer(pointer(codes), pointer(slots), pointer(constants), pointer(sizes), len(codes))


@compiled()
def clear(program: Buffer) -> None:
    """Make the program empty."""
    program.sizes[0] = 0
    program.sizes[1] = 0


@compiled()
def push(program: Buffer, code: int, slot: int) -> None:
    """Append a variable of that column or an operator."""
    size = program.sizes[0]
    if size < 0 or size >= program.capacity:
        program.sizes[0] = -1
        return
    program.codes[size] = code
    program.slots[size] = slot if code == VARIABLE else 0
    program.sizes[0] = size + 1


@compiled()
def push_constant(program: Buffer, value: float) -> None:
    """Append a constant of that value."""
    size, count = program.sizes[0], program.sizes[1]
    if size < 0 or size >= program.capacity:
        program.sizes[0] = -1
        return
    program.codes[size] = CONSTANT
    program.slots[size] = count
    program.constants[count] = value
    program.sizes[0] = size + 1
    program.sizes[1] = count + 1


@compiled()
def append(program: Buffer, source: Buffer, start: int, stop: int) -> None:
    """Append the nodes [start, stop) of another program."""
    append_nodes(
        source.codes, source.slots, source.constants, start, stop,
        program.codes, program.slots, program.constants, program.sizes, program.capacity,
    )  # fmt: skip


INTEGERS, COUNTS = "CPointer(int32)", "CPointer(int64)"


# An entry point, because a copy of it in each of its many callers would take long to compile.
@compiled(f"void({INTEGERS}, {INTEGERS}, {POINTER}, int64, int64, {INTEGERS}, {INTEGERS}, {POINTER}, {COUNTS}, int64)")
def append_nodes(
    codes: Ints, slots: Ints, constants: Floats, start: int, stop: int,
    into_codes: Ints, into_slots: Ints, into_constants: Floats, into_sizes: Places, capacity: int,
) -> None:  # fmt: skip
    """Append the nodes [start, stop) of one program to another, which is marked when it overflows."""
    size, count = into_sizes[0], into_sizes[1]
    if size < 0 or size + stop - start > capacity:
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
def copy_program(source: Buffer, into: Buffer) -> None:
    """Make `into` equal to the source."""
    clear(into)
    append(into, source, 0, source.sizes[0])


@compiled()
def find_starts(program: Buffer, starts: Places) -> None:
    """Write where the subtree of each node starts."""
    for node in range(program.sizes[0]):
        start = node
        for _ in range(ARITY[program.codes[node]]):
            start = starts[start - 1]
        starts[node] = start


@compiled()
def reads_column(program: Buffer) -> bool:
    """Whether a variable occurs."""
    for node in range(program.sizes[0]):
        if program.codes[node] == VARIABLE:
            return True
    return False


def check_program(program: Program, num_columns: int) -> None:
    """Refuse, with ValueError, buffers in which no postfix program over so many columns stands."""
    size, count = program.sizes.tolist()
    if not (0 < size <= len(program.codes) and 0 <= count <= size):
        raise ValueError(f"a program has {size} nodes, {count} constants and room for {len(program.codes)}")
    codes, slots = program.codes[:size], program.slots[:size]
    if codes.min() < 0 or codes.max() >= len(ARITY) or np.any(codes == HOLE):
        raise ValueError("a program has an unknown operator")
    open_values = np.cumsum(1 - ARITY[codes])
    if open_values.min() < 1 or open_values[-1] != 1:
        raise ValueError("a program is not in postfix order")
    if np.any((slots < 0) | (slots >= num_columns), where=codes == VARIABLE):
        raise ValueError(f"a program reads a column beyond {num_columns}")
    if not np.array_equal(slots[codes == CONSTANT], np.arange(count)) or np.isnan(program.constants[:count]).any():
        raise ValueError("the constants of a program are not numbered, or are no numbers")


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
