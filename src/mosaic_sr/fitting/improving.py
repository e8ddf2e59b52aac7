"""Constants that are near their best are improved from where they are: no other starts, no errors of constants."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting.balance import balance
from mosaic_sr.fitting.fit import ROUNDING
from mosaic_sr.kernel.levenberg import TOLERANCE, fit_program
from mosaic_sr.kernel.linear import PLAN_ROWS
from mosaic_sr.kernel.moments import fit_work_size
from mosaic_sr.table import Rows


def improve_constants(
    expression: Expression, parameter_of_constant: NDArray[np.int32], rows: Rows, max_iterations: int
) -> Expression:
    """The expression with constants of less weighted squared error, or as it is where none are found.

    parameter_of_constant: as in `fit_parameters`.
    """
    heed_stop()
    task = balance(expression, parameter_of_constant, rows)
    written = write_out(task.expression)
    program, target, weights = written.expression, task.rows.target, task.rows.fit_weights
    constants = program.constants.copy()
    floor = ROUNDING * float(np.sum(np.square(target) * weights) if len(weights) else target @ target)
    _, loss = fit_program(
        program.codes, program.slots, constants, written.parameters(task.parameter_of_constant), task.rows.columns,
        target, weights, max_iterations, floor, TOLERANCE, np.zeros((PLAN_ROWS, len(program)), dtype=np.int64),
        np.empty(fit_work_size(len(program), len(constants))),
    )  # fmt: skip
    if not np.isfinite(loss):
        return expression
    found = task.expression.with_constants(written.constants_of(constants, task.expression.num_constants))
    return found if task.rows is rows else expression.with_constants(task.constants(found))
