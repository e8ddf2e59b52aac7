"""The linear finder: laws that are, behind an outer link, a sparse sum of products of known functions."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.expression import Expression, variable
from mosaic_sr.proposal.chains import Chains, away_from_edges, chained, undone_chains
from mosaic_sr.proposal.dictionary import (
    Atom,
    Dictionary,
    large_atoms,
    make_dictionary,
    polynomial,
    power_atoms,
    products,
    small_atoms,
    usable_atoms,
)
from mosaic_sr.proposal.links import Linked, linked_targets
from mosaic_sr.proposal.question import Question, sparing
from mosaic_sr.proposal.spans import MARGIN, SPARE_DIRECTIONS, held, reduced
from mosaic_sr.proposal.sparse import Combination, System, centred_norm, eliminated, forward, solved, spanned
from mosaic_sr.proposal.sums import sum_of
from mosaic_sr.proposal.wide import wide_atoms, wide_terms
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rounding, Rows, Table

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Rounding of the target leaves about half of its floor.
SLACK = 3.0
# Rounding errors of evaluating a law grow with what cancels in it; approximations seldom come as close as this.
EVALUATION = 1e-12
# What single precision of the columns leaves.
FLOAT32_EVALUATION = 1e-6
# Decades of the target's middle nine tenths beyond which rows are weighed relative to themselves.
WIDE_SPAN = 100.0
# What elimination leaves of a full basis is the law when it is as short as this.
CERTAIN_TERMS = 4
# A sum of functions of one column needs so many distinct values per term, or it may interpolate.
VALUES_PER_TERM = 3
# Beside a quarter of them, so many rows are left to refute a full basis.
SPARE_ROWS = 8
# Bases that are searched between two looks at the time; each takes some hundredths of a second.
STEPS_PER_ROUND = 8
# Six terms of various functions of one column come close to any smooth function of it.
MOST_ALIKE = 6
# The same for polynomials, which are stiffer.
HIGHEST_DEGREE = 10
# Sums of one length whose columns count as relevant.
COUNTED_SUMS = 8
# Digits by which the rows must outweigh the choice of terms before a support counts as more than luck.
SPARE_DIGITS = 6.0


@dataclass(frozen=True)
class LinearConfig:
    """How large the bases grow."""

    num_rows: int = 400  # enough to hold out rows from dense polynomials
    screening_rows: int = 128  # supports of a few terms stand out on fewer; the others confirm them
    most_columns: int = 10  # of wider tables the most relevant ones
    small_terms: int = 190  # one factorisation tells whether any link leads into their span
    large_terms: int = 4000  # reaches functions of two columns times a third of five columns
    linked_terms: int = 1500  # the same behind a link other than the identity
    wide_terms: int = 16000  # functions of two columns times powers of five; what is left of them fits in a cache
    most_beside: int = 3  # such terms beside a full basis of plain ones
    most_terms: int = 6  # longer sparse sums are rare, and dense polynomials have a way of their own
    longest_sum: int = 20  # terms of a dense polynomial; longer ones are approximations
    work: float = 2e7  # multiplications per step of the beam, some milliseconds
    num_seeds: int = 3  # approximations handed on where nothing is exact


def propose_linear_bases(config: LinearConfig, question: Question, rng: np.random.Generator) -> Iterator[list[Sketch]]:
    """Exact combinations as soon as a basis holds them; at last the best short sums as seeds for others."""
    del rng  # nothing is left to chance
    if {"add", "mul"} <= set(question.operators):
        yield from sparing(_batches(config, question), STEPS_PER_ROUND)


def _batches(config: LinearConfig, question: Question) -> Iterator[list[Sketch]]:
    """The sketches of each basis, small ones first."""
    rows = question.table.some_training(config.num_rows)
    columns = np.argsort(-question.scores, kind="stable")[: config.most_columns].tolist()
    targets = list(linked_targets(rows.target, question.table.target_resolution, question.operators))
    if not targets:
        return  # over so many decades no sum of terms can be told from its largest
    tolerance, distinct = column_tolerance(question.table), num_distinct(rows.columns)
    search = _Search(config, question.table, rows, tolerance, targets, distinct)
    for basis in polynomial_bases(rows, columns):
        yield list(search.dense(basis))
    num_small = max(min(config.small_terms, 3 * rows.num_rows // 4 - SPARE_ROWS), 1)
    small = make_dictionary(small_atoms(columns, question.operators), rows.columns, num_small)
    yield list(search.dense(small))
    yield list(search.sparse(small, targets[0]))
    yield from search.behind_chains(small, question.operators)
    columns = search.ranked(columns)
    background = small.head(num_plain(len(columns), rows.num_rows))
    yield from search.beside(background, wide_atoms(columns, question.operators))
    for count in range(1, min(len(columns), MOST_NARROWED + 1)):
        for basis in polynomial_bases(rows, columns[:count]):
            yield list(search.dense(basis))
        atoms = small_atoms(columns[:count], question.operators)
        yield list(search.dense(make_dictionary(atoms, rows.columns, num_small)))
    for make_atoms in (power_atoms, large_atoms):
        atoms = make_atoms(columns[:MOST_COMBINED], question.operators)
        basis = make_dictionary(atoms, rows.columns, config.large_terms)
        for linked in targets[:LARGE_LINKS]:
            own = basis if not linked.link.outer else basis.head(config.linked_terms)
            yield list(search.sparse(own, linked))
    yield search.seeds()


# With so many of the columns that good sums read, bases are tried again: fewer columns leave room for higher degrees.
MOST_NARROWED = 3
# Large bases combine so many columns.
MOST_COMBINED = 6
# The large basis is searched behind the first links alone: the others are seldom the outermost of a long sum.
LARGE_LINKS = 4


# Chains that one basis is tried behind, short ones first; a basis that holds more of them would hold anything.
MOST_CHAINS, MOST_HELD = 4, 24


def num_plain(num_columns: int, num_rows: int) -> int:
    """How many cheap terms make a stiff basis: nine of each column and five of each two, as the rows allow."""
    wanted = 9 * num_columns + 5 * math.comb(num_columns, 2)
    return max(min(wanted, num_rows - 1 - SPARE_DIRECTIONS), 0)


def column_tolerance(table: Table) -> float:
    """What the rounding of the columns may leave of any target, relative to it."""
    is_single = any(resolution.rounding is Rounding.FLOAT32 for resolution in table.column_resolutions)
    return FLOAT32_EVALUATION if is_single else EVALUATION


def make_system(values: Floats, linked: Linked, column_tolerance: float) -> System:
    """The weighted system of a basis and a target; values: (rows, terms)."""
    weights = row_weights(linked.target)
    target = linked.target * weights
    floor = float(np.linalg.norm(linked.floor * weights)) / centred_norm(weights, target)
    return System(weights, values * weights[:, None], target, column_tolerance + SLACK * floor)


def row_weights(target: Floats) -> Floats:
    """1, or 1/|t| where plain squares would be deaf to most rows."""
    magnitudes = np.abs(target)
    low, high = np.quantile(magnitudes, [0.05, 0.95])
    if not np.all(magnitudes > 0) or high <= WIDE_SPAN * low:
        return np.ones(len(target))
    return 1.0 / magnitudes


def polynomial_bases(rows: Rows, columns: Sequence[int]) -> Iterator[Dictionary]:
    """Full polynomials of growing degree, as long as the rows determine them twice over."""
    degrees = {1: (3, 6, HIGHEST_DEGREE), 2: (2, 4, 8), 3: (2, 4, 6)}.get(len(columns), (2, 3, 4))
    for degree in degrees:
        if 2 * math.comb(len(columns) + degree, degree) > rows.num_rows:
            return
        yield polynomial([variable(column) for column in columns], rows.columns, degree)


def _sketch(basis: Dictionary, linked: Linked, found: Combination) -> Sketch:
    expression = linked.law(sum_of(found.coefficients, [basis.factors(term) for term in found.support]))
    return Sketch(expression, -float(len(expression)), "linear_bases")


@dataclass(frozen=True, eq=False)
class _Wide:
    """A wide dictionary: values (atoms, rows), terms (terms, most atoms), and the terms' values in few rows."""

    atoms: tuple[Atom, ...]
    values: Floats
    terms: Indices
    few: Floats


