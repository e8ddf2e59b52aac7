"""Additions: terms that are added to any part of the most probable laws so far, or to a factor of it.

A small term c*f, added to a part of a law, changes its values by c*f times the slope of the law along this part. So a
few products of matrices tell for thousands of terms and all parts what each would explain of the residuals. The best
are fitted; what they replace is dropped when laws are simplified.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.equation import Equation
from mosaic_sr.evidence.judge import LOG_2, is_number, structure_bits
from mosaic_sr.evidence.reference import FAR, MOST_OUTLIERS
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import QuickConfig, weights_of
from mosaic_sr.linear_algebra import thin_svd
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.enumeration.atoms import Term, draw_values
from mosaic_sr.proposal.enumeration.places import Place, slopes_at_places
from mosaic_sr.proposal.enumeration.power_terms import PowerTerms
from mosaic_sr.proposal.enumeration.terms import first_terms
from mosaic_sr.proposal.trials import ROWS_PER_CONSTANT, Start, Trials, all_tried_from
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows, divided, spread_over_target, squaring_exponent

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

ADDITIONS = "additions"
# Columns over which terms stand, the most relevant; with more the first terms have one column each.
MOST_COLUMNS = 6
# Rows on which residuals are read: a term may be smaller than the noise of a row.
NUM_ROWS = 400
# Terms with drawn constants: 32 MB on these rows. A law that is nearly right asks loudly for a term, so that fewer
# draws of its constants come near enough than in sums of two unknown terms.
MOST_VECTORS, SHARE_OF_DRAWS = 20_000, 0.2
# What is left of a vector beside the slopes of the law's own constants, as a share of it: below, it is rounding.
LEAST_LEFT = 1e-4
# Vectors of a node that are looked at, the best: those of one term often stand together.
NUM_RANKED = 400
# To first order a term may explain more than there is.
MOST_EXPLAINED = 1.0 - 1e-6


@dataclass(frozen=True)
class AdditionConfig:
    """How many additions are looked for.

    num_laws: the most probable so far.  num_terms: those of fewest bits.  num_per_node: terms at each node of a law.
    num_tried: fitted in each turn.  num_sketches: handed on.
    """

    num_laws: int = 6
    num_terms: int = 2500  # two columns in most of them where a table has six
    num_per_node: int = 8
    num_tried: int = 60  # a fifth of a second
    num_sketches: int = 20
    num_turns: int = 6
    max_constants: int = 8  # laws of measured tables have up to five, and a part that is dropped later may have three
    # A fit starts at the constants of the law and of the term.
    fit: QuickConfig = field(default_factory=lambda: QuickConfig(1, 1, 30))


def propose_additions(config: AdditionConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Laws so far with a term more, as long as the most probable one leaves more than noise or is not probable."""
    del rng  # nothing is left to chance
    operators = tuple(name for name in context.operators if name in NAMES)
    # Without an enumeration nobody knows outliers, and additions would bend laws to them.
    if not context.looks_noisy or not context.coverage.has_begun or not {"add", "mul"} <= set(operators):
        return
    growth: _Growth | None = None
    for _ in range(config.num_turns):
        # What leaves noise alone may still be said in simpler words, as long as no forms were tried.
        if not context.coverage.num_forms or context.needs_more():
            growth = _Growth(config, context, operators) if growth is None else growth
            context.coverage.num_additions += 1
            yield growth.sketches(context.likeliest()[: config.num_laws])
        yield Signal.PAUSE


@dataclass(frozen=True, eq=False)
class _Addition:
    """A term at a node of a law, u + c*f or, as a factor, u*(1 + c*f).

    weighting: of the rows, as the noise is.  score: what it gains in log probability, to first order, roughly.
    """

    law: Expression
    place: Place
    term: Term
    constants: Floats
    weighting: str
    score: float

    def start(self, num_columns: int) -> Start:
        """The law with the term added, to be fitted from its constants on."""
        form = self.term[1]
        free = [math.nan if not is_number(value) else value for value in self.law.constants.tolist()]
        whole = self.place.grown(self.law, form.with_constants(self.constants))
        holes = self.place.grown(self.law.with_constants(free), form)
        return holes, structure_bits(canonical(whole), num_columns), whole.constants, self.weighting


