"""Sums of two terms, each a function of one column alone or times another column: u*f(x) + v*g(z), z*f(x) + g(x).

With f and g as splines such a sum is linear, so that a least-squares fit for each choice of u, x, v and z tells which
of them noisy rows ask for. Then one term at a time is looked for: what the other spline leaves of the target is
compared with all terms over one column. The best of both sides are fitted together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations, islice, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.evidence.judge import structure_bits
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import QuickConfig, weights_of
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.enumeration.atoms import Term
from mosaic_sr.proposal.enumeration.splines import Moments, fit_splines, log_likelihood, splines_of
from mosaic_sr.proposal.enumeration.terms import first_terms
from mosaic_sr.proposal.trials import ROWS_PER_CONSTANT, Start, Trials, Tried, all_tried, all_tried_from
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows, divided, squaring_exponent

Floats = NDArray[np.float64]

SEPARABLE = "separable"
# Columns that are looked at, the most relevant: the number of choices grows with the fourth power.
MOST_COLUMNS = 4
# Values of a column below which it is no function's argument.
LEAST_VALUES = 8
# Nats of a factor before a function: one of a few columns and their inverses, and seldom there.
FACTOR_NATS = 3.0
# Another choice is looked at where its splines are behind the best by no more than these nats.
MOST_BEHIND = 10.0
# Splines that leave more than this share of the target's deviation say that the law is no such sum.
MOST_LEFT = 0.3
HOLE = constant(math.nan)


@dataclass(frozen=True)
class SeparableConfig:
    """How many sums are looked for.

    num_choices: of factors and columns, those that explain most.  num_terms: over one column, those of fewest bits.
    num_kept: terms of each side that are joined.  num_again: sums beside whose terms others are looked for.
    num_sketches: handed on.  num_turns: in which it is asked again.
    """

    num_choices: int = 3
    num_terms: int = 200  # the first 60 have the usual functions, the others hardly a law
    num_kept: int = 10
    num_again: int = 1
    num_sketches: int = 20
    num_turns: int = 4
    max_constants: int = 6  # as in forms; the number that may be added is not counted
    fit: QuickConfig = field(default_factory=lambda: QuickConfig(4, 12, 30))


def propose_separable(config: SeparableConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Sums of two functions, once, where the most probable law so far leaves more than noise."""
    del rng  # nothing is left to chance
    operators = tuple(name for name in context.operators if name in NAMES)
    has_enumeration = context.looks_noisy and context.coverage.has_begun
    if not has_enumeration or len(context.scores) < 2 or not {"add", "mul"} <= set(operators):
        return
    for _ in range(config.num_turns):
        if context.coverage.num_forms and not context.is_noise_left():
            yield from _Separation(config, context, operators).events()
            return
        yield Signal.PAUSE


@dataclass(frozen=True, eq=False)
class Side:
    """A factor and the column of the function behind it."""

    factor: Expression | None
    column: int

    def times(self, term: Expression) -> Expression:
        """The factor times a term."""
        return term if self.factor is None else apply("mul", term, self.factor)

    @property
    def with_number(self) -> Expression:
        """The factor with a free number before it."""
        return self.times(HOLE)

    @property
    def key(self) -> bytes:
        return b"" if self.factor is None else self.factor.key


@dataclass(frozen=True, eq=False)
class _Joint:
    """A sum of two terms that was fitted as a whole, and its terms with the constants that they have in it."""

    parts: tuple[Tried, Tried]
    whole: Tried

    @classmethod
    def of(cls, parts: tuple[Tried, Tried], whole: Tried) -> _Joint:
        """Terms whose constants stand first in the sum, one behind the other."""
        one, other = parts
        split = one.form.num_constants
        own = whole.expression.constants[:split], whole.expression.constants[split : split + other.form.num_constants]
        first, second = (
            replace(part, expression=part.form.with_constants(each)) for part, each in zip(parts, own, strict=True)
        )
        return cls((first, second), whole)


