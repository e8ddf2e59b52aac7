"""The outcome of a search with a template: the law in the form of the template, its parts, its rivals and the front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation, measure
from mosaic_sr.evidence import Judged
from mosaic_sr.evidence.posterior import distinct, normalised
from mosaic_sr.expressions.digits import ALL_DIGITS, digits_left
from mosaic_sr.expressions.expression import Expression, substituted
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.front import strict_front
from mosaic_sr.outcome import Outcome
from mosaic_sr.parting import find_parting
from mosaic_sr.selection.codata import name_of
from mosaic_sr.selection.conclusion import LEAST_PROBABILITY, MOST_TOLD
from mosaic_sr.table import Table
from mosaic_sr.templates.course import Ended, TemplateSearch
from mosaic_sr.templates.filling import Filled, compose
from mosaic_sr.templates.scales import Weighed
from mosaic_sr.templates.seams import without_seams
from mosaic_sr.writing import BRIEF, THOROUGH, Search, written

Floats = NDArray[np.float64]
# What stands for each unknown, with the unknown as it is written first.
Parts = tuple[tuple[str, Equation], ...]

# Laws that are simplified at the end: those behind them have hardly any probability left.
MOST_SIMPLIFIED = 8


def finished_outcome(
    outcome: Outcome, search: TemplateSearch, table: Table, is_interrupted: Callable[[], bool]
) -> Outcome:
    """The outcome with its law, its parts, its rivals and its front as they are told."""
    ending = _Ending(outcome, search, table, is_interrupted)
    ended = search.ended(MOST_SIMPLIFIED, is_interrupted)
    outcome = ending.with_exact(ended) if ended.is_exact else ending.with_weighed(ended)
    return replace(outcome, front=strict_front(ending.front(), outcome.law))


class _Ending:
    def __init__(
        self, outcome: Outcome, search: TemplateSearch, table: Table, is_interrupted: Callable[[], bool]
    ) -> None:
        self._outcome, self._search, self._table = outcome, search, table
        self._template, self._is_interrupted = search.template, is_interrupted

    def with_exact(self, ended: Ended) -> Outcome:
        """The outcome of a law that agrees with the rows."""
        words = self._written(ended.laws[0].filled, (), THOROUGH)
        filled, law = self._search.workshop.equation(words, fixes_simple=True)
        if law.closeness < ended.laws[0].law.closeness:  # type: ignore[union-attr]  # a law that agrees has one
            filled, law = self._search.workshop.equation(ended.laws[0].filled, fixes_simple=True)
        return replace(self._outcome, law=self._named(filled, law), parts=self._parts(filled, law))

    def with_weighed(self, ended: Ended) -> Outcome:
        """The outcome on noisy rows: the most probable law and its rivals, given the template."""
        weighing = self._search.workshop.weighing
        judged = [_judged(one) for one in ended.laws]
        laws = [ended.laws[place] for place in distinct(judged, weighing.measured.rows.columns)]
        remainder = weighing.remainder(_judged(laws[0]), self._search.covered_bits)
        shares = normalised([one.score for one in laws], remainder)
        told = [(one, share) for one, share in zip(laws, shares, strict=True) if share >= LEAST_PROBABILITY]
        first, *others = (told or [(laws[0], shares[0])])[:MOST_TOLD]
        law, parts = self._weighed_law(first[0], first[1], THOROUGH)
        ties = tuple(self._weighed_law(one, share, BRIEF)[0] for one, share in others)
        scatter = _judged(first[0]).evidence.scatter
        parting = find_parting(law, ties[0], self._columns(), scatter) if ties else None
        if not self._template.unknowns:
            law = replace(law, probability=None)
        return replace(
            self._outcome,
            law=replace(law, ties=ties),
            parts=parts,
            scatter=scatter,
            parting=parting,
            column_probabilities=self._column_probabilities(laws, shares),
            is_decided=self._search.is_decided or not self._template.unknowns,
        )

    def front(self) -> list[Equation]:
        """Other laws of the template, in the words of a reader."""
        found = []
        for filled, _ in self._search.shown_laws():
            words = filled if self._is_interrupted() else self._written(filled, (), BRIEF)
            found.append(self._named(*self._search.workshop.equation(words)))
        return found

    def _weighed_law(self, weighed: Weighed, share: float, search: Search) -> tuple[Equation, Parts]:
        """A law of noisy rows and its parts in the words of a reader, with the errors of their constants."""
        noise = _judged(weighed).evidence.noise
        errors = _expanded(_judged(weighed))[1]
        words = self._written(weighed.filled, errors, search)
        found = self._search.workshop.judged(words, noise)
        filled, judged = (weighed.filled, _judged(weighed)) if found is None else found
        covariance, errors = _expanded(judged)
        expression = judged.expression
        law = Equation(
            expression, self._table.names, measure(expression, self._table.training),
            measure(expression, self._table.validation), filled.found_by, standard_errors=errors,
            covariance=tuple(map(tuple, covariance.tolist())), probability=share,
        )  # fmt: skip
        return self._named(filled, law), self._parts(filled, law)

    def _written(self, filled: Filled, errors: Sequence[float], search: Search) -> Filled:
        """The template with each part as a scientist would write it; errors: of the constants of the law, if known."""
        digits = [digits_left(value, error)
                  for value, error in zip(compose(self._template, filled).expression.constants.tolist(), errors,
                                          strict=False) if error > 0.0]  # fmt: skip
        most, parts = max(digits, default=ALL_DIGITS), list[Expression]()
        for unknown, part in enumerate(filled.parts):
            slot = self._template.slots[self._template.slots_of(unknown)[0]]
            columns = np.array([evaluate_expression(each, self._table.training.columns) for each in slot.arguments])
            limits = self._search.workshop.limits[unknown]
            parts.append(written(part, columns, most, limits.allow, limits.expressible, search))
        return replace(filled, parts=tuple(parts))

    def _named(self, filled: Filled, law: Equation) -> Equation:
        """The law over the user's columns, in the order of the template, with the names of its constants."""
        composed, labels = compose(self._template, filled), self._template.constants
        names = tuple(
            labels[parameter] if 0 <= parameter < len(labels) else name_of(value)
            for parameter, value in zip(composed.parameters.tolist(), law.expression.constants.tolist(), strict=True)
        )
        expression = law.expression.renamed(self._table.used)
        own = replace(law, expression=expression, names=self._outcome.names, constant_names=names if any(names) else ())
        return without_seams(own, self._table)

    def _parts(self, filled: Filled, law: Equation) -> Parts:
        """Each unknown at its first place, over the user's columns, with the errors of the law that it is part of.

        law: as it was fitted, with the constants of the template and its parts.
        """
        composed, found = compose(self._template, filled), list[tuple[str, Equation]]()
        first = len(filled.constants)
        known = dict(zip(composed.parameters.tolist(), law.standard_errors, strict=False))
        for unknown, part in enumerate(filled.parts):
            slot = self._template.slots[self._template.slots_of(unknown)[0]]
            expression = substituted(part, slot.arguments).renamed(self._table.used)
            own = [known.get(first + place, 0.0) for place in range(part.num_constants)]
            own = own if expression.num_constants == part.num_constants else []
            found.append((slot.label, _bare(law, expression, self._outcome.names, tuple(own))))
            first += part.num_constants
        return tuple(found)

    def _columns(self) -> Floats:
        """All rows in the user's places: (columns, rows)."""
        rows = self._search.workshop.weighing.measured.rows
        columns = np.ones((len(self._outcome.names), rows.num_rows))
        columns[list(self._table.used)] = rows.columns
        return columns

    def _column_probabilities(self, laws: Sequence[Weighed], shares: Sequence[float]) -> tuple[float, ...]:
        """Of each column, that the law reads it; nothing where the template leaves columns out by itself."""
        if len(self._template.columns) < len(self._outcome.names):
            return ()
        found = np.zeros(len(self._outcome.names))
        for one, share in zip(laws, shares, strict=True):
            found[[self._table.used[column] for column in _judged(one).expression.columns]] += share
        return tuple(np.minimum(found / sum(shares), 1.0).tolist())


def _bare(law: Equation, expression: Expression, names: tuple[str, ...], errors: tuple[float, ...]) -> Equation:
    """A part of a law, without what is known of the law alone."""
    bare = replace(law, ties=(), covariance=(), probability=None, constant_names=())
    return replace(bare, expression=expression, names=names, standard_errors=errors)


def _judged(weighed: Weighed) -> Judged:
    assert weighed.judged is not None
    return weighed.judged


def _expanded(judged: Judged) -> tuple[Floats, tuple[float, ...]]:
    """Covariance of all constants, (constants, constants), and their errors: 0 for numbers that were not fitted."""
    tied = judged.evidence.tied
    spread = (tied[:, None] == np.arange(judged.evidence.triangle.shape[1])).astype(np.float64)
    covariance = np.asarray(spread @ judged.evidence.covariance @ spread.T)
    with np.errstate(invalid="ignore"):
        return covariance, tuple(np.sqrt(np.diag(covariance)).tolist())
