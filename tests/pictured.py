"""Rows beside outcomes made by hand, for tests of pictures and reports: no search is needed."""

import numpy as np
from noisy_outcomes import NAMES, ROWS, noisy_outcome

from mosaic_sr import parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.outcome import Outcome
from mosaic_sr.pictures import observe_arrays

TRACE = tuple(
    {"seconds": second, "evaluations": 10, "stage": "curves", "validation_nmse": loss, "complexity": 3}
    for second, loss in ((0.1, 1.0), (0.4, 0.2), (1.1, 0.01))
)


def noisy_target(outliers=(), deviation=0.1):
    """The target of `noisy_outcome`, with noise and some rows far off: (rows,)."""
    values = 2.0 * ROWS[0] + 1.5 + deviation * np.random.default_rng(1).normal(size=ROWS.shape[1])
    values[list(outliers)] += 3.0
    return values


def noisy_pair(outliers=(), sigma=None, **more):
    """An outcome of noisy rows, and the rows."""
    scatter = Scatter(0.1, num_outliers=len(outliers))
    outcome = noisy_outcome(scatter=scatter, trace=TRACE, stage_seconds={"curves": 1.4}, **more)
    return outcome, observe_arrays(outcome, ROWS, noisy_target(outliers), sigma)


def plain_outcome(*texts, names=NAMES, target="y", law=-1, **more):
    """An outcome of rows without noise whose front has these formulas."""
    front = tuple(
        Equation(parse(text, names), names, Errors(10.0**-place, 0.1), Errors(10.0**-place, 0.1), "curves")
        for place, text in enumerate(texts)
    )
    return Outcome(front[law], front, names, target, True, 10, 1.0, trace=TRACE, **more)
