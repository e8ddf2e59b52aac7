"""Programs under edit: postfix arrays with room to grow, and the few ways to write them, all compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.kernel.jit import compiled
from mosaic_sr.operators import ARITY, CONSTANT, VARIABLE


class Program(NamedTuple):
    """A formula in buffers; sizes holds the number of nodes and of constants, -1 nodes when the buffers overflowed."""

    codes: NDArray[np.int32]
    slots: NDArray[np.int32]
    constants: NDArray[np.float64]
    sizes: NDArray[np.int64]


@compiled()
def make_program(capacity):
    """An empty program."""
    return Program(
        np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity), np.zeros(2, np.int64)
    )


@compiled()
def clear(program):
    """Make the program empty."""
    program.sizes[0] = 0
    program.sizes[1] = 0


@compiled()
def push(program, code, slot, value):
    """Append a node; slot is the column of a variable, value the number of a constant."""
    size = program.sizes[0]
    if size < 0 or size >= len(program.codes):
        program.sizes[0] = -1
        return
    program.codes[size] = code
    program.slots[size] = slot
    if code == CONSTANT:
        program.slots[size] = program.sizes[1]
        program.constants[program.sizes[1]] = value
        program.sizes[1] += 1
    elif code != VARIABLE:
        program.slots[size] = 0
    program.sizes[0] = size + 1


@compiled()
def append(program, source, start, stop):
    """Append the nodes [start, stop) of another program."""
    for node in range(start, stop):
        code = source.codes[node]
        value = source.constants[source.slots[node]] if code == CONSTANT else 0.0
        push(program, code, source.slots[node], value)


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
