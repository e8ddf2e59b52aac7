"""`Equation`: a bound and fitted law with its errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.constraints.structure import Costs
from mosaic_sr.errors import InvalidFormula
from mosaic_sr.exactness import Closeness
from mosaic_sr.exports import export
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.complexity import complexity
from mosaic_sr.expressions.digits import digits_left
from mosaic_sr.expressions.expression import Expression, num_operators, scaled, substituted, variable
from mosaic_sr.expressions.latex import to_latex
from mosaic_sr.expressions.reading_order import in_reading_order
from mosaic_sr.expressions.symbolic import closed_number, to_sympy
from mosaic_sr.expressions.symbolic_client import shared_worker
from mosaic_sr.expressions.text import to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.naming import NamedLaw
from mosaic_sr.table import Rows, Table, divided, squaring_exponent
from mosaic_sr.visible import visible

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """The errors of a law on a set of rows.

    nmse: mean squared error over the variance of the target.  relative: mean of ((f - y) / y)² over rows with y != 0.
    own: mean of the user's own loss; None where there is none.
    """

    nmse: float
    relative: float
    own: float | None = None

    @property
    def loss(self) -> float:
        """What fronts compare: the user's own loss, else the NMSE."""
        return self.nmse if self.own is None else self.own


UNKNOWN = Errors(np.inf, np.inf)
# A law with values is better than none, however far they are from the rows.
LARGEST = float(np.finfo(np.float64).max)
# Powers of two that products of columns and numbers can reach; beyond 1,000 they leave float64.
UNSAFE_EXPONENTS = 500
# Letters of a law in a list of equations: one fits on a line of 120.
SHOWN_LETTERS = 80
# Digits that are shown of a constant which the rows hardly determine: together such constants do, and rounded one by
# one they would make another law.
LEAST_SHOWN = 3
# Rounding in other words, where a few digits may cancel.
SAME_VALUE = 1e-6


class Constant(NamedTuple):
    """A number of a law, its standard error or NaN where that is not known, and its name where it is a physical one."""

    value: float
    standard_error: float
    name: str


