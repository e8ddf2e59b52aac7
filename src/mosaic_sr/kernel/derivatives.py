"""Values of a postfix program and reverse-mode derivatives with respect to its constants, over a block of rows."""

from __future__ import annotations

import numpy as np

from mosaic_sr.kernel._dispatch import (
    number_rows_left_partial,
    number_rows_right_partial,
    rows_number_left_partial,
    rows_number_right_partial,
    rows_rows_left_partial,
    rows_rows_right_partial,
    unary_partial,
)
from mosaic_sr.kernel.evaluate import block_values, run_block
from mosaic_sr.kernel.jit import (
    COLUMNS,
    FLOATS,
    INT32_POINTER,
    INT64_POINTER,
    INTS,
    OUT,
    OUT_ROWS,
    POINTER,
    compiled,
    pointer,
    shifted,
)
from mosaic_sr.kernel.workspace import (
    BLOCK_ROWS,
    BUFFER,
    NUM_FIELDS,
    NUMBER,
    Floats,
    Ints,
    Layout,
    Places,
    lay_out,
    layout_in,
    node_rows,
    work_size,
)
from mosaic_sr.operators import ARITY, CONSTANT, NUM_LEAF_CODES, OPERATORS

FLAGS = "Array(int64, 1, 'C', readonly=True)"

# Buffers of a block after the layout, before those of the nodes; adjoints come last.
SCRATCH_BLOCKS = 3

__all__ = ["BLOCK_ROWS", "block_jacobian", "block_values", "lay_out_jacobian", "run_jacobian", "work_size"]

# By side and code: whether the derivative with respect to that operand is the node's own, (2, codes).
_PASSES = np.zeros((2, NUM_LEAF_CODES + len(OPERATORS)), dtype=np.bool_)
for _index, _operator in enumerate(OPERATORS):
    for _side, _partial in enumerate(_operator.partials):
        _PASSES[_side, NUM_LEAF_CODES + _index] = _partial == "1.0"


@compiled(inline="always")
def place_rows(layout: Layout, n: int) -> None:
    """Give each of the nodes of kind BUFFER a buffer of its own, after the scratch."""
    place = NUM_FIELDS * n + SCRATCH_BLOCKS * BLOCK_ROWS
    for node in range(n):
        if layout.kinds[node] == BUFFER:
            layout.places[node] = place
            place += BLOCK_ROWS


@compiled(inline="always")
def place_adjoint(codes: Ints, node: int, child: int, side: int, slot: int, layout: Layout) -> int:
    """Choose the buffer for the adjoint of an operand; returns the next free slot.

    Buffers come in pairs, a pair per slot, and a node writes beside what it reads so that loops vectorise. An operand
    of a sum shares its node's adjoint; a constant's adjoint goes to the Jacobian.
    """
    if layout.has_constant[child] == 0 or codes[child] == CONSTANT:
        return slot
    place = layout.adjoints[node]
    beside = 1 - place % 2 if place // 2 == slot else 0
    layout.pending[child] = slot
    layout.adjoints[child] = place if _PASSES[side, codes[node]] else 2 * slot + beside
    return slot + 1


@compiled(inline="always")
def place_adjoints(codes: Ints, slots: Ints, n: int, wanted: Places, layout: Layout) -> None:
    """Mark the nodes above wanted constants and place the adjoints of all of them but the constants."""
    root = n - 1
    for node in range(n):
        if ARITY[codes[node]] == 0:
            layout.has_constant[node] = wanted[slots[node]] if codes[node] == CONSTANT else 0
        else:
            layout.has_constant[node] = (
                layout.has_constant[layout.lefts[node]] | layout.has_constant[layout.rights[node]]
            )
    layout.pending[root] = 0
    layout.adjoints[root] = 0
    for node in range(root, -1, -1):
        if layout.has_constant[node] == 1 and ARITY[codes[node]] > 0:
            slot = place_adjoint(codes, node, layout.lefts[node], 0, layout.pending[node], layout)
            if ARITY[codes[node]] == 2:
                place_adjoint(codes, node, layout.rights[node], 1, slot, layout)


@compiled()
def operand_adjoint(
    code: int,
    side: int,
    a_is_number: bool,
    b_is_number: bool,
    a: Floats,
    b: Floats,
    v: Floats,
    g: Floats,
    out: Floats,
    t1: Floats,
    t2: Floats,
    count: int,
) -> None:
    """Write the adjoint of one operand, given the adjoint `g` of the node."""
    if ARITY[code] == 1:
        unary_partial(code, a, v, g, out, t1, t2, count)
    elif a_is_number and side == 0:
        number_rows_left_partial(code, a[0], b, v, g, out, t1, t2, count)
    elif a_is_number:
        number_rows_right_partial(code, a[0], b, v, g, out, t1, t2, count)
    elif b_is_number and side == 0:
        rows_number_left_partial(code, a, b[0], v, g, out, t1, t2, count)
    elif b_is_number:
        rows_number_right_partial(code, a, b[0], v, g, out, t1, t2, count)
    elif side == 0:
        rows_rows_left_partial(code, a, b, v, g, out, t1, t2, count)
    else:
        rows_rows_right_partial(code, a, b, v, g, out, t1, t2, count)


