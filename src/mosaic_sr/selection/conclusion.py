"""The conclusion of a search on noisy rows: its laws as they are told, with their probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mosaic_sr.equation import Equation, measure, over_user_columns
from mosaic_sr.evidence import Judged, Pool
from mosaic_sr.evidence.laplace import Evidence
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.evidence.posterior import distinct, normalised
from mosaic_sr.limits import Limits
from mosaic_sr.selection.codata import name_of
from mosaic_sr.selection.simplifying import covariance, reworded, simplified, standard_errors
from mosaic_sr.selection.snapping import physical_value
from mosaic_sr.selection.weighing import Weighed, Weighing
from mosaic_sr.table import Table

# Laws that are simplified at the end, and those that are told.
MOST_SIMPLIFIED, MOST_TOLD = 12, 6
# Of these, laws whose other forms are looked at: a tenth of a second each.
MOST_REWORDED = 3
# The first laws are simplified however far they are behind: numbers made simple may change the words of a law, and with
# them its constants. Of the others those that are behind by no more than this, which a dropped part makes up for.
FIRST_SIMPLIFIED, FAR_BEHIND = 4, 15.0
# Laws that are less probable than this are not told.
LEAST_PROBABILITY = 0.005
# Of the variance about a law: where the noise of the target is less, errors of columns explain all of it.
EXPLAINED = 0.01
# Stated standard errors that are off by more than this factor are more likely wrong than bad luck.
WRONG_BY = 2.5


@dataclass(frozen=True)
class Conclusion:
    """What a search on noisy rows ends with.

    law: the most probable law, its rivals as ties.  scatter: how far rows lie from it.
    column_probabilities: one per column of the user, that the law reads it, if it is one of those visited.
    notes: for the user, one sentence each.
    """

    law: Equation
    scatter: Scatter
    column_probabilities: tuple[float, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """A law over the columns of a table in the user's units, and how probable it is."""

    judged: Judged
    found_by: str
    probability: float


def conclude(
    pool: Pool, covered_bits: float, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]
) -> list[Told]:
    """The laws of a pool, simplified, the most probable first."""
    weighed = weighing.weighed(pool.equations)
    if not weighed:
        return []
    best = weighed[0].score
    near = sum(one.score > best - FAR_BEHIND for one in weighed)
    chosen = weighed[: min(max(near, FIRST_SIMPLIFIED), MOST_SIMPLIFIED)]
    # A law that is more probable without a part is no less probable for it: both are told.
    simple = [_simplified(one, weighing, limits, is_interrupted) for one in chosen]
    first = sorted(simple, key=lambda one: -one.score)[:MOST_REWORDED]
    other_words = [replace(one, judged=reworded(one.judged, weighing, limits, is_interrupted)) for one in first]
    laws = sorted([*other_words, *simple, *weighed], key=lambda one: -one.score)
    laws = [laws[place] for place in distinct([one.judged for one in laws], weighing.measured.rows.columns)]
    laws = _unrefuted(laws, limits)
    if not laws:
        return []
    probabilities = normalised([one.score for one in laws], weighing.remainder(laws[0].judged, covered_bits))
    return [Told(one.judged, one.equation.found_by, share) for one, share in zip(laws, probabilities, strict=True)]


def _unrefuted(laws: Sequence[Weighed], limits: Limits) -> list[Weighed]:
    """The laws without those among the first that break a constraint where a proof was tried."""
    kept: list[Weighed] = []
    for law in laws:
        if len(kept) >= MOST_TOLD or not limits.refute(law.judged.expression):
            kept.append(law)
    return kept


def _simplified(one: Weighed, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]) -> Weighed:
    return Weighed(one.equation, simplified(one.judged, weighing, limits, is_interrupted))


def as_conclusion(told: Sequence[Told], table: Table, names: Sequence[str]) -> Conclusion:
    """The conclusion over the user's columns, called `names`; table: in the user's units."""
    first, *others = told
    rivals = [one for one in others if one.probability >= LEAST_PROBABILITY][: MOST_TOLD - 1]
    law, *ties = (_as_equation(one, table, names) for one in (first, *rivals))
    probabilities = np.zeros(len(names))
    for one in told:
        probabilities[[table.used[column] for column in one.judged.expression.columns]] += one.probability
    probabilities /= sum(one.probability for one in told)
    evidence, shares = first.judged.evidence, np.minimum(probabilities, 1.0).tolist()
    notes = (*_notes_on_sigma(evidence), *_notes_on_columns(evidence))
    return Conclusion(replace(law, ties=tuple(ties)), evidence.scatter, tuple(shares), notes)


def _notes_on_sigma(evidence: Evidence) -> tuple[str, ...]:
    """A note where the stated standard errors do not fit the distances of the rows from the law."""
    if evidence.noise.kind != "given" or 1.0 / WRONG_BY <= evidence.spread <= WRONG_BY:
        return ()
    return (
        f"the rows lie about {evidence.spread:.2g} times as far from the law as the standard errors in sigma state; "
        "the errors of the constants are corrected for this factor, but either sigma or the law is wrong",
    )


def _notes_on_columns(evidence: Evidence) -> tuple[str, ...]:
    """A note where the errors of the columns explain the scatter, so that nothing is left to tell the target's own."""
    if evidence.own_sizes is None or evidence.noise.kind == "given" or evidence.noise.is_of_counts:
        return ()
    own, total = (float(np.mean(np.square(sizes))) for sizes in (evidence.own_sizes, evidence.sizes))
    if own > EXPLAINED * total:
        return ()
    return ("the errors in X_sigma explain all of the scatter: that of the target is too small to be seen beside them",)


def _as_equation(told: Told, table: Table, names: Sequence[str]) -> Equation:
    expression = told.judged.expression
    errors = standard_errors(told.judged)
    # Nobody writes -0.
    values = [value + 0.0 for value in map(physical_value, expression.constants.tolist(), errors)]
    expression, constant_names = expression.with_constants(values), tuple(map(name_of, values))
    equation = Equation(
        expression=expression,
        names=table.names,
        training=measure(expression, table.training),
        validation=measure(expression, table.validation),
        found_by=told.found_by,
        covariance=tuple(map(tuple, covariance(told.judged).tolist())),
        standard_errors=errors,
        constant_names=constant_names if any(constant_names) else (),
        # A law that reads no column says that none of them matters: there is nothing to be sure of.
        probability=told.probability if expression.columns else None,
    )
    return over_user_columns(equation, table, names)
