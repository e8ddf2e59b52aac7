"""Forms to try on all groups: what searches of single groups have visited, and forms near to the best ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation, in_column_units, over_user_columns
from mosaic_sr.evidence.judge import is_number
from mosaic_sr.exactness import NEARLY_EXACT
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, constant, make_expression
from mosaic_sr.grouped.forms import ODD, Form, form_with, forms_of
from mosaic_sr.grouped.rows import GroupedRows
from mosaic_sr.limits import Limits
from mosaic_sr.operators import CONSTANT, VARIABLE
from mosaic_sr.pipeline import Snapshot
from mosaic_sr.preparation import Problem
from mosaic_sr.selection import SelectionConfig, tidy
from mosaic_sr.selection.simplifying import prunings
from mosaic_sr.writing import BRIEF, written

Floats = NDArray[np.float64]

# Laws of a search that are tried on all groups: those behind them are far less probable, even in one group.
MOST_TRIED = 40
MOST_AGREEING = 8
# Who has found the law without columns.
START = "start"
# Forms with more fitted constants bend to anything.
MOST_CONSTANTS = 7
# Shares by which constants are moved so that none is a simple number: far from what rounding and fractions explain.
ODD_SHARE, PRIMES = 1e-3, np.array([2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0])
# Digits of a constant to which none of those numbers is a fraction.
MOST_DIGITS = 8


def visited_forms(
    snapshot: Snapshot, problem: Problem, config: SelectionConfig, replaced: Sequence[str] = ()
) -> list[Form]:
    """The forms of the most probable laws of a search; replaced: columns that stand for constants of groups."""
    equations = [*([snapshot.law] if snapshot.law else []), *snapshot.pool.equations[:MOST_TRIED]]
    equations += [one for one in snapshot.front.pareto() if one not in equations]
    if snapshot.law is not None and snapshot.law.agrees:
        # Beside a law that meets every row others are none.
        close = [one for one in equations if one.training.nmse <= NEARLY_EXACT**2]
        equations = sorted(close, key=lambda one: (not one.agrees, one.complexity))[:MOST_AGREEING]
    laws = [(in_user_columns(equation, problem), equation.found_by) for equation in equations]
    if snapshot.law is not None and snapshot.law.agrees:
        # As found it may have terms that are rounding, and with them too many constants.
        tidied = tidy(snapshot.law, problem.table, config, problem.names)
        laws.insert(0, (tidied.expression, tidied.found_by))
    forms: list[Form] = []
    for law, found_by in laws:
        for name in replaced:
            law = without_column(law, problem.names.index(name))
        forms += forms_of(canonical(law), found_by)
    return distinct(forms)


def in_user_columns(equation: Equation, problem: Problem) -> Expression:
    """A law of a table as one over the user's columns in his units."""
    in_units = in_column_units(equation, problem.table)
    return over_user_columns(in_units, problem.table, problem.names).expression


def without_column(expression: Expression, column: int) -> Expression:
    """The expression with a constant in place of a column."""
    is_column = (expression.codes == VARIABLE) & (expression.slots == column)
    codes = np.where(is_column, CONSTANT, expression.codes)
    values = [
        # An odd number, which is taken for a fitted one.
        1.0123456 if own else float(expression.constants[slot])
        for own, code, slot in zip(is_column, codes, expression.slots, strict=True)
        if code == CONSTANT
    ]
    return make_expression(codes, expression.slots, values)


def distinct(forms: Iterable[Form]) -> list[Form]:
    """Forms of at most so many constants, each once, that read a column; or the number that a search starts with."""
    known = {
        form.key: form
        for form in forms
        if form.num_parameters <= MOST_CONSTANTS and (form.expression.columns or form.found_by == START)
    }
    return list(known.values())


def neighbours(form: Form) -> Iterator[Form]:
    """The form without one of its parts, and with a factor or a number added."""
    expression = form.expression
    for shorter in prunings(expression):
        yield from forms_of(canonical(shorter), form.found_by)
    for longer in (apply("mul", constant(1.0123456), expression), apply("add", constant(0.0123456), expression)):
        words = canonical(longer)
        if words.num_constants > expression.num_constants:
            yield from forms_of(words, form.found_by)


def reworded(form: Form) -> Iterator[Form]:
    """The form with the 1 of a sum fitted in place of another constant: (m - x)^2 for (1 - b*x)^2.

    A constant that all groups share may be one only in other words.
    """
    values = form.expression.constants
    ones = [place for place in np.flatnonzero(form.parameter_of_constant < 0).tolist() if abs(values[place]) == 1.0]
    for one in ones:
        for other in np.flatnonzero(form.parameter_of_constant >= 0).tolist():
            if np.count_nonzero(form.parameter_of_constant == form.parameter_of_constant[other]) > 1:
                continue
            constants = values.copy()
            size = abs(values[other]) if np.isfinite(values[other]) and values[other] else 1.0
            constants[one], constants[other] = values[one] / size, np.sign(values[other]) or 1.0
            yield from forms_of(canonical(form.expression.with_constants(constants)), form.found_by)


def as_written(form: Form, means: Floats, rows: GroupedRows, limits: Limits) -> Iterator[Form]:
    """The form as a scientist would write it; its constants, which are others then, are left to a fit."""
    if form.is_written:
        return
    # Odd numbers: a mean that happens to be 3 is no number of the form, and no two means are the same.
    odd = np.where(means == 0.0, ODD, means) * (1.0 + ODD_SHARE * np.sqrt(PRIMES[: len(means)]))
    expression = written(form.with_values(odd), rows.columns, MOST_DIGITS, limits.allow, limits.expressible, BRIEF)
    if np.all(np.isfinite(expression.constants)):
        stays = np.array([is_number(value) for value in expression.constants.tolist()], dtype=np.bool_)
        yield replace(form_with(expression, stays, form.found_by), is_written=True)


def with_number(form: Form, parameter: int, value: float, means: Floats) -> Form:
    """The form with a simple number in place of a fitted constant."""
    constants = form.with_values(means).constants.copy()
    constants[form.parameter_of_constant == parameter] = value
    return forms_of(canonical(form.expression.with_constants(constants)), form.found_by)[0]
