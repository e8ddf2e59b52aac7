"""Best subsets of terms: all pairs compared at once, and sets that grow by one term after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.proposal.regression.projection import remove_span, scale_to_unit

Floats = NDArray[np.float64]
Support = tuple[int, ...]

# Sets of one size from which those of the next are made.
WIDTH = 60
# Of noisy rows, a regressor of which others leave a smaller share is one of them in other words.
LEAST_APART = 1e-6
# Of exact rows nothing is left but rounding.
LEAST_UNEXPLAINED = 1e-15
# Pairs that a caller may ask for.
MOST_PAIRS = 200


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of directions: (directions, directions) each.

    common: their cosines.  gains: 1 over what two of them have apart, 0 where that is rounding and for all but i < j.
    """

    common: Floats
    gains: Floats

    def explain(self, shares: Floats) -> Floats:
        """The squares that each pair explains of what has these components: (directions,) along the directions."""
        explained = np.outer(-2.0 * shares, shares)
        explained *= self.common
        explained += np.square(shares)[:, None]
        explained += np.square(shares)
        explained *= self.gains
        return explained


def make_pairs(directions: Floats, least_apart: float) -> Pairs:
    """The pairs of directions: (directions, rows), of norm 1; least_apart: squared sine below which two are one."""
    common = directions @ directions.T
    apart = 1.0 - np.square(common)
    gains = np.triu(np.where(apart > least_apart, 1.0 / np.maximum(apart, least_apart), 0.0), 1)
    return Pairs(common, gains)


def measure_gains(directions: Floats, rest: Floats, chosen: Floats, least_apart: float) -> tuple[float, Floats]:
    """The squares of rest: (rows,) that chosen: (terms, rows) leave, and how far each direction reduces them."""
    axes = np.linalg.qr(chosen.T)[0]
    left_over = remove_span(rest, axes, num_passes=1)
    sizes = 1.0 - np.sum(np.square(directions @ axes), axis=1)
    gains = np.where(sizes > least_apart, np.square(directions @ left_over) / np.maximum(sizes, least_apart), 0.0)
    return float(left_over @ left_over), gains


def extend_supports(
    directions: Floats,
    rest: Floats,
    supports: Sequence[Support],
    count: int,
    least_apart: float,
    rank: Callable[[Support, Floats], Floats] = lambda _, left: left,
) -> dict[Support, float]:
    """Supports with one direction more each, the `count` best of each, and their ranks, the lowest first.

    rank: of a support with each of the directions, from the squares of rest: (rows,) that are left: (directions,).
    """
    found: dict[Support, float] = {}
    for support in supports:
        left, gains = measure_gains(directions, rest, directions[list(support)], least_apart)
        ranks = np.where(gains > 0, rank(support, left - gains), np.inf)
        for place in np.argsort(ranks, kind="stable")[:count].tolist():
            if np.isfinite(ranks[place]):
                key = tuple(sorted((*support, place)))
                found[key] = min(float(ranks[place]), found.get(key, np.inf))
    return dict(sorted(found.items(), key=lambda entry: (entry[1], entry[0])))


@dataclass(frozen=True)
class Subset:
    """Some regressors; nats: what it takes to tell the rows by them, up to a number that all sets share."""

    places: Support
    nats: float


def find_best_subsets(regressors: Floats, target: Floats, costs: Floats, most: int, num_returned: int) -> list[Subset]:
    """Sets of up to `most` regressors that tell the target in the fewest nats, so many of each size.

    regressors: (regressors, rows).  costs: (regressors,), nats of each, beside those of its coefficient.
    """
    directions, rest = scale_to_unit(regressors.T).T, target / np.linalg.norm(target)
    prices = costs + 0.5 * np.log(len(target))

    def count_nats(support: Support, left: Floats) -> Floats:
        unexplained = 0.5 * len(target) * np.log(np.maximum(left, LEAST_UNEXPLAINED))
        return np.asarray(unexplained + prices + prices[list(support)].sum())

    along = directions @ rest
    single = count_nats((), 1.0 - np.square(along))
    ranked = [Subset((place,), float(single[place])) for place in np.argsort(single, kind="stable").tolist()]
    found = ranked[:num_returned]
    for size in range(2, most + 1):
        heed_stop()
        if size == 2:
            pairs = make_pairs(directions, LEAST_APART)
            nats = count_nats((), 1.0 - pairs.explain(along)) + prices[:, None]
            ranked = _rank_pairs(np.where(pairs.gains > 0, nats, np.inf))
        else:
            supports = [subset.places for subset in ranked[:WIDTH]]
            grown = extend_supports(directions, rest, supports, WIDTH, LEAST_APART, count_nats)
            ranked = [Subset(places, nats) for places, nats in grown.items()]
        found += ranked[:num_returned]
    return found


def _rank_pairs(nats: Floats) -> list[Subset]:
    """The pairs of fewest nats: (regressors, regressors)."""
    best = np.argsort(nats, axis=None, kind="stable")[: max(WIDTH, MOST_PAIRS)]
    ones, others = np.unravel_index(best[np.isfinite(nats.ravel()[best])], nats.shape)
    return [Subset(pair, float(nats[pair])) for pair in zip(ones.tolist(), others.tolist(), strict=True)]
