"""Branches: constants of groups that mean the same in other words, such as a phase and a phase with half a turn more.

Fits of separate groups end in any of them. Where groups are compared, all must speak of the same branch.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.grouped.forms import Form
from mosaic_sr.grouped.joint_fit import Local, fit_all
from mosaic_sr.grouped.rows import GroupedRows
from mosaic_sr.operators import CODES

Floats = NDArray[np.float64]

# Waves repeat; other forms have branches where a constant has both signs.
WAVES = [CODES[name] for name in ("sin", "cos", "tan")]
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


@np.errstate(all="ignore")
def on_one_branch(form: Form, rows: GroupedRows, theta: Floats, local: Local, sizes: Floats) -> tuple[Floats, Local]:
    """Constants as near to those of the most typical group as fits of the same quality allow."""
    none = np.zeros(form.num_parameters, dtype=np.bool_)
    floor = ROUNDING * rows.sums(rows.weights * np.square(rows.rounding / sizes))
    for _ in range(ROUNDS):
        scales = np.maximum(np.std(theta, axis=0), np.finfo(np.float64).tiny)
        scaled = theta / scales
        typical = _typical(scaled)
        for places in _choices(form.num_parameters):
            start = theta.copy()
            start[:, list(places)] = theta[typical, list(places)]
            moved, there = fit_all(form, rows, start, sizes, none, most_steps=MOST_STEPS)
            before = np.square((theta - theta[typical]) / scales).sum(axis=1)
            after = np.square((moved - theta[typical]) / scales).sum(axis=1)
            is_as_good = there.squares <= (1.0 + AS_GOOD) * local.squares + floor
            is_better = (is_as_good & (after < 0.99 * before)) | (
                there.squares < (1.0 - AS_GOOD) * local.squares - floor
            )
            theta = np.where(is_better[:, None], moved, theta)
            local = there.chosen(is_better, local, rows)
    return theta, local


def _typical(scaled: Floats) -> int:
    """The group that is nearest to most others; of many groups one of the first."""
    some = scaled[:200]
    distances = np.square(some[:, None, :] - some[None, :, :]).sum(axis=2)
    return int(np.argmin(np.median(distances, axis=1)))


def _choices(count: int) -> list[tuple[int, ...]]:
    """Constants that are taken from the typical group, the others staying as they are."""
    most = count if count <= MOST_TOGETHER else 2
    found = [own for size in range(1, most + 1) for own in combinations(range(count), size)]
    return [*found, tuple(range(count))] if most < count else found
