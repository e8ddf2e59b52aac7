"""The numbers behind pictures of a search: the front, and the error over time."""

from __future__ import annotations

import math

import numpy as np

from mosaic_sr.equation import Equation
from mosaic_sr.outcome import Outcome
from mosaic_sr.pictures.picture import Curve, Picture, Points

# Losses below this are rounding; a loss of 0 has no place on a logarithmic axis.
LEAST_LOSS = 1e-18
LOSS = "validation loss"


def front_picture(outcome: Outcome, shown: Equation | None = None) -> Picture:
    """Loss over complexity of the front, with the law, or the equation `shown`, as the marked point."""
    marked = outcome.law if shown is None else shown
    losses = [shown_loss(equation.validation.loss) for equation in outcome.front]
    sizes = [float(equation.complexity) for equation in outcome.front]
    points = Points(np.array(sizes), np.array(losses))
    own = Points(np.array([float(marked.complexity)]), np.array([shown_loss(marked.validation.loss)]))
    line = Curve(np.array(sizes), np.array(losses), is_step=True, is_faint=True)
    caption = "Each equation of the front by its size and its error on the validation rows."
    if any(loss == LEAST_LOSS for loss in losses):
        caption += f" Losses below {LEAST_LOSS:.0e} are drawn there."
    return Picture("front", "Front", "complexity", LOSS, caption, points, own, (line,), is_log_y=True)


def course_picture(outcome: Outcome) -> Picture:
    """The loss of the best law so far over the seconds of the search."""
    known = [(float(line["seconds"]), _loss(line.get("validation_nmse"))) for line in outcome.trace if _is_dated(line)]
    last = [(outcome.seconds, known[-1][1])] if known and outcome.seconds > known[-1][0] else []
    seconds, losses = np.array([*known, *last]).reshape(-1, 2).T
    line = Curve(seconds, losses, is_step=True)
    caption = "The law of each moment: a law that is more probable may have a larger loss."
    caption = caption if outcome.scatter is not None else "The best law of each moment."
    return Picture("course", "Error over time", "seconds", LOSS, caption, curves=(line,), is_log_y=True)


def shown_loss(nmse: float) -> float:
    """A loss as it is drawn: NaN where it is not finite."""
    return max(nmse, LEAST_LOSS) if math.isfinite(nmse) else math.nan


def _loss(value: object) -> float:
    """The loss in a line of a trace; law files hold null where it is not finite."""
    return shown_loss(float(value)) if isinstance(value, int | float) else math.nan


def _is_dated(line: object) -> bool:
    """Whether a line of a trace, which may come from a file, has a number of seconds."""
    seconds = line.get("seconds") if isinstance(line, dict) else None
    return isinstance(seconds, int | float) and math.isfinite(seconds)