@dataclass(frozen=True)
class Equation:
    """A law: its expression, the names of its columns, its errors and the proposer that found it.

    standard_errors: one per constant, also for simple numbers; NaN where the rows do not determine it; during a
        search, 0 for constants that are held fixed.
    constant_names: one per constant, the name of a physical constant or empty; () if no constant has a name.
    constant_units: one per constant, the unit that makes the law homogeneous or empty; () if no constant has a unit.
    closeness: how well the law matches the rows; see `exactness`.
    ties: other laws that agree with the rows and differ from this one elsewhere; on noisy rows its rivals.
    probability: that this is the law of noisy rows; None where it was not weighed against others.
    covariance: of the constants, one row for each; () where it is not known.
    costs: what its nodes cost, where the user has said so; else each costs 1.
    named: what the law is called, where the search has ended and the catalogue of named laws has its form.
    intervals: for each constant the ends of its 68 % and its 95 % interval, four numbers, where the user asked for
        them; infinite where the rows set no bound.
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
    probability: float | None = None
    covariance: tuple[tuple[float, ...], ...] = ()
    named: NamedLaw | None = None
    intervals: tuple[tuple[float, ...], ...] = ()
    costs: Costs | None = None
    constant_units: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether the law is exact: it matches every row to rounding, and the rows justify its fitted constants."""
        return self.closeness is Closeness.EXACT

    @property
    def agrees(self) -> bool:
        """Whether the law matches every row to rounding, exact or with more fitted constants than the rows justify."""
        return self.closeness >= Closeness.AGREES

    @property
    def name(self) -> str:
        """What the law is called; empty where it has no name."""
        return "" if self.named is None else self.named.name

    @property
    def complexity(self) -> int:
        """Number of nodes: operators, columns and constants; or what they cost, where the user has said so."""
        return complexity(self.expression) if self.costs is None else self.costs.of(self.expression)

    @property
    def constants(self) -> tuple[Constant, ...]:
        """The constants in reading order, each with its standard error and name."""
        count = self.expression.num_constants
        errors = (*self.standard_errors, *[math.nan] * count)[:count]
        names = (*self.constant_names, *[""] * count)[:count]
        return tuple(map(Constant, self.expression.constants.tolist(), errors, names))

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each constant in reading order, empty for pure numbers."""
        return self.constant_units or ("",) * self.expression.num_constants

    @property
    def num_operators(self) -> int:
        return num_operators(self.expression)

    def digits(self, precision: int) -> tuple[int, ...]:
        """Significant digits of each constant for a reader: as many as its error leaves, at most `precision`."""
        left = (digits_left(one.value, one.standard_error) for one in self.constants)
        return tuple(min(max(digits, LEAST_SHOWN), precision) for digits in left)

    def text(self, precision: int | None = None) -> str:
        """The law as text that `parse` can read.

        precision: for a reader, who sees at most so many digits of each constant, and no more than its error leaves.
        """
        return to_text(self.expression, self.names, None if precision is None else self.digits(precision))

    def __str__(self) -> str:
        return visible(self.text(precision=6))

    def __repr__(self) -> str:
        text = str(self)
        shown = text if len(text) <= SHOWN_LETTERS else f"{text[: SHOWN_LETTERS - 3]}..."
        return f"Equation({shown}, complexity {self.complexity}, loss {self.training.nmse:.2g})"

    def _repr_latex_(self) -> str:
        """What notebooks show."""
        return rf"$\displaystyle {self.latex()}$"

    def latex(self, precision: int = 3) -> str:
        """The law in LaTeX; constants have at most `precision` digits, and no more than their errors leave."""
        return to_latex(self.expression, self.names, self.digits(precision))

    def export(self, language: str, name: str | None = None) -> str:
        """The law with all digits in another language: "python", "c", "excel", "matlab" and others; see `exports`.

        name: what the function is called, `law` by default; in LaTeX what stands left of the equals sign.
        """
        return export(self.expression, self.names, language, name)

    def sympy(self, simplify: bool = False) -> Any:
        """The law as a sympy expression whose symbols have the names of the columns.

        simplify: simplify it first, in a separate process with five seconds; if that fails, the law stays unchanged.
        """
        simpler = shared_worker().simplify(self.expression) if simplify else None
        return to_sympy(simpler or self.expression, self.names, number=closed_number)

    def sympy_or_none(self) -> Any:
        """As `sympy`; None where sympy cannot hold the equation, such as one with a power of 10,000."""
        try:
            return self.sympy()
        except InvalidFormula:
            return None

    def predict(self, columns: Floats) -> Floats:
        """Values of the law; columns: (columns, rows) in the order of `names`, result: (rows,)."""
        return evaluate_expression(self.expression, columns)


def measure(expression: Expression, rows: Rows) -> Errors:
    """Errors of an expression on some rows; infinite only when a value is not finite."""
    values = evaluate_expression(expression, rows.columns)
    if not np.all(np.isfinite(values)):
        return UNKNOWN
    weights = rows.fit_weights if len(rows.fit_weights) else np.ones(rows.num_rows)
    exponent = squaring_exponent(rows.target)
    values, target = divided(values, exponent), divided(rows.target, exponent)
    mean = np.average(target, weights=weights)
    with np.errstate(all="ignore"):
        squares = np.square(values - target)
        spread = np.average(np.square(target - mean), weights=weights)
        counted = target != 0
        relative = np.square((values[counted] - target[counted]) / target[counted])
        error = float(np.average(squares, weights=weights))
        nmse = min(error / float(spread) if spread > 0 else error, LARGEST)
        share = min(float(np.average(relative, weights=weights[counted])), LARGEST) if counted.any() else nmse
    return Errors(nmse, share)


def in_user_units(equation: Equation, table: Table, names: Sequence[str]) -> Equation:
    """The law of a table's scaled columns as a law of the user's columns, called `names`."""
    return over_user_columns(in_column_units(equation, table), table, names)


def in_column_units(equation: Equation, table: Table) -> Equation:
    """The law of a table's scaled columns as one over the same columns with their numbers in the user's units."""
    is_scaled = table.target_exponent != 0 or any(table.column_exponents)
    if not is_scaled:
        return replace(equation, names=table.names)
    columns = [scaled(variable(i), math.ldexp(1.0, -exponent)) for i, exponent in enumerate(table.column_exponents)]
    law = scaled(substituted(equation.expression, columns), math.ldexp(1.0, table.target_exponent))
    words = canonical(law)
    if not _keeps_values(words, law, table):
        words = law
    # Its constants are others now, and what is known of their errors says nothing of them.
    return replace(equation, expression=words, names=table.names, standard_errors=())


def _keeps_values(words: Expression, law: Expression, table: Table) -> bool:
    """Whether a law in the user's units has its values also in other words.

    1e-170 * x * y may vanish at 1e-170 * x, which 1e-170 * (1e300 * x) * (1e-300 * y) does not.
    """
    if sum(map(abs, table.column_exponents)) + abs(table.target_exponent) < UNSAFE_EXPONENTS:
        return True
    columns = np.ldexp(table.training.columns, np.array(table.column_exponents)[:, None])
    values, expected = evaluate_expression(words, columns), evaluate_expression(law, columns)
    is_known = np.isfinite(expected)
    return bool(np.all(np.abs(values - expected)[is_known] <= SAME_VALUE * np.abs(expected)[is_known]))


def over_user_columns(equation: Equation, table: Table, names: Sequence[str]) -> Equation:
    """The law of a table's columns as one of the user's columns, called `names`, with its operands in their order."""
    expression, places = in_reading_order(equation.expression.renamed(table.used))
    errors, constants = equation.standard_errors, equation.constant_names
    return replace(
        equation,
        expression=expression,
        names=tuple(names),
        standard_errors=tuple(errors[place] for place in places) if errors else (),
        covariance=tuple(tuple(equation.covariance[row][place] for place in places) for row in places)
        if equation.covariance
        else (),
        constant_names=tuple(constants[place] for place in places) if constants else (),
    )


def in_table_units(expression: Expression, table: Table) -> Expression:
    """A formula over the user's columns as one over a table's scaled columns; KeyError for a column not in use."""
    places = {column: place for place, column in enumerate(table.used)}
    columns = {
        column: scaled(variable(places[column]), math.ldexp(1.0, table.column_exponents[places[column]]))
        for column in expression.columns
    }
    return scaled(substituted(expression, columns), math.ldexp(1.0, -table.target_exponent))
