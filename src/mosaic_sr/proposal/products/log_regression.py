"""Sparse regression of log|target| on the terms of a dictionary: which few factors leave the least residual."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.linear_algebra import thin_svd
from mosaic_sr.proposal.regression.best_subsets import Pairs, Support, extend_supports, make_pairs, measure_gains
from mosaic_sr.proposal.regression.projection import find_distinct, make_offset_background

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# A term whose part beyond the basis is smaller than this share of it is rounding.
LEAST_NEW_SHARE = 1e-10
# Singular values below this share of the largest are rounding of some hundred rows.
LEAST_VALUE = 1e-13
# Rows that stray this many times the median are left out, as long as most rows remain.
STRAY, LEAST_KEPT = 6.0, 0.75
# Directions that agree to so many digits have a cosine of 1 in float64, which no regression tells apart.
SAME_DIGITS = 7
# All pairs of this many terms are compared: a million.
MOST_IN_PAIRS = 1000
# Rounds in which the terms of a support are exchanged; few change anything.
MOST_ROUNDS = 3
# Terms with this much in common leave too few digits to tell their pair's residual from the Gram matrix.
LEAST_APART = 1e-9


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """A fit of the target by an intercept and some terms.

    coefficients, errors: (terms,), errors are standard errors.  residuals: (rows,).
    """

    intercept: float
    coefficients: Floats
    errors: Floats
    residuals: Floats

    @property
    def middle(self) -> float:
        """The median modulus of the residuals."""
        return float(np.median(np.abs(self.residuals)))


def fit_least_squares(terms: Floats, target: Floats) -> LeastSquares:
    """The fit of target: (rows,) by terms: (terms, rows), by singular values of the centred and scaled terms."""
    middles, centre = terms.mean(axis=1), float(target.mean())
    centred = terms - middles[:, None]
    scales = np.sqrt(np.sum(np.square(centred), axis=1))
    scales[scales == 0] = 1.0
    left, values, right = thin_svd(centred.T / scales)
    inverse = np.where(values > LEAST_VALUE * values.max(initial=0.0), 1.0 / np.maximum(values, 1e-300), 0.0)
    solution = right.T @ (inverse * (left.T @ (target - centre)))
    left_over = target - centre - (solution / scales) @ centred
    degrees = max(1, len(target) - len(terms) - 1)
    deviation = float(np.sqrt(left_over @ left_over / degrees))
    errors = deviation * np.sqrt(np.sum(np.square(right.T * inverse), axis=1)) / scales
    coefficients = solution / scales
    return LeastSquares(float(centre - coefficients @ middles), coefficients, errors, left_over)


def fit_without_strays(fit: LeastSquares, terms: Floats, target: Floats) -> LeastSquares:
    """A fit, made again without the rows that stray: where a factor cancels, rounding costs many digits."""
    strays = np.abs(target - fit.intercept - fit.coefficients @ terms)
    kept = strays <= STRAY * np.median(strays)
    if kept.all() or np.mean(kept) < LEAST_KEPT:
        return fit
    return fit_least_squares(terms[:, kept], target[kept])


class Remainder:
    """What is left of terms and targets beside an intercept and a basis of terms that every support contains.

    basis: (terms, rows); those of no use beside the earlier ones are left out of `kept`.
    """

    def __init__(self, basis: Floats, terms: Floats) -> None:
        self._background = make_offset_background(basis)
        self.kept: list[int] = (self._background.kept[1:] - 1).tolist()
        rests = self.of(terms)
        sizes = np.sqrt(np.sum(np.square(rests), axis=1))
        self.is_new = sizes > LEAST_NEW_SHARE * np.sqrt(np.sum(np.square(terms), axis=1))
        self.directions = np.where(self.is_new[:, None], rests / np.where(self.is_new, sizes, 1.0)[:, None], 0.0)
        self.is_new &= np.isin(np.arange(len(terms)), find_distinct(self.directions, SAME_DIGITS))
        self.directions[~self.is_new] = 0.0

    def of(self, targets: Floats) -> Floats:
        """The part of targets: (targets, rows) that the basis does not explain."""
        return self._background.without(targets)

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs of the new terms."""
        return make_pairs(self.directions[self.is_new], LEAST_APART)


def find_supports(remainder: Remainder, rest: Floats, most: int, beam: int) -> Iterator[list[Support]]:
    """The best supports of one term beside the basis, of two, and so on up to `most`; those of two are all compared.

    rest: (rows,), the target's remainder.
    """
    directions = remainder.directions
    ahead = np.square(directions @ rest)
    best: list[Support] = [
        (int(index),) for index in np.argsort(-ahead, kind="stable")[:beam] if remainder.is_new[index]
    ]
    if most >= 1:
        yield best
    if most >= 2:
        best = _best_pairs(remainder, rest, ahead, beam)
        yield best
    for _ in range(2, most):
        best = list(extend_supports(directions, rest, best[: beam // 2], beam, LEAST_APART))[:beam]
        yield best


def _best_pairs(remainder: Remainder, rest: Floats, ahead: Floats, count: int) -> list[Support]:
    chosen = _worth_pairing(remainder.is_new, ahead)
    directions = remainder.directions[chosen]
    is_whole = len(chosen) == np.count_nonzero(remainder.is_new)
    pairs = remainder.pairs if is_whole else make_pairs(directions, LEAST_APART)
    explained = pairs.explain(directions @ rest)
    best = _largest(explained.ravel(), count)
    places = zip(*np.unravel_index(best, explained.shape), strict=True)
    return [(int(chosen[first]), int(chosen[second])) for first, second in places if first < second]


def _worth_pairing(is_new: NDArray[np.bool_], ahead: Floats) -> Indices:
    """The simplest terms, which come first, and those that say most alone."""
    usable = np.flatnonzero(is_new)
    if len(usable) <= MOST_IN_PAIRS:
        return usable
    simple, others = usable[: MOST_IN_PAIRS * 3 // 4], usable[MOST_IN_PAIRS * 3 // 4 :]
    return np.concatenate([simple, others[np.argsort(-ahead[others], kind="stable")[: MOST_IN_PAIRS // 4]]])


def exchange_terms(remainder: Remainder, rest: Floats, support: Support) -> Support:
    """The support with terms exchanged for others, one at a time, as long as that leaves less of rest: (rows,)."""
    chosen = list(support)
    for _ in range(MOST_ROUNDS):
        before = list(chosen)
        for place in range(len(chosen)):
            others = chosen[:place] + chosen[place + 1 :]
            gains = measure_gains(remainder.directions, rest, remainder.directions[others], LEAST_APART)[1]
            best = int(np.argmax(gains))
            if best not in chosen and gains[best] > gains[chosen[place]]:
                chosen[place] = best
        if chosen == before:
            break
    return tuple(sorted(chosen))


def _largest(values: Floats, count: int) -> Indices:
    """Places of the largest values, the largest first."""
    if len(values) > count:
        places = np.argpartition(values, len(values) - count)[len(values) - count :]
    else:
        places = np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")]
