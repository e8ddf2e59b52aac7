"""Best subsets of regressors: few of many, compared by the Gram matrix of all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop

Floats = NDArray[np.float64]

# Sets of one size from which those of the next are made.
WIDTH = 60
# A regressor of which others leave a smaller share is one of them in other words.
LEAST_LEFT = 1e-6


@dataclass(frozen=True)
class Subset:
    """Some regressors; nats: what it takes to tell the rows by them, up to a number that all sets share."""

    places: tuple[int, ...]
    nats: float


def best_subsets(regressors: Floats, target: Floats, costs: Floats, most: int, num_returned: int) -> list[Subset]:
    """Sets of up to `most` regressors that tell the target in the fewest nats, so many of each size.

    regressors: (regressors, rows).  costs: (regressors,), nats of each, beside those of its coefficient.
    """
    sizes = np.linalg.norm(regressors, axis=1)
    scaled, whole = regressors / np.where(sizes > 0.0, sizes, 1.0)[:, None], float(target @ target)
    gram, along = scaled @ scaled.T, scaled @ target / np.sqrt(whole)
    num_rows = len(target)
    costs = costs + 0.5 * np.log(num_rows)
    found: list[Subset] = []
    beam: list[tuple[int, ...]] = [()]
    for size in range(most):
        heed_stop()
        entries: dict[tuple[int, ...], float] = {}
        for own in beam:
            left, share = _left_beside(gram, along, own)
            gained = np.where(share > LEAST_LEFT, np.square(left) / np.maximum(share, LEAST_LEFT), 0.0)
            unexplained = _unexplained(gram, along, own) - gained
            nats = 0.5 * num_rows * np.log(np.maximum(unexplained, 1e-15)) + costs + costs[list(own)].sum()
            # A set of two is reached from either of its regressors, so that few are kept of each.
            for place in np.argsort(nats, kind="stable")[: len(nats) if not own else WIDTH].tolist():
                if share[place] > LEAST_LEFT:
                    key = tuple(sorted((*own, place)))
                    entries[key] = min(float(nats[place]), entries.get(key, np.inf))
        ranked = sorted(entries, key=lambda key: (entries[key], key))
        found += [Subset(key, entries[key]) for key in ranked[:num_returned]]
        beam = ranked if size == 0 else ranked[:WIDTH]
    return found


def _left_beside(gram: Floats, along: Floats, own: tuple[int, ...]) -> tuple[Floats, Floats]:
    """What a set leaves of the products with the target and of the squares of all regressors."""
    if not own:
        return along, np.ones(len(along))
    places = list(own)
    solved = np.linalg.solve(gram[np.ix_(places, places)], gram[places])
    return along - along[places] @ solved, 1.0 - np.einsum("pr,pr->r", gram[places], solved)


def _unexplained(gram: Floats, along: Floats, own: tuple[int, ...]) -> float:
    if not own:
        return 1.0
    places = list(own)
    solved = np.linalg.solve(gram[np.ix_(places, places)], along[places])
    return 1.0 - float(along[places] @ solved)
