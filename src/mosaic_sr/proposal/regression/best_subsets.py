"""Best subsets of terms: all pairs compared at once, and sets that grow by one term after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

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
# Sets of one size that a caller may ask for.
MOST_RANKED = 200


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


def find_best_subsets(
    regressors: Floats, target: Floats, costs: Floats, most: int, num_returned: int
) -> dict[Support, float]:
    """Sets of up to `most` regressors that tell the target in the fewest nats, so many of each size, with these nats.

    regressors: (regressors, rows).  costs: (regressors,), nats of each, beside those of its coefficient.
    The nats of all sets lack the same number.
    """
    directions, rest = scale_to_unit(regressors.T).T, target / np.linalg.norm(target)
    prices = costs + 0.5 * np.log(len(target))

    def count_nats(support: Support, left: Floats) -> Floats:
        unexplained = 0.5 * len(target) * np.log(np.maximum(left, LEAST_UNEXPLAINED))
        return np.asarray(unexplained + prices + prices[list(support)].sum())

    along, found = directions @ rest, dict[Support, float]()
    for size in range(1, most + 1):
        heed_stop()
        if size == 1:
            ranked = _rank_entries(count_nats((), 1.0 - np.square(along)))
        elif size == 2:
            pairs = make_pairs(directions, LEAST_APART)
            nats = count_nats((), 1.0 - pairs.explain(along)) + prices[:, None]
            ranked = _rank_entries(np.where(pairs.gains > 0, nats, np.inf))
        else:
            ranked = extend_supports(directions, rest, list(ranked)[:WIDTH], WIDTH, LEAST_APART, count_nats)
        found |= dict(islice(ranked.items(), num_returned))
    return found


def _rank_entries(nats: Floats) -> dict[Support, float]:
    """The places of the lowest finite entries and these, the lowest first."""
    best = np.argsort(nats, axis=None, kind="stable")[: max(WIDTH, MOST_RANKED)]
    places = np.column_stack(np.unravel_index(best, nats.shape)).tolist()
    return {tuple(place): float(nats[tuple(place)]) for place in places if np.isfinite(nats[tuple(place)])}
