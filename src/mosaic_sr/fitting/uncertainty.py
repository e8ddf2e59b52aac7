"""Standard errors of constants at the values that they have, in the units of the law that is printed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.fitting.fit import residual_variance, weights_of
from mosaic_sr.fitting.polish import measure_point, unit_covariance
from mosaic_sr.fitting.quick import spans_decades
from mosaic_sr.table import Rows, Table


def standard_errors(law: Expression, table: Table) -> tuple[float, ...]:
    """One per constant of a law over the user's columns, as the residuals on the training rows tell it.

    NaN where the rows do not determine the constant, or where none is left over to tell.
    """
    rows, count = rows_in_user_units(table, law), law.num_constants
    # The target stays scaled, because squares of numbers such as 1e-200 would vanish.
    scaled = apply("mul", constant(2.0**-table.target_exponent), law)
    written = write_out(scaled)
    own = written.parameters(np.arange(-1, count, dtype=np.int32))
    weights = weights_of(rows, "relative" if spans_decades(rows) else "uniform")
    point = measure_point(written.expression, written.expression.constants, own, rows, weights)
    # So do derivatives by constants such as 1e200, whose squares are too small for a norm.
    sizes = np.abs(point.triangle).max(axis=0)
    sizes = np.where((sizes > 0.0) & np.isfinite(sizes), sizes, 1.0)
    covariance, _ = unit_covariance(replace(point, triangle=point.triangle / sizes))
    if covariance is None or rows.num_rows <= count:
        return (np.nan,) * count
    variance = residual_variance(point, rows, weights, count)
    with np.errstate(invalid="ignore"):
        errors = np.sqrt(np.diag(covariance) * variance) / sizes[:count]
    return tuple(errors.tolist())


def rows_in_user_units(table: Table, law: Expression) -> Rows:
    """The training rows with columns unscaled and in the user's places; columns out of use are not read."""
    training = table.training
    columns = np.ones((max([*table.used, *law.columns]) + 1, training.num_rows))
    for place, (column, exponent) in enumerate(zip(table.used, table.column_exponents, strict=True)):
        columns[column] = np.ldexp(training.columns[place], exponent)
    return replace(training, columns=columns)
