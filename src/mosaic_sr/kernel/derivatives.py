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
from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, OUT_ROWS, compiled, floats_at
from mosaic_sr.kernel.workspace import BLOCK_ROWS, BUFFER, NUMBER, make_plan, node_rows, work_size
from mosaic_sr.operators import ARITY, CONSTANT, NUM_LEAF_CODES, OPERATORS

__all__ = ["BLOCK_ROWS", "block_jacobian", "block_values", "work_size"]

# By side and code: whether the derivative with respect to that operand is the node's own, (2, codes).
_PASSES = np.zeros((2, NUM_LEAF_CODES + len(OPERATORS)), dtype=np.bool_)
for _index, _operator in enumerate(OPERATORS):
    for _side, _partial in enumerate(_operator.partials):
        _PASSES[_side, NUM_LEAF_CODES + _index] = _partial == "1.0"


@compiled(inline="always")
def place_rows(plan):
    """Give each node of kind BUFFER a buffer of its own; returns how many."""
    num_buffers = 0
    for node in range(len(plan.kinds)):
        if plan.kinds[node] == BUFFER:
            plan.places[node] = num_buffers
            num_buffers += 1
    return num_buffers


@compiled(inline="always")
def place_adjoint(codes, node, child, side, slot, plan):
    """Choose the buffer for the adjoint of an operand; returns the next free slot.

    Buffers come in pairs, a pair per slot, and a node writes beside what it reads so that loops vectorise. An operand
    of a sum shares its node's adjoint; a constant's adjoint goes to the Jacobian.
    """
    if plan.has_constant[child] == 0 or codes[child] == CONSTANT:
        return slot
    place = plan.adjoints[node]
    beside = 1 - place % 2 if place // 2 == slot else 0
    plan.pending[child] = slot
    plan.adjoints[child] = place if _PASSES[side, codes[node]] else 2 * slot + beside
    return slot + 1


@compiled(inline="always")
def plan_adjoints(codes, plan):
    """Mark the nodes above constants and place the adjoints of all of them but the constants."""
    root = len(codes) - 1
    for node in range(root + 1):
        if ARITY[codes[node]] == 0:
            plan.has_constant[node] = codes[node] == CONSTANT
        else:
            plan.has_constant[node] = plan.has_constant[plan.lefts[node]] | plan.has_constant[plan.rights[node]]
    plan.pending[root] = 0
    plan.adjoints[root] = 0
    for node in range(root, -1, -1):
        if plan.has_constant[node] == 1 and ARITY[codes[node]] > 0:
            slot = place_adjoint(codes, node, plan.lefts[node], 0, plan.pending[node], plan)
            if ARITY[codes[node]] == 2:
                place_adjoint(codes, node, plan.rights[node], 1, slot, plan)


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


@compiled(inline="always")
def pull_node(codes, slots, node, plan, columns, start, stop, buffers, adjoints, scratch, values, jacobian):
    """Write the adjoints of the operands of a node that have constants below them."""
    code, num_rows, is_rows = codes[node], stop - start, plan.kinds[node] == BUFFER
    left, right = plan.lefts[node], plan.rights[node]
    a_is_number, b_is_number = is_rows and plan.kinds[left] == NUMBER, is_rows and plan.kinds[right] == NUMBER
    a = node_rows(plan, left, columns, start, stop, buffers, BLOCK_ROWS)
    b = node_rows(plan, right, columns, start, stop, buffers, BLOCK_ROWS)
    v = floats_at(values, 0, num_rows)
    if node < len(codes) - 1 or not is_rows:
        v = node_rows(plan, node, columns, start, stop, buffers, BLOCK_ROWS)
    t1, t2 = floats_at(scratch, 0, len(v)), floats_at(scratch, BLOCK_ROWS, len(v))
    adjoint = floats_at(adjoints, plan.adjoints[node] * BLOCK_ROWS, num_rows)
    # A node that is a number has one slope for all rows: the adjoint of its operand where its own is 1.
    one, slope = floats_at(scratch, 2 * BLOCK_ROWS, 1), floats_at(scratch, 2 * BLOCK_ROWS + 1, 1)
    one[0] = 1.0
    for side in range(ARITY[code]):
        child = right if side == 1 else left
        is_leaf = codes[child] == CONSTANT
        if plan.has_constant[child] == 0 or (_PASSES[side, code] and not is_leaf):
            continue
        target = floats_at(jacobian, slots[child] * jacobian.shape[1], num_rows)
        if not is_leaf:
            target = floats_at(adjoints, plan.adjoints[child] * BLOCK_ROWS, num_rows)
        g = adjoint if is_rows else one
        out = target if is_rows else slope
        operand_adjoint(code, side, a_is_number, b_is_number, a, b, v, g, out, t1, t2)
        if not is_rows:
            for row in range(num_rows):
                target[row] = adjoint[row] * slope[0]


@compiled(f"void({INTS}, {INTS}, {FLOATS}, {COLUMNS}, int64, int64, {OUT}, {OUT}, {OUT_ROWS})", is_slow=True)
def block_jacobian(codes, slots, constants, columns, start, stop, work, values, jacobian):
    """Write values and derivatives of rows [start, stop), at most BLOCK_ROWS of them.

    work: at least work_size(nodes) long.  values: (>= rows,).  jacobian: (constants, >= rows), by each constant.
    """
    root, num_rows = len(codes) - 1, stop - start
    plan, rest = make_plan(codes, slots, constants, work)
    plan_adjoints(codes, plan)
    num_buffers = place_rows(plan)
    scratch = floats_at(rest, 0, 3 * BLOCK_ROWS)
    buffers = floats_at(rest, 3 * BLOCK_ROWS, num_buffers * BLOCK_ROWS)
    adjoints = floats_at(rest, (3 + num_buffers) * BLOCK_ROWS, len(rest) - (3 + num_buffers) * BLOCK_ROWS)
    run_block(codes, plan, columns, start, stop, buffers, BLOCK_ROWS, values)
    if codes[root] == CONSTANT:
        for row in range(num_rows):
            jacobian[0, row] = 1.0
        return
    for row in range(num_rows):
        adjoints[row] = 1.0
    for node in range(root, -1, -1):
        if plan.has_constant[node] == 1 and ARITY[codes[node]] > 0:
            pull_node(codes, slots, node, plan, columns, start, stop, buffers, adjoints, scratch, values, jacobian)
