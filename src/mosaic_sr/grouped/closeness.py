"""Whether a form meets every row of every group to rounding: the constants of groups count as columns."""

from __future__ import annotations

import warnings

import numpy as np

from mosaic_sr.equation import in_table_units
from mosaic_sr.errors import InvalidTable, MosaicWarning
from mosaic_sr.exactness import Closeness, agrees, pays_for
from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.grouped.fitted import FittedForm
from mosaic_sr.grouped.rows import GroupedRows
from mosaic_sr.operators import CONSTANT, VARIABLE
from mosaic_sr.table import Table, by_content

# A form whose noise is larger, as a share of the usual target, is not exact.
NEARLY_EXACT = 1e-4


@np.errstate(all="ignore")
def closeness_of(fitted: FittedForm, rows: GroupedRows) -> Closeness:
    """How well the form matches the rows, each group with its own constants."""
    residuals = rows.target - fitted.local.values
    if not np.sqrt(np.mean(np.square(residuals))) <= NEARLY_EXACT * rows.usual:
        return Closeness.OPEN
    own = np.flatnonzero(~fitted.shares.is_shared)
    columns = np.concatenate([rows.columns, fitted.theta[:, own].T[:, rows.group_of_row]])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MosaicWarning)
            table = by_content(Table.from_arrays(columns.T, rows.target, rng=np.random.default_rng(0)))
        law = in_table_units(_with_columns(fitted, own.tolist(), len(rows.columns)), table)
    except (InvalidTable, KeyError):
        return Closeness.OPEN
    if not all(agrees(law, part, table) for part in (table.training, table.validation)):
        return Closeness.OPEN
    return Closeness.EXACT if pays_for(fitted.form.num_parameters, law, table) else Closeness.AGREES


def _with_columns(fitted: FittedForm, own: list[int], num_columns: int) -> Expression:
    """The form with the constants of groups read from columns behind the user's."""
    expression = fitted.form.with_values(fitted.theta[0])
    parameters = fitted.form.parameter_of_constant
    codes, slots, constants = expression.codes.copy(), expression.slots.copy(), []
    for node in np.flatnonzero(codes == CONSTANT).tolist():
        slot = int(slots[node])
        parameter = int(parameters[slot])
        if parameter in own:
            codes[node], slots[node] = VARIABLE, num_columns + own.index(parameter)
        else:
            constants.append(float(expression.constants[slot]))
    return make_expression(codes, slots, constants)
