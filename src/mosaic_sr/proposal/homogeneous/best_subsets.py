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
# Of exact rows nothing is left but rounding.
LEAST_UNEXPLAINED = 1e-15
# Pairs that a caller may ask for.
MOST_PAIRS = 200


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
    prices = costs + 0.5 * np.log(len(target))
    single = _nats(1.0 - np.square(along), len(target)) + prices
    ranked = [Subset((place,), float(single[place])) for place in np.argsort(single, kind="stable").tolist()]
    found = ranked[:num_returned]
    for size in range(2, most + 1):
        heed_stop()
        ranked = (
            _pairs(gram, along, prices, len(target))
            if size == 2
            else _extended(ranked[:WIDTH], gram, along, prices, len(target))
        )
        found += ranked[:num_returned]
    return found


def _nats(unexplained: Floats, num_rows: int) -> Floats:
    """Of rows of which a share is not explained."""
    return np.asarray(0.5 * num_rows * np.log(np.maximum(unexplained, LEAST_UNEXPLAINED)))


def _pairs(gram: Floats, along: Floats, prices: Floats, num_rows: int) -> list[Subset]:
    """The best pairs of all."""
    apart = 1.0 - np.square(gram)
    crossed = np.square(along)[:, None] + np.square(along) - 2.0 * np.outer(along, along) * gram
    nats = _nats(1.0 - crossed / np.maximum(apart, LEAST_LEFT), num_rows) + prices[:, None] + prices
    nats[(apart <= LEAST_LEFT) | np.tri(len(along), dtype=np.bool_)] = np.inf
    best = np.argsort(nats, axis=None, kind="stable")[: max(WIDTH, MOST_PAIRS)]
    ones, others = np.unravel_index(best[np.isfinite(nats.ravel()[best])], nats.shape)
    pairs = zip(ones.tolist(), others.tolist(), strict=True)
    return [Subset(pair, float(nats[pair])) for pair in pairs]


def _extended(beam: list[Subset], gram: Floats, along: Floats, prices: Floats, num_rows: int) -> list[Subset]:
    """Some sets with one regressor more each, the best first."""
    entries: dict[tuple[int, ...], float] = {}
    for own in (subset.places for subset in beam):
        left, share = _left_beside(gram, along, own)
        gained = np.where(share > LEAST_LEFT, np.square(left) / np.maximum(share, LEAST_LEFT), 0.0)
        nats = _nats(_unexplained(gram, along, own) - gained, num_rows) + prices + prices[list(own)].sum()
        nats[share <= LEAST_LEFT] = np.inf
        for place in np.argsort(nats, kind="stable")[:WIDTH].tolist():
            if np.isfinite(nats[place]):
                key = tuple(sorted((*own, place)))
                entries[key] = min(float(nats[place]), entries.get(key, np.inf))
    return [Subset(key, entries[key]) for key in sorted(entries, key=lambda key: (entries[key], key))]


def _left_beside(gram: Floats, along: Floats, own: tuple[int, ...]) -> tuple[Floats, Floats]:
    """What a set leaves of the products with the target and of the squares of all regressors."""
    places = list(own)
    solved = np.linalg.solve(gram[np.ix_(places, places)], gram[places])
    return along - along[places] @ solved, 1.0 - np.einsum("pr,pr->r", gram[places], solved)


def _unexplained(gram: Floats, along: Floats, own: tuple[int, ...]) -> float:
    places = list(own)
    solved = np.linalg.solve(gram[np.ix_(places, places)], along[places])
    return 1.0 - float(along[places] @ solved)
