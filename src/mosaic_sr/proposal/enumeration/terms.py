"""Sums of terms: the best laws of one term are extended by a second one, the best of these by a third."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.expressions.powers import root_of
from mosaic_sr.proposal.enumeration.streams import all_in_order
from mosaic_sr.proposal.enumeration.trials import Trials, Tried

# Bits of a sum beside those of its terms.
SUM_BITS = 1.0
# A number alone is a term too.
OFFSET = constant(np.nan)
OFFSET_BITS = 2.0
Term = tuple[float, Expression]


def first_terms(
    columns: Sequence[int],
    column_bits: Sequence[float],
    operators: Sequence[str],
    max_constants: int,
    count: int,
) -> list[Term]:
    """Forms of single terms over any of the columns, those of fewest bits first; the first is a number."""
    forms = all_in_order(columns, column_bits, (), operators, max_constants)
    single = ((bits, form) for bits, form in forms if root_of(form) in ("mul", "div") and _is_scaled(form))
    return [(OFFSET_BITS, OFFSET), *islice(single, count - 1)]


def _is_scaled(form: Expression) -> bool:
    """Whether a free factor stands before the term: it is written first."""
    return bool(len(form.constants) and np.isnan(form.constants[0]) and form.codes[0] == OFFSET.codes[0])


def extended(terms: Sequence[Term], trials: Trials, beam: Sequence[int], max_constants: int) -> Iterator[list[Tried]]:
    """Sums of two and more terms, tried; one list for each law that is extended."""
    laws = [trials.tried(form, bits) for bits, form in terms[1:]]
    yield laws
    for count in beam:
        longer: list[Tried] = []
        for law in _best(laws, count):
            found = [trials.tried(form, bits) for bits, form in _sums(law, terms, max_constants)]
            longer += found
            yield found
        laws = longer


def _best(laws: Sequence[Tried], count: int) -> list[Tried]:
    """The best, one for each score: forms that are equivalent end with the same."""
    kept: dict[str, Tried] = {}
    for law in sorted(laws, key=lambda one: -one.score):
        kept.setdefault(f"{law.score:.3f}", law)
        if len(kept) == count:
            break
    return list(kept.values())


def _sums(law: Tried, terms: Sequence[Term], max_constants: int) -> Iterator[Term]:
    """The law with each of the terms added."""
    for bits, term in terms:
        if np.count_nonzero(np.isnan(law.form.constants)) + np.count_nonzero(np.isnan(term.constants)) <= max_constants:
            yield law.bits + bits + SUM_BITS, apply("add", law.form, term)
