"""The work buffer of a program: where each node's operands are and where its value goes.

A program is postfix codes and slots. A node's value is a column read in place, a number that is the same for all rows
(constants and whatever is computed from constants alone), or rows in a buffer.
"""

from __future__ import annotations

import numpy as np

from mosaic_sr.kernel.jit import compiled
from mosaic_sr.operators import ARITY, CONSTANT, VARIABLE

# Rows of a block: large enough to hide the cost of a node, small enough for the buffers of a program to stay in cache.
VALUE_ROWS = 512
BLOCK_ROWS = 128

COLUMN, NUMBER, BUFFER = 0, 1, 2

# Integers kept per node: kind, place (column or buffer), left and right operand, stack while planning; for derivatives
# also the place of the adjoint and whether a constant stands below.
_NUM_PLANS = 7


@compiled("int64(int64)")
def work_size(num_nodes: int) -> int:
    """Length of the float64 work buffer that a program of `num_nodes` nodes needs."""
    return (_NUM_PLANS + 1) * num_nodes + max((num_nodes + 1) * VALUE_ROWS, (2 * num_nodes + 5) * BLOCK_ROWS)


@compiled()
def carve(work, num_nodes):
    """The parts of the work buffer: plans (7, nodes), numbers (nodes,), rows (the rest)."""
    head = _NUM_PLANS * num_nodes
    plans = work[:head].view(np.int64).reshape((_NUM_PLANS, num_nodes))
    return plans, work[head : head + num_nodes], work[head + num_nodes :]


@compiled()
def node_rows(kind, place, node, numbers, columns, start, stop, buffers, length):
    """The rows [start, stop) of a node as a view, one element long when the node is a number."""
    if kind == COLUMN:
        return columns[place, start:stop]
    if kind == NUMBER:
        return numbers[node : node + 1]
    return buffers[place * length : place * length + stop - start]


@compiled()
def plan_operands(codes, slots, constants, plans, numbers):
    """Fill in kind, column and operands of each node, and the numbers of the leaves."""
    kinds, places, lefts, rights, stack = plans[0], plans[1], plans[2], plans[3], plans[4]
    top = 0
    for node in range(len(codes)):
        code = codes[node]
        kind = BUFFER
        if code == VARIABLE:
            kind = COLUMN
            places[node] = slots[node]
        elif code == CONSTANT:
            kind = NUMBER
            numbers[node] = constants[slots[node]]
        elif ARITY[code] == 0:
            kind = NUMBER
            numbers[node] = np.nan
        else:
            right = stack[top - 1]
            left = stack[top - ARITY[code]]
            top -= ARITY[code]
            lefts[node] = left
            rights[node] = right
            if kinds[left] == NUMBER and kinds[right] == NUMBER:
                kind = NUMBER
        kinds[node] = kind
        stack[top] = node
        top += 1


@compiled()
def place_values(codes, plans):
    """Give each node of kind BUFFER its buffer, few enough to stay in cache.

    Buffers come in pairs, one pair per pending operand. A node takes the one of the pair that its operand does not
    hold, because loops vectorise only when they do not write what they read.
    """
    kinds, places, lefts, rights = plans[0], plans[1], plans[2], plans[3]
    num_pending = 0
    for node in range(len(codes)):
        if kinds[node] != BUFFER:
            continue
        left, right = lefts[node], rights[node]
        lowest = 1
        if left != right and kinds[right] == BUFFER:
            num_pending -= 1
            lowest = places[right]
        if kinds[left] == BUFFER:
            num_pending -= 1
            lowest = places[left]
        places[node] = 2 * num_pending + 1 - lowest % 2
        num_pending += 1
