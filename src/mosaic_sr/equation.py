"""`Equation`: a bound and fitted law with its errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.complexity import complexity
from mosaic_sr.expressions.expression import Expression, apply, constant, num_operators, substituted, variable
from mosaic_sr.expressions.latex import to_latex
from mosaic_sr.expressions.symbolic import closed_number, to_sympy
from mosaic_sr.expressions.symbolic_client import shared_worker
from mosaic_sr.expressions.text import to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.table import Rows, Table

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """How far a law is from some rows.

    nmse: mean squared error over the variance of the target.  relative: mean of ((f - y) / y)², rows with y = 0 aside.
    """

    nmse: float
    relative: float


UNKNOWN = Errors(np.inf, np.inf)


class Constant(NamedTuple):
    """A number of a law, its standard error or NaN where that is not known, and its name where it is a physical one."""

    value: float
    standard_error: float
    name: str


@dataclass(frozen=True)
class Equation:
    """A law: its expression, the names of the columns it reads from, its errors and how it was found.

    standard_errors: one per constant, for simple numbers too, and NaN where the rows do not determine it; within a
        search, 0 for those held fixed.
    constant_names: one per constant, that of the physical constant it is, or empty; none where no constant has a name.
    closeness: how well the law explains the rows; see `exactness`.
    ties: other laws that agree with the rows and differ from this one elsewhere.
    """

    expression: Expression
    names: tuple[str, ...]
    training: Errors
    validation: Errors
    found_by: str
    closeness: Closeness = Closeness.OPEN
    standard_errors: tuple[float, ...] = ()
    constant_names: tuple[str, ...] = ()
    ties: tuple[Equation, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether nothing is left to explain: the claim of exactness."""
        return self.closeness is Closeness.EXACT

    @property
    def agrees(self) -> bool:
        """Whether every row is met to its rounding, by an exact law or by one with more numbers than rows can prove."""
        return self.closeness >= Closeness.AGREES

    @property
    def complexity(self) -> int:
        """Nodes of the tree."""
        return complexity(self.expression)

    @property
    def constants(self) -> tuple[Constant, ...]:
        """The numbers in reading order, with what is known of each."""
        count = self.expression.num_constants
        errors = (*self.standard_errors, *[math.nan] * count)[:count]
        names = (*self.constant_names, *[""] * count)[:count]
        return tuple(map(Constant, self.expression.constants.tolist(), errors, names))

    @property
    def num_operators(self) -> int:
        return num_operators(self.expression)

    def text(self, precision: int | None = None) -> str:
        """The law as text that `parse` reads back."""
        return to_text(self.expression, self.names, precision)

    def __str__(self) -> str:
        return self.text(precision=6)

    def latex(self, precision: int = 3) -> str:
        """The law in LaTeX."""
        return to_latex(self.expression, self.names, precision)

    def sympy(self, simplify: bool = False) -> Any:
        """The law as a sympy expression over symbols called like the columns.

        simplify: ask sympy for a simpler form first, in a process of its own that is given five seconds; where it
        finds none in time the law stays as it is.
        """
        simpler = shared_worker().simplify(self.expression) if simplify else None
        return to_sympy(simpler or self.expression, self.names, number=closed_number)

    def predict(self, columns: Floats) -> Floats:
        """Values of the law; columns: (columns, rows) in the order of `names`, result: (rows,)."""
        return evaluate_expression(self.expression, columns)


def measure(expression: Expression, rows: Rows) -> Errors:
    """Errors of an expression on some rows; infinite when a value is not finite."""
    values = evaluate_expression(expression, rows.columns)
    if not np.all(np.isfinite(values)):
        return UNKNOWN
    weights = rows.weights if len(rows.weights) else np.ones(rows.num_rows)
    mean = np.average(rows.target, weights=weights)
    with np.errstate(all="ignore"):
        squares = np.square(values - rows.target)
        spread = np.average(np.square(rows.target - mean), weights=weights)
        counted = rows.target != 0
        relative = np.square((values[counted] - rows.target[counted]) / rows.target[counted])
    error = float(np.average(squares, weights=weights))
    nmse = error / float(spread) if spread > 0 else error
    return Errors(nmse, float(np.average(relative, weights=weights[counted])) if counted.any() else nmse)


def in_user_units(equation: Equation, table: Table, names: Sequence[str]) -> Equation:
    """The law of a table's scaled columns as a law of the user's columns, called `names`."""
    columns = [
        variable(column) if exponent == 0 else apply("mul", constant(2.0**-exponent), variable(column))
        for column, exponent in zip(table.used, table.column_exponents, strict=True)
    ]
    expression = substituted(equation.expression, columns)
    if table.target_exponent != 0:
        expression = apply("mul", constant(2.0**table.target_exponent), expression)
    is_scaled = table.target_exponent != 0 or any(table.column_exponents)
    return replace(equation, expression=canonical(expression) if is_scaled else expression, names=tuple(names))


def in_column_units(equation: Equation, table: Table) -> Equation:
    """The law of a table's scaled columns as one over the same columns with their numbers in the user's units."""
    return in_user_units(equation, replace(table, used=tuple(range(table.num_columns))), table.names)


def in_table_units(expression: Expression, table: Table) -> Expression:
    """A formula over the user's columns as one over a table's scaled columns; KeyError for a column not in use."""
    places = {column: place for place, column in enumerate(table.used)}
    columns: dict[int, Expression] = {}
    for column in expression.columns:
        place = places[column]
        exponent = table.column_exponents[place]
        columns[column] = variable(place) if exponent == 0 else apply("mul", constant(2.0**exponent), variable(place))
    scaled = substituted(expression, columns)
    return scaled if table.target_exponent == 0 else apply("mul", constant(2.0**-table.target_exponent), scaled)
