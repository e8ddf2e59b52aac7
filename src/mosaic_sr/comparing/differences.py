"""Where compared laws differ, in sentences: where a few more rows would decide between them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.comparing.result import ComparedLaw, Difference
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.evidence.posterior import SAME
from mosaic_sr.parting import Stretch, find_stretches
from mosaic_sr.selection.conclusion import LEAST_PROBABILITY
from mosaic_sr.verdict import LEAST_RATIO

Floats = NDArray[np.float64]

# Nobody adds as many rows at one place: with more, the noise is what has to change.
MOST_ROWS_STATED = 1000
# Rows are counted up to odds of 20 to 1 for the law that is right, the usual level of a decision.
ODDS = 20.0
# Rivals that are compared with the best law: of more nobody reads the sentences.
MOST_RIVALS = 5


def find_differences(
    laws: Sequence[ComparedLaw], columns: Floats, scatter: Scatter, names: Sequence[str]
) -> tuple[Difference, ...]:
    """Where the first law differs from each of the next; columns: (columns, rows)."""
    best, found = laws[0], list[Difference]()
    for rival in laws[1 : MOST_RIVALS + 1]:
        stretches = find_stretches(best.law, rival.law, columns, scatter)
        words = _words(best, rival, stretches, names)
        found.append(Difference(rival.number, tuple(stretches), tuple(words)))
    return tuple(found)


def _words(best: ComparedLaw, rival: ComparedLaw, stretches: Sequence[Stretch], names: Sequence[str]) -> list[str]:
    """The best place within the rows and the best outside them, if laws differ there enough to be seen."""
    pair = f"laws {min(best.number, rival.number)} and {max(best.number, rival.number)}"
    if not stretches:
        return [f"{pair} have no values to compare near these rows"]
    if stretches[0].ratio < SAME:
        return [f"{pair} are the same function near these rows: add up their probabilities"]
    if stretches[0].ratio < LEAST_RATIO:
        return [f"near these rows {pair} differ by much less than the scatter; only less noise would help"]
    if rival.probability < LEAST_PROBABILITY:
        name, ends = names[stretches[0].column], _ends(stretches[0])
        most = f"they differ most at {name} = {ends}, by {_times(stretches[0])} the scatter"
        return [f"law {rival.number} is far less probable than law {best.number} on these rows; {most}"]
    within = next((one for one in stretches if not one.is_outside), None)
    outside = next((one for one in stretches if one.is_outside), None)
    words = []
    if within is not None and within.ratio >= LEAST_RATIO:
        name = names[within.column]
        words.append(f"at {name} = {_ends(within)} {pair} differ by {_times(within)} the scatter: {_advice(within)}")
    if outside is not None and (within is None or outside.ratio > within.ratio):
        sampled = f"{outside.low:.3g} to {outside.high:.3g}"
        words.append(
            f"outside the rows ({names[outside.column]} = {sampled}), at {names[outside.column]} = {_ends(outside)}, "
            f"{pair} differ by {_times(outside)} the scatter: {_advice(outside)}"
        )
    return words


def _ends(stretch: Stretch) -> str:
    start, end = f"{stretch.start:.3g}", f"{stretch.end:.3g}"
    return start if start == end else f"{start} to {end}"


def _times(stretch: Stretch) -> str:
    return "more than 1,000 times" if stretch.ratio > 1000.0 else f"{stretch.ratio:.2g} times"


def _advice(stretch: Stretch) -> str:
    """How many rows there would decide: each adds half the square of the difference to the log odds."""
    rows = math.ceil(2.0 * math.log(ODDS) / stretch.least**2) if stretch.least > 0.0 else MOST_ROWS_STATED
    if rows >= MOST_ROWS_STATED:
        return "measure there, with less noise"
    return "measure there; one row may decide" if rows <= 1 else f"measure there; about {rows:,} rows may decide"
