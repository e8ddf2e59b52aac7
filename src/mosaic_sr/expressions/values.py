"""Values of expressions: the Python door to the kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.kernel.evaluate import evaluate


def evaluate_expression(expression: Expression, columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of the expression at each row; columns: (columns, rows), result: (rows,)."""
    columns = np.ascontiguousarray(columns, dtype=np.float64)
    out = np.empty(columns.shape[1])
    evaluate(expression.codes, expression.slots, expression.constants, columns, out)
    return out
