"""Trials: forms with their constants fitted to some rows, and how probable they are, roughly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mosaic_sr.budget import heed_stop
from mosaic_sr.equation import Errors
from mosaic_sr.evidence.judge import LOG_2
from mosaic_sr.evidence.pool import rough_log_likelihood
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import QuickConfig, QuickFitter, spans_decades
from mosaic_sr.table import Rows


@dataclass(frozen=True, eq=False)
class Tried:
    """A form with fitted constants.

    form: the same with holes for its constants.  bits: of its structure.  score: its log probability, roughly.
    """

    form: Expression
    bits: float
    score: float
    expression: Expression


class Trials:
    """Tries forms on some rows.

    On targets that span decades, noise that is the same in all rows drowns the small ones: both weightings are tried.
    """

    def __init__(self, rows: Rows, config: QuickConfig) -> None:
        weightings = ("uniform", "relative") if spans_decades(rows) else ("uniform",)
        self._rows = rows
        self._fitters = [QuickFitter(rows, config, weighting) for weighting in weightings]

    def tried(self, form: Expression, bits: float) -> Tried:
        """The form with the constants that are holes fitted; the others are kept."""
        heed_stop()
        fits = [fitter.fit(form, 0.5, holds_numbers=True) for fitter in self._fitters]
        scores = [rough_log_likelihood(Errors(fit.loss, fit.relative_loss), self._rows) for fit in fits]
        best = max(range(len(fits)), key=lambda place: scores[place])
        num_free = int(np.count_nonzero(np.isnan(form.constants)))
        cost = LOG_2 * bits + 0.5 * num_free * math.log(self._rows.num_rows)
        return Tried(form, bits, scores[best] - cost, fits[best].expression)
