"""`Rows`: some rows of a table, put in one order whatever order they came in, and the draws made from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.table.column_order import content_order
from mosaic_sr.table.scaling import divided, squaring_exponent

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Rows:
    """Numbers of some rows.

    columns: (columns, rows), each column contiguous.  target: (rows,).
    weights: (rows,), how many rows each one stands for, or (0,) when all weights are 1.
    sigma: (rows,), standard errors of the target that the user states, or (0,) when there are none.
    x_sigma: (columns, rows), standard deviations of the true values of the columns, or (0, 0) when they are known.
    """

    columns: Floats
    target: Floats
    weights: Floats
    sigma: Floats = field(default_factory=lambda: np.empty(0))
    x_sigma: Floats = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def num_rows(self) -> int:
        return len(self.target)

    @property
    def has_constant_target(self) -> bool:
        return bool(np.all(self.target == self.target[0]))

    @property
    def has_sigma(self) -> bool:
        return len(self.sigma) > 0

    @property
    def has_x_sigma(self) -> bool:
        return len(self.x_sigma) > 0

    @cached_property
    def fit_weights(self) -> Floats:
        """How much each row counts in a fit: its weight over its squared standard error, (rows,) or (0,) for ones.

        They add up to what the weights add up to.
        """
        if not self.has_sigma:
            return self.weights
        weights = self.weights if len(self.weights) else np.ones(self.num_rows)
        precise = weights * np.square(np.min(self.sigma) / self.sigma)
        return np.asarray(precise * (np.sum(weights) / np.sum(precise)))

    @cached_property
    def log_variance(self) -> float:
        """Logarithm of the variance of the target; of its unit where it is constant."""
        exponent = squaring_exponent(self.target)
        variance = float(np.var(divided(self.target, exponent))) or 1.0
        return math.log(variance) + 2.0 * exponent * math.log(2.0)

    @cached_property
    def sum_of_logs(self) -> float:
        """Sum of the logarithms of the target's sizes; minus infinity where one is 0."""
        with np.errstate(divide="ignore"):
            return float(np.sum(np.log(np.abs(self.target))))

    def with_divided_target(self, exponent: int) -> Rows:
        """The rows with the target and its standard errors divided by 2**exponent."""
        return replace(self, target=divided(self.target, exponent), sigma=divided(self.sigma, exponent))

    def take(self, indices: Indices) -> Rows:
        """The rows at `indices`, in that order."""
        weights, sigma = (own[indices] if len(own) else own for own in (self.weights, self.sigma))
        columns = np.empty((len(self.columns), len(indices)))
        for own, column in zip(columns, self.columns, strict=True):
            np.take(column, indices, out=own)
        x_sigma = np.ascontiguousarray(self.x_sigma[:, indices]) if self.has_x_sigma else self.x_sigma
        return Rows(columns, self.target[indices], weights, sigma, x_sigma)


def merge_rows(
    columns: Sequence[Floats],
    target: Floats,
    weights: Floats | None,
    sigma: Floats | None = None,
    x_sigma: Floats | None = None,
) -> Rows:
    """Rows in lexicographic order (columns, then target, then standard errors), equal ones merged with their weights
    added, weight 0 dropped.

    A row given twice, a row of weight 2 and any order of the rows thus lead to the same arrays. Columns are compared in
    the order of their contents, so that their places decide nothing.
    """
    of_target = [] if sigma is None else [sigma]
    stated = of_target if x_sigma is None else [*of_target, *x_sigma]
    keys = [*columns, target, *stated]
    is_counted = slice(None) if weights is None else weights > 0
    places = content_order([column[is_counted] for column in columns], target[is_counted])
    compared = [*(columns[place] for place in places), target, *stated]
    # Weights come last so that those of equal rows are added in one order.
    order = lexicographic_order(compared if weights is None else [*compared, weights])
    if weights is not None:
        order = order[weights[order] > 0]
    gathered = _gathered(keys, order)
    starts = np.flatnonzero(_is_first(gathered))
    if len(starts) < len(order):
        gathered = np.take(gathered, starts, axis=1)
    count = len(columns)
    merged = Rows(gathered[:count], gathered[count], _added(weights, order, starts))
    if sigma is not None:
        merged = replace(merged, sigma=gathered[count + 1])
    return merged if x_sigma is None else replace(merged, x_sigma=gathered[-count:])


