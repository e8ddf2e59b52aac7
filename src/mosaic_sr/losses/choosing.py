"""The law under an own loss: equations refitted for it, and one of them chosen by loss and complexity."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation, in_column_units, measure, over_user_columns
from mosaic_sr.evidence.judge import is_number, structure_bits
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.limits import Limits
from mosaic_sr.losses.loss import Loss
from mosaic_sr.losses.refitting import ROUGH_ROUNDS, Refit, covariance, mean_loss, polished, refit
from mosaic_sr.table import Table, unscaled

# Equations that are refitted: those of the front and the most promising of the pool, a second of work.
MOST_REFITTED = 60
# Normal noise has this many median distances in a standard deviation.
DEVIATION_PER_MEDIAN = 1.4826
# The power with which losses grow: that of a square is 2; one that hardly grows, or far faster, says little.
LEAST_POWER, MOST_POWER = 0.5, 4.0
LEAST_LOSS = 1e-300


@dataclass(frozen=True)
class ChosenByLoss:
    """The law under an own loss and the front of the equations that were refitted for it, over the user's columns."""

    law: Equation
    front: tuple[Equation, ...]


@dataclass(frozen=True)
class _Candidate:
    equation: Equation
    found: Refit
    is_fixed: NDArray[np.bool_]
    validation: float


def choose_by_loss(
    equations: Sequence[Equation],
    table: Table,
    names: Sequence[str],
    loss: Loss,
    rule: str,
    limits: Limits,
    is_interrupted: Callable[[], bool],
) -> ChosenByLoss | None:
    """The equations refitted for a loss and the one that the rule takes; None where none has a finite loss.

    equations: of the table, the most promising first.  rule: a word of `model_selection`.
    is_interrupted: once it says yes, no more equations are refitted.
    """
    plain = _with_own_weights(unscaled(table))
    known = _distinct([in_column_units(equation, table) for equation in equations])
    known = [one for one in known if limits.allow(one.expression)]
    own = loss.turning_at(_usual_error(known, plain))
    ordered = sorted(known, key=lambda one: mean_loss(one.expression, plain.training, own))[:MOST_REFITTED]
    candidates: list[_Candidate] = []
    for equation in ordered:
        if candidates and is_interrupted():
            break
        candidates.append(_refitted(equation, plain, own))
    usable = [one for one in candidates if math.isfinite(one.found.loss) and math.isfinite(one.validation)]
    if not usable:
        return None
    chosen = RULES[rule](usable, plain, own)
    law = _told(_polished(chosen, plain, own), plain, names, own, has_errors=True)
    front = [_told(one, plain, names, own, has_errors=False) for one in usable if one is not chosen]
    return ChosenByLoss(law, tuple(front))


def _with_own_weights(table: Table) -> Table:
    """The table with the user's row weights alone, without what led the search."""
    training = replace(table.training, sigma=np.empty(0))
    is_shared = table.validation is table.training
    validation = training if is_shared else replace(table.validation, sigma=np.empty(0))
    return replace(table, training=training, validation=validation)


def _distinct(equations: Sequence[Equation]) -> list[Equation]:
    return list({one.expression.structure_key: one for one in reversed(equations)}.values())[::-1]


def _usual_error(equations: Sequence[Equation], table: Table) -> float:
    """The standard deviation of the rows about the equation with the least median error, outliers aside."""
    rows = table.training
    with np.errstate(all="ignore"):
        errors = [
            np.median(np.abs(evaluate_expression(one.expression, rows.columns) - rows.target)) for one in equations
        ]
    return DEVIATION_PER_MEDIAN * float(min((error for error in errors if math.isfinite(error)), default=0.0))


def _refitted(equation: Equation, table: Table, loss: Loss) -> _Candidate:
    is_fixed = np.array([is_number(value) for value in equation.expression.constants.tolist()], dtype=np.bool_)
    found = refit(equation.expression, is_fixed, table.training, loss, ROUGH_ROUNDS)
    return _Candidate(equation, found, is_fixed, mean_loss(found.expression, table.validation, loss))