@dataclass(frozen=True, eq=False)
class _Search:
    """The search of bases behind links; `best` and `votes` gather good sums and their columns on the way."""

    config: LinearConfig
    table: Table
    rows: Rows
    tolerance: float
    targets: Sequence[Linked]
    num_distinct: Sequence[int]
    best: list[tuple[float, Expression]] = field(default_factory=list)
    votes: dict[int, float] = field(default_factory=dict)

    def dense(self, basis: Dictionary) -> Iterator[Sketch]:
        """Sums behind any link, from a basis that the rows determine with some to spare."""
        if not basis.num_terms or not self.targets:
            return
        left = spanned(basis.values, np.array([linked.target for linked in self.targets]))
        for linked, share in zip(self.targets, left.tolist(), strict=True):
            system = make_system(basis.values, linked, self.tolerance)
            if share <= 10.0 * system.tolerance:
                yield from self._from_dense(basis, linked, system)

    def _from_dense(self, basis: Dictionary, linked: Linked, system: System) -> Iterator[Sketch]:
        """The sum that elimination leaves; where it is long, shorter ones first, which it may have missed."""
        found = eliminated(system, tuple(range(basis.num_terms)))
        if found is None or len(found.support) > CERTAIN_TERMS:
            shorter = list(self.sparse(basis, linked))
            yield from shorter
            if shorter or found is None or len(found.support) > self.config.longest_sum:
                return
        most_alike = MOST_ALIKE if any(atom.power for atom in basis.atoms) else HIGHEST_DEGREE
        if determines(self.num_distinct, basis, found.support, most_alike):
            yield _sketch(basis, linked, found)

    def sparse(self, basis: Dictionary, linked: Linked) -> Iterator[Sketch]:
        """Sums of few terms that leave nothing but rounding."""
        if not basis.num_terms:
            return
        system = make_system(basis.values, linked, self.tolerance)
        head = system.head(self.config.screening_rows)
        most_terms = most_affordable(len(head.target), basis.num_terms, system.tolerance, self.config.most_terms)
        num_close = 0
        for combinations in forward(head, most_terms, self.config.work):
            close = self._close(system, [c for c in combinations if c.error <= system.tolerance])
            sketches = [_sketch(basis, linked, found) for found in close]
            yield from sketches
            num_close += len(sketches)
            # What is close, but not exact, may hide the law one term further on; a few are enough to see.
            if num_close > self.config.num_seeds or any(map(self._is_exact, sketches)):
                return
            if not linked.link.outer:
                self._remember(basis, linked, system, combinations)

    def behind_chains(self, basis: Dictionary, operators: Sequence[str]) -> Iterator[list[Sketch]]:
        """Sums behind chains of two links, from the cheap terms of a basis and then from all."""
        resolution = self.table.target_resolution
        inner = away_from_edges(self.rows.target, resolution.exponent)
        if len(inner) <= 2 * SPARE_DIRECTIONS:
            return
        search = replace(self, rows=self.rows.take(inner))
        basis = basis.at(inner).head(len(inner) - 1 - SPARE_DIRECTIONS)
        target = search.rows.target
        num_plain_terms = min(num_plain(len(self.rows.columns), len(inner)), basis.num_terms)
        chains = undone_chains(target[: basis.num_terms + 1 + SPARE_DIRECTIONS], resolution, operators)
        for count in dict.fromkeys((num_plain_terms, basis.num_terms)):
            yield list(search._chained(basis.head(count), chains))

    def _chained(self, basis: Dictionary, chains: Chains) -> Iterator[Sketch]:
        """Sums from one basis behind those chains that lead into its span."""
        num_rows = basis.num_terms + 1 + SPARE_DIRECTIONS
        targets, floors = chains.targets[:, :num_rows], chains.floors[:, :num_rows]
        spread = np.linalg.norm(targets - targets.mean(axis=1)[:, None], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            tolerances = self.tolerance + SLACK * np.linalg.norm(floors, axis=1) / spread
        places = held(basis.values[:num_rows], targets, tolerances)
        if len(places) > MOST_HELD:
            return
        for place in places[:MOST_CHAINS].tolist():
            linked = chained(chains.chains[place], self.rows.target, self.table.target_resolution)
            if linked is None:
                continue
            found = list(self._from_dense(basis, linked, make_system(basis.values, linked, self.tolerance)))
            yield from found
            if any(map(self._is_exact, found)):
                return

    def beside(self, background: Dictionary, atoms: Sequence[Atom]) -> Iterator[list[Sketch]]:
        """Sums of any terms of a background and few functions of two columns times powers."""
        num_rows = background.num_terms + 1 + SPARE_DIRECTIONS
        if not background.num_terms or num_rows > self.rows.num_rows:
            return
        usable, values = usable_atoms(atoms, self.rows.columns)
        terms = wide_terms(usable, self.config.wide_terms)
        few = products(values[:, :num_rows], terms)
        wide = _Wide(usable, values, terms, few)
        for linked in self.targets[:LARGE_LINKS]:
            yield list(self._beside(background, wide, linked))

    def _beside(self, background: Dictionary, wide: _Wide, linked: Linked) -> Iterator[Sketch]:
        num_rows = wide.few.shape[1]
        head = make_system(background.values, linked, self.tolerance).head(num_rows)
        system, places = reduced(head, wide.few * head.offset)
        if system.tolerance >= 1.0 or not len(places):
            return
        most_terms = most_affordable(SPARE_DIRECTIONS, len(places), system.tolerance, self.config.most_beside)
        for combinations in forward(system, most_terms, self.config.work):
            close = [c for c in combinations if c.error <= MARGIN * system.tolerance]
            found = [sketch for one in close[: self.config.num_seeds] for sketch in self._with(background, wide, linked, places[list(one.support)])]
            yield from found
            if any(map(self._is_exact, found)):
                return

    def _with(self, background: Dictionary, wide: _Wide, linked: Linked, places: Indices) -> Iterator[Sketch]:
        terms = wide.terms[places]
        basis = background.beside(wide.atoms, terms, products(wide.values, terms))
        if np.all(np.isfinite(basis.values)):
            yield from self._from_dense(basis, linked, make_system(basis.values, linked, self.tolerance))

    def _is_exact(self, sketch: Sketch) -> bool:
        return is_exact(sketch.expression, self.rows, self.table)

    def _close(self, system: System, combinations: Sequence[Combination]) -> Iterator[Combination]:
        """Those that also hold on the rows that were not screened, without terms they do not need."""
        for combination in combinations[: self.config.num_seeds]:
            found = eliminated(system, combination.support)
            if found is not None:
                yield found

    def _remember(self, basis: Dictionary, linked: Linked, system: System, combinations: Sequence[Combination]) -> None:
        """Keep the best sum for its length and count the columns of the best few."""
        for rank, combination in enumerate(combinations[:COUNTED_SUMS]):
            for column in set().union(*map(basis.columns, combination.support)):
                self.votes[column] = self.votes.get(column, 0.0) + 1.0 / (1.0 + rank)
        expression = _sketch(basis, linked, solved(system, combinations[0].support)).expression
        self.best.append((math.log(max(combinations[0].error, sys.float_info.min)) + 0.1 * len(expression), expression))

    def ranked(self, columns: Sequence[int]) -> list[int]:
        """The columns, those first that the best sums so far read."""
        return sorted(columns, key=lambda column: -self.votes.get(column, 0.0))

    def seeds(self) -> list[Sketch]:
        """The sums that explain most for their length."""
        ranked = sorted(self.best, key=lambda entry: entry[0])[: self.config.num_seeds]
        return [Sketch(expression, -score, "linear_bases") for score, expression in ranked]


def num_distinct(columns: Floats) -> list[int]:
    """Distinct values of each column (columns, rows)."""
    return [len(np.unique(column)) for column in columns]


def determines(num_distinct: Sequence[int], basis: Dictionary, support: Iterable[int], most_alike: int) -> bool:
    """Whether the terms of a support can be a law rather than an interpolation.

    Of the terms that differ in a function of one column alone there are at most `most_alike`, and the column has values
    enough for them.
    """
    counts = Counter(part for term in support for part in basis.parts(term))
    return all(
        count <= most_alike and VALUES_PER_TERM * count <= num_distinct[column] for (column, _), count in counts.items()
    )


def most_affordable(num_rows: int, num_terms: int, tolerance: float, limit: int) -> int:
    """How many terms the rows can tell from a lucky choice: agreeing digits have to outnumber those of the choice."""
    digits = -math.log10(max(tolerance, 1e-300))
    terms = 0
    while terms < min(limit, num_rows // 3):
        chosen = terms + 1
        if (num_rows - chosen - 1) * digits < chosen * math.log10(num_terms + 1.0) + SPARE_DIGITS:
            break
        terms = chosen
    return terms
