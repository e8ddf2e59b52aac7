"""Enumeration: all forms of laws in the order of their bits under the structure prior, with their constants fitted.

Between its turns sums of terms are tried, because a sum of two known terms is out of reach for an enumeration of whole
laws.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import LOG_2
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import QuickConfig
from mosaic_sr.limits import Limits
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.by_units import grouped_columns
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.enumeration.atoms import Term
from mosaic_sr.proposal.enumeration.forms import STEP
from mosaic_sr.proposal.enumeration.streams import MOST_NEEDED, all_in_order
from mosaic_sr.proposal.enumeration.terms import SumConfig, first_terms, sums_of
from mosaic_sr.proposal.joined import Joined
from mosaic_sr.proposal.trials import ROWS_PER_CONSTANT, Trials, Tried, all_tried
from mosaic_sr.relevance import needed_columns
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows
from mosaic_sr.units.dimensions import Dimensions
from mosaic_sr.workers import Workers

__all__ = ["SUMS", "EnumerationConfig", "propose_enumeration"]

# The name under which sums of terms are reported.
SUMS = "sums of atoms"

# What even a column without any relevance adds to its share: it may act together with others only.
LEAST_SHARE = 0.05
# Lists over joined columns, of which each has all its forms of a turn; of more lists each has fewer.
LISTS_AT_ONCE = 2


@dataclass(frozen=True)
class EnumerationConfig:
    """How far forms are enumerated.

    turns: forms after which the law may be decided; where noise is left, the first two have one turn together.
    first_by_units: the first of these where units leave few forms.
    sums: of terms, which are tried after the first two.
    """

    turns: tuple[int, ...] = (500, 1000, 3000, 6000, 12_000, 24_000)  # about a thousand in a second
    first_by_units: int = 200  # as far as 500 forms without units, and further where groups have several columns
    sums: SumConfig = field(default_factory=SumConfig)
    max_constants: int = 6  # of the laws that are drawn for the prior few have more
    max_columns: int = 6  # the most relevant ones; forms of many columns are out of reach at any rate
    num_sketches: int = 30  # of each turn, handed on
    batch: int = 100  # forms after which the progress is shown
    # From so many starts 99 of 100 true forms of noisy tables reached their best constants, from two 78.
    fit: QuickConfig = field(default_factory=lambda: QuickConfig(6, 16, 30))


@dataclass(frozen=True, eq=False)
class _Listing:
    """Forms in the order of their bits, over the columns or over what these make together.

    trials: of forms.  by_units: as in `all_in_order`.  saved_bits: which laws have more over the columns.
    joined: over which forms stand in place of the columns; None where they stand over the columns.
    """

    columns: Sequence[int]
    column_bits: Sequence[float]
    needed: Sequence[int]
    operators: tuple[str, ...]
    most_constants: int
    trials: Trials
    by_units: dict[str, Any]
    saved_bits: float = 0.0
    joined: Joined | None = None

    @cached_property
    def forms(self) -> Iterator[tuple[float, Expression]]:
        """The forms that were not yet tried."""
        return all_in_order(
            self.columns, self.column_bits, self.needed, self.operators, self.most_constants, **self.by_units
        )

    def first_terms(self, count: int) -> list[Term]:
        """Terms of sums; their vectors are made by compiled code, which knows no operators of users."""
        built_in = tuple(name for name in self.operators if name in NAMES)
        return first_terms(self.columns, self.column_bits, built_in, self.most_constants, count, **self.by_units)

    def over_columns(self, tried: list[Tried]) -> list[Tried]:
        """What was tried, written over the columns."""
        if self.joined is None:
            return tried
        return [replace(one, expression=self.joined.law(one.expression)) for one in tried]

    def over_joined(
        self, joined: Joined, shares: NDArray[np.float64], rows: Rows, fit: QuickConfig
    ) -> Iterator[_Listing]:
        """The same over joined columns, each as likely as its columns together, where they have values."""
        seen = joined.seen(rows)
        if seen is None:
            return
        used = [set(quantity.columns) for quantity in joined.quantities]
        wanted = set(self.needed) - set(() if joined.front is None else joined.front.columns)
        # One of several quantities with a column may stand for all of them.
        wanted = {column for column in wanted if sum(column in own for own in used) == 1}
        dimensions = self.by_units["dimensions"]
        yield replace(
            self,
            columns=range(len(used)),
            column_bits=_naming_bits(np.array([shares[list(own)].sum() for own in used])),
            needed=[place for place, own in enumerate(used) if own & wanted],
            trials=Trials(seen, fit),
            by_units={"dimensions": _dimensions_of(joined, dimensions)},
            saved_bits=self.saved_bits + joined.bits,
            joined=joined,
        )


def propose_enumeration(
    config: EnumerationConfig, context: ProposalContext, rng: np.random.Generator
) -> Iterator[Event]:
    """The most probable forms of each turn."""
    del rng  # nothing is left to chance
    columns = np.sort(np.argsort(-context.scores, kind="stable")[: config.max_columns]).tolist()
    most_constants = min(config.max_constants, context.rows.num_rows // ROWS_PER_CONSTANT)
    operators = context.operators
    shares = context.scores + LEAST_SHARE
    bits = _naming_bits(shares[columns])
    needed = needed_columns(context.rows, columns)
    dimensions = context.limits.dimensions
    has_groups = dimensions is not None and "mul" in operators
    grouped = grouped_columns(context.table, dimensions.reduced) if dimensions and has_groups else None
    by_units: dict[str, Any] = {"dimensions": dimensions, "grouped": grouped, "known": context.forms}
    turns, saved_bits = config.turns, 0.0
    if grouped is not None and dimensions is not None and dimensions.are_constants_pure:
        # All laws are over the groups, where they have fewer bits than over the columns.
        saved_bits = grouped.saved_bits
        if context.joined is None:
            turns = (config.first_by_units, *turns[1:])
        by_units["most_needed"] = -1 if grouped.replace_columns(True) else MOST_NEEDED
    trials = Trials(context.rows, config.fit)
    plain = _Listing(columns, bits, needed, operators, most_constants, trials, by_units, saved_bits)
    ways = () if context.joined is None else context.joined.ways(operators)
    over_joined = [own for joined in ways for own in plain.over_joined(joined, shares, context.rows, config.fit)]
    # The rows ask for joined columns, but they may err.
    listed = [own for own in (over_joined, [plain] if len(needed) <= MOST_NEEDED or not over_joined else []) if own]
    if over_joined:
        context.coverage.over = ways[0].quantities
    if len(listed[0][0].needed) > MOST_NEEDED and (grouped is None or grouped.num_independent > MOST_NEEDED):
        if not context.looks_noisy:
            return
        context.coverage.has_begun = True
        yield from (Signal.PAUSE, Signal.PAUSE)
    coverage = context.coverage
    coverage.has_begun = True
    for turn, count in enumerate(turns):
        num_tried, reached = 0, coverage.bits
        for listings in listed:
            tried: list[Tried] = []
            for listing in listings:
                own = min(count, LISTS_AT_ONCE * count // len(listings))
                for batch in _batches(listing.forms, own, listing.trials, config, context.workers):
                    tried += listing.over_columns([one for _, one in batch])
                    reached = max(reached, batch[-1][0] + listing.saved_bits)
                    yield from repeat(Signal.HEARTBEAT, -(-len(batch) // config.batch))
            num_tried += len(tried)
            yield _sketches(tried, config.num_sketches, context.limits)
        coverage.num_forms, coverage.bits = coverage.num_forms + num_tried, reached
        if turn == 0:
            if not context.is_noise_left() or (over_joined and len(over_joined[0].columns) > 1):
                yield Signal.PAUSE  # finders may see what is left, or more than forms over joined columns do
            continue
        if turn == 1 and "add" in operators:
            # Where noise is all that is left, sums are what a law that is not yet decided waits for.
            for listings in listed:
                coverage.num_sums += yield from _propose_sums(listings[0], config, context)
            yield Signal.HEARTBEAT
        yield Signal.PAUSE
        if num_tried < count or not context.looks_noisy:
            return  # without noise, finders see what is out of reach for a few thousand forms


def _dimensions_of(joined: Joined, dimensions: Dimensions | None) -> Dimensions | None:
    """What the joined columns and the target behind the front measure; None where all forms over them fit."""
    if dimensions is None:
        return None
    own = dimensions.of_quantities(joined.quantities, joined.front)
    return own if any((*own.columns, own.target)) or not own.are_constants_pure else None


def _naming_bits(shares: NDArray[np.float64]) -> list[float]:
    """What it costs to name each of some columns, by their shares.

    In steps of bits, so that a search that begins again without outliers finds the forms already made.
    """
    bits: list[float] = (STEP * np.round(-np.log2(shares / shares.sum()) / STEP)).tolist()
    return bits


def _batches(
    forms: Iterator[tuple[float, Expression]],
    count: int,
    trials: Trials,
    config: EnumerationConfig,
    workers: Workers,
) -> Iterator[list[tuple[float, Tried]]]:
    """The next forms, tried, each with its bits."""
    at_once, num_asked = _at_once(config, workers), 0
    batch = list(islice(forms, min(at_once, count)))
    while batch:
        trying, num_asked = all_tried(trials, batch, workers), num_asked + len(batch)
        # The next forms are made while workers elsewhere try these.
        following = list(islice(forms, min(at_once, count - num_asked)))
        yield [(bits, one) for (bits, _), one in zip(batch, trying, strict=True)]
        batch = following


def _propose_sums(
    listing: _Listing, config: EnumerationConfig, context: ProposalContext
) -> Generator[Event, None, int]:
    """The most probable sums of terms; returns how many were tried."""
    num_sums, terms = 0, listing.first_terms(config.sums.num_terms)
    for found in sums_of(terms, listing.trials, config.sums, listing.most_constants, context.workers):
        num_sums += len(found)
        yield _sketches(listing.over_columns(found), config.num_sketches, context.limits, SUMS)
    return num_sums


def _at_once(config: EnumerationConfig, workers: Workers) -> int:
    """Forms that are tried together: a batch for each worker elsewhere."""
    return config.batch * (workers.num if workers.are_elsewhere else 1)


def _sketches(tried: list[Tried], count: int, limits: Limits, source: str = "enumeration") -> list[Sketch]:
    """The most probable of those that may be laws."""
    ordered = sorted(tried, key=lambda one: limits.costs.extra_bits(one.expression) * LOG_2 - one.score)
    # In canonical words x^2 times x^2 is a power, which the user may not have allowed.
    best = list(islice((one for one in ordered if limits.may_go_on(canonical(one.expression))), count))
    return [Sketch(one.expression, -float(rank), source, is_fitted=True) for rank, one in enumerate(best)]
