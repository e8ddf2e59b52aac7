"""Two normal forms side by side: which number of a law is which number of a named form."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mosaic_sr.named_laws.scalars import Scalar, scalar
from mosaic_sr.named_laws.terms import UNIT, Factor, Quotient, Sum, Term

# A number of a form and the number of the law in its place.
Pair = tuple[Scalar, Scalar]
# Numbers of a form such as 1/2 are met to rounding, of which normal forms leave a few digits.
SAME = 1e-9
# Alike terms can be paired in several ways; named forms have at most four of them.
MOST_PAIRINGS = 24


def pairings(form: Quotient, law: Quotient) -> Iterator[list[Pair]]:
    """The ways to pair the numbers of a form with those of a law of the same shape; plain numbers are equal."""
    for count, pairs in enumerate(_of_quotients(form, law)):
        if count == MOST_PAIRINGS:
            return
        yield pairs


def _of_quotients(form: Quotient, law: Quotient) -> Iterator[list[Pair]]:
    for above in _of_sums(form.top, law.top):
        for below in _of_sums(form.bottom, law.bottom):
            yield [*above, *below]


def _of_sums(form: Sum, law: Sum) -> Iterator[list[Pair]]:
    if len(form.terms) != len(law.terms):
        return
    yield from _of_terms(form.terms, law.terms)


def _of_terms(form: Sequence[Term], law: Sequence[Term]) -> Iterator[list[Pair]]:
    if not form:
        yield []
        return
    for place, term in enumerate(law):
        if term.shape != form[0].shape:
            continue
        for same in _same_terms(term):
            for pairs in _of_two_terms(form[0], same):
                for others in _of_terms(form[1:], [*law[:place], *law[place + 1 :]]):
                    yield [*pairs, *others]


def _of_two_terms(form: Term, law: Term) -> Iterator[list[Pair]]:
    own = (form.coefficient, law.coefficient)
    if _may_pair(*own):
        for pairs in _of_factors(form.factors, law.factors):
            yield [own, *pairs]


def _of_factors(form: Sequence[Factor], law: Sequence[Factor]) -> Iterator[list[Pair]]:
    if len(form) != len(law):
        return
    if not form:
        yield []
        return
    atom, exponent = form[0]
    for place, (other, power) in enumerate(law):
        if other.shape != atom.shape or not _may_pair(exponent, power):
            continue
        inside = [[]] if atom.inside is None or other.inside is None else _of_quotients(atom.inside, other.inside)
        for pairs in inside:
            for others in _of_factors(form[1:], [*law[:place], *law[place + 1 :]]):
                yield [(exponent, power), *pairs, *others]


def _may_pair(form: Scalar, law: Scalar) -> bool:
    """Whether the law's number can stand in the place of the form's: any can where a constant is to be found."""
    if form.of is not None:
        return True
    return form.sign == law.sign and abs(form.log - law.log) <= SAME * max(1.0, abs(law.log))


def _same_terms(term: Term) -> Iterator[Term]:
    """The term, and where it is a wave with a phase the same wave half a turn on: -sin(u - pi)."""
    yield term
    for place, (atom, exponent) in enumerate(term.factors):
        if atom.kind != "sin" or not exponent.is_integer or atom.inside is None or atom.inside.bottom is not UNIT:
            continue
        phases = [each for each in atom.inside.top.terms if not each.factors]
        if not phases:
            continue
        turn = scalar(-math.copysign(math.pi, phases[0].coefficient.value))
        turned = Term(phases[0].coefficient + turn)
        moving = [each for each in atom.inside.top.terms if each.factors]
        wave = type(atom)("sin", Quotient(Sum((turned, *moving))))
        factors = (*term.factors[:place], (wave, exponent), *term.factors[place + 1 :])
        yield Term(-term.coefficient if round(exponent.value) % 2 else term.coefficient, factors)
