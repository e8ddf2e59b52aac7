"""A form fitted to all groups: starts, fits, the choice of shared constants, and its probability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import LOG_2
from mosaic_sr.fitting import FitConfig, fit_parameters
from mosaic_sr.grouped.branches import may_have_branches, on_one_branch
from mosaic_sr.grouped.evidence import GroupEvidence, Shares
from mosaic_sr.grouped.forms import ODD, Form
from mosaic_sr.grouped.joint_fit import Local, Pull, fit_all, look
from mosaic_sr.grouped.noise import GroupNoise
from mosaic_sr.grouped.rows import GroupedRows
from mosaic_sr.writing import printed_cost

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Groups whose constants are looked for from many starts; the others begin with the best of theirs.
MOST_STARTED = 8
QUICK = FitConfig(starts=4, draws_per_start=8, max_iterations=30, is_polished=False)
# Fits under what the choice of shared constants says, each followed by a choice.
ROUNDS, ROUGH_ROUNDS = 4, 2
# By so much for each group the score grows at most where a constant becomes a shared one.
TO_GAIN = 6.0
# Forms whose values differ by less than this share of the noise, as root mean squares, are one law in two forms; the
# shorter one is told where it is as probable, give or take.
SAME, AS_PROBABLE = 0.05, 3.0
# Digits of a fitted constant as it is usually printed.
READ_DIGITS = 3
# Scores that differ by less are the same.
SETTLED = 0.05
# Groups of fewer rows than this for each constant may say nothing alone: all constants shared are a second start.
FEW_ROWS = 5


@dataclass(frozen=True, eq=False)
class FittedForm:
    """A form with its constants in all groups; score: log of its probability, up to a number that all forms share."""

    form: Form
    shares: Shares
    local: Local
    theta: Floats
    sizes: Floats
    bits: float

    @property
    def score(self) -> float:
        return self.shares.score - LOG_2 * self.bits

    @property
    def num_fitted(self) -> int:
        return self.form.num_parameters


@np.errstate(all="ignore")  # numerical trouble is a value
def fit_form(
    form: Form,
    rows: GroupedRows,
    noise: GroupNoise,
    may_vary: Mask | None = None,
    is_forced: bool = False,
    least: float = -math.inf,
    known: Floats | None = None,
    is_rough: bool = False,
) -> FittedForm | None:
    """The form fitted to all groups with the most probable choice of shared constants; None where it has no values.

    may_vary: (parameters,) constants that may differ from group to group, all by default.
    is_forced: whether exactly these differ.
    least: forms that cannot reach this score are given up early.
    known: (any, parameters) constants of some groups, to begin with.
    is_rough: whether groups may stay on several branches and fits end early, which takes a fraction of the time.
    """
    fixed = ~may_vary if is_forced and may_vary is not None else None
    task = _Task(
        form, rows, noise, may_vary, fixed, least, known is not None or is_rough, ROUGH_ROUNDS if is_rough else ROUNDS
    )
    found = [_settled(task, *start) for start in _starts(form, rows, known)]
    fitted = [one for one in found if one is not None]
    return max(fitted, key=lambda one: one.score) if fitted else None


@dataclass(frozen=True, eq=False)
class _Task:
    """What `fit_form` is asked for; fixed: (parameters,) the shared constants, where these are not chosen."""

    form: Form
    rows: GroupedRows
    noise: GroupNoise
    may_vary: Mask | None
    fixed: Mask | None
    least: float
    is_aligned: bool
    most_rounds: int


def _starts(form: Form, rows: GroupedRows, known: Floats | None) -> list[tuple[Floats, Mask]]:
    """Constants to begin with, (groups, parameters), and which of them are shared."""
    count = form.num_parameters
    apart, together = np.zeros(count, dtype=np.bool_), np.ones(count, dtype=np.bool_)
    separate = start_constants(form, rows) if known is None else best_of(form, rows, known)
    if separate is None:
        return []
    if not count or np.median(rows.sizes_of_groups) >= FEW_ROWS * count:
        return [(separate, apart)]
    pooled = np.broadcast_to(np.median(separate, axis=0), separate.shape).copy()
    return [(separate, apart), (pooled, together)]


def start_constants(form: Form, rows: GroupedRows) -> Floats | None:
    """Constants for every group, the best of those that fit some of the groups: (groups, parameters)."""
    if not form.num_parameters:
        return np.empty((rows.num_groups, 0))
    order = np.argsort(-rows.sizes_of_groups, kind="stable")
    spread_out = np.linspace(0, len(order) - 1, min(len(order), MOST_STARTED)).astype(np.intp)
    chosen = order[spread_out] if rows.num_groups > MOST_STARTED else np.arange(rows.num_groups)
    tried, sets = dict[int, Floats](), [form.values] if np.all(np.isfinite(form.values)) else []
    for group in chosen.tolist():
        own = rows.group(group)
        if own.num_rows <= form.num_parameters:
            continue
        start = form if not sets else Form(form.with_values(sets[-1]), form.parameter_of_constant)
        fit = fit_parameters(start.expression, form.parameter_of_constant, own, QUICK)
        if math.isfinite(fit.loss):
            sets.append(Form(fit.expression, form.parameter_of_constant).values)
            tried[group] = sets[-1]
    if not sets:
        return None
    return best_of(form, rows, np.array(sets))


def best_of(form: Form, rows: GroupedRows, sets: Floats) -> Floats:
    """For each group those of some sets of constants, (any, parameters), that fit it best: (groups, parameters)."""
    losses = np.array([_losses(form, rows, values) for values in sets])
    best = np.argmin(np.where(np.isfinite(losses), losses, np.inf), axis=0)
    return np.asarray(sets[best])


def _losses(form: Form, rows: GroupedRows, values: Floats) -> Floats:
    """Sums of squares of the groups at the same constants: (groups,)."""
    same = np.broadcast_to(values, (rows.num_groups, len(values)))
    residuals = form.evaluate(rows, same)[0] - rows.target
    return rows.sums(rows.fit_weights * np.square(residuals))


def _settled(task: _Task, theta: Floats, is_shared: Mask) -> FittedForm | None:
    """The fit from a start, and the choice of shared constants repeated until both agree."""
    form, rows, noise = task.form, task.rows, task.noise
    sizes, pull, best = noise.first_sizes(rows), None, None
    if task.fixed is not None:
        theta = _aligned(task, theta, sizes)
        is_shared, theta = task.fixed, np.where(task.fixed, np.median(theta, axis=0), theta)
    for turn in range(task.most_rounds):
        theta, local = fit_all(form, rows, theta, sizes, is_shared, pull)
        sizes, local = _with_sizes(task, theta, local, sizes)
        evidence = GroupEvidence.near(local, theta, rows, sizes, noise)
        if evidence is None:
            break
        # The evidence holds near a fit: it counts for the choice under which the constants were fitted.
        here = evidence.measure(is_shared)
        if turn == 0 and not is_shared.any() and here is not None:
            if here.score + TO_GAIN * form.num_parameters * rows.num_groups < task.least:
                return None
            if task.fixed is None and not task.is_aligned and may_have_branches(form, theta):
                theta, local = on_one_branch(form, rows, theta, local, sizes)
                evidence = GroupEvidence.near(local, theta, rows, sizes, noise)
                if evidence is None:
                    break
                here = evidence.measure(is_shared)
        if here is not None and (turn > 0 or not is_shared.any()):
            fitted = _checked(form, here, rows, sizes)
            if fitted is None:
                break
            has_settled = best is not None and abs(fitted.score - best.score) < SETTLED
            best = fitted if best is None or fitted.score > best.score else best
            if has_settled and (task.fixed is not None or np.array_equal(best.shares.is_shared, is_shared)):
                break
        shares = here if task.fixed is not None else evidence.choose(task.may_vary, is_shared)
        if shares is None:
            break
        is_shared, theta = shares.is_shared, shares.constants
        relative = np.where(is_shared, 1.0, np.maximum(shares.relative, 1e-300))
        pull = Pull(shares.mean, np.where(is_shared, 0.0, 1.0 / relative))
    return best


def _aligned(task: _Task, theta: Floats, sizes: Floats) -> Floats:
    """Constants fitted to each group alone, all on one branch."""
    if task.is_aligned or not task.form.num_parameters:
        return theta
    alone = np.zeros(task.form.num_parameters, dtype=np.bool_)
    theta, local = fit_all(task.form, task.rows, theta, sizes, alone)
    if not may_have_branches(task.form, theta):
        return theta
    return on_one_branch(task.form, task.rows, theta, local, sizes)[0]


def _with_sizes(task: _Task, theta: Floats, local: Local, sizes: Floats) -> tuple[Floats, Local]:
    """The sizes of the noise that the values of the form tell, and the form seen under these."""
    if task.noise.kind.kind != "proportional" or not np.all(np.isfinite(local.values)):
        return sizes, local
    sizes = task.noise.sizes(local.values, task.rows)
    return sizes, look(task.form, task.rows, theta, sizes)


def _checked(form: Form, shares: Shares, rows: GroupedRows, sizes: Floats) -> FittedForm | None:
    """The form at the constants that its evidence states."""
    local = look(form, rows, shares.constants, sizes)
    if not np.all(np.isfinite(local.values)):
        return None
    checked = shares.checked(local.squares, float(rows.weights.sum()))
    if checked is None:
        return None
    return FittedForm(form, checked, local, shares.constants, sizes, form.bits(shares.mean, len(rows.columns)))


def distinct_forms(fitted: Sequence[FittedForm], rows: GroupedRows) -> list[FittedForm]:
    """The forms, most probable first, without those that have the same values as one before.

    Of those with the same values and nearly the same score the one is kept whose constants the user has named; else
    the one that has the fewest constants of groups and is cheapest to read.
    """
    kept: list[list[FittedForm]] = []
    for one in sorted(fitted, key=lambda one: (-one.score, one.form.key)):
        scatter = one.shares.noise * one.sizes
        for alike in kept:
            if np.mean(np.square((one.local.values - alike[0].local.values) / scatter)) <= SAME**2:
                alike.append(one)
                break
        else:
            kept.append([one])
    return [_shortest(alike) for alike in kept]


def _shortest(alike: Sequence[FittedForm]) -> FittedForm:
    near = [one for one in alike if one.score >= alike[0].score - AS_PROBABLE]
    return min(
        near,
        key=lambda one: (not one.form.names, _num_varying(one), not one.form.is_written, _cost(one), -one.score),
    )


def _cost(one: FittedForm) -> int:
    """What the form costs to read; all its fitted constants have as many digits."""
    return printed_cost(one.form.with_values(np.full(one.num_fitted, ODD)), READ_DIGITS)


def _num_varying(one: FittedForm) -> int:
    return int(np.count_nonzero(~one.shares.is_shared))
