"""The `Outcome` of a search over groups: the law with mean constants, and the constants of each group beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import Clock
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.evidence.noise import LEAST_SHARE, Scatter
from mosaic_sr.evidence.posterior import normalised
from mosaic_sr.exactness import Closeness
from mosaic_sr.front import strict_front
from mosaic_sr.group_constants import GroupConstants
from mosaic_sr.grouped.fitted import FittedForm
from mosaic_sr.grouped.joint import JointForms
from mosaic_sr.grouped.problem import GroupedProblem
from mosaic_sr.grouped.rows import GroupedRows
from mosaic_sr.grouped.search import GroupedSearch
from mosaic_sr.named_laws import with_name
from mosaic_sr.outcome import Outcome
from mosaic_sr.selection.weighing import UNVISITED, UNVISITED_PER_LEFT, UNVISITED_PER_LOG, USUAL_LEFT
from mosaic_sr.table import deviation

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Rivals are reported from this probability on.
LEAST_TOLD = 0.005


def grouped_outcome(search: GroupedSearch, clock: Clock) -> Outcome:
    """What a search over groups has found, in the user's words."""
    problem, joint, course = search.problem, search.joint, search.course
    found = joint.distinct()
    chosen = joint.on(problem.rows, found[0]) or found[0]
    is_whole = len(chosen.local.values) == problem.rows.num_rows
    rows = problem.rows if is_whole else joint.rows
    shares = _probabilities(found, joint.rows, is_cut_off=bool(course.stopped_by) and not course.is_decided)
    is_noisy = search.closeness is Closeness.OPEN
    ties = [
        replace(_equation(one, joint.rows, problem, Closeness.OPEN)[0], probability=share)
        for one, share in zip(found[1:], shares[1:], strict=True)
        if share >= LEAST_TOLD
    ]
    law, order = _equation(chosen, rows, problem, search.closeness)
    # A law that reads no column says that none of them matters: there is nothing to be sure of.
    has_probability = is_noisy and not search.is_known and bool(law.expression.columns)
    law = replace(law, probability=shares[0] if has_probability else None, ties=tuple(ties) if is_noisy else ())
    others = [_equation(one, joint.rows, problem, Closeness.OPEN)[0] for one in found[1:]]
    law = with_name(law)
    target = problem.rows.target
    return Outcome(
        law=law,
        front=strict_front(others, law),
        names=problem.names,
        target=problem.target,
        is_named=problem.is_named,
        evaluations=course.evaluations + joint.num_tried,
        seconds=clock.seconds,
        stopped_early=bool(course.stopped_by),
        stopped_by=course.stopped_by,
        stage_seconds=dict(course.stage_seconds),
        notes=(*problem.notes, *course.notes),
        scatter=_scatter(chosen, rows, joint) if is_noisy else None,
        column_probabilities=_column_probabilities(found, shares, len(problem.names)) if is_noisy else (),
        is_decided=course.is_decided,
        target_range=float(np.ptp(target)),
        target_deviation=deviation(target),
        sampled={place: (float(own.min()), float(own.max())) for place, own in enumerate(problem.rows.columns)},
        groups=_group_constants(chosen, rows, problem, joint, order),
    )


def _probabilities(found: Sequence[FittedForm], rows: GroupedRows, is_cut_off: bool) -> list[float]:
    """The share of each form beside all that were not visited, as for tables without groups.

    A search that was cut off leaves as much to forms that it had no time for.
    """
    odds = 0.0 if is_cut_off else UNVISITED + UNVISITED_PER_LOG * np.log(max(rows.num_rows, 100) / 100.0)
    odds -= UNVISITED_PER_LEFT * np.log(max(_share_left(found[0], rows) / USUAL_LEFT, 1.0))
    return normalised([one.score for one in found], found[0].score - max(odds, 0.0))


def _share_left(one: FittedForm, rows: GroupedRows) -> float:
    """The usual distance of the target from a form, as a share of its usual distance from its middle."""
    spread = float(np.median(np.abs(rows.target - np.median(rows.target))))
    left = float(np.median(np.abs(rows.target - one.local.values)))
    return left / spread if left < spread else 1.0


def _equation(
    one: FittedForm, rows: GroupedRows, problem: GroupedProblem, closeness: Closeness
) -> tuple[Equation, list[int]]:
    """The law with the means of its constants, and the parameters in the order in which it is read."""
    shares = one.shares
    expression, own = one.form.read(shares.mean)
    order = list(dict.fromkeys(int(parameter) for parameter in own if parameter >= 0))
    errors = tuple(0.0 if parameter < 0 else float(shares.mean_errors[parameter]) for parameter in own)
    covariance = np.zeros((len(own), len(own)))
    fitted = np.flatnonzero(own >= 0)
    covariance[np.ix_(fitted, fitted)] = shares.mean_covariance[np.ix_(own[fitted], own[fitted])]
    measured = _errors(one, rows)
    return Equation(
        expression,
        problem.names,
        measured,
        measured,
        one.form.found_by,
        closeness,
        standard_errors=errors,
        covariance=tuple(map(tuple, covariance.tolist())),
    ), order


@np.errstate(all="ignore")
def _errors(one: FittedForm, rows: GroupedRows) -> Errors:
    """Errors of the form over all groups, each with its own constants."""
    weights, residuals = rows.fit_weights, rows.target - one.local.values
    mean = np.average(rows.target, weights=weights)
    spread = float(np.average(np.square(rows.target - mean), weights=weights))
    is_counted = rows.target != 0.0
    relative = np.average(np.square(residuals[is_counted] / rows.target[is_counted]), weights=weights[is_counted])
    return Errors(float(np.average(np.square(residuals), weights=weights)) / spread, float(relative))


def _scatter(one: FittedForm, rows: GroupedRows, joint: JointForms) -> Scatter:
    """The noise in units of the target; where groups have their own, that of the usual group."""
    noise, usual = one.shares.noise, rows.usual
    if joint.noise.kind.kind == "given":
        return Scatter(noise * float(np.sqrt(np.mean(np.square(one.sizes)))))
    if joint.noise.kind.kind == "proportional":
        return Scatter(noise * LEAST_SHARE * usual, noise)
    return Scatter(noise * usual)


def _column_probabilities(found: Sequence[FittedForm], shares: Sequence[float], num_columns: int) -> tuple[float, ...]:
    total = sum(shares)
    return tuple(
        min(
            sum(share for one, share in zip(found, shares, strict=True) if column in one.form.expression.columns)
            / total,
            1.0,
        )
        for column in range(num_columns)
    )


def _group_constants(
    one: FittedForm, rows: GroupedRows, problem: GroupedProblem, joint: JointForms, order: list[int]
) -> GroupConstants:
    shares, form = one.shares, one.form
    _, own = form.read(shares.mean)
    names = form.names or tuple(f"c{number + 1}" for number in range(len(order)))
    factors = joint.noise.factors if len(joint.noise.factors) == rows.num_groups else np.empty(0)
    return GroupConstants(
        column=problem.column,
        labels=problem.labels.names[: rows.num_groups],
        num_rows=rows.sizes_of_groups.astype(np.int64),
        names=tuple(form.names[parameter] for parameter in order) if form.names else names,
        places=tuple(-1 if parameter < 0 else order.index(parameter) for parameter in own.tolist()),
        is_shared=shares.is_shared[order],
        spread=shares.spread[order],
        values=shares.constants[:, order],
        covariances=shares.covariances[:, order][:, :, order],
        factors=factors,
    )
