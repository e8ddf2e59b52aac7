"""Values of expressions: the Python door to the kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable
from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.kernel.evaluate import evaluate_checked


def evaluate_expression(expression: Expression, columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of the expression at each row; columns: (columns, rows), result: (rows,). Holes are NaN."""
    columns = np.ascontiguousarray(columns, dtype=np.float64)
    if columns.ndim != 2:
        raise InvalidTable(f"columns must be an array of shape (columns, rows), got shape {columns.shape}")
    out = np.empty(columns.shape[1])
    expression = write_out(expression).expression
    num_read = evaluate_checked(expression.codes, expression.slots, expression.constants, columns, out)
    if num_read > len(columns):
        raise InvalidTable(f"the formula needs {num_read} columns, the table has {len(columns)}")
    return out
