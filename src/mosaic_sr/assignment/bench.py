"""The bench: bindings are fitted here, each once, and rewarded by their error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from mosaic_sr.assignment.binding import bound, twin_key
from mosaic_sr.budget import heed_stop
from mosaic_sr.equation import UNKNOWN, Equation, Errors
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import QuickConfig, QuickFit, QuickFitter
from mosaic_sr.front import badness
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows


def anything(expression: Expression) -> bool:
    """Yes, whatever it is."""
    del expression
    return True


class Bench:
    """Fits bindings on some rows and keeps what came out until it is collected; twins share one fit.

    may_be: whether a binding may be a law; others have no reward and are not fitted.
    """

    def __init__(
        self,
        rows: Rows,
        names: tuple[str, ...],
        config: QuickConfig,
        rng: np.random.Generator,
        may_be: Callable[[Expression], bool] = anything,
    ) -> None:
        self._names, self._rng, self._may_be = names, rng, may_be
        self._fitter = QuickFitter(rows, config)
        self._rewards: dict[str, float] = {}
        self._waiting: list[Equation] = []
        self.num_waiting = 0
        self.best: Equation | None = None

    def reward(self, sketch: Sketch, columns: Sequence[int]) -> float:
        """The reward of the sketch with its holes filled, 0 to 1; a twin of an earlier binding costs nothing."""
        if sketch.is_fitted:
            return self._kept(self._fitter.measured(sketch.expression), sketch)
        expression = bound(sketch.expression, columns)
        key = twin_key(expression)
        if key not in self._rewards:
            heed_stop()
            if sketch.expression.num_holes and not self._may_be(expression):
                self._rewards[key] = 0.0
                return 0.0
            self._rewards[key] = self._kept(self._fitter.fit(expression, self._rng.random()), sketch)
        return self._rewards[key]

    def _kept(self, fit: QuickFit, sketch: Sketch) -> float:
        """The reward of a fit, which is kept."""
        errors = Errors(fit.loss, fit.relative_loss)
        self._keep(Equation(fit.expression, self._names, errors, UNKNOWN, sketch.found_by))
        return reward_of(errors)

    def collect(self) -> list[Equation]:
        """The equations of finite error since the last time."""
        found, self._waiting, self.num_waiting = self._waiting, [], 0
        return found

    def _keep(self, equation: Equation) -> None:
        self.num_waiting += 1
        if not math.isfinite(equation.training.nmse):
            return
        self._waiting.append(equation)
        if self.best is None or badness(equation.training) < badness(self.best.training):
            self.best = equation


def reward_of(errors: Errors) -> float:
    """1 for no error and 0 for an infinite one, with both weightings counted alike."""
    return float(1.0 / (1.0 + badness(errors) ** 0.25))
