"""Chains: two links in a row, with a sign or a one beside them, undone on the target all at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import operator_named
from mosaic_sr.proposal.regression.projection import find_distinct
from mosaic_sr.proposal.views.links import LARGEST, LINKS, SMALLEST, Linked
from mosaic_sr.proposal.views.steps import (
    IDENTITY,
    INVERTIBLE,
    Outer,
    Step,
    find_branches,
    is_allowed,
    make_step,
    undo_step,
    wrap,
)
from mosaic_sr.table import Resolution

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Operators of a chain: two links and two signs, or a link beside a one more.
MOST_OPERATORS = 4
# Chains that agree to so many digits in all rows, up to scale and offset, lead to the same sums.
TWIN_DIGITS = 9
# Where the inverse has a pole or an end, rounding decides; rows whose target is one of these are set aside.
EDGES = (0.0, 1.0, -1.0)
# Share of the rows at either end of the target that is read last.
OUTERMOST = 0.1
# The target has to come back from its chain to so many of its own roundings, or another branch was needed.
BRANCH_SLACK = 1e-6
# Share of the rows that a chain has to explain; the others may have levelled off.
LEAST_USABLE = 0.8


SHIFTS = (
    IDENTITY,
    make_step("neg"),
    make_step(("add", 1.0)),
    make_step(("add", -1.0)),
    make_step("neg", ("add", 1.0)),
)
# Powers that scientists write with a fraction: areas from volumes, periods from distances.
FRACTIONS: tuple[Outer, ...] = (("pow", 1 / 3), ("pow", 2 / 3), ("pow", 1.5))
# The inner link stands over a sum with an offset of its own, so that one branch of each is enough.
INNER = (IDENTITY, *map(make_step, (*INVERTIBLE, *FRACTIONS)))
# The outer link stands over a value of the inner one, which may lie in the first branches of a wave; signs beside the
# link give those below zero.
OUTER = (
    *INNER,
    *(
        branch
        for name in INVERTIBLE
        if operator_named(name).inverses[0].period
        for branch in find_branches(name)[1:]
        if branch.undo(np.zeros(1))[0] > 0
    ),
)
Chain = tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Chains:
    """The target behind many chains.

    chains: their steps, the outermost first.  targets, floors: (chains, rows), u and what rounding makes of it.
    lengths: (chains,), operators of each.
    """

    chains: list[Chain]
    targets: Floats
    floors: Floats
    lengths: Indices

    @property
    def beyond_links(self) -> Chains:
        """Those that are not single links."""
        single = set(LINKS)
        longest = max(map(len, single))
        pairs = zip(self.chains, self.lengths.tolist(), strict=True)
        return self.take(np.flatnonzero([num > longest or _outer(chain) not in single for chain, num in pairs]))

    def head(self, num_rows: int) -> Chains:
        """The first rows."""
        return replace(self, targets=self.targets[:, :num_rows], floors=self.floors[:, :num_rows])

    def take(self, places: Indices) -> Chains:
        """The chains at some places, in that order."""
        chains = [self.chains[place] for place in places.tolist()]
        return Chains(chains, self.targets[places], self.floors[places], self.lengths[places])


def choose_chain_rows(target: Floats, exponent: int) -> Indices:
    """The rows whose target, times 2**exponent, is at no end or pole of a link; those of middle ranks first.

    Many functions level off where the target is large or small, and their inverse is at its worst there.
    """
    inner = np.flatnonzero(~np.isin(np.ldexp(target, exponent), EDGES))
    if not len(inner):
        return inner
    low, high = np.quantile(target[inner], [OUTERMOST, 1.0 - OUTERMOST])
    is_middle = (target[inner] >= low) & (target[inner] <= high)
    return np.concatenate([inner[is_middle], inner[~is_middle]])


def undo_chains(target: Floats, resolution: Resolution, operators: Sequence[str]) -> Chains:
    """The target (rows,) behind every chain that it admits, short ones first, each once up to scale and offset."""
    found = Chains([()], *_started(target, resolution), np.zeros(1, dtype=np.intp))
    for options in (SHIFTS, OUTER, SHIFTS, INNER):
        found = _extended(found, [step for step in options if is_allowed(step.outer, operators)])
    order = np.argsort(found.lengths, kind="stable")
    return found.take(order[_distinct(found.targets[order])]) if len(order) else found


def undo_chain(chain: Chain, target: Floats, resolution: Resolution) -> Linked | None:
    """The target (rows,) behind one chain, or None where many rows do not come back from it.

    Rows that rounding has moved beyond the reach of the inverse have an infinite floor.
    """
    values, floors = _started(target, resolution)
    is_usable = np.ones(values.shape, dtype=np.bool_)
    for step in chain:
        is_usable &= (values >= step.low) & (values <= step.high)
        values, floors = undo_step(step, values, floors)
    outer = (*_outer(chain), *_scale(resolution))
    law = wrap(variable(0), outer)
    with np.errstate(invalid="ignore"):
        errors = np.abs(evaluate_expression(law, values) - target)
        is_usable &= (np.abs(values) < LARGEST) & (errors <= BRANCH_SLACK * np.abs(target) + resolution.quantum(target))
    if np.mean(is_usable) < LEAST_USABLE:
        return None
    inner = np.where(is_usable, values, np.median(values[is_usable]))[0]
    return Linked(outer, inner, np.where(is_usable, floors, math.inf)[0])


def _started(target: Floats, resolution: Resolution) -> tuple[Floats, Floats]:
    """The user's target and half of its rounding: (1, rows) each. A link knows the scale of its values."""
    half = 0.5 * resolution.quantum(target)
    return np.ldexp(target, resolution.exponent)[None, :], np.ldexp(half, resolution.exponent)[None, :]


def _scale(resolution: Resolution) -> tuple[Outer, ...]:
    return (("mul", 2.0**-resolution.exponent),) if resolution.exponent else ()


def _outer(chain: Chain) -> tuple[Outer, ...]:
    """The operators of a chain, the innermost first."""
    return tuple(operator for step in reversed(chain) for operator in step.outer)


def _extended(given: Chains, options: Sequence[Step]) -> Chains:
    """All chains with one step more, as far as targets stay in the range of floats and are not constant."""
    chains: list[Chain] = []
    targets, floors, lengths = [given.targets[:0]], [given.floors[:0]], [given.lengths[:0]]
    lowest, highest = given.targets.min(axis=1, initial=math.inf), given.targets.max(axis=1, initial=-math.inf)
    for step in options:
        is_fit = step.admits(lowest, highest) & (given.lengths + len(step.outer) <= MOST_OPERATORS)
        inner, floor = undo_step(step, given.targets[is_fit], given.floors[is_fit])
        with np.errstate(invalid="ignore"):
            sizes = np.max(np.abs(inner), axis=1, initial=0.0)
            is_usable = (sizes < LARGEST) & (sizes > SMALLEST)
            is_usable &= np.ptp(inner, axis=1) > np.max(floor, axis=1, initial=0.0)
        places = np.flatnonzero(is_fit)[is_usable]
        chains += [(*given.chains[place], step) for place in places.tolist()]
        targets.append(inner[is_usable])
        floors.append(floor[is_usable])
        lengths.append(given.lengths[places] + len(step.outer))
    return Chains(chains, np.concatenate(targets), np.concatenate(floors), np.concatenate(lengths))


def _distinct(targets: Floats) -> Indices:
    """The first of the targets that are equal up to scale and offset."""
    centred = targets - targets.mean(axis=1)[:, None]
    return find_distinct(centred / np.linalg.norm(centred, axis=1)[:, None], TWIN_DIGITS)
