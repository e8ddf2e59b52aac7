"""Two functions whose sum or product noisy rows ask for, as splines tell: their terms, and the laws of both together.

One term at a time is looked for: what the other spline leaves is compared with all terms over one column. The best of
both sides are fitted together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import structure_bits
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, substituted, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import QuickConfig
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.enumeration.atoms import Term
from mosaic_sr.proposal.enumeration.sides import HOLE, Choice, Side
from mosaic_sr.proposal.enumeration.terms import OFFSET_BITS, SUM_BITS, first_terms
from mosaic_sr.proposal.joined import Joined
from mosaic_sr.proposal.trials import ROWS_PER_CONSTANT, Trials, Tried, all_tried, all_tried_from
from mosaic_sr.proposal.views.steps import wrap
from mosaic_sr.table import Rows, spread_over_target

Floats = NDArray[np.float64]

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


@dataclass(frozen=True, eq=False)
class Part:
    """A fitted term of one side.

    term: with its constants.  form: with holes for them.  bits: of the form.
    shared: the numbers that were fitted beside it, in the order of `_shared`.
    """

    term: Expression
    form: Expression
    bits: float
    shared: Floats


@dataclass(frozen=True, eq=False)
class _Start:
    """A law of two terms and the constants from which it is fitted; places: where those of each term stand."""

    law: Expression
    constants: Floats
    places: tuple[slice, slice]


class TwoFunctions:
    """Sums and products of functions of what columns make together; rows: as `joined` sees them."""

    def __init__(
        self,
        config: SeparableConfig,
        context: ProposalContext,
        operators: tuple[str, ...],
        joined: Joined,
        rows: Rows,
    ) -> None:
        self.config, self._context, self.operators = config, context, operators
        self.joined, self.rows = joined, rows
        self.trials = Trials(self.rows, config.fit)
        self._max_constants = min(config.max_constants, self.rows.num_rows // ROWS_PER_CONSTANT)

    def _values(self, expression: Expression) -> Floats:
        return evaluate_expression(expression, self.rows.columns)

    @np.errstate(all="ignore")
    def laws(self, choice: Choice, weighting: str) -> list[Tried]:
        """Sums of the terms that each side asks for, fitted together: first beside the spline of the other side, then
        beside its best term, because a spline is not exact.
        """
        exponents = choice.inner.exponent, 0 if choice.is_product else choice.inner.exponent
        splines = [np.ldexp(own, exponent) for own, exponent in zip(choice.splines, exponents, strict=True)]
        kept = [self.terms(choice, number, splines[1 - number]) for number in range(2)]
        found = self._together(choice, list(product(kept[0], kept[1])), weighting)
        for parts, _ in sorted(found, key=lambda one: -one[1].score)[: self.config.num_again]:
            for number in range(2):
                other = parts[1 - number]
                terms = self.terms(choice, number, self._values(choice.sides[1 - number].times(other.term)))
                pairs = [(term, other) if number == 0 else (other, term) for term in terms]
                found += self._together(choice, pairs, weighting)
        return [whole for _, whole in found]

    def _together(
        self, choice: Choice, pairs: Sequence[tuple[Part, Part]], weighting: str
    ) -> list[tuple[tuple[Part, Part], Tried]]:
        """Pairs of terms fitted together: the terms with the constants that they have in the law, and the law."""
        starts = [(pair, start) for pair in pairs for start in _starts(choice, pair)]
        starts = [(pair, start) for pair, start in starts if _num_free(start.law) <= self._max_constants]
        asked = [(start.law, _bits(pair, start), start.constants, weighting) for pair, start in starts]
        tried = all_tried_from(self.trials, asked, self._context.workers)
        found = []
        for ((one, other), start), whole in zip(starts, tried, strict=True):
            first, second = (whole.expression.constants[place] for place in start.places)
            own = _with_constants(one, first), _with_constants(other, second)
            found.append((own, whole))
        return found

    def with_quantity(self, term: Expression, num_kept: int) -> TwoFunctions | None:
        """The same with a term over the quantities as one more of them; None where it has no values."""
        more = substituted(term, self.joined.quantities)
        joined = replace(self.joined, quantities=(*self.joined.quantities, more))
        rows = joined.seen(self._context.rows)
        config = replace(self.config, num_kept=num_kept, num_again=0)
        return None if rows is None else TwoFunctions(config, self._context, self.operators, joined, rows)

    def bits_of(self, form: Expression) -> float:
        """Bits of the structure of a form with its numbers, over the columns of the table."""
        return structure_bits(canonical(self.joined.law(form)), len(self._context.rows.columns))

    def terms(self, choice: Choice, number: int, other: Floats) -> list[Part]:
        """The most probable terms of a side beside the other one's values, fitted with what both may share."""
        side, inner, columns = choice.sides[number], choice.inner, self.rows.columns
        values, shared = np.ldexp(inner.values, inner.exponent), _shared(choice.sides)
        if choice.is_product:
            side, columns = side.behind(variable(len(columns))), np.vstack([columns, other])
            shared = [side.with_number]
        else:
            values = values - other
        reached = np.flatnonzero((inner.roots > 0.0) & np.isfinite(values) & np.isfinite(other))
        if len(reached) < self._max_constants * ROWS_PER_CONSTANT:
            return []
        terms = self.terms_of(side.column)
        whole = [(bits, reduce(_add, shared, side.times(term))) for bits, term in terms]
        rows = Rows(columns, values, np.square(inner.roots / inner.roots.max())).take(reached)
        rows = spread_over_target(rows, ROWS_OF_TERMS)
        tried = list(all_tried(Trials(rows, self.config.fit), whole, self._context.workers))
        best = sorted(range(len(tried)), key=lambda place: -tried[place].score)[: self.config.num_kept]
        return [_part(terms[place], tried[place]) for place in best if math.isfinite(tried[place].score)]

    def tried_on_few(self, laws: Sequence[tuple[float, Expression]]) -> list[Tried]:
        """Laws tried on few rows, which start fits to all; each after its bits."""
        rows = spread_over_target(self.rows, ROWS_OF_TERMS)
        return list(all_tried(Trials(rows, self.config.fit), laws, self._context.workers))

    def terms_of(self, column: int) -> list[Term]:
        """Terms over one quantity, those of fewest bits."""
        return first_terms(
            [column], [0.0], self.operators, self._max_constants - 1, self.config.num_terms, known=self._context.forms
        )


