"""Values of a postfix program over rows, block by block."""

from __future__ import annotations

import numpy as np

from mosaic_sr.kernel._dispatch import number_rows_values, rows_number_values, rows_rows_values, unary_values
from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, compiled, pointer, shifted
from mosaic_sr.kernel.workspace import (
    BLOCK_ROWS,
    BUFFER,
    NUMBER,
    VALUE_ROWS,
    Floats,
    Ints,
    Layout,
    lay_out,
    node_rows,
    place_values,
    work_size,
)
from mosaic_sr.operators import ARITY, VARIABLE

__all__ = ["BLOCK_ROWS", "block_values", "evaluate", "evaluate_checked", "work_size"]


@compiled(inline="always")
def run_block(codes: Ints, n: int, layout: Layout, columns: Floats, work: Floats, values: Floats, count: int) -> None:
    """Write the value of the laid out program of n nodes at `count` rows to `values`; arrays are pointers."""
    root = n - 1
    for node in range(n):
        code = codes[node]
        if ARITY[code] == 0:
            continue
        left, right, is_rows = layout.lefts[node], layout.rights[node], layout.kinds[node] == BUFFER
        a, b = node_rows(layout, left, columns, work), node_rows(layout, right, columns, work)
        out = values if node == root and is_rows else node_rows(layout, node, columns, work)
        length = count if is_rows else 1
        if ARITY[code] == 1:
            unary_values(code, a, out, length)
        elif is_rows and layout.kinds[left] == NUMBER:
            number_rows_values(code, a[0], b, out, length)
        elif is_rows and layout.kinds[right] == NUMBER:
            rows_number_values(code, a, b[0], out, length)
        else:
            rows_rows_values(code, a, b, out, length)
    if layout.kinds[root] != BUFFER:
        rows = node_rows(layout, root, columns, work)
        for row in range(count):
            values[row] = rows[0] if layout.kinds[root] == NUMBER else rows[row]


@compiled(f"void({INTS}, {INTS}, {FLOATS}, {COLUMNS}, int64, int64, {OUT}, {OUT})")
def block_values(
    codes: Ints, slots: Ints, constants: Floats, columns: Floats, start: int, stop: int, work: Floats, values: Floats
) -> None:
    """Write the values of rows [start, stop) to `values[: stop - start]`.

    work: at least work_size(nodes) long, contents without meaning.
    """
    nodes, n, room = pointer(codes), len(codes), pointer(work)
    layout = lay_out(nodes, pointer(slots), n, pointer(constants), columns.shape[1], room)
    place_values(layout, n)
    for first in range(start, stop, VALUE_ROWS):
        block, out = shifted(pointer(columns), first), shifted(pointer(values), first - start)
        run_block(nodes, n, layout, block, room, out, min(VALUE_ROWS, stop - first))


@compiled(f"void({INTS}, {INTS}, {FLOATS}, {COLUMNS}, {OUT})")
def evaluate(codes: Ints, slots: Ints, constants: Floats, columns: Floats, out: Floats) -> None:
    """Write the value of the program at every row to `out`: (rows,)."""
    work = np.empty(work_size(len(codes)))
    block_values(codes, slots, constants, columns, 0, columns.shape[1], work, out)


@compiled(f"int64({INTS}, {INTS}, {FLOATS}, {COLUMNS}, {OUT})")
def evaluate_checked(codes: Ints, slots: Ints, constants: Floats, columns: Floats, out: Floats) -> int:
    """Evaluate unless the program reads columns that are not there; returns how many columns it reads."""
    num_read = 0
    for node in range(len(codes)):
        if codes[node] == VARIABLE:
            num_read = max(num_read, slots[node] + 1)
    if num_read <= columns.shape[0]:
        work = np.empty(work_size(len(codes)))
        block_values(codes, slots, constants, columns, 0, columns.shape[1], work, out)
    return num_read
