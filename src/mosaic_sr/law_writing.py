"""Where laws become written: the one place between the search's own forms and all that a person sees or keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.constraints import Costs
from mosaic_sr.equation import Equation
from mosaic_sr.expressions.digits import ALL_DIGITS, digits_left
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.simple_numbers import number_bits
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting.uncertainty import rows_in_user_units, standard_errors
from mosaic_sr.front import strict_front
from mosaic_sr.limits import Limits, over_table_columns
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.outcome import Outcome
from mosaic_sr.selection.codata import name_of
from mosaic_sr.table import Table
from mosaic_sr.writing import BRIEF, THOROUGH, Search, written

Floats = NDArray[np.float64]
# Of a constant with more digits than this only rounding is uncertain: it is treated as one without an error.
CERTAIN_DIGITS = 13
# Rows from which errors are carried over; they are many more than a law has constants.
CARRYING_ROWS = 200
# Of the derivatives by the old constants: what the new ones may leave unexplained.
UNEXPLAINED = 1e-3
# Step of a derivative, as a share of the constant: the third root of a rounding is where both errors are small.
STEP = 6e-6


def written_outcome(outcome: Outcome, table: Table, limits: Limits, is_interrupted: Callable[[], bool]) -> Outcome:
    """The outcome with its law, the rivals and the front as a scientist would write them.

    is_interrupted: asked before each law; once it says yes, the others stay as they are.
    """
    law = _written(outcome.law, table, limits, THOROUGH)
    others = tuple(tie if is_interrupted() else _written(tie, table, limits, BRIEF) for tie in law.ties)
    law = replace(law, ties=others)
    front = [
        equation if is_interrupted() else _written(equation, table, limits, BRIEF)
        for equation in outcome.front
        if equation is not outcome.law
    ]
    return replace(outcome, law=law, front=strict_front(front, law))


def with_verdicts(outcome: Outcome, table: Table, limits: Limits) -> Outcome:
    """The outcome with how its law keeps each constraint; no equation of its front and no rival breaks one."""
    if not limits.costs.are_plain:
        outcome = _with_costs(outcome, limits.costs)
    if not limits.have_wishes:
        return outcome
    law, keeps = outcome.law, partial(limits.allow_told, table=table)
    front = [one for one in outcome.front if one is law or keeps(one.expression)]
    law = replace(law, ties=tuple(tie for tie in law.ties if keeps(tie.expression)))
    verdicts = limits.rules.verdicts(over_table_columns(law.expression, table))
    others = [one for one in front if one is not outcome.law]
    return replace(outcome, law=law, front=strict_front(others, law), constraints=verdicts)


def _with_costs(outcome: Outcome, costs: Costs) -> Outcome:
    priced = [replace(one, costs=costs) for one in outcome.front if one is not outcome.law]
    ties = tuple(replace(tie, costs=costs) for tie in outcome.law.ties)
    law = replace(outcome.law, costs=costs, ties=ties)
    return replace(outcome, law=law, front=strict_front(priced, law))


def _written(law: Equation, table: Table, limits: Limits, search: Search) -> Equation:
    """A law in its written form with the errors of its own constants."""
    rows = rows_in_user_units(table, law.expression)
    within = partial(limits.allow_told, table=table)
    is_allowed = within if within(law.expression) else _anything
    expression = written(law.expression, rows.columns, _most_digits(law), is_allowed, limits.expressible, search)
    if expression == law.expression:
        return law
    names = tuple(map(name_of, expression.constants.tolist()))
    known: tuple[tuple[float, ...], ...] = ()
    covariance = _covariance(law, expression, rows.columns)
    if covariance is None:
        errors = standard_errors(expression, table)
    else:
        errors = tuple(np.sqrt(np.maximum(np.diag(covariance), 0.0)).tolist())
        known = tuple(map(tuple, covariance.tolist()))
    named = replace(law, expression=expression, constant_names=names if any(names) else ())
    return replace(named, standard_errors=errors, covariance=known)


def _anything(_: Expression) -> bool:
    return True


def _most_digits(law: Equation) -> int:
    """The most digits that errors leave to a fitted constant."""
    fitted = [one for one in law.constants if number_bits(one.value) is None]
    digits = max((digits_left(one.value, one.standard_error) for one in fitted), default=ALL_DIGITS)
    return ALL_DIGITS if digits > CERTAIN_DIGITS else digits


def _covariance(law: Equation, expression: Expression, columns: Floats) -> Floats | None:
    """The covariance of the constants of another form, where that of the law is known."""
    before = np.array(law.covariance, dtype=np.float64)
    if not before.size or not np.all(np.isfinite(before)):
        return None
    return carried_covariance(law.expression, before, expression, columns)


def carried_covariance(law: Expression, covariance: Floats, other: Expression, columns: Floats) -> Floats | None:
    """The covariance of the constants of another form of a law, to first order in the errors: the delta method.

    The new constants as functions of the old ones are not known, but their derivatives are: a change of old constants
    has to change the values on all rows as the change of the new ones does.
    covariance: (constants, constants) of the law.  None where the other form cannot follow all changes.
    """
    thin = columns[:, :: max(1, columns.shape[1] // CARRYING_ROWS)]
    old, new = derivatives(law, thin), derivatives(other, thin)
    is_known = np.all(np.isfinite(old), axis=1) & np.all(np.isfinite(new), axis=1)
    # Each old constant moved by its error, so that all changes have the size that matters.
    moves = old[is_known] * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    values = other.constants
    fitted = np.array([number_bits(value) is None for value in values.tolist()], dtype=np.bool_)
    for free in (fitted, values != np.floor(values), np.ones(len(values), dtype=np.bool_)):
        found = _followed(new[is_known][:, free], moves)
        if found is not None:
            whole = np.zeros((len(values), old.shape[1]))
            whole[free] = found
            return whole @ _correlation(covariance) @ whole.T
    return None


def _followed(new: Floats, moves: Floats) -> Floats | None:
    """The changes of new constants (new, old) that follow each move of the old ones; None where they cannot."""
    if not new.shape[1] or new.shape[0] < new.shape[1]:
        return None
    sizes = np.abs(new).max(axis=0)
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    scale = np.abs(moves).max() or 1.0
    found = np.stack([solve_least_squares(new / sizes, move / scale) for move in moves.T], axis=1)
    left = np.abs(new / sizes @ found - moves / scale).max(axis=0)
    if not np.all(left <= UNEXPLAINED * np.abs(moves / scale).max(axis=0)):
        return None
    return found * scale / sizes[:, None]


def _correlation(covariance: Floats) -> Floats:
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    errors = np.where(errors > 0.0, errors, 1.0)
    return covariance / errors / errors[:, None]


def derivatives(law: Expression, columns: Floats) -> Floats:
    """The derivatives of the values by each constant: (rows, constants)."""
    found = []
    for place, value in enumerate(law.constants.tolist()):
        step = STEP * (abs(value) or 1.0)
        ends = []
        for side in (1.0, -1.0):
            constants = law.constants.copy()
            constants[place] = value + side * step
            ends.append(evaluate_expression(law.with_constants(constants), columns))
        found.append((ends[0] - ends[1]) / (2.0 * step))
    return np.stack(found, axis=1) if found else np.empty((columns.shape[1], 0))