class _Growth:
    """The terms of a table with drawn constants, as vectors over some rows, and the rows that laws are fitted to."""

    def __init__(self, config: AdditionConfig, context: ProposalContext, operators: tuple[str, ...]) -> None:
        self._config, self._context = config, context
        self._max_constants = min(config.max_constants, context.rows.num_rows // ROWS_PER_CONSTANT)
        columns = np.sort(np.argsort(-context.scores, kind="stable")[:MOST_COLUMNS]).tolist()
        # Even columns that say little of the target may say all of what is left.
        bits = [math.log2(len(columns))] * len(columns)
        terms = first_terms(columns, bits, operators, self._max_constants, config.num_terms, known=context.forms)
        self._rows = spread_over_target(context.table.training, NUM_ROWS)
        self._trials = Trials(context.rows, config.fit)
        scaled = self._rows.with_divided_target(squaring_exponent(self._rows.target))
        self._roots = {each: np.sqrt(weights_of(scaled, each)) for each in self._trials.weightings}
        self._powers = PowerTerms(self._rows, columns)
        self._tried: set[bytes] = set()
        self._known: dict[bytes, list[_Addition]] = {}
        self._read(terms, context.table.training)

    def _read(self, terms: Sequence[Term], rows: Rows) -> None:
        self._terms, self._constants = list[Term](), list[Floats]()
        vectors, owners = list[Singles](), list[int]()
        for term, drawn, values in draw_values(terms, rows, self._rows, SHARE_OF_DRAWS):
            with np.errstate(all="ignore"):
                sizes = np.max(np.abs(values), axis=1, keepdims=True)
                is_usable = (np.isfinite(sizes) & (sizes > 0.0))[:, 0]
                shares = (values / sizes)[is_usable].astype(np.float32)
            drawn[:, 0] /= sizes[:, 0]
            owners += [len(self._terms)] * len(shares)
            self._terms.append(term)
            self._constants += list(drawn[is_usable])
            vectors.append(shares)
            if len(owners) >= MOST_VECTORS:
                break
        self._vectors = np.concatenate(vectors) if vectors else np.empty((0, self._rows.num_rows), dtype=np.float32)
        self._squares, self._owners = np.square(self._vectors), np.array(owners, dtype=np.intp)
        costs = [_cost(bits, form, self._rows.num_rows) for bits, form in self._terms]
        self._costs = np.array(costs)[self._owners] if owners else np.empty(0)

    def sketches(self, laws: Sequence[Equation]) -> list[Sketch]:
        """The most probable laws with a term more."""
        found = [one for law in laws if not law.expression.has_defined for one in self._known_additions(law.expression)]
        starts = list(islice(self._fresh(sorted(found, key=lambda one: -one.score)), self._config.num_tried))
        tried = sorted(all_tried_from(self._trials, starts, self._context.workers), key=lambda one: -one.score)
        limits = self._context.limits
        # In canonical words x^2 times x^2 is a power, which the user may not have allowed.
        allowed = (one for one in tried if limits.may_go_on(canonical(one.expression)))
        best = islice(allowed, self._config.num_sketches)
        return [Sketch(one.expression, -float(rank), ADDITIONS, is_fitted=True) for rank, one in enumerate(best)]

    def _fresh(self, additions: Sequence[_Addition]) -> Iterator[Start]:
        """The starts of laws that were not tried before."""
        for one in additions:
            start = one.start(len(self._rows.columns))
            key = canonical(start[0]).structure_key
            if key not in self._tried and _num_free(start[0]) <= self._max_constants:
                self._tried.add(key)
                yield start

    def _known_additions(self, law: Expression) -> list[_Addition]:
        """As `_additions`; a law often comes again in the next turn."""
        if law.key not in self._known:
            self._known[law.key] = list(self._additions(law))
        return self._known[law.key]

    @np.errstate(all="ignore")
    def _additions(self, law: Expression) -> Iterator[_Addition]:
        """The best terms at each node of a law."""
        heed_stop()
        slopes, exponent = slopes_at_places(law, self._rows), squaring_exponent(self._rows.target)
        plain = divided(self._rows.target - slopes.values, exponent)
        weighting, roots = max(self._roots.items(), key=lambda each: _log_likelihood(plain, each[1]))
        roots = roots * _is_near(roots * plain)
        residuals, own = roots * plain, roots * divided(slopes.by_constant, exponent)
        if not (np.all(np.isfinite(residuals)) and np.all(np.isfinite(own))):
            return
        basis = _basis(own)
        left = residuals - basis @ (basis.T @ residuals)
        for place, slope in zip(slopes.places, slopes.by_place, strict=True):
            along = roots * divided(slope, exponent)
            largest = float(np.max(np.abs(along)))
            if not math.isfinite(largest) or largest == 0.0:
                continue
            for term, constants, score in chain(
                self._listed(along / largest, left, basis), self._products(along / largest, left, basis)
            ):
                constants[0] /= largest
                yield _Addition(law, place, term, constants, weighting, score)

    def _listed(self, along: Floats, left: Floats, basis: Floats) -> Iterator[tuple[Term, Floats, float]]:
        """The best listed terms where the law changes by `along`, with their constants and scores."""
        gains, factors = self._gains(along, left, basis)
        scores = _nats(gains, left) - self._costs
        for best in self._best(scores):
            constants = self._constants[best].copy()
            constants[0] *= factors[best]
            yield self._terms[self._owners[best]], constants, float(scores[best])

    def _products(self, along: Floats, left: Floats, basis: Floats) -> Iterator[tuple[Term, Floats, float]]:
        """As `_listed`, products of powers that no list holds."""
        for found in self._powers.find(along, left, basis):
            bits = structure_bits(canonical(found.form), len(self._rows.columns))
            score = float(_nats(found.explained, left)) - _cost(bits, found.form, len(left))
            if score > 0.0:
                yield (bits, found.form), found.constants, score

    @np.errstate(all="ignore")
    def _gains(self, along: Floats, left: Floats, basis: Floats) -> tuple[Floats, Floats]:
        """Squares that each vector takes from the residuals beside the law's own constants, and its factor.

        along: (rows,) what a vector is multiplied by.  basis: (rows, constants), what the law's own constants explain.
        """
        lengths = self._squares @ np.square(along).astype(np.float32)
        inside = self._vectors @ (along[:, None] * basis).astype(np.float32)
        outside = (lengths - np.einsum("ij,ij->i", inside, inside)).astype(np.float64)
        products = (self._vectors @ (along * left).astype(np.float32)).astype(np.float64)
        factors = np.where(outside > LEAST_LEFT * lengths, products / outside, 0.0)
        return factors * products, factors

    def _best(self, scores: Floats) -> list[int]:
        """The best vectors of the best terms, where they gain anything."""
        order = np.argsort(-scores, kind="stable")[:NUM_RANKED]
        chosen: dict[int, int] = {}
        for place in order[scores[order] > 0.0].tolist():
            chosen.setdefault(int(self._owners[place]), place)
        return list(chosen.values())[: self._config.num_per_node]


def _nats(explained: Floats | float, left: Floats) -> Floats:
    """What a term gains in log likelihood that takes so many squares from what is left: (rows,)."""
    return np.asarray(-0.5 * len(left) * np.log1p(-np.minimum(explained / float(left @ left), MOST_EXPLAINED)))


def _cost(bits: float, form: Expression, num_rows: int) -> float:
    """What a term of so many bits takes to tell, its constants included, in nats."""
    return LOG_2 * bits + 0.5 * _num_free(form) * math.log(num_rows)


def _log_likelihood(residuals: Floats, roots: Floats) -> float:
    """Log likelihood of residuals whose spread is one over the roots of their weights, up to a constant."""
    count = len(residuals)
    return float(np.sum(np.log(roots)) - 0.5 * count * np.log(np.mean(np.square(roots * residuals))))


def _is_near(residuals: Floats) -> NDArray[np.bool_]:
    """Rows that are no outliers, which would ask for terms of their own; all where too many are far off: (rows,)."""
    sizes = np.abs(residuals)
    is_near = sizes <= FAR * np.median(sizes)
    return is_near if np.mean(~is_near) <= MOST_OUTLIERS else np.ones_like(is_near)


def _basis(slopes: Floats) -> Floats:
    """An orthonormal basis of the slopes: (rows, at most constants); slopes: (constants, rows)."""
    lengths = np.linalg.norm(slopes, axis=1)
    units = slopes[lengths > 0.0] / lengths[lengths > 0.0, None]
    left, sizes, _ = thin_svd(units.T)
    return left[:, sizes > LEAST_LEFT]


def _num_free(form: Expression) -> int:
    return int(np.count_nonzero(np.isnan(form.constants)))
