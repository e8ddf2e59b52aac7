"""Filled templates made simple: parts of the unknowns are dropped and numbers snapped where the law gains by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, constant
from mosaic_sr.selection.simplifying import prunings
from mosaic_sr.templates.filling import Filled
from mosaic_sr.templates.scales import Scale, Weighed

# Parts that are dropped one after the other; more than the longest unknowns have.
MOST_DROPS = 10


def simplified(start: Weighed, scale: Scale, is_interrupted: Callable[[], bool]) -> Weighed:
    """The law without what it can do without: first what the template leaves open, such as a factor shared by two
    unknowns, then numbers at simple ones.
    """
    best = start
    for _ in range(MOST_DROPS):
        found = [scale.weigh(trial) for trial in _shorter(best.filled) if not is_interrupted()]
        better = [one for one in found if one is not None and one.score >= best.score]
        if not better:
            break
        best = max(better, key=lambda one: one.score)
    return _snapped(best, scale, is_interrupted)


def _shorter(filled: Filled) -> Iterator[Filled]:
    """The template with one operator less in one part, or with a number for a part or for one of its factors."""
    for unknown, part in enumerate(filled.parts):
        known = {part.key}
        for trial in (*prunings(part), *_numbers(part)):
            words = canonical(trial)
            if words.key not in known and np.all(np.isfinite(words.constants)):
                known.add(words.key)
                yield filled.with_part(unknown, words)


def _numbers(part: Expression) -> Iterator[Expression]:
    """Numbers in the place of a whole part."""
    if len(part) > 1 or part.columns:
        yield constant(1.0)
        yield constant(0.0)


def _snapped(best: Weighed, scale: Scale, is_interrupted: Callable[[], bool]) -> Weighed:
    """The law with fitted numbers at simple ones, each where it gains by it."""
    tried: set[tuple[int, float]] = set()
    while True:
        before = best
        for place, simple in scale.simple_numbers(best):
            trials = [value for value in simple if (place, value) not in tried]
            for value in trials:
                if is_interrupted():
                    return best
                tried.add((place, value))
                values = best.filled.values
                values[place] = value
                trial = scale.weigh(best.filled.with_values(values))
                if trial is not None and trial.score > best.score:
                    best = trial
                    break
            if best is not before:
                break
        if best is before:
            return _reworded(best, scale)


def _reworded(best: Weighed, scale: Scale) -> Weighed:
    """Each part in canonical form again: snapped numbers may have made it shorter."""
    parts = tuple(canonical(part) for part in best.filled.parts)
    if parts == best.filled.parts or not all(np.all(np.isfinite(part.constants)) for part in parts):
        return best
    trial = scale.weigh(replace(best.filled, parts=parts))
    return trial if trial is not None and trial.score >= best.score else best
