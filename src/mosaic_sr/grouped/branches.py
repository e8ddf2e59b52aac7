"""Branches: constants of groups that mean the same in other words, such as a phase and a phase with half a turn more.

Fits of separate groups end in any of them. Where groups are compared, all must speak of the same branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.grouped.forms import Form
from mosaic_sr.grouped.joint_fit import Local, fit_all, look
from mosaic_sr.grouped.rows import GroupedRows
from mosaic_sr.operators import CODES

Floats = NDArray[np.float64]

# Waves repeat; other forms have branches where a constant has both signs.
WAVES = [CODES[name] for name in ("sin", "cos", "tan")]
TURN = 2.0 * np.pi
# A fit on another branch is as good where its sum of squares is larger by less than this share, or than rounding.
AS_GOOD, ROUNDING = 1e-4, 100.0
ROUNDS = 2
# Steps to another branch: from where another group stands it is near, or it is none.
MOST_STEPS = 20
# With more constants only one or two at a time are taken from another group.
MOST_TOGETHER = 3


def may_have_branches(form: Form, theta: Floats) -> bool:
    """Whether the groups may have ended on several branches."""
    if form.num_parameters < 2 or len(theta) < 2:
        return False
    has_both_signs = np.any(theta > 0.0, axis=0) & np.any(theta < 0.0, axis=0)
    return bool(has_both_signs.any() or np.isin(form.expression.codes, WAVES).any())


@dataclass(frozen=True, eq=False)
class _Branch:
    """The constants of a typical group, (parameters,), the scales of all constants, and what is rounding in a group."""

    target: Floats
    scales: Floats
    floor: Floats
    rows: GroupedRows

    def nearer(self, known: tuple[Floats, Local], moved: tuple[Floats, Local]) -> tuple[Floats, Local]:
        """Of each group the constants that fit better, or as well and are nearer to the target."""
        (theta, local), (other, there) = known, moved
        before = np.square((theta - self.target) / self.scales).sum(axis=1)
        after = np.square((other - self.target) / self.scales).sum(axis=1)
        is_as_good = there.squares <= (1.0 + AS_GOOD) * local.squares + self.floor
        is_better = (is_as_good & (after < 0.99 * before)) | (
            there.squares < (1.0 - AS_GOOD) * local.squares - self.floor
        )
        return np.where(is_better[:, None], other, theta), there.chosen(is_better, local, self.rows)


@np.errstate(all="ignore")
def on_one_branch(form: Form, rows: GroupedRows, theta: Floats, local: Local, sizes: Floats) -> tuple[Floats, Local]:
    """Constants as near to those of the most typical group as fits of the same quality allow."""
    none = np.zeros(form.num_parameters, dtype=np.bool_)
    floor = ROUNDING * rows.sums(rows.weights * np.square(rows.rounding / sizes))
    # A form that leaves nothing but rounding is judged by its rounding, which grows with half turns.
    is_exact = bool(np.all(local.squares <= floor))
    for _ in range(ROUNDS):
        scales = np.maximum(np.std(theta, axis=0), np.finfo(np.float64).tiny)
        scaled = theta / scales
        typical = _typical(scaled)
        branch = _Branch(theta[typical].copy(), scales, floor, rows)
        for places, phase in () if is_exact else _mirrors(form):
            moved = _mirrored(theta, places, phase, branch.target)
            theta, local = branch.nearer((theta, local), (moved, look(form, rows, moved, sizes)))
        for together in _choices(form.num_parameters):
            start = theta.copy()
            start[:, list(together)] = branch.target[list(together)]
            fitted = fit_all(form, rows, start, sizes, none, most_steps=MOST_STEPS)
            theta, local = branch.nearer((theta, local), fitted)
    return (theta, local) if is_exact else _with_usual_signs(form, rows, theta, local, sizes)


def _with_usual_signs(
    form: Form, rows: GroupedRows, theta: Floats, local: Local, sizes: Floats
) -> tuple[Floats, Local]:
    """The branch on which the signs of the means are the most usual ones in laws: all groups move there together."""
    floor = ROUNDING * float(np.sum(rows.weights * np.square(rows.rounding / sizes)))
    most = (1.0 + AS_GOOD) * float(local.squares.sum()) + floor
    known: dict[bytes, float] = {}

    def bits_at(moved: Floats) -> float:
        """Bits of the form with the signs of these means, on which alone they depend."""
        means = moved.mean(axis=0)
        key = np.signbit(means).tobytes()
        if key not in known:
            known[key] = form.bits(means, len(rows.columns))
        return known[key]

    fewest = bits_at(theta)
    for places, phase in _mirrors(form):
        for half in (0.0, np.pi) if phase is not None else (0.0,):
            moved = theta.copy()
            moved[:, places] *= -1.0
            if phase is not None:
                moved[:, phase] += half
                moved[:, phase] -= TURN * np.rint(np.mean(moved[:, phase]) / TURN)
            bits = bits_at(moved)
            there = look(form, rows, moved, sizes) if bits < fewest else None
            if there is not None and float(there.squares.sum()) <= most:
                theta, local, fewest = moved, there, bits
    return theta, local


def _typical(scaled: Floats) -> int:
    """The group that is nearest to most others; of many groups one of the first."""
    some = scaled[:200]
    distances = np.square(some[:, None, :] - some[None, :, :]).sum(axis=2)
    return int(np.argmin(np.median(distances, axis=1)))


def _mirrors(form: Form) -> Iterator[tuple[list[int], int | None]]:
    """Constants whose signs may change while a form stays as it is, and one to which half a turn is added, if any.

    A wave that runs faster in one group than in another is not found again from the constants of the other.
    """
    has_waves = np.isin(form.expression.codes, WAVES).any()
    phases = range(form.num_parameters) if has_waves else ()
    for places in ((), *_choices(form.num_parameters)):
        yield from ((list(places), phase) for phase in (None, *phases))


def _mirrored(theta: Floats, places: list[int], phase: int | None, target: Floats) -> Floats:
    """Constants with the signs of some places changed; with a phase also with half turns, to be near the target."""
    moved = theta.copy()
    moved[:, places] *= -1.0
    if phase is not None:
        moved[:, phase] += np.pi * np.rint((target[phase] - moved[:, phase]) / np.pi)
    return moved


def _choices(count: int) -> list[tuple[int, ...]]:
    """Constants that are moved together, the others staying as they are."""
    most = count if count <= MOST_TOGETHER else 2
    found = [own for size in range(1, most + 1) for own in combinations(range(count), size)]
    return [*found, tuple(range(count))] if most < count else found
