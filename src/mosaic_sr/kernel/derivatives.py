"""Values and reverse-mode derivatives of a postfix program with respect to its constants, over a block of rows."""

from __future__ import annotations

import numpy as np

from mosaic_sr.kernel._dispatch import partial_a, partial_b, value
from mosaic_sr.kernel.evaluate import BLOCK_ROWS, block_values, work_size
from mosaic_sr.kernel.jit import compiled
from mosaic_sr.operators import ARITY, CONSTANT, VARIABLE

__all__ = ["BLOCK_ROWS", "block_jacobian", "block_values", "work_size"]


@compiled()
def block_jacobian(codes, slots, constants, columns, start, stop, work, values, jacobian):
    """Write values and derivatives of rows [start, stop), at most BLOCK_ROWS of them.

    values: (>= rows,).  jacobian: (constants, >= rows), derivative with respect to each constant.
    """
    n = len(codes)
    for row in range(start, stop):
        top = 0
        # work: values, adjoints, stack of nodes, left child, right child, each (nodes,)
        for node in range(n):
            code = codes[node]
            if code == VARIABLE:
                work[node] = columns[slots[node], row]
            elif code == CONSTANT:
                work[node] = constants[slots[node]]
            elif ARITY[code] == 1:
                a = int(work[2 * n + top - 1])
                top -= 1
                work[3 * n + node] = a
                work[node] = value(code, work[a], 0.0)
            elif ARITY[code] == 2:
                a = int(work[2 * n + top - 2])
                b = int(work[2 * n + top - 1])
                top -= 2
                work[3 * n + node] = a
                work[4 * n + node] = b
                work[node] = value(code, work[a], work[b])
            else:
                work[node] = np.nan
            work[2 * n + top] = node
            top += 1
        values[row - start] = work[n - 1]
        work[2 * n - 1] = 1.0
        for node in range(n - 1, -1, -1):
            code = codes[node]
            g = work[n + node]
            if code == CONSTANT:
                jacobian[slots[node], row - start] = g
            elif ARITY[code] == 1:
                a = int(work[3 * n + node])
                work[n + a] = g * partial_a(code, work[a], 0.0, work[node])
            elif ARITY[code] == 2:
                a = int(work[3 * n + node])
                b = int(work[4 * n + node])
                work[n + a] = g * partial_a(code, work[a], work[b], work[node])
                work[n + b] = g * partial_b(code, work[a], work[b], work[node])