def lexicographic_order(keys: Sequence[Floats]) -> Indices:
    """Like `numpy.lexsort` of the reversed keys; only rows that agree in the first key are compared in the others."""
    order = np.argsort(keys[0])
    first = keys[0][order]
    is_same = np.zeros(len(order) + 1, dtype=bool)
    is_same[1:-1] = first[1:] == first[:-1]
    tied = np.flatnonzero(is_same[:-1] | is_same[1:])
    if len(tied):
        members = order[tied]
        groups = np.cumsum(~is_same[:-1])[tied]
        order[tied] = members[np.lexsort([*(key[members] for key in reversed(keys[1:])), groups])]
    return order


def _gathered(columns: Sequence[Floats], indices: Indices) -> Floats:
    gathered = np.empty((len(columns), len(indices)))
    for own, column in zip(gathered, columns, strict=True):
        # A column of a user's array is spread over all of its memory; picked from there each number is a miss.
        np.take(np.ascontiguousarray(column), indices, out=own)
        own += 0.0  # -0.0 and 0.0 count as equal rows, so only one of them may remain
    return gathered


def _is_first(ordered: Floats) -> NDArray[np.bool_]:
    """Which of the rows (keys, rows) in order differ from the one before: (rows,)."""
    is_first = np.zeros(ordered.shape[1], dtype=bool)
    is_first[0] = True
    for key in ordered:
        is_first[1:] |= key[1:] != key[:-1]
        if is_first.all():
            break
    return is_first


def _added(weights: Floats | None, order: Indices, starts: Indices) -> Floats:
    if weights is None:
        added = np.diff(starts, append=len(order)).astype(np.float64)
    else:
        added = np.add.reduceat(weights[order], starts)
    return np.empty(0) if np.all(added == 1.0) else added


def split(rows: Rows, validation_share: float, most_rows: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Training and validation rows drawn without overlap, each at most `most_rows`."""
    shuffled = _shuffled(rows, rng)
    num_validation = min(round(validation_share * rows.num_rows), most_rows)
    training = np.sort(shuffled[: len(shuffled) - num_validation][:most_rows])
    return rows.take(training), rows.take(np.sort(shuffled[len(shuffled) - num_validation :]))


def bound(rows: Rows, most_rows: int, rng: np.random.Generator) -> Rows:
    """The rows themselves when they are few enough, else a draw of `most_rows`."""
    if rows.num_rows <= most_rows:
        return rows
    return rows.take(np.sort(_shuffled(rows, rng)[:most_rows]))


def _shuffled(rows: Rows, rng: np.random.Generator) -> Indices:
    """All rows in random order, except that the smallest and the largest target lead.

    So the head of the draw has the whole range of the target and is never constant.
    """
    shuffled = rng.permutation(rows.num_rows)
    smallest, largest = np.argmin(rows.target), np.argmax(rows.target)
    return np.concatenate([[smallest, largest], shuffled[(shuffled != smallest) & (shuffled != largest)]])


def spread_over_target(rows: Rows, num_rows: int) -> Rows:
    """At most `num_rows` rows at evenly spaced ranks of the target, coarse to fine.

    Both ends come first, then the middle, the quarters and so on, so that a prefix is spread over the target too.
    """
    count = min(num_rows, rows.num_rows)
    ranks = np.rint(np.linspace(0, rows.num_rows - 1, count)).astype(np.intp)
    return rows.take(np.argsort(rows.target, kind="stable")[ranks[_coarse_to_fine(count)]])


def _coarse_to_fine(count: int) -> Indices:
    """0 .. count-1, ordered by repeated halving."""
    positions = [0, count - 1]
    step = count - 1
    while len(set(positions)) < count:
        step = max(1, (step + 1) // 2)
        positions.extend(range(step, count - 1, step))
    return np.array(list(dict.fromkeys(positions)), dtype=np.intp)
