"""The work buffer of a program: where each node's operands are and where its value goes.

A program is postfix codes and slots. A node's value is a column read in place, a number that is the same for all rows
(constants and whatever is computed from constants alone), or rows in a buffer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import compiled, integers, shifted
from mosaic_sr.operators import ARITY, CONSTANT, VARIABLE

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Places = NDArray[np.int64]

# Rows of a block: large enough to hide the cost of a node, small enough for the buffers of a program to stay in cache.
VALUE_ROWS = 512
BLOCK_ROWS = 128

COLUMN, NUMBER, BUFFER = 0, 1, 2


class Layout(NamedTuple):
    """What is known of each node before any row is read; pointers to (nodes,)."""

    kinds: Any  # COLUMN, NUMBER or BUFFER
    places: Any  # where its rows or its number start, in the columns or in the work buffer
    lefts: Any  # nodes of the operands; the same twice for one operand
    rights: Any
    pending: Any  # scratch while laying out
    adjoints: Any  # buffer of the derivative of the root with respect to the node
    has_constant: Any  # 1 where a constant stands in the subtree
    numbers: Any  # values of nodes of kind NUMBER


NUM_FIELDS = 8


@compiled("int64(int64)")
def work_size(num_nodes: int) -> int:
    """Length of the float64 work buffer that a program of `num_nodes` nodes needs."""
    return NUM_FIELDS * num_nodes + max((num_nodes + 1) * VALUE_ROWS, (2 * num_nodes + 5) * BLOCK_ROWS)


@compiled(inline="always")
def layout_in(work: Floats, n: int) -> Layout:
    """The layout of a program of n nodes at the start of its work buffer."""
    return Layout(
        integers(work),
        integers(shifted(work, n)),
        integers(shifted(work, 2 * n)),
        integers(shifted(work, 3 * n)),
        integers(shifted(work, 4 * n)),
        integers(shifted(work, 5 * n)),
        integers(shifted(work, 6 * n)),
        shifted(work, 7 * n),
    )


@compiled(inline="always")
def lay_out(codes: Ints, slots: Ints, n: int, constants: Floats, num_rows: int, work: Floats) -> Layout:
    """The layout, with kinds, columns of `num_rows` rows, operands and constants filled in; arrays are pointers."""
    layout, top = layout_in(work, n), 0
    for node in range(n):
        arity = ARITY[codes[node]]
        if arity == 0:
            lay_out_leaf(codes[node], slots[node], constants, num_rows, n, node, layout)
        else:
            left, right = layout.pending[top - arity], layout.pending[top - 1]
            top -= arity
            layout.lefts[node], layout.rights[node] = left, right
            is_number = layout.kinds[left] == NUMBER and layout.kinds[right] == NUMBER
            layout.kinds[node] = NUMBER if is_number else BUFFER
            layout.places[node] = 7 * n + node
        layout.pending[top] = node
        top += 1
    return layout


@compiled(inline="always")
def lay_out_leaf(code: int, slot: int, constants: Floats, num_rows: int, n: int, node: int, layout: Layout) -> None:
    """Fill in a leaf; a hole that still waits for its variable is NaN."""
    layout.kinds[node] = NUMBER
    layout.places[node] = 7 * n + node
    layout.numbers[node] = np.nan
    if code == VARIABLE:
        layout.kinds[node] = COLUMN
        layout.places[node] = slot * num_rows
    elif code == CONSTANT:
        layout.numbers[node] = constants[slot]


@compiled(inline="always")
def set_numbers(codes: Ints, slots: Ints, n: int, constants: Floats, layout: Layout) -> None:
    """Give the constants of a laid out program other values."""
    for node in range(n):
        if codes[node] == CONSTANT:
            layout.numbers[node] = constants[slots[node]]


@compiled(inline="always")
def place_values(layout: Layout, n: int) -> None:
    """Give each of the nodes of kind BUFFER its buffer, few enough to stay in cache.

    Buffers come in pairs, one pair per pending operand. A node takes the one of the pair that its operand does not
    hold, because loops vectorise only when they do not write what they read.
    """
    num_pending = 0
    for node in range(n):
        if layout.kinds[node] != BUFFER:
            continue
        left, right = layout.lefts[node], layout.rights[node]
        lowest = 1
        if left != right and layout.kinds[right] == BUFFER:
            num_pending -= 1
            lowest = layout.pending[right]
        if layout.kinds[left] == BUFFER:
            num_pending -= 1
            lowest = layout.pending[left]
        layout.pending[node] = 2 * num_pending + 1 - lowest % 2
        layout.places[node] = NUM_FIELDS * n + layout.pending[node] * VALUE_ROWS
        num_pending += 1


@compiled(inline="always")
def node_rows(layout: Layout, node: int, columns: Floats, work: Floats) -> Any:
    """The rows of a node, or its number; columns: pointer to the first row of the block."""
    return shifted(columns if layout.kinds[node] == COLUMN else work, layout.places[node])
