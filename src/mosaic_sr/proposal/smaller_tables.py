"""`SmallerTable`: what is left of a table after some reductions, and the way back from its law to the table's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation, in_user_units
from mosaic_sr.expressions.expression import Expression, apply, substituted
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.table import Resolution, Rounding, Rows, Table, derived_resolution

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Link:
    """A function of the target under which a term may come off; `undo` writes its inverse.

    value, slope: of the target.  size: operators that the inverse adds.  needs: where it is one to one.
    """

    name: str
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    undo: Callable[[Expression], Expression]
    size: int = 1
    needs: Callable[[Floats], NDArray[np.bool_]] = np.isfinite

    def covers(self, target: Floats) -> bool:
        """Whether the link and its inverse are one to one on the target."""
        return bool(np.all(self.needs(target)))


def _is_not_zero(y: Floats) -> NDArray[np.bool_]:
    return np.asarray(y != 0)


def _is_positive(y: Floats) -> NDArray[np.bool_]:
    return np.asarray(y > 0)


PLAIN = Link("plain", lambda y: y, np.ones_like, lambda t: t, size=0)
# The target stays what it is and is divided by the factor; only the test is made on logarithms.
FACTOR = Link("factor", lambda y: np.log(np.abs(y)), lambda y: 1.0 / y, lambda t: t, size=0, needs=_is_not_zero)
LINKS = (
    PLAIN,
    Link("inverse", lambda y: 1.0 / y, lambda y: -1.0 / np.square(y), lambda t: apply("inv", t), needs=_is_not_zero),
    Link("square", np.square, lambda y: 2.0 * y, lambda t: apply("sqrt", t), needs=_is_positive),
    Link("exp", np.exp, np.exp, lambda t: apply("log", t)),
)
# Products over many decades, which no polynomial follows, are sums behind it.
LOGARITHM = Link("log", np.log, lambda y: 1.0 / y, lambda t: apply("exp", t), needs=_is_positive)

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
    """A term taken from the linked target, or a factor that it was divided by."""

    link: Link
    part: Number


@dataclass(frozen=True)
class SmallerTable:
    """Columns and target that are computed from a table's: the steps were taken from the target one after the other."""

    columns: tuple[Number, ...]
    steps: tuple[TakenPart, ...] = ()

    def compute(self, rows: Rows) -> Rows:
        """The computed numbers of some rows."""
        columns = np.array([column.values(rows) for column in self.columns])
        columns = columns.reshape(len(self.columns), rows.num_rows)
        return Rows(columns, self._target(rows), rows.weights, self._sigma(rows))

    def _target(self, rows: Rows) -> Floats:
        target = rows.target
        with np.errstate(all="ignore"):
            for step in self.steps:
                part = step.part.values(rows)
                target = target / part if step.link is FACTOR else step.link.value(target) - part
        return target

    def _sigma(self, rows: Rows) -> Floats:
        """Standard errors of the computed target, where the user states those of the table's."""
        target, sigma = rows.target, rows.sigma
        if not rows.has_sigma:
            return sigma
        with np.errstate(all="ignore"):
            for step in self.steps:
                part = step.part.values(rows)
                if step.link is FACTOR:
                    target, sigma = target / part, sigma / np.abs(part)
                else:
                    target, sigma = step.link.value(target) - part, sigma * np.abs(step.link.slope(target))
        return sigma

    def table(self, table: Table) -> Table | None:
        """The table that is left, with the resolutions of its numbers; None where they are not finite."""
        rows = table.training
        with np.errstate(all="ignore"):
            resolutions = [self._column_resolution(column, rows, table) for column in self.columns]
            errors = self._target_errors(rows, table)
            target = self._target(rows)
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

    def _target_errors(self, rows: Rows, table: Table) -> Floats:
        target, errors = rows.target, 0.5 * table.target_resolution.quantum(rows.target)
        for step in self.steps:
            part, off = step.part.values(rows), step.part.errors(rows, table)
            if step.link is FACTOR:
                target = target / part
                errors = (errors + np.abs(target) * off) / np.abs(part) + np.spacing(np.abs(target))
            else:
                linked = step.link.value(target)
                errors = np.abs(step.link.slope(target)) * errors + off + np.spacing(np.abs(linked))
                target = linked - part
        return np.asarray(errors)

    def law(self, found: Equation, derived: Table) -> Expression:
        """The law of the table that follows from the law of what is left."""
        expression = in_user_units(found, derived, derived.names).expression
        return self.undone(substituted(expression, [column.expression for column in self.columns]))

    def undone(self, expression: Expression) -> Expression:
        """The steps taken back."""
        for step in reversed(self.steps):
            if step.link is FACTOR:
                expression = apply("mul", step.part.expression, expression)
            else:
                expression = step.link.undo(apply("add", step.part.expression, expression))
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


def with_even_errors(table: Table) -> Table:
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
