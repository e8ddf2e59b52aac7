"""`SmallerTable`: what is left of a table after some reductions, and the way back from its law to the table's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation, in_user_units
from mosaic_sr.expressions.expression import Expression, apply, substituted
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.views.steps import Step, undo_step, wrap
from mosaic_sr.table import Resolution, Rounding, Rows, Table, derived_resolution

Floats = NDArray[np.float64]

# Errors of this share follow slopes to six digits, and leave ten to rounding.
SMALL = 1e-6

# Standard error as a share of the target's deviation, where it is only known to be the same in every row.
EVEN_SHARE = 0.1


@dataclass(frozen=True)
class Number:
    """An expression over the table's columns with a number in it that is known to within `doubt` times `unit`."""

    expression: Expression
    unit: Expression | None = None
    doubt: float = 0.0

    def values(self, rows: Rows) -> Floats:
        return evaluate_expression(self.expression, rows.columns)

    def errors(self, rows: Rows, table: Table) -> Floats:
        """What rounding and the doubt may cause in each row: (rows,)."""
        errors = _rounding(self.expression, rows, table)
        if self.unit is not None:
            errors = errors + self.doubt * np.abs(evaluate_expression(self.unit, rows.columns))
        return np.asarray(errors)


@dataclass(frozen=True)
class TakenPart:
    """A part that was taken from the target.

    behind: the outer function from whose argument the part was subtracted; None where the target was divided by it.
    """

    part: Number
    behind: Step | None = None


@dataclass(frozen=True)
class SmallerTable:
    """Columns and target that are computed from a table's; taken: from the target, one after the other."""

    columns: tuple[Number, ...]
    taken: tuple[TakenPart, ...] = ()

    def compute(self, rows: Rows) -> Rows:
        """The computed numbers of some rows."""
        columns = np.array([column.values(rows) for column in self.columns])
        columns = columns.reshape(len(self.columns), rows.num_rows)
        # Standard errors follow slopes, so that they are made small on the way.
        target, sigma = self._taken_off(rows, SMALL * rows.sigma if rows.has_sigma else np.zeros(rows.num_rows))
        return Rows(columns, target, rows.weights, sigma / SMALL if rows.has_sigma else rows.sigma)

    def _taken_off(self, rows: Rows, errors: Floats, table: Table | None = None) -> tuple[Floats, Floats]:
        """The target without the parts, and what its errors become; with a table those of the parts are added."""
        target = rows.target
        with np.errstate(all="ignore"):
            for taken in self.taken:
                part = taken.part.values(rows)
                off = 0.0 if table is None else taken.part.errors(rows, table)
                if taken.behind is None:
                    target = target / part
                    errors = (errors + np.abs(target) * off) / np.abs(part) + np.spacing(np.abs(target))
                else:
                    inner, errors = undo_step(taken.behind, target, errors)
                    target, errors = inner - part, errors + off
        return target, errors

    def table(self, table: Table) -> Table | None:
        """The table that is left, with the resolutions of its numbers; None where they are not finite."""
        rows = table.training
        half = 0.5 * table.target_resolution.quantum(rows.target)
        with np.errstate(all="ignore"):
            resolutions = [self._column_resolution(column, rows, table) for column in self.columns]
        target, errors = self._taken_off(rows, half, table)
        is_finite = np.isfinite(target) & np.isfinite(errors)
        if not is_finite.any():
            return None
        resolutions.append(derived_resolution(target[is_finite], errors[is_finite]))
        names = [f"z{index}" for index in range(len(self.columns))]
        return table.derived(names, self.compute, resolutions)

    def _column_resolution(self, column: Number, rows: Rows, table: Table) -> Resolution:
        if len(column.expression) == 1:
            return table.column_resolutions[column.expression.columns[0]]
        values, errors = column.values(rows), column.errors(rows, table)
        is_finite = np.isfinite(values) & np.isfinite(errors)
        return derived_resolution(values[is_finite], errors[is_finite])

    def law(self, found: Equation, derived: Table) -> Expression:
        """The law of the table that follows from the law of what is left."""
        expression = in_user_units(found, derived, derived.names).expression
        return self.put_back(substituted(expression, [column.expression for column in self.columns]))

    def solve(self, table: Table, solve: Callable[[Table], Equation | None]) -> Expression | None:
        """The law of a table that follows from the exact law of what is left, where `solve` finds one."""
        derived = self.table(table)
        found = None if derived is None else solve(derived)
        return None if found is None or derived is None else self.law(found, derived)

    def put_back(self, expression: Expression) -> Expression:
        """The parts put back into a formula of what is left."""
        for taken in reversed(self.taken):
            part = taken.part.expression
            if taken.behind is None:
                expression = apply("mul", part, expression)
            else:
                expression = wrap(apply("add", part, expression), taken.behind.outer)
        return expression


def _rounding(expression: Expression, rows: Rows, table: Table) -> Floats:
    """What the rounding of its columns and of the result may change in the values of an expression: (rows,)."""
    values = evaluate_expression(expression, rows.columns)
    errors = np.spacing(np.abs(values))
    for column in expression.columns:
        resolution = table.column_resolutions[column]
        if resolution.rounding not in (Rounding.FLOAT32, Rounding.DERIVED):
            # Decimals of a column are taken as set, not measured.
            resolution = Resolution(Rounding.FLOAT64, exponent=resolution.exponent)
        moved = rows.columns.copy()
        moved[column] += 0.5 * resolution.quantum(rows.columns[column])
        change = np.abs(evaluate_expression(expression, moved) - values)
        errors = errors + np.where(np.isfinite(change), change, 0.0)
    return np.asarray(errors)


def set_even_errors(table: Table) -> Table:
    """The table with the same standard error in every row, where none is stated: divided by a product, errors differ.

    Its size does not matter, because a common factor of all errors is estimated.
    """
    if table.training.has_sigma:
        return table
    size = EVEN_SHARE * float(np.std(table.training.target))
    training, validation = (
        replace(rows, sigma=np.full(rows.num_rows, size)) for rows in (table.training, table.validation)
    )
    return replace(table, training=training, validation=training if table.validation is table.training else validation)
