"""Validation: the constants of a candidate refitted on all training rows, its errors, and how close it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation, Errors, in_column_units, measure
from mosaic_sr.evidence.pool import rough_log_likelihood
from mosaic_sr.exactness import CLOSE, PAPER_NMSE, Closeness, agrees, noise_floor, num_free, pays_for
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import Fit, FitConfig, Weighting, fit_parameters, spans_decades
from mosaic_sr.selection.description import is_simple
from mosaic_sr.selection.settings import SelectionConfig
from mosaic_sr.table import Rows, Table, thinned

# Constants come from a fit on some of the rows, so a few steps reach the optimum of all of them.
BRIEF_ITERATIONS = 20
# Candidates are ranked as well by so many rows, and the time limit is heard between rounds; the law is fitted to all.
MOST_ROWS = 2000


class Validator:
    """Validates the candidates of one search, each once; nothing but the candidate decides, so a search can be resumed.

    table: the rows on which it does, by which the equations are to be compared.
    """

    def __init__(self, table: Table, config: SelectionConfig) -> None:
        self.table, self._config = thinned(table, MOST_ROWS), config
        self._known: dict[bytes, Equation] = {}

    def validated(self, equation: Equation) -> Equation:
        """The equation as `validate` returns it."""
        key = equation.expression.key
        if key not in self._known:
            self._known[key] = validate(equation, self.table, self._config)
        return self._known[key]


def validate(equation: Equation, table: Table, config: SelectionConfig) -> Equation:
    """The equation in canonical form with its constants refitted, its errors on both sets of rows and its closeness.

    It stays in its own words where the canonical ones leave the limits, as |x| for the root of x² may.
    """
    words = canonical(equation.expression)
    if not config.limits.may_lead(words):
        return refitted(equation, equation.expression, table, config)
    trial = refitted(equation, words, table, config)
    if trial.training.nmse <= 2.0 * equation.training.nmse:
        return trial
    other = refitted(equation, equation.expression, table, config)
    return other if other.training.nmse < trial.training.nmse else trial


def refitted(
    equation: Equation,
    expression: Expression,
    table: Table,
    config: SelectionConfig,
    is_fixed: NDArray[np.bool_] | None = None,
) -> Equation:
    """The equation with this expression, its constants fitted on from their values, with care where that may pay."""
    fixed = np.zeros(expression.num_constants, dtype=np.bool_) if is_fixed is None else is_fixed
    law = _briefly_fitted(equation, expression, fixed, table, config)
    if not min(law.training.nmse, law.training.relative) < CLOSE**2 or law.agrees:
        return law
    careful = FitConfig(starts=1, weighting="both")
    other = _fitted(equation, law.expression, fixed, table.training, table, config, careful)
    other = other if other.agrees else _fitted_to_floor(other, fixed, table, config)
    return other if other.agrees else _likelier((law, other), table)


def _briefly_fitted(
    equation: Equation, expression: Expression, fixed: NDArray[np.bool_], table: Table, config: SelectionConfig
) -> Equation:
    """A fit of few steps; on a target that spans decades noise may be even or in proportion to it."""
    weightings: tuple[Weighting, ...] = ("uniform", "relative") if spans_decades(table.training) else ("uniform",)
    fits = [
        _fitted(
            equation, expression, fixed, table.training, table, config,
            FitConfig(starts=1, weighting=weighting, max_iterations=BRIEF_ITERATIONS),
        )
        for weighting in weightings
    ]  # fmt: skip
    return _likelier(fits, table)


def _likelier(fits: Sequence[Equation], table: Table) -> Equation:
    """The fit under which the targets are likelier, with even or with proportional noise."""
    return max(fits, key=lambda law: rough_log_likelihood(law.training, table.training))


def closeness_of(equation: Equation, table: Table, config: SelectionConfig) -> Closeness:
    """The rung of a fitted equation: shown on the validation rows, and not refuted by the training rows.

    Numbers that a person could have written, in the user's units, are taken as set; all others were fitted.
    """
    if config.model_selection == "paper":
        return Closeness.EXACT if equation.validation.nmse < PAPER_NMSE else Closeness.OPEN
    expression, validation = equation.expression, table.validation
    if not np.isfinite(equation.validation.nmse) or not agrees(expression, validation, table):
        return Closeness.OPEN
    if validation is not table.training and not agrees(expression, table.training, table):
        return Closeness.OPEN
    num_fitted = num_free(in_column_units(equation, table).expression, is_simple)
    return Closeness.EXACT if pays_for(num_fitted, expression, table) else Closeness.AGREES


def _fitted_to_floor(law: Equation, fixed: NDArray[np.bool_], table: Table, config: SelectionConfig) -> Equation:
    """The law fitted with each row weighted by its noise floor, if that makes it agree.

    Where a law is steep in rounded columns few rows make most of the squared error, and they say the least.
    """
    floor = noise_floor(law.expression, table.training, table)
    if not np.all(np.isfinite(floor)) or not np.all(floor > 0):
        return law
    with np.errstate(over="ignore"):
        weights = np.square(np.median(floor) / floor)
    if not np.all(np.isfinite(weights)):
        return law
    rows = Rows(table.training.columns, table.training.target, weights)
    trial = _fitted(law, law.expression, fixed, rows, table, config, FitConfig(starts=1))
    return trial if trial.agrees else law


def _fitted(
    equation: Equation,
    expression: Expression,
    fixed: NDArray[np.bool_],
    rows: Rows,
    table: Table,
    config: SelectionConfig,
    fitting: FitConfig,
) -> Equation:
    parameters = np.where(fixed, -1, np.cumsum(~fixed) - 1).astype(np.int32)
    fit = fit_parameters(expression, parameters, rows, fitting)
    training = (
        Errors(fit.loss, fit.relative_loss) if rows is table.training else measure(fit.expression, table.training)
    )
    validation = measure(fit.expression, table.validation)
    fitted = replace(
        equation,
        expression=fit.expression,
        training=training,
        validation=validation,
        standard_errors=_standard_errors(fit, fixed),
    )
    return replace(fitted, closeness=closeness_of(fitted, table, config))


def _standard_errors(fit: Fit, fixed: NDArray[np.bool_]) -> tuple[float, ...]:
    """One per constant: 0 for those held fixed, NaN for those that the rows do not determine."""
    errors = np.zeros(len(fixed))
    errors[~fixed] = fit.standard_errors
    return tuple(errors.tolist())
