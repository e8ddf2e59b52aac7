"""Derivatives of the values of a law by its constants."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.kernel.moments import fit_work_size, write_derivatives

Floats = NDArray[np.float64]


def slopes(expression: Expression, columns: Floats) -> Floats:
    """Derivatives of the value by the constants: (constants, rows); columns: (columns, rows)."""
    written = write_out(expression)
    own, num_rows = written.expression, columns.shape[1]
    jacobian = np.empty((own.num_constants, num_rows))
    work = np.empty(fit_work_size(len(own), own.num_constants))
    write_derivatives(own.codes, own.slots, own.constants, columns, 0, num_rows, np.empty(num_rows), jacobian, work)
    found = np.zeros((expression.num_constants, num_rows))
    is_owned = written.owners >= 0
    np.add.at(found, written.owners[is_owned], jacobian[is_owned])
    return found
