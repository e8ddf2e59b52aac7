"""The finder of rational laws: y = P/Q behind an outer link, from the null vectors of [M, y M].

P and Q are polynomials, sums of pure powers of many columns, or sparse sums of functions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, variable
from mosaic_sr.proposal.context import Event, ProposalContext, Signal, sparing
from mosaic_sr.proposal.regression.null_vectors import find_null_vector, may_relate
from mosaic_sr.proposal.regression.projection import add_offset, find_independent
from mosaic_sr.proposal.regression.sparse import Combination, eliminate_terms, measure_centred_norm, select_forward
from mosaic_sr.proposal.regression.systems import (
    MOST_ALIKE,
    count_affordable,
    count_distinct,
    determines,
    find_column_tolerance,
    make_system,
    weigh_by_size,
    weigh_rows,
)
from mosaic_sr.proposal.sums.pure_powers import make_pure_bases
from mosaic_sr.proposal.sums.shifted_powers import QuotientRows, write_shifted_law
from mosaic_sr.proposal.terms.atoms import make_small_atoms
from mosaic_sr.proposal.terms.dictionary import Dictionary, make_dictionary, make_polynomial
from mosaic_sr.proposal.terms.writing import write_sum
from mosaic_sr.proposal.views.links import Linked, undo_links
from mosaic_sr.proposal.views.steps import wrap
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows, Table

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# P/Q is as rational as Q/P, so these links add nothing to the ones they undo.
REDUNDANT = {("inv",), ("sqrt", "inv"), ("log", "neg")}
# Functions that may take the place of columns, alone or beside them.
STAND_INS = ("exp", "sqrt", "sin", "cos", "log", "tanh")
# Multiples of the target's rounding that a null vector may leave.
SLACK = 3.0
# Rows, terms and multiplications per step in the search for sparse P and Q.
SCREENING_ROWS, MOST_SPARSE, WORK = 128, 5, 6e6
# Means of so many standard deviations are taken out of the target.
DOMINANT = 30.0
# Bases that are searched between two looks at the time; each takes about a hundredth of a second.
STEPS_PER_ROUND = 24
# Share of the tolerance of a relation that is left to the values of the law.
CLOSER = 0.03
# Pure powers that cancel lose digits, and approximate too little to need a strict proof.
CLOSER_WHERE_PURE = 100.0
# Powers of one column in P and Q together.
MOST_PURE = 12
NUM_ROWS = 400  # determine a hundred coefficients with rows to spare
MOST_COLUMNS = 10  # of wider tables the most relevant ones
MOST_MONOMIALS = 70  # of each of P and Q; the cost grows with the cube
MOST_LINKED = 30  # monomials behind links other than the identity
MOST_NARROWED = 3  # columns of the sets that are tried by themselves with higher degrees
HIGHEST_DEGREE = 6  # degree, reached with one column
MOST_SKETCHES = 30  # where so many hold and none was the law, the data are too coarse to tell
SPARSE_TERMS = 200  # functions and products of which few stand in P and in Q
MOST_NORMALISERS = 4  # terms that take the place of the constant in Q
LONGEST = 16  # coefficients in all; longer ones are approximations
MOST_PURE_COLUMNS = 6  # columns whose powers are added without products
LONGEST_PURE = 30  # the powers of shifted columns are many, and without products they approximate little


def propose_quotients(context: ProposalContext) -> Iterator[Event]:
    """Rational laws whose implicit equation holds to rounding, low degrees first."""
    if {"add", "mul", "div"} <= set(context.operators):
        yield from sparing(_batches(context), STEPS_PER_ROUND)


def _batches(context: ProposalContext) -> Iterator[Event]:
    """The sketches of each basis, full polynomials first, then pure powers, then sparse sums of functions."""
    rows = context.table.some_training(NUM_ROWS)
    columns = np.argsort(-context.scores, kind="stable")[:MOST_COLUMNS].tolist()
    targets = list(undo_links(rows.target, context.table.target_resolution, context.operators))
    targets = [linked for linked in targets if linked.outer not in REDUNDANT]
    if not targets:
        return  # over so many decades no sum of terms can be told from its largest
    tolerance, distinct = find_column_tolerance(context.table), count_distinct(rows.columns)
    aims = [make_rational_target(linked) for linked in targets]
    num_found = 0
    for basis in _bases(columns, rows, context.operators):
        found = [
            _sketch(basis, aim.linked, *law)
            for aim in aims
            if not aim.linked.outer or basis.num_terms <= MOST_LINKED
            for law in find_rational_laws(basis.values, aim, tolerance, LONGEST)
            if determines(distinct, basis, _support(*law), MOST_ALIKE)
        ]
        yield found
        num_found += len(found)
        if num_found >= MOST_SKETCHES:
            return
    yield from _pure_laws(context.table, rows, columns, aims[0])
    for count in sorted({min(len(columns), MOST_NARROWED), len(columns)}):
        basis = make_dictionary(make_small_atoms(columns[:count], context.operators), rows.columns, SPARSE_TERMS)
        for normaliser in range(-1, min(MOST_NORMALISERS, basis.num_terms)):
            laws = find_sparse_laws(basis.values, targets[0], tolerance, normaliser)
            yield [
                _sketch(basis, targets[0], *law)
                for law in laws
                if determines(distinct, basis, _support(*law), MOST_ALIKE)
            ]


def _pure_laws(table: Table, rows: Rows, columns: Sequence[int], aim: RationalTarget) -> Iterator[Event]:
    """Quotients of sums of pure powers, in shifted columns and as they are."""
    tolerance, distinct = find_column_tolerance(table), count_distinct(rows.columns)
    linked = aim.linked
    numbers = QuotientRows(rows.columns, linked.target, aim.weights, table.column_exponents, table.target_exponent)
    for quotient in make_pure_bases(columns[:MOST_PURE_COLUMNS], rows):
        sides = (quotient.above, quotient.below)
        for law in find_rational_laws(quotient.basis.values, aim, tolerance, LONGEST_PURE, sides):
            if determines(distinct, quotient.basis, _support(*law), MOST_PURE):
                shifted = write_shifted_law(quotient.basis, law, numbers, tolerance)
                short = [] if shifted is None else [Sketch(linked.law(shifted), -float(len(shifted)), "sums")]
                yield [*short, _sketch(quotient.basis, linked, *law)]
        yield Signal.HEARTBEAT


def _bases(columns: Sequence[int], rows: Rows, operators: Sequence[str]) -> Iterator[Dictionary]:
    """Polynomial bases of growing degree: of all columns, of the most relevant few, with functions of columns."""
    limit = min(MOST_MONOMIALS, rows.num_rows // 4)
    counts = [len(columns), *(count for count in range(1, MOST_NARROWED + 1) if count < len(columns))]
    for count in counts:
        yield from _growing([variable(column) for column in columns[:count]], rows, limit, HIGHEST_DEGREE)
    few = [variable(column) for column in columns[:MOST_NARROWED]]
    for power in (("sq",), ("cube",), ("sq", "sq")):
        yield from _growing([wrap(leaf, power) for leaf in few], rows, min(limit, MOST_LINKED), 4)
    for name in STAND_INS:
        if name not in operators:
            continue
        for count in sorted({len(few), 1}):
            with_functions = [*few[:count], *(apply(name, leaf) for leaf in few[:count])]
            yield from _growing(with_functions, rows, min(limit, MOST_LINKED), 3)


def _growing(variables: Sequence[Expression], rows: Rows, limit: int, highest: int) -> Iterator[Dictionary]:
    for degree in range(1, highest + 1):
        if math.comb(len(variables) + degree, degree) > limit:
            return
        basis = make_polynomial(variables, rows.columns, degree)
        if basis.num_terms:
            yield basis


@dataclass(frozen=True, eq=False)
class RationalTarget:
    """A target behind a link.

    weights: of its rows, (rows,).  floor: its rounding as a share of it.  centre: an offset that is taken out of it,
    because without a dominant offset the columns of y M differ from those of M by more than rounding.
    """

    linked: Linked
    weights: Floats
    floor: float
    centre: float


def make_rational_target(linked: Linked) -> RationalTarget:
    """The target with what all bases need of it."""
    weights = _weights(linked.target)
    floor = float(np.linalg.norm(linked.floor * weights)) / measure_centred_norm(weights, linked.target * weights)
    return RationalTarget(linked, weights, floor, _dominant_offset(linked.target))


def find_rational_laws(
    values: Floats,
    aim: RationalTarget,
    column_tolerance: float,
    longest: int,
    sides: tuple[Indices, Indices] | None = None,
) -> Iterator[tuple[Floats, Floats]]:
    """Coefficients of P and of Q, each (1 + terms,) with the offset first, of a law that leaves only rounding.

    values: (rows, terms).  sides: the terms that may stand in P and those that may in Q, where these are not all.
    """
    weights, tolerance = aim.weights, column_tolerance + SLACK * aim.floor
    target = aim.linked.target - aim.centre
    monomials = add_offset(values) * weights[:, None]
    above, below = (monomials, monomials) if sides is None else (monomials[:, [0, *(1 + side)]] for side in sides)
    if not may_relate(np.concatenate([above, -target[:, None] * below], axis=1), above.shape[1], tolerance):
        return
    kept = find_independent(monomials)
    if len(kept) < 2:
        return
    upper, lower = (kept, kept) if sides is None else (kept[np.isin(kept, [0, *(1 + side)])] for side in sides)
    system = np.concatenate([monomials[:, upper], -target[:, None] * monomials[:, lower]], axis=1)
    vector = find_null_vector(system, len(upper), tolerance)
    if vector is None or np.count_nonzero(vector) > longest:
        return
    numerator, denominator = np.zeros(1 + values.shape[1]), np.zeros(1 + values.shape[1])
    numerator[upper], denominator[lower] = vector[: len(upper)], vector[len(upper) :]
    numerator += aim.centre * denominator
    closer = CLOSER if sides is None else CLOSER_WHERE_PURE
    if _is_close(monomials @ numerator, monomials @ denominator, aim.linked, closer * column_tolerance):
        yield numerator, denominator


def _weights(target: Floats) -> Floats:
    """Weights of rows; between poles and zeros, large targets count by their size, small ones alike."""
    if np.all(target > 0) or np.all(target < 0) or np.median(np.abs(target)) == 0:
        return weigh_rows(target)
    return weigh_by_size(target)


def find_sparse_laws(
    values: Floats, linked: Linked, column_tolerance: float, normaliser: int
) -> Iterator[tuple[Floats, Floats]]:
    """Coefficients as `find_rational_laws` gives them, of laws with few terms whose Q has the normaliser with factor 1.

    values: (rows, terms).  normaliser: a term, or -1 for the constant.
    """
    times_target = add_offset(values) * linked.target[:, None]
    target = times_target[:, 1 + normaliser]
    if not target.any():
        return  # the term is 0 wherever y is not, and tells nothing of it
    others = np.delete(np.arange(times_target.shape[1]), 1 + normaliser)
    relation = replace(linked, target=target, floor=linked.floor * np.abs(values[:, normaliser]))
    if normaliser < 0:
        relation = replace(relation, floor=linked.floor)
    system = make_system(np.column_stack([values, times_target[:, others]]), relation, column_tolerance)
    head = system.head(SCREENING_ROWS)
    most_terms = count_affordable(len(head.target), len(system.values.T), system.tolerance, MOST_SPARSE)
    for combinations in select_forward(head, most_terms, WORK):
        found = [eliminate_terms(system, one.support) for one in combinations[:2] if one.error <= system.tolerance]
        for combination in found:
            if combination is not None:
                above, below = _split(combination, values.shape[1], normaliser, others)
                numerator, denominator = (side[0] + values @ side[1:] for side in (above, below))
                if _is_close(numerator, denominator, linked, CLOSER * column_tolerance):
                    yield above, below
        if found:
            return


def _split(
    combination: Combination, num_terms: int, normaliser: int, others: NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """P and Q of y m = a0 + sum a_i M_i + sum b_j y M_j, where m is the normaliser: Q = m - sum b_j M_j."""
    above, below = np.zeros(1 + num_terms), np.zeros(1 + num_terms)
    above[0] = combination.coefficients[0]
    below[1 + normaliser] = 1.0
    for term, coefficient in zip(combination.support, combination.coefficients[1:].tolist(), strict=True):
        if term < num_terms:
            above[1 + term] = coefficient
        else:
            below[others[term - num_terms]] = -coefficient
    return above, below


def _dominant_offset(target: Floats) -> float:
    """The mean, where the target varies little about it, else 0."""
    mean = float(np.mean(target))
    return mean if abs(mean) > DOMINANT * float(np.std(target)) else 0.0


def _is_close(numerator: Floats, denominator: Floats, linked: Linked, tolerance: float) -> bool:
    """Whether the law itself holds in most rows; near-null vectors of smooth functions come close, not this close."""
    with np.errstate(all="ignore"):
        left = np.abs(numerator / denominator - linked.target)
    return bool(np.median(left - SLACK * linked.floor - tolerance * np.abs(linked.target)) <= 0)


def _support(above: Floats, below: Floats) -> list[int]:
    """The terms of P and those of Q."""
    return [term for part in (above, below) for term in np.flatnonzero(part[1:]).tolist()]


def _sketch(basis: Dictionary, linked: Linked, above: Floats, below: Floats) -> Sketch:
    scale = below[np.flatnonzero(below)[0]]
    expression = linked.law(apply("div", _sum(basis, above / scale), _sum(basis, below / scale)))
    return Sketch(expression, -float(len(expression)), "sums")


def _sum(basis: Dictionary, coefficients: Floats) -> Expression:
    support = np.flatnonzero(coefficients[1:])
    chosen = np.concatenate([coefficients[:1], coefficients[1 + support]])
    return write_sum(chosen, [basis.factors(term) for term in support.tolist()])
