"""Selection: which equation of the front is the law, and the law made presentable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mosaic_sr.equation import Equation, Errors, measure
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import FitConfig, fit_constants
from mosaic_sr.front import badness
from mosaic_sr.selection.snapping import no_worse, snapped
from mosaic_sr.table import Table

# Above this error no floor is in reach, and the floor need not be computed.
WORTH_A_LOOK = 1e-9
MODEL_SELECTIONS = ("best", "accuracy", "score")


@dataclass(frozen=True)
class SelectionConfig:
    """When an equation counts as near exact.

    exact_nmse: None asks for agreement to the noise floor of the data; a number is the published rule, a bound on the
    validation error, which on targets that span decades hears only the largest rows.
    """

    exact_nmse: float | None = None
    model_selection: str = "best"

    def __post_init__(self) -> None:
        if self.model_selection not in MODEL_SELECTIONS:
            known = ", ".join(MODEL_SELECTIONS)
            raise InvalidSettings(f"unknown model_selection {self.model_selection!r}; choose one of {known}")


def validate(equation: Equation, table: Table, config: SelectionConfig) -> Equation:
    """The equation in canonical form with its constants polished, its errors on both sets of rows and its exactness."""
    fit = fit_constants(canonical(equation.expression), table.training, FitConfig(starts=1, weighting="both"))
    if not np.isfinite(fit.loss) or badness(equation.training) < badness(Errors(fit.loss, fit.relative_loss)):
        fit = fit_constants(equation.expression, table.training, FitConfig(starts=1, weighting="both"))
    validation = measure(fit.expression, table.validation)
    errors = np.full(fit.expression.num_constants, np.nan)
    if fit.covariance is not None:
        with np.errstate(invalid="ignore"):
            errors = np.sqrt(np.diag(fit.covariance))
    return replace(
        equation,
        expression=fit.expression,
        training=Errors(fit.loss, fit.relative_loss),
        validation=validation,
        is_exact=is_near_exact(fit.expression, validation, table, config),
        standard_errors=tuple(errors.tolist()),
    )


def is_near_exact(expression: Expression, errors: Errors, table: Table, config: SelectionConfig) -> bool:
    """Whether nothing is left to explain on the validation rows."""
    if config.exact_nmse is not None:
        return errors.nmse < config.exact_nmse
    return errors.nmse < WORTH_A_LOOK and is_exact(expression, table.validation, table)


def select(equations: Sequence[Equation], config: SelectionConfig) -> Equation | None:
    """The published rule: near-exact equations first by operators, else the least validation error."""
    exact = [equation for equation in equations if equation.is_exact]
    if exact:
        return min(exact, key=lambda equation: (equation.num_operators, equation.complexity))
    usable = [equation for equation in equations if np.isfinite(equation.validation.nmse)]
    return min(usable, key=lambda equation: badness(equation.validation), default=None)


def tidy(law: Equation, table: Table, config: SelectionConfig) -> Equation:
    """The law with constants snapped to simple values where its validation error stays."""
    if law.is_exact:
        expression = snapped(law.expression, lambda trial: is_exact(trial, table.validation, table))
    else:
        expression = snapped(law.expression, no_worse(law.expression, table.validation))
    if expression == law.expression:
        return law
    validation = measure(expression, table.validation)
    errors = law.standard_errors if len(law.standard_errors) == expression.num_constants else ()
    return replace(
        law,
        expression=expression,
        training=measure(expression, table.training),
        validation=validation,
        is_exact=is_near_exact(expression, validation, table, config),
        standard_errors=errors,
    )
