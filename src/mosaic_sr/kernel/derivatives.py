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
from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, OUT_ROWS, compiled, writable
from mosaic_sr.kernel.workspace import BLOCK_ROWS, BUFFER, NUMBER, carve, node_rows, plan_operands, work_size
from mosaic_sr.operators import ARITY, CONSTANT, NUM_LEAF_CODES, OPERATORS

__all__ = ["BLOCK_ROWS", "block_jacobian", "block_values", "work_size"]

# By side and code: whether the derivative with respect to that operand is the node's own, (2, codes).
_PASSES = np.zeros((2, NUM_LEAF_CODES + len(OPERATORS)), dtype=np.bool_)
for _index, _operator in enumerate(OPERATORS):
    for _side, _partial in enumerate(_operator.partials):
        _PASSES[_side, NUM_LEAF_CODES + _index] = _partial == "1.0"


@compiled()
def place_rows(codes, plans):
    """Give each node of kind BUFFER a buffer of its own; returns how many."""
    num_buffers = 0
    for node in range(len(codes)):
        if plans[0, node] == BUFFER:
            plans[1, node] = num_buffers
            num_buffers += 1
    return num_buffers


@compiled()
def place_adjoint(code, side, child, slot, place, plans, codes):
    """Choose where the adjoint of an operand goes, `place` being the node's own; returns the next free slot.

    Adjoint buffers come in pairs, a pair per slot, and a node writes beside what it reads so that loops vectorise. An
    operand of a sum shares its node's adjoint.
    """
    if plans[6, child] == 0 or codes[child] == CONSTANT:
        return slot
    plans[4, child] = slot
    beside = 1 - place % 2 if place // 2 == slot else 0
    plans[5, child] = place if _PASSES[side, code] else 2 * slot + beside
    return slot + 1


@compiled()
def plan_adjoints(codes, plans):
    """Mark the nodes above constants and place the adjoints of all of them but the constants."""
    lefts, rights, slots, places, has_constant = plans[2], plans[3], plans[4], plans[5], plans[6]
    root = len(codes) - 1
    for node in range(root + 1):
        if ARITY[codes[node]] == 0:
            has_constant[node] = codes[node] == CONSTANT
        else:
            has_constant[node] = has_constant[lefts[node]] | has_constant[rights[node]]
    slots[root] = 0
    places[root] = 0
    for node in range(root, -1, -1):
        if has_constant[node] == 1 and ARITY[codes[node]] > 0:
            slot = place_adjoint(codes[node], 0, lefts[node], slots[node], places[node], plans, codes)
            if ARITY[codes[node]] == 2:
                place_adjoint(codes[node], 1, rights[node], slot, places[node], plans, codes)


@compiled()
def operand_adjoint(code, side, a_is_number, b_is_number, a, b, v, g, out, t1, t2):
    """Write the adjoint of one operand, given the adjoint `g` of the node."""
    if ARITY[code] == 1:
        unary_partial(code, a, v, g, out, t1, t2)
    elif a_is_number and side == 0:
        number_rows_left_partial(code, a[0], b, v, g, out, t1, t2)
    elif a_is_number:
        number_rows_right_partial(code, a[0], b, v, g, out, t1, t2)
    elif b_is_number and side == 0:
        rows_number_left_partial(code, a, b[0], v, g, out, t1, t2)
    elif b_is_number:
        rows_number_right_partial(code, a, b[0], v, g, out, t1, t2)
    elif side == 0:
        rows_rows_left_partial(code, a, b, v, g, out, t1, t2)
    else:
        rows_rows_right_partial(code, a, b, v, g, out, t1, t2)


@compiled()
def pull_back(codes, slots, plans, numbers, columns, start, stop, buffers, scratch, adjoints, jacobian):
    """Write the derivatives, given all values; the adjoint of the root is 1."""
    kinds, places, lefts, rights, has_constant = plans[0], plans[1], plans[2], plans[3], plans[6]
    num_rows = stop - start
    one, slope = scratch[2 * BLOCK_ROWS : 2 * BLOCK_ROWS + 1], scratch[2 * BLOCK_ROWS + 1 : 2 * BLOCK_ROWS + 2]
    one[0] = 1.0
    for row in range(num_rows):
        adjoints[row] = 1.0
    for node in range(len(codes) - 1, -1, -1):
        code = codes[node]
        if has_constant[node] == 0 or ARITY[code] == 0:
            continue
        left, right, is_rows = lefts[node], rights[node], kinds[node] == BUFFER
        a = node_rows(kinds[left], places[left], left, numbers, columns, start, stop, buffers, BLOCK_ROWS)
        b = node_rows(kinds[right], places[right], right, numbers, columns, start, stop, buffers, BLOCK_ROWS)
        v = node_rows(kinds[node], places[node], node, numbers, columns, start, stop, buffers, BLOCK_ROWS)
        g = adjoints[plans[5, node] * BLOCK_ROWS : plans[5, node] * BLOCK_ROWS + num_rows]
        t1, t2 = scratch[: len(v)], scratch[BLOCK_ROWS : BLOCK_ROWS + len(v)]
        for side in range(ARITY[code]):
            child = plans[2 + side, node]
            is_leaf = codes[child] == CONSTANT
            if has_constant[child] == 0 or (_PASSES[side, code] and not is_leaf):
                continue
            out = jacobian[slots[child], :num_rows]
            if not is_leaf:
                out = adjoints[plans[5, child] * BLOCK_ROWS : plans[5, child] * BLOCK_ROWS + num_rows]
            a_is_number, b_is_number = is_rows and kinds[left] == NUMBER, is_rows and kinds[right] == NUMBER
            g_in, out_in = (g, out) if is_rows else (one, slope)
            operand_adjoint(code, side, a_is_number, b_is_number, a, b, v, g_in, out_in, t1, t2)
            if not is_rows:
                for row in range(num_rows):
                    out[row] = g[row] * slope[0]
    if codes[len(codes) - 1] == CONSTANT:
        for row in range(num_rows):
            jacobian[slots[len(codes) - 1], row] = 1.0


@compiled(f"void({INTS}, {INTS}, {FLOATS}, {COLUMNS}, int64, int64, {OUT}, {OUT}, {OUT_ROWS})")
def block_jacobian(codes, slots, constants, columns, start, stop, work, values, jacobian):
    """Write values and derivatives of rows [start, stop), at most BLOCK_ROWS of them.

    work: at least work_size(nodes) long.  values: (>= rows,).  jacobian: (constants, >= rows), by each constant.
    """
    plans, numbers, rest = carve(work, len(codes))
    plan_operands(codes, slots, constants, plans, numbers)
    num_buffers = place_rows(codes, plans)
    plan_adjoints(codes, plans)
    scratch, buffers = rest[: 3 * BLOCK_ROWS], rest[3 * BLOCK_ROWS :]
    columns = writable(columns)
    run_block(codes, plans, numbers, columns, start, stop, buffers, BLOCK_ROWS, values)
    adjoints = buffers[num_buffers * BLOCK_ROWS :]
    pull_back(codes, slots, plans, numbers, columns, start, stop, buffers, scratch, adjoints, jacobian)
