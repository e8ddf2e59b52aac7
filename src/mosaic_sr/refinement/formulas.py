"""Defined operators in programs, compiled: before a program is evaluated, their formulas are put in their places.

The formulas come as arrays with each search, so that no definition needs machine code of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import compiled, pointer
from mosaic_sr.operators import ARITY, CONSTANT, NUM_CODES, VARIABLE
from mosaic_sr.refinement.programs import Buffer, Floats, Ints, Places

# Times that a program may grow when formulas are put in; longer ones are not tried.
GROWTH = 4


class Formulas(NamedTuple):
    """The formulas of the operators that a search may use beyond the table's, one per row.

    rows: (reserved codes,) the row of each code.  sizes: (formulas,) nodes.  The others: (formulas, longest).
    """

    rows: NDArray[np.int32]
    codes: NDArray[np.int32]
    slots: NDArray[np.int32]
    constants: NDArray[np.float64]
    sizes: NDArray[np.int64]


class FormulaPointers(NamedTuple):
    """Formulas as compiled code sees them."""

    rows: Any
    codes: Any
    slots: Any
    constants: Any
    sizes: Any
    num_formulas: int
    width: int


@compiled()
def formulas_of(rows: Ints, codes: Ints, slots: Ints, constants: Floats, sizes: Places) -> FormulaPointers:
    """Pointers to the arrays of formulas, which must live on."""
    return FormulaPointers(
        pointer(rows), pointer(codes), pointer(slots), pointer(constants), pointer(sizes), len(sizes), codes.shape[1]
    )


@compiled("int64(int64, int64)")
def longest_evaluated(capacity: int, num_formulas: int) -> int:
    """Nodes of the longest program that is evaluated where one under edit has at most `capacity`."""
    return capacity * GROWTH if num_formulas > 0 else capacity


@compiled()
def has_defined(program: Buffer) -> bool:
    """Whether an operator occurs that is not in the table."""
    for node in range(program.sizes[0]):
        if program.codes[node] >= NUM_CODES:
            return True
    return False


@compiled()
def stable_code(code: int, formulas: FormulaPointers) -> int:
    """A code that is the same in every process: those of defined operators depend on what was defined before."""
    return NUM_CODES + formulas.rows[code - NUM_CODES] if code >= NUM_CODES else code


@compiled()
def put_formula(row: int, formulas: FormulaPointers, into: Buffer, first: int, second: int, size: int) -> int:
    """Replace the operands at the end of a program, which start at `first` and `second`, by a formula of them.

    Returns the program's size, -1 when there is no room.
    """
    end = size
    for node in range(formulas.sizes[row]):
        place = row * formulas.width + node
        code, start, stop = formulas.codes[place], 0, 1
        if code == VARIABLE:
            is_second = formulas.slots[place] == 1
            start, stop = (second, end) if is_second or second == first else (first, second)
        if size + stop - start > into.capacity:
            return -1
        if code == VARIABLE:
            for other in range(start, stop):
                into.codes[size], into.slots[size] = into.codes[other], into.slots[other]
                size += 1
        else:
            into.codes[size] = code
            # Numbers of formulas stand below zero, so that they are not taken for those of the program.
            into.slots[size] = -1 - row * formulas.width - formulas.slots[place] if code == CONSTANT else 0
            size += 1
    for node in range(end, size):
        into.codes[first + node - end], into.slots[first + node - end] = into.codes[node], into.slots[node]
    return first + size - end


@compiled()
def put_formulas(program: Buffer, formulas: FormulaPointers, into: Buffer, pending: Places) -> int:
    """Write the nodes of a program with formulas for its defined operators; returns their number, -1 without room."""
    size, top = 0, 0
    for node in range(program.sizes[0]):
        code = program.codes[node]
        start, arity = size, ARITY[code]
        if arity > 0:
            start = pending[top - arity]
        if code >= NUM_CODES:
            row = formulas.rows[code - NUM_CODES]
            size = put_formula(row, formulas, into, start, pending[top - 1], size) if row >= 0 else -1
        elif size < into.capacity:
            into.codes[size], into.slots[size] = code, program.slots[node]
            size += 1
        else:
            size = -1
        if size < 0:
            return -1
        top -= arity
        pending[top] = start
        top += 1
    return size


@compiled()
def write_out(program: Buffer, formulas: FormulaPointers, into: Buffer, owners: Ints, pending: Places) -> None:
    """Write a program in the table's operators alone; its size is -1 when there is no room.

    owners: the constant of the program that each constant is, -1 for a number of a formula.
    """
    size, count = put_formulas(program, formulas, into, pending), 0
    for node in range(size):
        if into.codes[node] == CONSTANT:
            slot = into.slots[node]
            owners[count] = max(slot, -1)
            into.constants[count] = program.constants[slot] if slot >= 0 else formulas.constants[-1 - slot]
            into.slots[node] = count
            count += 1
    into.sizes[0], into.sizes[1] = size, count


@compiled()
def collect(written: Buffer, owners: Ints, program: Buffer) -> None:
    """Give the constants of a program the values that they have where it is written out."""
    for constant in range(written.sizes[1]):
        if owners[constant] >= 0:
            program.constants[owners[constant]] = written.constants[constant]