def _starts(choice: Choice, parts: tuple[Part, Part]) -> Iterator[_Start]:
    """The laws of two terms: as they are, and with numbers added to either, from those that were found beside them."""
    return _products(choice, parts) if choice.is_product else _sums(choice, parts)


def _sums(choice: Choice, parts: tuple[Part, Part]) -> Iterator[_Start]:
    form = reduce(_add, [side.times(part.form) for side, part in zip(choice.sides, parts, strict=True)])
    split = parts[0].form.num_constants
    found = np.concatenate([part.term.constants for part in parts])
    beside = parts[0].shared + parts[1].shared
    places = slice(0, split), slice(split, len(found))
    yield _Start(wrap(form, choice.inner.outer), found, places)
    for more, number in zip(_shared(choice.sides), beside.tolist(), strict=True):
        yield _Start(wrap(_add(form, more), choice.inner.outer), np.append(found, number), places)


def _products(choice: Choice, parts: tuple[Part, Part]) -> Iterator[_Start]:
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


def _bits(parts: tuple[Part, Part], start: _Start) -> float:
    """Bits of a law of two terms, roughly: those of the structure take longer than the fit, and are counted of the best
    laws anyway.
    """
    num_added = start.law.num_constants - sum(part.form.num_constants for part in parts)
    return parts[0].bits + parts[1].bits + SUM_BITS + max(num_added, 0) * OFFSET_BITS


def _num_free(form: Expression) -> int:
    return int(np.count_nonzero(np.isnan(form.constants)))


def _with_constants(part: Part, constants: Floats) -> Part:
    return replace(part, term=part.form.with_constants(constants))


def _shared(sides: Sequence[Side]) -> list[Expression]:
    """The factors with a number before each: a constant may stand in either function."""
    return list({side.key: side.with_number for side in sides}.values())


def _add(one: Expression, other: Expression) -> Expression:
    return apply("add", one, other)


def _part(term: Term, tried: Tried) -> Part:
    """The fitted term, whose constants stand before those of what is shared."""
    (bits, form), constants = term, tried.expression.constants
    own, shared = np.split(constants, [form.num_constants])
    return Part(form.with_constants(own), form, bits, shared)
