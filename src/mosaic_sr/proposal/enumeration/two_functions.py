"""Sums and products of two functions of one column each: u*f(x) + v*g(z), outer(f(x) + g(z)), u*f(x)*g(z).

Splines tell which choice of u, x, v and z noisy rows ask for. Then one term at a time is looked for: what the other
spline leaves is compared with all terms over one column. The best of both sides are fitted together. Where columns act
together, as in x - z, such quantities stand in their place first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import structure_bits
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import QuickConfig
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.enumeration.atoms import Term
from mosaic_sr.proposal.enumeration.sides import HOLE, Choice, Side, Sides
from mosaic_sr.proposal.enumeration.terms import first_terms
from mosaic_sr.proposal.joined import Joined
from mosaic_sr.proposal.trials import ROWS_PER_CONSTANT, Trials, Tried, all_tried, all_tried_from
from mosaic_sr.proposal.views.steps import wrap
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows, spread_over_target

Floats = NDArray[np.float64]

SEPARABLE = "separable"
# Columns that are looked at, the most relevant: the number of choices grows with the sixth power.
MOST_COLUMNS = 4
# Rows on which single terms are compared, which start fits to all rows.
ROWS_OF_TERMS = 200


@dataclass(frozen=True)
class SeparableConfig:
    """How many sums are looked for.

    num_choices: of factors and columns, those that explain most.  num_terms: over one column, those of fewest bits.
    num_kept: terms of each side that are joined.  num_again: sums beside whose terms others are looked for.
    num_sketches: handed on.  num_turns: in which it is asked again.
    """

    num_choices: int = 4
    num_terms: int = 120  # the first 60 have the usual functions, the others hardly a law
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
            for joined, rows in _views(context):
                yield from _Separation(config, context, operators, joined, rows).events()
                if context.is_noise_left():
                    return
            return
        yield Signal.PAUSE


def _views(context: ProposalContext) -> Iterator[tuple[Joined, Rows]]:
    """What functions may have as their arguments: what columns make together, then columns; the most relevant."""
    plain = Joined(tuple(map(variable, range(len(context.scores)))), 0.0)
    for joined in (context.joined, plain):
        if joined is not None and len(joined.quantities) > 1:
            scores = [float(np.sum(context.scores[list(each.columns)])) for each in joined.quantities]
            best = sorted(np.argsort(-np.array(scores), kind="stable")[:MOST_COLUMNS].tolist())
            chosen = replace(joined, quantities=tuple(joined.quantities[place] for place in best))
            rows = chosen.seen(context.rows)
            if rows is not None:
                yield chosen, rows


@dataclass(frozen=True, eq=False)
class _Part:
    """A fitted term of one side.

    term: with its constants.  form: with holes for them.
    shared: the numbers that were fitted beside it, in the order of `_shared`.
    """

    term: Expression
    form: Expression
    shared: Floats


@dataclass(frozen=True, eq=False)
class _Start:
    """A law of two terms and the constants from which it is fitted; places: where those of each term stand."""

    law: Expression
    constants: Floats
    places: tuple[slice, slice]


class _Separation:
    """Sums and products of functions of what columns make together; rows: as `joined` sees them."""

    def __init__(
        self,
        config: SeparableConfig,
        context: ProposalContext,
        operators: tuple[str, ...],
        joined: Joined,
        rows: Rows,
    ) -> None:
        self._config, self._context, self._operators = config, context, operators
        self._joined, self._rows = joined, rows
        self._trials = Trials(self._rows, config.fit)
        self._max_constants = min(config.max_constants, self._rows.num_rows // ROWS_PER_CONSTANT)

    def events(self) -> Iterator[Event]:
        """The most probable sums for the choices that explain most."""
        sides = Sides(self._rows, range(len(self._joined.quantities)), self._operators)
        for weighting in self._trials.weightings:
            for choice in sides.choices(weighting, self._config.num_choices):
                yield self._sketches(self._sums(choice, weighting))
                yield Signal.HEARTBEAT

    def _values(self, expression: Expression) -> Floats:
        return evaluate_expression(expression, self._rows.columns)

    @np.errstate(all="ignore")
    def _sums(self, choice: Choice, weighting: str) -> list[Tried]:
        """Sums of the terms that each side asks for, fitted together: first beside the spline of the other side, then
        beside its best term, because a spline is not exact.
        """
        exponents = choice.inner.exponent, 0 if choice.is_product else choice.inner.exponent
        splines = [np.ldexp(own, exponent) for own, exponent in zip(choice.splines, exponents, strict=True)]
        kept = [self._terms(choice, number, splines[1 - number]) for number in range(2)]
        found = self._together(choice, list(product(kept[0], kept[1])), weighting)
        for parts, _ in sorted(found, key=lambda one: -one[1].score)[: self._config.num_again]:
            for number in range(2):
                other = parts[1 - number]
                terms = self._terms(choice, number, self._values(choice.sides[1 - number].times(other.term)))
                pairs = [(term, other) if number == 0 else (other, term) for term in terms]
                found += self._together(choice, pairs, weighting)
        return [whole for _, whole in found]

    def _together(
        self, choice: Choice, pairs: Sequence[tuple[_Part, _Part]], weighting: str
    ) -> list[tuple[tuple[_Part, _Part], Tried]]:
        """Pairs of terms fitted together: the terms with the constants that they have in the law, and the law."""
        starts = [(pair, start) for pair in pairs for start in _starts(choice, pair)]
        starts = [(pair, start) for pair, start in starts if _num_free(start.law) <= self._max_constants]
        asked = [(start.law, self._bits(start), start.constants, weighting) for _, start in starts]
        tried = all_tried_from(self._trials, asked, self._context.workers)
        found = []
        for ((one, other), start), whole in zip(starts, tried, strict=True):
            first, second = (whole.expression.constants[place] for place in start.places)
            own = _with_constants(one, first), _with_constants(other, second)
            found.append((own, whole))
        return found

    def _bits(self, start: _Start) -> float:
        law = self._joined.law(start.law.with_constants(start.constants))
        return structure_bits(canonical(law), len(self._context.rows.columns))

    def _terms(self, choice: Choice, number: int, other: Floats) -> list[_Part]:
        """The most probable terms of a side beside the other one's values, fitted with what both may share."""
        side, inner, columns = choice.sides[number], choice.inner, self._rows.columns
        values, shared = np.ldexp(inner.values, inner.exponent), _shared(choice.sides)
        if choice.is_product:
            side, columns = side.behind(variable(len(columns))), np.vstack([columns, other])
            shared = [side.with_number]
        else:
            values = values - other
        reached = np.flatnonzero((inner.roots > 0.0) & np.isfinite(values) & np.isfinite(other))
        if len(reached) < self._max_constants * ROWS_PER_CONSTANT:
            return []
        terms = self._terms_of(side.column)
        whole = [(bits, reduce(_add, shared, side.times(term))) for bits, term in terms]
        rows = Rows(columns, values, np.square(inner.roots / inner.roots.max())).take(reached)
        rows = spread_over_target(rows, ROWS_OF_TERMS)
        tried = list(all_tried(Trials(rows, self._config.fit), whole, self._context.workers))
        best = sorted(range(len(tried)), key=lambda place: -tried[place].score)[: self._config.num_kept]
        return [_part(terms[place], tried[place]) for place in best if math.isfinite(tried[place].score)]

    def _terms_of(self, column: int) -> list[Term]:
        return first_terms(
            [column], [0.0], self._operators, self._max_constants - 1, self._config.num_terms, known=self._context.forms
        )

    def _sketches(self, tried: Sequence[Tried]) -> list[Sketch]:
        limits = self._context.limits
        laws = (self._joined.law(one.expression) for one in sorted(tried, key=lambda one: -one.score))
        best = islice((law for law in laws if limits.may_go_on(canonical(law))), self._config.num_sketches)
        return [Sketch(law, -float(rank), SEPARABLE, is_fitted=True) for rank, law in enumerate(best)]


