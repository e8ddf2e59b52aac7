"""`BasisSearch`: sums from one basis behind a link, by elimination from the whole of it or by choice of few terms."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.proposal.regression.background import MARGIN
from mosaic_sr.proposal.regression.sparse import (
    Combination,
    System,
    eliminate_terms,
    measure_beyond_span,
    select_forward,
    solve_support,
)
from mosaic_sr.proposal.regression.systems import (
    EVALUATION,
    MOST_ALIKE,
    count_affordable,
    determines,
    make_system,
    weigh_target,
)
from mosaic_sr.proposal.terms.dictionary import Dictionary
from mosaic_sr.proposal.terms.writing import write_sum
from mosaic_sr.proposal.views.links import Linked
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows, Table

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Rounding of the columns to single precision is known, but not what a law makes of it.
SINGLE_MARGIN = 100.0
# What elimination leaves of a full basis is the law when it is as short as this.
CERTAIN_TERMS = 4
# The same for polynomials, which are stiffer.
HIGHEST_DEGREE = 10
# A node more has to lower the logarithm of the error by this: ten nodes are worth a factor of e.
PER_NODE = 0.1
# Sums of one length whose columns count as relevant.
COUNTED_SUMS = 8
NUM_ROWS = 400  # enough to hold out rows from dense polynomials
SCREENING_ROWS = 128  # supports of a few terms stand out on fewer; the others confirm them
MOST_COLUMNS = 10  # of wider tables the most relevant ones
SMALL_TERMS = 190  # one factorisation tells whether any link leads into their span
LARGE_TERMS = 4000  # reaches functions of two columns times a third of five columns
LINKED_TERMS = 1500  # the same behind a link other than the identity
WIDE_TERMS = 40000  # functions of two columns times powers of one or two, for six columns
WIDE_LINKED = 12000  # the same behind a link other than the identity
WIDE_CHAINED = 6000  # the same behind chains of links, all at once
MOST_BESIDE = 3  # such terms beside a full basis of plain ones
MOST_TERMS = 6  # longer sparse sums are rare, and dense polynomials have a way of their own
LONGEST_SUM = 20  # terms of a dense polynomial; longer ones are approximations
WORK = 2e7  # multiplications per step of the beam, some milliseconds
NUM_SEEDS = 3  # approximations handed on where nothing is exact


def make_sketch(basis: Dictionary, linked: Linked, found: Combination) -> Sketch:
    """The law of the target for a combination of terms."""
    expression = linked.law(write_sum(found.coefficients, [basis.factors(term) for term in found.support]))
    return Sketch(expression, -float(len(expression)), "sums")


@dataclass(frozen=True, eq=False)
class BasisSearch:
    """The search of bases behind links; `best` and `votes` gather good sums and their columns on the way."""

    table: Table
    rows: Rows
    tolerance: float
    targets: Sequence[Linked]
    num_distinct: Sequence[int]
    best: list[tuple[float, Expression]] = field(default_factory=list)
    votes: dict[int, float] = field(default_factory=dict)

    def at(self, rows: Indices) -> BasisSearch:
        """The same search on some of its rows."""
        return replace(self, rows=self.rows.take(rows))

    @property
    def margin(self) -> float:
        """Tolerances that a law may leave: steep terms make more of the rounding of their columns than is usual."""
        return SINGLE_MARGIN if self.tolerance > EVALUATION else MARGIN

    def dense(self, basis: Dictionary) -> Iterator[Sketch]:
        """Sums behind any link, from a basis that the rows determine with some to spare."""
        if not basis.num_terms or not self.targets:
            return
        left = measure_beyond_span(basis.values, np.array([linked.target for linked in self.targets]))
        for linked, share, tolerance in zip(self.targets, left.tolist(), self._tolerances, strict=True):
            if share <= MARGIN * tolerance:
                yield from self.from_dense(basis, linked)

    @cached_property
    def _tolerances(self) -> list[float]:
        """What rounding may leave of each target."""
        return [weigh_target(linked, self.tolerance)[1] for linked in self.targets]

    def from_dense(self, basis: Dictionary, linked: Linked, margin: float = 1.0) -> Iterator[Sketch]:
        """The sum that elimination leaves; where it is long, shorter ones first, which it may have missed."""
        system = make_system(basis.values, linked, self.tolerance)
        found = eliminate_terms(system, tuple(range(basis.num_terms)), margin)
        if found is None or len(found.support) > CERTAIN_TERMS:
            shorter = list(self.sparse(basis, linked))
            yield from shorter
            if shorter or found is None or len(found.support) > LONGEST_SUM:
                return
        most_alike = MOST_ALIKE if any(atom.power for atom in basis.atoms) else HIGHEST_DEGREE
        if determines(self.num_distinct, basis, found.support, most_alike):
            yield make_sketch(basis, linked, found)

    def sparse(self, basis: Dictionary, linked: Linked) -> Iterator[Sketch]:
        """Sums of few terms that leave nothing but rounding."""
        if not basis.num_terms:
            return
        system = make_system(basis.values, linked, self.tolerance)
        head = system.head(SCREENING_ROWS)
        most_terms = count_affordable(len(head.target), basis.num_terms, system.tolerance, MOST_TERMS)
        num_close = 0
        for combinations in select_forward(head, most_terms, WORK):
            close = self._close(system, [c for c in combinations if c.error <= system.tolerance])
            sketches = [make_sketch(basis, linked, found) for found in close]
            yield from sketches
            num_close += len(sketches)
            # What is close, but not exact, may hide the law one term further on; a few are enough to see.
            if num_close > NUM_SEEDS or any(map(self.is_exact_law, sketches)):
                return
            if not linked.outer:
                self._remember(basis, linked, system, combinations)

    def is_exact_law(self, sketch: Sketch) -> bool:
        """Whether a sketch is a law of the rows of this search."""
        return is_exact(sketch.expression, self.rows, self.table)

    def _close(self, system: System, combinations: Sequence[Combination]) -> Iterator[Combination]:
        """Those that also hold on the rows that were not screened, without terms they do not need."""
        for combination in combinations[:NUM_SEEDS]:
            found = eliminate_terms(system, combination.support)
            if found is not None:
                yield found

    def _remember(self, basis: Dictionary, linked: Linked, system: System, combinations: Sequence[Combination]) -> None:
        """Keep the best sum for its length and count the columns of the best few."""
        for rank, combination in enumerate(combinations[:COUNTED_SUMS]):
            for column in set().union(*map(basis.columns, combination.support)):
                self.votes[column] = self.votes.get(column, 0.0) + 1.0 / (1.0 + rank)
        expression = make_sketch(basis, linked, solve_support(system, combinations[0].support)).expression
        self.best.append(
            (math.log(max(combinations[0].error, sys.float_info.min)) + PER_NODE * len(expression), expression)
        )

    def ranked(self, columns: Sequence[int]) -> list[int]:
        """The columns, those first that the best sums so far read."""
        return sorted(columns, key=lambda column: -self.votes.get(column, 0.0))

    def seeds(self) -> list[Sketch]:
        """The sums that explain most for their length."""
        ranked = sorted(self.best, key=lambda entry: entry[0])[:NUM_SEEDS]
        return [Sketch(expression, -score, "sums") for score, expression in ranked]
