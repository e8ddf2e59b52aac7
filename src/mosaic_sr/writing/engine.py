"""The search among equivalent forms: parts first, then a few best forms of each sum, within a budget of forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from mosaic_sr.writing.centring import centred_bells, centred_growth, levelled_growth
from mosaic_sr.writing.expanding import TooLong, distributed, multiplied_out
from mosaic_sr.writing.factoring import factored
from mosaic_sr.writing.fractions import (
    factored_fraction,
    one_fraction,
    over,
    taken_apart,
    term_by_term,
    whole_parts,
)
from mosaic_sr.writing.identities import renamed_calls
from mosaic_sr.writing.joining import joined_factors
from mosaic_sr.writing.numbers import Unwritable
from mosaic_sr.writing.partners import paired
from mosaic_sr.writing.regrouping import centred, collected, completed, completed_products, put_in, rescaled
from mosaic_sr.writing.sums import Base, Call, Column, Sum, added, number, power, product
from mosaic_sr.writing.wording import Writer

NUM_FINALISTS = 6
CALLS_TRIED = 3  # words for a call whose parts are looked at
USUAL_COST = 25.0  # of a law of two or three terms
# Share of the budget that is kept for a sum while its parts are looked at.
KEPT_BACK = 0.7
# Improvements below this are rounding of costs.
LEAST_GAIN = 1e-6


@dataclass(frozen=True)
class Effort:
    """Forms of a sum that are followed at a time, how often, and those of them whose parts are looked at."""

    width: int
    rounds: int
    tried: int


# For the whole law, its parts, and parts of those; more of it finds hardly any shorter law.
EFFORTS = (Effort(3, 5, 6), Effort(2, 3, 3), Effort(1, 2, 1))


class Engine:
    """One search; it knows the best form of every part that it has met.

    allowed: names of operators that the law may use.  budget: forms that are written, over all parts.
    """

    def __init__(self, writer: Writer, allowed: frozenset[str], budget: int) -> None:
        self._writer, self._allowed, self._left = writer, allowed, float(budget)
        self._best: dict[str, Sum] = {}
        self._best_calls: dict[str, Sum] = {}
        self._depth = 0
        # Cheap forms of the whole law, the cheapest first: rounding may speak against one of them.
        self.finalists: list[Sum] = []

    def best(self, one: Sum) -> Sum:
        """The cheapest form found."""
        known = self._best.get(one.key)
        if known is not None:
            return known
        self._best[one.key] = one  # while it is looked at, it is its own best form
        self._depth += 1
        found = self._searched(one, EFFORTS[min(self._depth, len(EFFORTS)) - 1])
        self._depth -= 1
        self._best[one.key] = self._best[found.key] = found
        return found

    def _searched(self, one: Sum, effort: Effort) -> Sum:
        if one.is_number:
            return one
        best, fresh, seen = one, [one], {one.key}
        for _ in range(effort.rounds):
            # Parts of what is there come first: they are smaller than what its forms are made of.
            kept_back = KEPT_BACK * self._left
            self._left -= kept_back
            finished = list(self._finished(fresh[0]))
            self._left += kept_back
            forms = self._ranked(form for state in fresh for form in self._forms(state))
            finished += [each for form in forms[: effort.tried] for each in self._finished(form)]
            states = self._ranked([*finished, *forms[: effort.width]])
            if self._depth == 1:
                self.finalists = self._ranked([*self.finalists, *states])[:NUM_FINALISTS]
            if states and self._cost(states[0]) < self._cost(best) - LEAST_GAIN:
                best = states[0]
            fresh = [state for state in states[: 2 * effort.width] if state.key not in seen][: effort.width]
            seen.update(state.key for state in fresh)
            if not fresh or self._left <= 0:
                break
        return best

    def _cost(self, one: Sum) -> float:
        return self._writer.cost(one)

    def _ranked(self, sums: Iterable[Sum]) -> list[Sum]:
        distinct = dict.fromkeys(sums)
        return sorted(distinct, key=self._cost)

    def _forms(self, one: Sum) -> Iterator[Sum]:
        """Other forms of a sum, its parts as they are."""
        for rule in RULES:
            for form in _safely(rule, one):
                if self._left <= 0:
                    return
                if self._may_say(form):
                    # Long forms take longer to write and to look at.
                    self._left -= max(1.0, math.sqrt(self._cost(form) / USUAL_COST))
                    yield form

    def _finished(self, form: Sum) -> Iterator[Sum]:
        """A form in better scales and with the best forms of its parts."""
        try:
            yield rescaled(form, self._cost)
            whole = self._with_parts(form)
            yield whole
            yield rescaled(whole, self._cost)
        except (Unwritable, TooLong, OverflowError):
            return

    def _may_say(self, form: Sum) -> bool:
        return all(name in self._allowed for name in names_in(form))

    def _with_parts(self, one: Sum) -> Sum:
        """A sum with each part in its best form."""
        return added(*(self._term(value, factors) for value, factors in one.terms))

    def _term(self, value: float, factors: Iterable[tuple[Base, float]]) -> Sum:
        parts = [power(self._base(base), exponent) for base, exponent in factors]
        return product(number(value), *parts)

    def _base(self, base: Base) -> Sum:
        if isinstance(base, Column):
            return Sum(((1.0, ((base, 1.0),)),))
        if isinstance(base, Sum):
            return self.best(base)
        known = self._best_calls.get(base.key)
        if known is None:
            self._best_calls[base.key] = Sum(((1.0, ((base, 1.0),)),))
            known = self._best_calls[base.key] = self._call(base)
        return known

    def _call(self, base: Call) -> Sum:
        """The best words for a call, of its argument as it is and in its best form."""
        improved = Call(base.name, *map(self.best, base.arguments))
        found = [Sum(((1.0, ((each, 1.0),)),)) for each in (base, improved)]
        for each in dict.fromkeys((base, improved)):
            for form in _safely(renamed_calls, each):
                if self._left > 0 and self._may_say(form):
                    self._left -= 1
                    found.append(form)
        found = self._ranked(found)
        return self._ranked([*found[:1], *(self._with_parts(form) for form in found[:CALLS_TRIED])])[0]


def _safely(rule: Callable[..., Iterable[Sum]], one: object) -> Iterator[Sum]:
    """What a rule gives until its numbers leave float64 or its terms become too many."""
    try:
        yield from rule(one)
    except (Unwritable, TooLong, OverflowError, ZeroDivisionError):
        return


def _opened(one: Sum) -> Iterator[Sum]:
    yield distributed(one)
    whole = multiplied_out(one)
    yield whole
    product_form = factored(whole)
    if product_form is not None:
        yield product_form
    if whole != one:
        yield from collected(whole)
        yield from completed(whole)
        yield from completed_products(whole)
        yield from centred(whole)
        yield from paired(whole)


def _as_fractions(one: Sum) -> Iterator[Sum]:
    top, below = one_fraction(one)
    if not below:
        yield top
        yield factored(top) or top
        return
    yield over(top, below)
    whole = factored_fraction(top, below)
    yield whole
    line = tuple((base, -exponent) for base, exponent in whole.terms[0][1] if exponent < 0.0)
    if len(whole.terms) == 1 and line != below:
        yield term_by_term(*one_fraction(whole))
        below = line
        top = multiplied_out(product(whole, *(power(_as_sum(base), exponent) for base, exponent in line)))
    yield term_by_term(top, below)
    yield from whole_parts(top, below)
    yield from taken_apart(top, below)


def _as_sum(base: Base) -> Sum:
    return base if isinstance(base, Sum) else Sum(((1.0, ((base, 1.0),)),))


def names_in(one: Sum) -> set[str]:
    """Functions that a sum calls; powers are the limits' affair."""
    found = set[str]()
    for _, factors in one.terms:
        for base, _ in factors:
            if isinstance(base, Call):
                found.add(base.name)
                found.update(*map(names_in, base.arguments))
            elif isinstance(base, Sum):
                found |= names_in(base)
    return found


def _reworded(one: Sum) -> Iterator[Sum]:
    """The sum with one of its calls in other words, whose numbers may meet those around it."""
    calls = dict.fromkeys(base for _, factors in one.terms for base, _ in factors if isinstance(base, Call))
    for base in calls:
        for form in renamed_calls(base):
            yield put_in(one, base, form)


RULES = (
    _reworded,
    _opened,
    _as_fractions,
    collected,
    completed,
    completed_products,
    centred,
    paired,
    joined_factors,
    centred_growth,
    centred_bells,
    levelled_growth,
)
