"""Values of a postfix program over rows."""

from __future__ import annotations

import numpy as np

from mosaic_sr.kernel._dispatch import value
from mosaic_sr.kernel.jit import compiled
from mosaic_sr.operators import ARITY, CONSTANT, VARIABLE

# A block of values may have at most this many rows.
BLOCK_ROWS = 128


@compiled()
def work_size(num_nodes):
    """Length of the work buffer that `block_values` and `block_jacobian` need for a program of `num_nodes`."""
    return 2 * num_nodes * (BLOCK_ROWS + 4)


@compiled()
def block_values(codes, slots, constants, columns, start, stop, work, values):
    """Write the values of rows [start, stop), at most BLOCK_ROWS of them, to `values[: stop - start]`."""
    for row in range(start, stop):
        top = 0
        for node in range(len(codes)):
            code = codes[node]
            if code == VARIABLE:
                work[top] = columns[slots[node], row]
                top += 1
            elif code == CONSTANT:
                work[top] = constants[slots[node]]
                top += 1
            elif ARITY[code] == 1:
                work[top - 1] = value(code, work[top - 1], 0.0)
            elif ARITY[code] == 2:
                top -= 1
                work[top - 1] = value(code, work[top - 1], work[top])
            else:
                work[top] = np.nan
                top += 1
        values[row - start] = work[0]


@compiled()
def evaluate(codes, slots, constants, columns, out):
    """Write the value of the program at every row to `out`: (rows,)."""
    work = np.empty(work_size(len(codes)))
    num_rows = columns.shape[1]
    for start in range(0, num_rows, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, num_rows)
        block_values(codes, slots, constants, columns, start, stop, work, out[start:stop])