class _Separation:
    """Splines of the columns of some rows, and what can be read off them."""

    def __init__(self, config: SeparableConfig, context: ProposalContext, operators: tuple[str, ...]) -> None:
        self._config, self._context, self._operators = config, context, operators
        self._rows = context.rows
        self._trials = Trials(self._rows, config.fit)
        self._max_constants = min(config.max_constants, self._rows.num_rows // ROWS_PER_CONSTANT)
        columns = np.sort(np.argsort(-context.scores, kind="stable")[:MOST_COLUMNS]).tolist()
        self._columns = [column for column in columns if len(np.unique(self._rows.columns[column])) >= LEAST_VALUES]
        self._splines = {column: splines_of(self._rows.columns[column]) for column in self._columns}

    def events(self) -> Iterator[Event]:
        """The most probable sums for the choices that explain most."""
        for weighting in self._trials.weightings:
            for sides in self._choices(weighting):
                yield self._sketches(self._sums(sides, weighting))
                yield Signal.HEARTBEAT

    def _sides(self) -> list[Side]:
        """Each column as an argument, alone, and behind each other column or its inverse."""
        found = [Side(None, column) for column in self._columns]
        for column in self._columns:
            others = [variable(other) for other in self._columns if other != column]
            found += [Side(other, column) for other in others]
            if "inv" in self._operators:
                inverses = [apply("inv", other) for other in others]
                found += [Side(one, column) for one in inverses if np.all(np.isfinite(self._values(one)))]
        return found

    def _values(self, expression: Expression) -> Floats:
        return evaluate_expression(expression, self._rows.columns)

    @np.errstate(all="ignore")
    def _choices(self, weighting: str) -> list[tuple[Side, Side]]:
        """The pairs of sides that explain most, where one explains the target."""
        roots, target = self._weighted(weighting)
        bases = [(side, self._basis(side, roots)) for side in self._sides()]
        usable = [(side, basis) for side, basis in bases if np.all(np.isfinite(basis))]
        if not usable:
            return []
        moments = Moments.of([basis for _, basis in usable], target)
        scored: list[tuple[float, tuple[Side, Side]]] = []
        # The sides differ in their factors or in their columns.
        for one, other in combinations(range(len(usable)), 2):
            heed_stop()
            sides = usable[one][0], usable[other][0]
            num_factors = sum(side.factor is not None for side in sides)
            scored.append((fit_splines(moments.some((one, other)))[0] - FACTOR_NATS * num_factors, sides))
        scored.sort(key=lambda entry: -entry[0])
        nothing = target - roots * float(roots @ target) / float(roots @ roots)
        least = log_likelihood(MOST_LEFT**2 * float(nothing @ nothing), len(target), 0)
        least = max([least, *(score - MOST_BEHIND for score, _ in scored[:1])])
        return [sides for score, sides in scored[: self._config.num_choices] if score >= least]

    def _weighted(self, weighting: str) -> tuple[Floats, Floats]:
        """Roots of the weights of the rows, and the target times these."""
        exponent = squaring_exponent(self._rows.target)
        roots = np.sqrt(weights_of(self._rows.with_divided_target(exponent), weighting))
        return roots, roots * divided(self._rows.target, exponent)

    def _basis(self, side: Side, roots: Floats) -> Floats:
        """The splines of a side over the rows, weighted: (rows, splines)."""
        factor = 1.0 if side.factor is None else self._values(side.factor)
        values = np.asarray((roots * factor)[:, None] * self._splines[side.column])
        return np.asarray(values / np.max(np.abs(values)))

    @np.errstate(all="ignore")
    def _sums(self, sides: tuple[Side, Side], weighting: str) -> list[Tried]:
        """Sums of the terms that each side asks for, fitted together: first beside the spline of the other side, then
        beside its best term, because a spline is not exact.
        """
        roots, target = self._weighted(weighting)
        bases = [self._basis(side, roots) for side in sides]
        shares = np.split(fit_splines(Moments.of(bases, target))[1], [bases[0].shape[1]])
        exponent, kept = squaring_exponent(self._rows.target), list[list[Tried]]()
        for number, side in enumerate(sides):
            beside = np.where(roots > 0.0, bases[1 - number] @ shares[1 - number] / roots, 0.0)
            kept.append(self._terms(side, sides, self._rows.target - np.ldexp(beside, exponent), roots))
        found = self._joined(sides, list(product(kept[0], kept[1])), weighting)
        for joint in sorted(found, key=lambda one: -one.whole.score)[: self._config.num_again]:
            for number, side in enumerate(sides):
                other = joint.parts[1 - number]
                left = self._rows.target - self._values(sides[1 - number].times(other.expression))
                terms = self._terms(side, sides, left, roots)
                pairs = [(term, other) if number == 0 else (other, term) for term in terms]
                found += self._joined(sides, pairs, weighting)
        return [one.whole for one in found]

    def _joined(self, sides: tuple[Side, Side], pairs: Sequence[tuple[Tried, Tried]], weighting: str) -> list[_Joint]:
        """Pairs of terms fitted together."""
        starts = [(pair, start) for pair in pairs for start in self._starts(sides, pair, weighting)]
        tried = all_tried_from(self._trials, [start for _, start in starts], self._context.workers)
        return [_Joint.of(pair, whole) for (pair, _), whole in zip(starts, tried, strict=True)]

    def _terms(self, side: Side, sides: tuple[Side, Side], left: Floats, roots: Floats) -> list[Tried]:
        """The most probable terms of a side for what the other one leaves, fitted beside what both may share."""
        terms = self._terms_of(side.column)
        shared = _shared(sides)
        whole = [(bits, reduce(_add, shared, side.times(term))) for bits, term in terms]
        trials = Trials(Rows(self._rows.columns, left, np.square(roots / roots.max())), self._config.fit)
        tried = list(all_tried(trials, whole, self._context.workers))
        best = sorted(range(len(tried)), key=lambda place: -tried[place].score)[: self._config.num_kept]
        return [_part(terms[place], tried[place]) for place in best if math.isfinite(tried[place].score)]

    def _terms_of(self, column: int) -> list[Term]:
        return first_terms(
            [column], [0.0], self._operators, self._max_constants - 1, self._config.num_terms, known=self._context.forms
        )

    def _starts(self, sides: tuple[Side, Side], parts: tuple[Tried, Tried], weighting: str) -> Iterator[Start]:
        """The sum of two terms, to be fitted from their constants, and with what the sides may share."""
        form = reduce(_add, [side.times(part.form) for side, part in zip(sides, parts, strict=True)])
        found = np.concatenate([part.expression.constants for part in parts])
        shared = _shared(sides)
        for more in ((), *((one,) for one in shared)):
            grown = reduce(_add, more, form)
            start = np.append(found, np.zeros(len(more)))
            if np.count_nonzero(np.isnan(grown.constants)) <= self._max_constants:
                bits = structure_bits(canonical(grown.with_constants(start)), len(self._rows.columns))
                yield grown, bits, start, weighting

    def _sketches(self, tried: Sequence[Tried]) -> list[Sketch]:
        limits = self._context.limits
        ordered = sorted(tried, key=lambda one: -one.score)
        best = islice(
            (one for one in ordered if limits.may_go_on(canonical(one.expression))), self._config.num_sketches
        )
        return [Sketch(one.expression, -float(rank), SEPARABLE, is_fitted=True) for rank, one in enumerate(best)]


def _shared(sides: Sequence[Side]) -> list[Expression]:
    """The factors with a number before each: a constant may stand in either function."""
    return list({side.key: side.with_number for side in sides}.values())


def _add(one: Expression, other: Expression) -> Expression:
    return apply("add", one, other)


def _part(term: Term, tried: Tried) -> Tried:
    """The fitted term alone, whose constants stand first."""
    bits, form = term
    own = tried.expression.constants[: form.num_constants]
    return Tried(form, bits, tried.score, form.with_constants(own))