def _starts(choice: Choice, parts: tuple[_Part, _Part]) -> Iterator[_Start]:
    """The laws of two terms: as they are, and with numbers added to either, from those that were found beside them."""
    return _products(choice, parts) if choice.is_product else _sums(choice, parts)


def _sums(choice: Choice, parts: tuple[_Part, _Part]) -> Iterator[_Start]:
    form = reduce(_add, [side.times(part.form) for side, part in zip(choice.sides, parts, strict=True)])
    split = parts[0].form.num_constants
    found = np.concatenate([part.term.constants for part in parts])
    beside = parts[0].shared + parts[1].shared
    places = slice(0, split), slice(split, len(found))
    yield _Start(wrap(form, choice.inner.outer), found, places)
    for more, number in zip(_shared(choice.sides), beside.tolist(), strict=True):
        yield _Start(wrap(_add(form, more), choice.inner.outer), np.append(found, number), places)


def _products(choice: Choice, parts: tuple[_Part, _Part]) -> Iterator[_Start]:
    """The second term has no factor of its own beside that of the first."""
    one, other = parts
    first, second = one.term.constants.copy(), other.term.constants.copy()
    size = float(second[0])
    first[0], second[0] = first[0] * size, 1.0
    holes = other.form.constants.copy()
    holes[0] = 1.0
    plain = one.form, other.form.with_constants(holes)
    for added in product((0, 1), repeat=2):
        left, right = (_add(term, HOLE) if number else term for term, number in zip(plain, added, strict=True))
        law = apply("mul", choice.sides[0].times(left), right)
        begin = len(first) + added[0]
        beside = one.shared[: added[0]] * size, other.shared[: added[1]] / size
        constants = np.concatenate([first, beside[0], second, beside[1]])
        yield _Start(law, constants, (slice(0, len(first)), slice(begin, begin + len(second))))


def _num_free(form: Expression) -> int:
    return int(np.count_nonzero(np.isnan(form.constants)))


def _with_constants(part: _Part, constants: Floats) -> _Part:
    return replace(part, term=part.form.with_constants(constants))


def _shared(sides: Sequence[Side]) -> list[Expression]:
    """The factors with a number before each: a constant may stand in either function."""
    return list({side.key: side.with_number for side in sides}.values())


def _add(one: Expression, other: Expression) -> Expression:
    return apply("add", one, other)


def _part(term: Term, tried: Tried) -> _Part:
    """The fitted term, whose constants stand before those of what is shared."""
    form, constants = term[1], tried.expression.constants
    return _Part(form.with_constants(constants[: form.num_constants]), form, constants[form.num_constants :])
