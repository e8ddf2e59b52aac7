"""Drawn constants: values for the holes of a formula that suit the place where each stands and the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.kernel.linear import DRAWN, PLAN_ROWS, make_plan
from mosaic_sr.kernel.moments import fit_work_size
from mosaic_sr.kernel.starts import draw_start
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]


def draw_constants(form: Expression, few: Rows, count: int) -> Floats:
    """`count` draws of all constants, (count, constants); those without a hole are kept, linear ones become 0.

    form: of built-in operators.  few: at most one block of rows, whose ranges set the scales.
    """
    is_free = np.isnan(form.constants)
    own = np.where(is_free, np.cumsum(is_free) - 1, -1).astype(np.int32)
    plan = np.zeros((PLAN_ROWS, len(form)), dtype=np.int64)
    make_plan(form.codes, form.slots, own, plan)
    plan[DRAWN, : form.num_constants] = is_free
    buffer = np.empty(fit_work_size(len(form), form.num_constants))
    drawn = np.tile(form.constants, (count, 1))
    for index in range(count):
        draw_start(form.codes, form.slots, drawn[index], few.columns, index, 0.5, plan, buffer)
    return drawn
