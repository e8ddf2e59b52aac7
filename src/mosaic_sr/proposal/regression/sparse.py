"""Sparse linear combinations: forward selection with a beam, and backward elimination down to the floor of rounding."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.proposal.regression.projection import (
    find_independent,
    make_offset_background,
    solve_scaled,
)

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Squared sine of the angle to the chosen terms below which a term adds nothing but rounding.
LEAST_SPARE = 1e-10
# Fewer terms may leave so many times what all terms leave: what is left varies with the number of terms.
MORE_LEFT = 1.5
# Beams keep at least and at most so many supports.
LEAST_WIDTH, MOST_WIDTH = 12, 256
UNSOLVED: Floats = np.empty(0)


@dataclass(frozen=True, eq=False)
class Combination:
    """A linear combination of terms.

    support: its terms.  coefficients: (1 + terms,), the offset first, 0 where it was eliminated.
    error: root of the weighted squares that it leaves over that of the target without its offset.
    """

    support: tuple[int, ...]
    coefficients: Floats
    error: float


@dataclass(frozen=True, eq=False)
class System:
    """A target to be combined from terms, all rows multiplied by their weight.

    offset: (rows,), the weighted number 1, or 0 where it is out of play.  values: (rows, terms).  target: (rows,).
    tolerance: root of the sum of squares that rounding may leave, over that of the target without its offset.
    """

    offset: Floats
    values: Floats
    target: Floats
    tolerance: float

    def head(self, num_rows: int) -> System:
        """The first rows."""
        return System(self.offset[:num_rows], self.values[:num_rows], self.target[:num_rows], self.tolerance)

    def columns(self, support: tuple[int, ...]) -> Floats:
        """(rows, 1 + support)."""
        return np.concatenate([self.offset[:, None], self.values[:, list(support)]], axis=1)

    @cached_property
    def scale(self) -> float:
        """Norm of the target without its offset."""
        return measure_centred_norm(self.offset, self.target)

    def error(self, support: tuple[int, ...], coefficients: Floats) -> float:
        """The error of a combination on the rows of this system."""
        left = self.target - self.columns(support) @ coefficients
        return float(np.linalg.norm(left)) / self.scale


def measure_centred_norm(offset: Floats, target: Floats) -> float:
    """Norm of what the best multiple of the offset leaves of the target; at least its rounding, and never 0."""
    left = target - offset * (offset @ target) / max(float(offset @ offset), sys.float_info.min)
    rounding = float(np.linalg.norm(np.spacing(target)))
    return max(float(np.linalg.norm(left)), rounding, sys.float_info.min)


@dataclass(frozen=True, eq=False)
class _Beam:
    """Supports and what they leave.

    supports: one tuple each.  bases: (beam, rows, 1 + chosen), orthonormal, the latest last.  residuals: (beam, rows).
    spare: (beam, terms), squared sine of the angle between each term and the chosen ones but the latest.
    """

    supports: list[tuple[int, ...]]
    bases: Floats
    residuals: Floats
    spare: Floats


def select_forward(system: System, most_terms: int, work: float) -> Iterator[list[Combination]]:
    """For 1, 2, ... terms, the best combinations, least error first; work: products of numbers per step."""
    directions = system.values / np.sqrt(np.einsum("ij,ij->j", system.values, system.values))
    rows, num_terms = directions.shape
    width = int(np.clip(work / (2.0 * rows * num_terms), LEAST_WIDTH, MOST_WIDTH))
    first = system.offset / max(float(np.linalg.norm(system.offset)), sys.float_info.min)
    residual = system.target - first * (first @ system.target)
    beam = _Beam([()], first[None, :, None], residual[None, :], np.ones((1, num_terms)))
    for _ in range(min(most_terms, num_terms)):
        heed_stop()
        beam = _extended(beam, directions, width)
        if not beam.supports:
            return
        yield _combinations(system, beam)


def _extended(beam: _Beam, directions: Floats, width: int) -> _Beam:
    """The best supports with one term more."""
    latest = beam.bases[:, :, -1] @ directions
    spare = beam.spare - np.square(latest, out=latest)
    gains = beam.residuals @ directions
    np.square(gains, out=gains)
    gains /= np.maximum(spare, LEAST_SPARE, out=latest)
    gains[spare <= LEAST_SPARE] = -np.inf
    norms = np.einsum("ij,ij->i", beam.residuals, beam.residuals)
    parents, chosen, supports = _best(np.subtract(norms[:, None], gains, out=gains), beam.supports, width)
    if not supports:
        return _Beam([], beam.bases, beam.residuals, beam.spare)
    new = directions[:, chosen].T
    bases = beam.bases[parents]
    for _ in range(2):  # once leaves rounding of the size of what is removed
        new = new - np.einsum("brk,bk->br", bases, np.einsum("brk,br->bk", bases, new))
        new = new / np.linalg.norm(new, axis=1)[:, None]
    residuals = beam.residuals[parents]
    residuals = residuals - new * np.einsum("br,br->b", new, residuals)[:, None]
    return _Beam(supports, np.concatenate([bases, new[:, :, None]], axis=2), residuals, spare[parents])


def _best(
    left: Floats, supports: list[tuple[int, ...]], width: int
) -> tuple[list[int], list[int], list[tuple[int, ...]]]:
    """Parents, new terms and supports of the smallest entries of `left` (beam, terms), each set of terms once."""
    flat = left.ravel()
    # A support of k terms may be reached on k ways.
    count = min(len(flat), width * (len(supports[0]) + 1))
    order = np.argpartition(flat, count - 1)[:count]
    order = order[np.lexsort((order, flat[order]))]
    parents, chosen = np.divmod(order[np.isfinite(flat[order])], left.shape[1])
    earlier = np.array(supports, dtype=np.intp).reshape(len(supports), -1)
    sets = np.sort(np.concatenate([earlier[parents], chosen[:, None]], axis=1), axis=1)
    first = _first_of_each(sets)[:width]
    return parents[first].tolist(), chosen[first].tolist(), list(map(tuple, sets[first].tolist()))


def _first_of_each(rows: Indices) -> Indices:
    """Where each row of numbers occurs first, in order."""
    alike = np.lexsort(rows.T)  # stable, so that the first of equal rows leads them
    is_new = np.any(np.diff(rows[alike], axis=0, prepend=-1) != 0, axis=1)
    return np.sort(alike[is_new])


def _combinations(system: System, beam: _Beam) -> list[Combination]:
    """The supports of a beam with their errors; coefficients are left to `solve_support`."""
    errors = np.linalg.norm(beam.residuals, axis=1) / system.scale
    order = np.argsort(errors, kind="stable")
    pairs = zip(order.tolist(), errors[order].tolist(), strict=True)
    return [Combination(beam.supports[place], UNSOLVED, error) for place, error in pairs]


def measure_beyond_span(values: Floats, targets: Floats) -> Floats:
    """The share of each target that no combination of the terms and an offset reaches: (targets,).

    values: (rows, terms), targets: (targets, rows).  One factorisation serves all targets.
    """
    left = make_offset_background(values.T).without(targets)
    centred = targets - targets.mean(axis=1)[:, None]
    return np.asarray(np.linalg.norm(left, axis=1) / np.linalg.norm(centred, axis=1))


def solve_support(system: System, support: tuple[int, ...]) -> Combination:
    """The least squares combination over a support."""
    coefficients = solve_scaled(system.columns(support), system.target)
    return Combination(support, coefficients, system.error(support, coefficients))


def eliminate_terms(system: System, support: tuple[int, ...], margin: float = 1.0) -> Combination | None:
    """The combination over the fewest terms that stays within the tolerance, or None where all terms do not.

    margin: where all terms leave up to so many tolerances, fewer may leave half as much again.
    """
    columns = system.columns(support)
    scales = np.linalg.norm(columns, axis=0)
    columns = columns / scales
    places = find_independent(columns)
    coefficients, impacts, error = _solve(columns[:, places], system)
    if error > margin * system.tolerance:
        return None
    system = replace(system, tolerance=max(system.tolerance, MORE_LEFT * error))
    while len(places) > 1:
        fewer = _fewer(columns, system, places, impacts)
        if fewer is None:
            break
        places, coefficients, impacts, error = fewer
    whole = np.zeros(len(scales))
    whole[places] = coefficients / scales[places]
    kept = [place for place in places.tolist() if place]
    return Combination(tuple(support[place - 1] for place in kept), np.concatenate([whole[:1], whole[kept]]), error)


def _solve(columns: Floats, system: System) -> tuple[Floats, Floats, float]:
    """Coefficients, what leaving each out alone would add to the norm of the residual, and the error."""
    orthonormal, triangle = np.linalg.qr(columns)
    # Independent columns of norm 1: the triangle is regular by construction.
    inverse = np.linalg.solve(triangle, np.eye(len(triangle)))
    projections = orthonormal.T @ system.target
    coefficients = inverse @ projections
    left = system.target - orthonormal @ projections
    impacts = np.abs(coefficients) / np.linalg.norm(inverse, axis=1) / system.scale
    return coefficients, impacts, float(np.linalg.norm(left)) / system.scale


def _fewer(
    columns: Floats, system: System, places: Indices, impacts: Floats
) -> tuple[Indices, Floats, Floats, float] | None:
    """The system without as many of the terms of least impact as the tolerance allows; halves until it does."""
    order = np.argsort(impacts, kind="stable")
    count = min(int(np.count_nonzero(impacts <= system.tolerance)), len(places) - 1)
    while count > 0:
        kept = np.sort(places[order[count:]])
        coefficients, own_impacts, error = _solve(columns[:, kept], system)
        if error <= system.tolerance:
            return kept, coefficients, own_impacts, error
        count //= 2
    return None
