"""The normal form of a program: a sum of terms whose coefficients, and a constant term, are left to the fit.

A path edits `stripped` programs, without those constants; what is screened and fitted is the `completed` one. Both have
fewer twins than free trees: x - y, 2*x + y and 3 - x*5 - y are one program to the path.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mosaic_sr.kernel.jit import compiled, pointer, shifted
from mosaic_sr.operators import ARITY, CODES, CONSTANT, VARIABLE
from mosaic_sr.refinement.programs import Buffer, Places, clear, push, push_constant

ADD, SUB, MUL, DIV, NEG, INV = (CODES[name] for name in ("add", "sub", "mul", "div", "neg", "inv"))
SQ, CUBE, EXP = CODES["sq"], CODES["cube"], CODES["exp"]

# Where a node stands: anywhere, in the outermost sum, or where a factor can move to the coefficient of its term.
PLAIN, IN_SUM, IN_PRODUCT = 0, 1, 2
# A coefficient this near to one is one.
NEAR_ONE = 1e-9
# A constant term may go when that adds less than this share to the loss, or to what rounding leaves of it.
NEGLIGIBLE, LEAST_LOSS = 1e-3, 1e-24


class Marks(NamedTuple):
    """What becomes of each node; pointers to (nodes,), answers are 0 or 1."""

    codes: Any  # its code in the normal form
    contexts: Any  # PLAIN, IN_SUM or IN_PRODUCT
    is_kept: Any
    is_fixed: Any  # no variable below it
    is_term: Any  # the last node of a term that gets a coefficient
    begins: Any  # the first node of such a term


# Integers that the marks of a node take.
MARKS_PER_NODE = len(Marks._fields)


@compiled()
def marks_in(room: Places, capacity: int) -> Marks:
    """Marks of up to `capacity` nodes in an array of integers, which must live on."""
    start = pointer(room)
    return Marks(
        start, shifted(start, capacity), shifted(start, 2 * capacity), shifted(start, 3 * capacity),
        shifted(start, 4 * capacity), shifted(start, 5 * capacity),
    )  # fmt: skip


@compiled()
def find_fixed(program: Buffer, starts: Places, is_fixed: Places) -> None:
    """Mark the nodes without a variable below."""
    for node in range(program.sizes[0]):
        arity = ARITY[program.codes[node]]
        is_fixed[node] = 0 if program.codes[node] == VARIABLE else 1
        if arity > 0:
            is_fixed[node] = is_fixed[node - 1] & is_fixed[starts[node - 1] - 1 if arity == 2 else node - 1]


@compiled()
def drop(node: int, starts: Places, marks: Marks) -> None:
    """Leave out a subtree."""
    for below in range(starts[node], node + 1):
        marks.is_kept[below] = 0


@compiled()
def drop_operand(node: int, first: int, second: int, starts: Places, marks: Marks) -> None:
    """Leave out a binary operator and its fixed operand; the other one takes its place."""
    marks.is_kept[node] = 0
    gone, left = (first, second) if marks.is_fixed[first] else (second, first)
    drop(gone, starts, marks)
    marks.contexts[left] = marks.contexts[node]


@compiled()
def mark_term(node: int, starts: Places, marks: Marks) -> None:
    """Note that the subtree is a term of the outermost sum."""
    marks.is_term[node] = 1
    marks.begins[starts[node]] = 1
    marks.contexts[node] = IN_PRODUCT


@compiled()
def is_scaled(node: int, starts: Places, marks: Marks) -> bool:
    """Whether a subtree is a fixed factor times something."""
    return bool(marks.codes[node] == MUL and (marks.is_fixed[node - 1] | marks.is_fixed[starts[node - 1] - 1]) == 1)


@compiled()
def mark_sum(node: int, first: int, second: int, starts: Places, marks: Marks) -> None:
    """A sum or difference: in the outermost sum signs go to the coefficients; in a product one scale goes there."""
    has_fixed = marks.is_fixed[first] | marks.is_fixed[second]
    if marks.contexts[node] == IN_SUM:
        if has_fixed:
            drop_operand(node, first, second, starts, marks)
        else:
            marks.codes[node] = ADD
            marks.contexts[first] = IN_SUM
            marks.contexts[second] = IN_SUM
    elif marks.is_fixed[first] or is_scaled(first, starts, marks):
        if is_scaled(second, starts, marks):
            marks.contexts[second if marks.is_fixed[first] else first] = IN_PRODUCT
    elif marks.is_fixed[second] and is_scaled(first, starts, marks):
        marks.contexts[first] = IN_PRODUCT


@compiled()
def mark_product(node: int, first: int, second: int, starts: Places, marks: Marks, may_invert: bool) -> None:
    """A product or quotient of which fixed factors go to the coefficient."""
    if marks.is_fixed[second] or (marks.is_fixed[first] and marks.codes[node] == MUL):
        drop_operand(node, first, second, starts, marks)
        return
    if marks.contexts[node] == IN_SUM:
        mark_term(node, starts, marks)
    marks.contexts[second] = IN_PRODUCT
    if not marks.is_fixed[first]:
        marks.contexts[first] = IN_PRODUCT
    elif may_invert:
        drop(first, starts, marks)
        marks.codes[node] = INV
    elif marks.is_term[node]:  # its numerator is its coefficient
        marks.is_term[node] = 0
        marks.begins[starts[node]] = 0


@compiled()
def mark_growth(node: int, operand: int, starts: Places, marks: Marks) -> None:
    """An exponential in a product: an offset of its operand goes to the coefficient."""
    if marks.codes[operand] != ADD and marks.codes[operand] != SUB:
        return
    second = operand - 1
    first = starts[second] - 1
    if marks.is_fixed[second] or (marks.is_fixed[first] and marks.codes[operand] == ADD):
        drop_operand(operand, first, second, starts, marks)


@compiled()
def fold_fixed(program: Buffer, starts: Places, marks: Marks) -> None:
    """Let one constant stand for each operator over constants alone."""
    for node in range(program.sizes[0] - 1, -1, -1):
        if marks.is_fixed[node] and marks.is_kept[node] and ARITY[program.codes[node]] > 0:
            drop(node, starts, marks)
            marks.is_kept[starts[node]] = 1


@compiled()
def mark_nodes(program: Buffer, starts: Places, may_invert: bool, marks: Marks) -> None:
    """Fill the marks of a program that reads a column."""
    size = program.sizes[0]
    find_fixed(program, starts, marks.is_fixed)
    for node in range(size):
        marks.codes[node] = program.codes[node]
        marks.contexts[node] = PLAIN
        marks.is_kept[node] = 1
        marks.is_term[node] = 0
        marks.begins[node] = 0
    fold_fixed(program, starts, marks)
    marks.contexts[size - 1] = IN_SUM
    for node in range(size - 1, -1, -1):
        if marks.contexts[node] == PLAIN or not marks.is_kept[node]:
            continue
        code, second = marks.codes[node], node - 1
        first = starts[second] - 1 if ARITY[code] == 2 else second
        if code == NEG:
            marks.is_kept[node] = 0
            marks.contexts[second] = marks.contexts[node]
        elif code == ADD or code == SUB:
            mark_sum(node, first, second, starts, marks)
        elif code == MUL or code == DIV:
            mark_product(node, first, second, starts, marks, may_invert)
        else:
            if marks.contexts[node] == IN_SUM:
                mark_term(node, starts, marks)
            if code == SQ or code == CUBE or code == INV:
                marks.contexts[second] = IN_PRODUCT
            elif code == EXP:
                mark_growth(node, second, starts, marks)


@compiled()
def count_terms(program: Buffer, marks: Marks) -> int:
    """How many terms of a program whose nodes are marked get a coefficient."""
    count = 0
    for node in range(program.sizes[0]):
        count += marks.is_term[node]
    return count


@compiled()
def has_twins(program: Buffer, starts: Places, marks: Marks) -> bool:
    """Whether the same term, without constants, occurs twice in a program whose terms are marked."""
    for one in range(program.sizes[0]):
        for other in range(one if marks.is_term[one] else 0):
            if marks.is_term[other] and are_twins(program, starts, one, other):
                return True
    return False


@compiled()
def are_twins(program: Buffer, starts: Places, one: int, other: int) -> bool:
    """Whether two subtrees are the same and hold no constant."""
    length = one - starts[one] + 1
    if other - starts[other] + 1 != length:
        return False
    for node in range(length):
        code = program.codes[one - node]
        if code == CONSTANT or code != program.codes[other - node]:
            return False
        if code == VARIABLE and program.slots[one - node] != program.slots[other - node]:
            return False
    return True


@compiled()
def write_normal(program: Buffer, marks: Marks, is_completed: bool, has_offset: bool, into: Buffer) -> None:
    """Write the normal form, with or without coefficients, and with or without a constant term."""
    clear(into)
    for node in range(program.sizes[0]):
        if is_completed and marks.begins[node]:
            push_constant(into, 1.0)
        if marks.is_kept[node] and program.codes[node] == CONSTANT:
            push_constant(into, program.constants[program.slots[node]])
        elif marks.is_kept[node]:
            push(into, marks.codes[node], program.slots[node])
        if is_completed and marks.is_term[node]:
            push(into, MUL, 0)
    if has_offset:
        push_constant(into, 0.0)
        push(into, ADD, 0)


@compiled()
def trim(
    program: Buffer, starts: Places, loss: float, total_weight: float, has_offset: bool, marks: Marks, into: Buffer
) -> None:
    """Write a completed and fitted program without coefficients of one and without a negligible constant term."""
    size = program.sizes[0]
    for node in range(size):
        marks.is_kept[node] = 1
    for node in range(size):
        if program.codes[node] == MUL and is_one(program, starts[node]) and starts[node - 1] == starts[node] + 1:
            marks.is_kept[node] = 0
            marks.is_kept[starts[node]] = 0
    offset = program.constants[program.slots[size - 2]] if has_offset else np.inf
    if offset * offset * total_weight <= NEGLIGIBLE * max(loss, LEAST_LOSS):
        marks.is_kept[size - 1] = 0
        marks.is_kept[size - 2] = 0
    clear(into)
    for node in range(size):
        if marks.is_kept[node] and program.codes[node] == CONSTANT:
            push_constant(into, program.constants[program.slots[node]])
        elif marks.is_kept[node]:
            push(into, program.codes[node], program.slots[node])


@compiled()
def is_one(program: Buffer, node: int) -> bool:
    """Whether a node is a constant of one."""
    return bool(program.codes[node] == CONSTANT and abs(program.constants[program.slots[node]] - 1.0) < NEAR_ONE)
