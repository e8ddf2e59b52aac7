"""Folds: the target behind functions that take several arguments to one value, such as a square."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.operators import operator_named
from mosaic_sr.proposal.views.chains import INNER
from mosaic_sr.proposal.views.links import LARGEST
from mosaic_sr.proposal.views.steps import IDENTITY, INVERTIBLE, Outer, Step, branches_of, is_allowed, step_of, undone
from mosaic_sr.table import Resolution

Floats = NDArray[np.float64]

# Branches of a fold: a sum over two turns of a wave; each further one doubles the choices.
MOST_BRANCHES = 4
# Rounding beyond this share of a branch hides every sum in it.
COARSEST = 1e-3


@dataclass(frozen=True)
class Fold:
    """A function and its inverses, nearest to zero first.  shifts: what may stand between it and another link."""

    branches: tuple[Step, ...]
    shifts: tuple[Step, ...] = (IDENTITY,)

    @property
    def outer(self) -> tuple[Outer, ...]:
        return self.branches[0].outer


def _fold(name: str) -> Fold:
    """Beside what is squared a one of either sign may stand; signs make no other branches."""
    branches = branches_of(name)[:MOST_BRANCHES]
    if name not in ("sq", "abs"):
        return Fold(branches)
    return Fold(branches, (IDENTITY, step_of(("add", 1.0)), step_of(("add", -1.0))))


FOLDS = tuple(_fold(name) for name in (*INVERTIBLE, "abs") if len(operator_named(name).inverses[0].branches) > 1)


@dataclass(frozen=True, eq=False)
class Folded:
    """The target behind a fold and another link.

    outer: operators, the innermost first.  branches, floors: (branches, rows); what no argument leads to is NaN.
    """

    outer: tuple[Outer, ...]
    branches: Floats
    floors: Floats


def folded_targets(target: Floats, resolution: Resolution, operators: Sequence[str]) -> list[Folded]:
    """The target (rows,) behind every fold, alone, inside another link, or around it."""
    exponent = resolution.exponent
    scale: tuple[Outer, ...] = (("mul", 2.0**-exponent),) if exponent else ()
    own = np.ldexp(target, exponent)
    half = np.ldexp(0.5 * resolution.quantum(target), exponent)
    allowed = [step for step in INNER if is_allowed(step.outer, operators)]
    found: list[Folded] = []
    for fold in FOLDS:
        if not is_allowed(fold.outer, operators):
            continue
        for step in allowed:
            if step.admits(np.min(own), np.max(own)):
                inside = _folded(fold, *undone(step, own, half))
                if inside is not None:
                    found.append(Folded((*fold.outer, *step.outer, *scale), *inside))
        around = _folded(fold, own, half)
        if around is not None:
            found += [
                Folded((*step.outer, *shift.outer, *fold.outer, *scale), *_within(step, *_within(shift, *around)))
                for shift in fold.shifts
                if is_allowed(shift.outer, operators)
                for step in allowed
                if step.outer
            ]
    return [one for one in found if _is_usable(one)]


def _folded(fold: Fold, values: Floats, floors: Floats) -> tuple[Floats, Floats] | None:
    """All arguments of values (rows,) and their floors: (branches, rows) each."""
    if not fold.branches[0].admits(float(np.min(values)), float(np.max(values))):
        return None
    parts = [undone(branch, values, floors) for branch in fold.branches]
    return np.array([part for part, _ in parts]), np.array([floor for _, floor in parts])


def _within(step: Step, branches: Floats, floors: Floats) -> tuple[Floats, Floats]:
    """Branches behind one step more."""
    inner, floor = undone(step, branches, floors)
    with np.errstate(invalid="ignore"):
        is_fit = step.admits(branches, branches) & (np.abs(inner) < LARGEST)
    return np.where(is_fit, inner, np.nan), floor


def _is_usable(folded: Folded) -> bool:
    """Whether each row has an argument, some have two, and rounding is small beside the widest branch."""
    is_reached = np.isfinite(folded.branches)
    num_branches = np.sum(is_reached, axis=0)
    if not np.all(num_branches >= 1) or not np.any(num_branches >= 2):
        return False
    spreads = [np.ptp(own[reached]) for own, reached in zip(folded.branches, is_reached, strict=True) if reached.any()]
    return bool(np.median(folded.floors[is_reached]) < COARSEST * max(spreads))