def _polished(one: _Candidate, table: Table, loss: Loss) -> _Candidate:
    found = polished(
        refit(one.found.expression, one.is_fixed, table.training, loss), one.is_fixed, table.training, loss
    )
    return replace(one, found=found, validation=mean_loss(found.expression, table.validation, loss))


def _told(one: _Candidate, table: Table, names: Sequence[str], loss: Loss, has_errors: bool) -> Equation:
    """The equation over the user's columns with its losses; has_errors: whether its constants have errors."""
    expression, rows = one.found.expression, table.training
    training = replace(measure(expression, rows), own=one.found.loss)
    validation = replace(measure(expression, table.validation), own=one.validation)
    errors = np.full((expression.num_constants,) * 2, np.nan)
    if has_errors:
        # The same samples for every law, so that the same rows always give the same errors.
        errors = covariance(one.found, one.is_fixed, rows, loss, np.random.default_rng(0))
    told = replace(
        one.equation,
        expression=expression,
        names=table.names,
        training=training,
        validation=validation,
        probability=None,
        ties=(),
        constant_names=(),
        standard_errors=tuple(np.sqrt(np.diag(errors)).tolist()),
        covariance=tuple(map(tuple, errors.tolist())) if has_errors else (),
    )
    return over_user_columns(told, table, names)


def _most_accurate(candidates: Sequence[_Candidate], *_: object) -> _Candidate:
    """The least loss on the validation rows."""
    return min(candidates, key=lambda one: one.validation)


def _best_score(candidates: Sequence[_Candidate], *_: object) -> _Candidate:
    """The largest fall of the log loss per node since the next simpler equation."""
    ordered = sorted(candidates, key=lambda one: (one.equation.complexity, one.found.loss))
    chosen, highest, before = ordered[0], 0.0, ordered[0]
    for one in ordered[1:]:
        grown = one.equation.complexity - before.equation.complexity
        if one.found.loss >= before.found.loss or not grown:
            continue
        fall = math.log(max(before.found.loss, LEAST_LOSS)) - math.log(max(one.found.loss, LEAST_LOSS))
        if fall / grown > highest:
            chosen, highest = one, fall / grown
        before = one
    return chosen


def _best(candidates: Sequence[_Candidate], table: Table, loss: Loss) -> _Candidate:
    """The least sum of two costs: the logarithm of the loss in every row, and the bits of structure and constants.

    The first is that of noise for which this loss is the likelihood, with its size integrated out: half the logarithm
    per row for squares, the whole for absolute errors.
    """
    rows = table.training
    power = _power(loss, min(candidates, key=lambda one: one.found.loss).found.expression, table)
    floor = ROUNDING_SHARE * max(one.found.loss for one in candidates)

    def cost(one: _Candidate) -> float:
        fit = rows.num_rows / power * math.log(max(one.found.loss, floor, LEAST_LOSS))
        num_free = int(np.count_nonzero(~one.is_fixed))
        bits = structure_bits(one.found.expression, len(rows.columns))
        return fit + bits * math.log(2.0) + 0.5 * num_free * math.log(rows.num_rows)

    return min(candidates, key=cost)


# Losses this far below those of the worst equation are rounding.
ROUNDING_SHARE = 1e-28


def _power(loss: Loss, law: Expression, table: Table) -> float:
    """With which power of the error the loss grows at the errors that a law leaves."""
    rows = table.training
    values = evaluate_expression(law, rows.columns)
    near, far = (
        loss.mean(rows.target, rows.target + size * (values - rows.target), rows.weights) for size in (1.0, 2.0)
    )
    if not (near > 0.0 and math.isfinite(far)):
        return 2.0
    return min(max(math.log2(far / near), LEAST_POWER), MOST_POWER)


RULES: dict[str, Callable[[Sequence[_Candidate], Table, Loss], _Candidate]] = {
    "best": _best,
    "accuracy": _most_accurate,
    "score": _best_score,
    "paper": _most_accurate,
}
