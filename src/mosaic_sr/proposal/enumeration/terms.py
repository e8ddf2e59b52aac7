"""Sums of terms: pairs of terms with drawn constants that explain the rows best, and a third beside the best pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice, takewhile
from typing import Any

import numpy as np

from mosaic_sr.budget import heed_stop
from mosaic_sr.evidence.written import NOWHERE
from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.expressions.powers import root_of
from mosaic_sr.proposal.enumeration.atoms import Atoms, Term, best_pairs, best_thirds, make_atoms
from mosaic_sr.proposal.enumeration.streams import all_in_order
from mosaic_sr.proposal.trials import Start, Trials, Tried, all_tried_from
from mosaic_sr.workers import Workers

# Bits of a sum beside those of its terms: two laws in five are sums.
SUM_BITS = 1.0
# A number alone is a term too, and a frequent one.
OFFSET = constant(np.nan)
OFFSET_BITS = 2.0
# Terms of more bits are not tried in sums: with all operators, 1,500 terms of two columns have at most 19.
MOST_TERM_BITS = 22.0
# Where a term stands: behind another one.
IN_A_SUM = NOWHERE.below("add", 1, "mul")

Fits = list[Tried]


@dataclass(frozen=True)
class SumConfig:
    """How many sums are tried.

    num_terms: single terms, those of fewest bits.  num_pairs: of terms, each with and without a number added.
    num_extended: pairs that get a third term.  num_thirds: terms that each of them gets.
    """

    num_terms: int = 1500
    num_pairs: int = 400
    num_extended: int = 8
    num_thirds: int = 15


def first_terms(
    columns: Sequence[int],
    column_bits: Sequence[float],
    operators: Sequence[str],
    max_constants: int,
    count: int,
    **by_units: Any,
) -> list[Term]:
    """Forms of single terms over any of the columns, those of fewest bits first; by_units: as in `all_in_order`."""
    forms = all_in_order(columns, column_bits, (), operators, max_constants, IN_A_SUM, keep=_is_term, **by_units)
    return list(islice(takewhile(lambda entry: entry[0] <= MOST_TERM_BITS, forms), count))


def _is_term(form: Expression) -> bool:
    """Whether the form is no sum and a free factor stands before it, which is written first."""
    is_product = root_of(form) in ("mul", "div")
    return is_product and bool(np.isnan(form.constants[:1]).all()) and form.codes[0] == OFFSET.codes[0]


def sums_of(
    terms: Sequence[Term], trials: Trials, config: SumConfig, max_constants: int, workers: Workers
) -> Iterator[list[Tried]]:
    """Sums of two terms and of three, tried."""
    for weighting in trials.weightings:
        heed_stop()
        atoms = make_atoms(terms, trials.rows, weighting)
        if atoms is None:
            continue

        def tried(chosen: Sequence[tuple[int, ...]], atoms: Atoms = atoms, weighting: str = weighting) -> list[Fits]:
            """The fits of each sum of some atoms."""
            starts = [_starts(atoms, each, weighting, max_constants) for each in chosen]
            fits = iter(all_tried_from(trials, [start for own in starts for start in own], workers))
            return [list(islice(fits, len(own))) for own in starts]

        pairs = best_pairs(atoms, config.num_pairs, max_constants)
        found = list(zip(tried(pairs), pairs, strict=True))
        yield [one for fits, _ in found for one in fits]
        best = sorted((entry for entry in found if entry[0]), key=lambda entry: -max(one.score for one in entry[0]))
        for _, pair in best[: config.num_extended]:
            heed_stop()
            thirds = best_thirds(atoms, pair, config.num_thirds, max_constants)
            yield [one for fits in tried([(*pair, third) for third in thirds]) for one in fits]


def _starts(atoms: Atoms, chosen: tuple[int, ...], weighting: str, max_constants: int) -> list[Start]:
    """The sum of some atoms, and with a number added, to be fitted from their constants, unless it has too many."""
    terms = [atoms.terms[atoms.term_of(atom)] for atom in chosen]
    start = np.concatenate([atoms.constants[atom] for atom in chosen])
    bits = sum(own + SUM_BITS for own, _ in terms)
    form = reduce(lambda one, other: apply("add", one, other), (term for _, term in terms))
    with_number = apply("add", OFFSET, form)
    sums = [(form, bits - SUM_BITS, start), (with_number, bits + OFFSET_BITS, np.concatenate([[0.0], start]))]
    return [(*each, weighting) for each in sums if np.count_nonzero(np.isnan(each[0].constants)) <= max_constants]
