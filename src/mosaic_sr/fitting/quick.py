"""The fitter of the search: all that depends on the rows is prepared once, and a fit costs little beyond its kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.fitting.fit import ROUNDING, loss_weights, screening_indices, weights_of
from mosaic_sr.kernel.evaluate import evaluate
from mosaic_sr.kernel.levenberg import TOLERANCE
from mosaic_sr.kernel.linear import PLAN_ROWS
from mosaic_sr.kernel.moments import fit_work_size
from mosaic_sr.kernel.multistart import fit_from_starts
from mosaic_sr.table import Rows, squaring_exponent

# A target whose middle nine tenths span more than this is fitted relative to itself.
WIDE_SPAN = 100.0


@dataclass(frozen=True)
class QuickConfig:
    """How hard the search looks for constants; laws that matter are fitted again with care.

    A fit takes less than half a millisecond: most sketches are wrong whatever their constants.
    """

    starts: int = 2
    draws_per_start: int = 6
    max_iterations: int = 20
    screening_rows: int = 32


@dataclass(frozen=True)
class QuickFit:
    """A formula with fitted constants and its losses, as in `Fit`; infinite where a value is not finite."""

    expression: Expression
    loss: float
    relative_loss: float


class QuickFitter:
    """Fits formulas to one set of rows; owns its buffers, so each thread needs its own.

    weighting: of the rows; by default relative on targets that span decades.
    """

    def __init__(self, rows: Rows, config: QuickConfig, weighting: str = "") -> None:
        self._exponent = squaring_exponent(rows.target)
        rows = rows.with_divided_target(self._exponent)
        self._rows, self._config = rows, config
        chosen = weighting or ("relative" if spans_decades(rows) else "uniform")
        names = ("relative", "uniform") if chosen == "relative" else ("uniform", "relative")
        few = rows.take(screening_indices(rows, config.screening_rows))
        self._weights = weights_of(rows, names[0])
        self._few, self._few_weights = few, np.array([weights_of(few, name) for name in names])
        self._floor = ROUNDING * float(np.sum(np.square(rows.target) * self._weights))
        self._loss_weights, relative = loss_weights(rows), weights_of(rows, "relative")
        total = float(np.sum(weights_of(rows, "uniform")[relative > 0]))
        self._relative_weights = relative / max(total, 1.0)
        self._values = np.empty(rows.num_rows)

    def fit(self, expression: Expression, shift: float, is_free: NDArray[np.bool_] | None = None) -> QuickFit:
        """The expression with its constants fitted; shift in 0..1 moves the sequence of starts.

        is_free: (constants,) which constants are fitted; all of them where it is not given.
        """
        if not expression.num_constants:
            return self.measured(expression)
        written = write_out(expression)
        own = written.owners
        if is_free is not None:
            own = written.parameters(np.where(is_free, np.cumsum(is_free) - 1, -1).astype(np.int32))
        constants = self._constants(written.expression, own, shift)
        return self.measured(expression.with_constants(written.constants_of(constants, expression.num_constants)))

    def measured(self, expression: Expression) -> QuickFit:
        """The expression as it is, with its losses."""
        program = write_out(expression).expression
        evaluate(program.codes, program.slots, program.constants, self._rows.columns, self._values)
        with np.errstate(all="ignore"):
            np.ldexp(self._values, -self._exponent, out=self._values)
            squares = np.square(self._values - self._rows.target)
            loss, relative = float(self._loss_weights @ squares), float(self._relative_weights @ squares)
        if not np.isfinite(loss) or not np.isfinite(relative):
            return QuickFit(expression, np.inf, np.inf)
        return QuickFit(expression, loss, relative)

    def _constants(self, expression: Expression, own: NDArray[np.int32], shift: float) -> NDArray[np.float64]:
        """Fitted constants of an expression in built-in operators; own: as in `fit_parameters`."""
        rows, few, config = self._rows, self._few, self._config
        if self._exponent:
            expression = apply("mul", constant(float(np.ldexp(1.0, -self._exponent))), expression)
            own = np.append(np.int32(-1), own)
        size, num_held = expression.num_constants, int(self._exponent != 0)
        constants = expression.constants.copy()
        fit_from_starts(
            expression.codes, expression.slots, constants, own,
            few.columns, few.target, self._few_weights, rows.columns, rows.target, self._weights,
            config.starts, config.draws_per_start, config.max_iterations, self._floor, TOLERANCE, shift,
            np.zeros((PLAN_ROWS, len(expression)), dtype=np.int64),
            np.empty(fit_work_size(len(expression), size)), np.empty((config.starts, size + 1)),
        )  # fmt: skip
        return constants[num_held:]


def spans_decades(rows: Rows) -> bool:
    """Whether plain squares would be deaf to most rows; stated standard errors say how much each row counts."""
    if rows.has_sigma:
        return False
    magnitudes = np.abs(rows.target[rows.target != 0])
    if len(magnitudes) < len(rows.target):
        return False
    low, high = np.quantile(magnitudes, [0.05, 0.95])
    return bool(high > WIDE_SPAN * low)
