"""Repairs: candidates that break a constraint, without the part that breaks it or with a number at its bound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mosaic_sr.equation import Equation, Errors
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import FitConfig, fit_constants, fit_parameters
from mosaic_sr.limits import Limits
from mosaic_sr.selection.simplifying import prunings
from mosaic_sr.selection.validation import BRIEF_ITERATIONS
from mosaic_sr.table import Rows

# Candidates that are repaired after a round, the best first; each takes some ten fits.
MOST_REPAIRED = 3
# A number is set to one that a constraint names where it differs by less than this share: a fit was near to it.
NEAR = 0.5


class Repairs:
    """Repairs candidates of one search, each once; nothing but the candidates decides, so a search can be resumed."""

    def __init__(self, limits: Limits, rows: Rows) -> None:
        self._limits, self._rows = limits, rows
        self._known: dict[bytes, list[Equation]] = {}

    def of(self, broken: Sequence[Equation]) -> list[Equation]:
        """Candidates near the best of those that break a constraint, fitted, that break none."""
        best = sorted(broken, key=lambda one: one.training.nmse)[:MOST_REPAIRED]
        return [near for equation in best for near in self._near(equation)]

    def _near(self, equation: Equation) -> list[Equation]:
        key = equation.expression.key
        if key not in self._known:
            self._known[key] = list(self._made(equation))
        return self._known[key]

    def _made(self, equation: Equation) -> Iterator[Equation]:
        for expression, errors in (*self._pruned(equation.expression), *self._set(equation.expression)):
            if math.isfinite(errors.nmse) and self._limits.may_go_on(expression):
                yield replace(equation, expression=expression, training=errors)

    def _pruned(self, expression: Expression) -> Iterator[tuple[Expression, Errors]]:
        for words in prunings(expression):
            if words.columns:
                fit = fit_constants(words, self._rows, FitConfig(starts=1, max_iterations=BRIEF_ITERATIONS))
                yield fit.expression, Errors(fit.loss, fit.relative_loss)

    def _set(self, expression: Expression) -> Iterator[tuple[Expression, Errors]]:
        """One constant at a number that a constraint names, in the table's units, and the others fitted."""
        for place, value in enumerate(expression.constants.tolist()):
            for wanted in self._limits.rules.numbers:
                if not 0.0 < abs(value - wanted) < NEAR * abs(wanted):
                    continue
                constants = expression.constants.copy()
                constants[place] = wanted
                parameters = np.arange(len(constants), dtype=np.int32) - (np.arange(len(constants)) > place)
                parameters[place] = -1
                brief = FitConfig(starts=1, max_iterations=BRIEF_ITERATIONS)
                words = expression.with_constants(constants)
                fit = fit_parameters(words, parameters.astype(np.int32), self._rows, brief)
                yield fit.expression, Errors(fit.loss, fit.relative_loss)