@compiled(inline="always")
def pull_node(
    codes: Ints,
    slots: Ints,
    n: int,
    node: int,
    layout: Layout,
    columns: Floats,
    work: Floats,
    adjoints: Floats,
    scratch: Floats,
    values: Floats,
    jacobian: Floats,
    length: int,
    count: int,
) -> None:
    """Write the adjoints of the operands of a node that have constants below them; jacobian: rows `length` apart."""
    code, is_rows = codes[node], layout.kinds[node] == BUFFER
    left, right = layout.lefts[node], layout.rights[node]
    a_is_number, b_is_number = is_rows and layout.kinds[left] == NUMBER, is_rows and layout.kinds[right] == NUMBER
    a, b = node_rows(layout, left, columns, work), node_rows(layout, right, columns, work)
    v = values if node == n - 1 and is_rows else node_rows(layout, node, columns, work)
    adjoint = shifted(adjoints, layout.adjoints[node] * BLOCK_ROWS)
    # A node that is a number has one slope for all rows: the adjoint of its operand where its own is 1.
    one, slope = shifted(scratch, 2 * BLOCK_ROWS), shifted(scratch, 2 * BLOCK_ROWS + 1)
    one[0] = 1.0
    for side in range(ARITY[code]):
        child = right if side == 1 else left
        is_leaf = codes[child] == CONSTANT
        if layout.has_constant[child] == 0 or (_PASSES[side, code] and not is_leaf):
            continue
        target = shifted(jacobian, slots[child] * length)
        if not is_leaf:
            target = shifted(adjoints, layout.adjoints[child] * BLOCK_ROWS)
        operand_adjoint(
            code, side, a_is_number, b_is_number, a, b, v, adjoint if is_rows else one, target if is_rows else slope,
            scratch, shifted(scratch, BLOCK_ROWS), count if is_rows else 1,
        )  # fmt: skip
        if not is_rows:
            for row in range(count):
                target[row] = adjoint[row] * slope[0]


@compiled(f"void({INT32_POINTER}, {INT32_POINTER}, int64, {POINTER}, {INT64_POINTER}, int64, {POINTER})")
def lay_out_jacobian(
    codes: Ints, slots: Ints, n: int, constants: Floats, wanted: Places, num_rows: int, work: Floats
) -> None:
    """Write to `work` how a program of n nodes is run over blocks of a table of `num_rows` rows.

    wanted: (constants,) 1 where the derivative is asked for.  work: work_size(n) long.
    """
    layout = lay_out(codes, slots, n, constants, num_rows, work)
    place_rows(layout, n)
    place_adjoints(codes, slots, n, wanted, layout)


@compiled(
    f"void({INT32_POINTER}, {INT32_POINTER}, int64, {POINTER}, int64, {POINTER}, {POINTER}, {POINTER}, int64)",
    is_slow=True,
)
def run_jacobian(
    codes: Ints,
    slots: Ints,
    n: int,
    columns: Floats,
    count: int,
    work: Floats,
    values: Floats,
    jacobian: Floats,
    length: int,
) -> None:
    """Write values and derivatives of `count` rows, at most BLOCK_ROWS of them, of a program laid out in `work`.

    columns: the first of the rows.  jacobian: rows `length` apart; those that are not wanted keep what they hold.
    """
    root, layout = n - 1, layout_in(work, n)
    scratch = shifted(work, NUM_FIELDS * n)
    adjoints = shifted(scratch, (SCRATCH_BLOCKS + n) * BLOCK_ROWS)
    run_block(codes, n, layout, columns, work, values, count)
    if codes[root] == CONSTANT and layout.has_constant[root] == 1:
        for row in range(count):
            jacobian[row] = 1.0
    for row in range(count):
        adjoints[row] = 1.0
    for node in range(root, -1, -1):
        if layout.has_constant[node] == 1 and ARITY[codes[node]] > 0:
            pull_node(codes, slots, n, node, layout, columns, work, adjoints, scratch, values, jacobian, length, count)


@compiled(f"void({INTS}, {INTS}, {FLOATS}, {FLAGS}, {COLUMNS}, int64, int64, {OUT}, {OUT}, {OUT_ROWS})")
def block_jacobian(
    codes: Ints,
    slots: Ints,
    constants: Floats,
    wanted: Places,
    columns: Floats,
    start: int,
    stop: int,
    work: Floats,
    values: Floats,
    jacobian: Floats,
) -> None:
    """Write values and derivatives of rows [start, stop), at most BLOCK_ROWS of them.

    wanted: (constants,) 1 where the derivative is asked for; the other rows of the Jacobian keep what they hold.
    work: at least work_size(nodes) long.  values: (>= rows,).  jacobian: (constants, >= rows), by each constant.
    """
    nodes, places, n, room = pointer(codes), pointer(slots), len(codes), pointer(work)
    lay_out_jacobian(nodes, places, n, pointer(constants), pointer(wanted), columns.shape[1], room)
    block, out, slopes = shifted(pointer(columns), start), pointer(values), pointer(jacobian)
    run_jacobian(nodes, places, n, block, stop - start, room, out, slopes, jacobian.shape[1])
