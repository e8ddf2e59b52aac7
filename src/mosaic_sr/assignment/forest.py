"""Several trees at once, one per sketch: the budget goes where the sketch is likely and its bindings do well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.assignment.tree import Game, TreeConfig, child_scores, grow, plant

Floats = NDArray[np.float64]


def explore(
    games: Sequence[Game], log_weights: Floats, expansions: int, config: TreeConfig, rng: np.random.Generator
) -> Iterator[None]:
    """Grow the trees of all games by so many nodes together, with a pause after each.

    log_weights: (games,), how probable each sketch is. The trees are the children of one root, so to speak.
    """
    trees = [plant(game) for game in games]
    chances, visits, bests = sketch_chances(log_weights), np.zeros(len(games)), np.full(len(games), -np.inf)
    is_open, scale = np.ones(len(games), dtype=bool), (np.inf, -np.inf)
    for _ in range(expansions):
        if not is_open.any():
            return
        scores = child_scores(bests, visits, chances, scale, config.sketch_exploration)
        chosen = int(np.where(is_open, scores, -np.inf).argmax())
        reward = grow(trees[chosen], games[chosen], config, scale, rng)
        is_open[chosen] = not trees[chosen].is_exhausted
        if reward is not None:
            visits[chosen] += 1
            bests[chosen] = max(bests[chosen], reward)
            scale = (min(scale[0], reward), max(scale[1], reward))
        yield


def sketch_chances(log_weights: Floats) -> Floats:
    """Half by weight and half alike, because a proposer that is sure may be wrong: (sketches,)."""
    if not len(log_weights):
        return log_weights
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(0.5 * weights / weights.sum() + 0.5 / len(weights))
