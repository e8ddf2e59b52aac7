"""Waves: the finder of laws with sines and cosines of unknown frequency, which a Fourier transform of the rows shows.

Scanned are single arguments through up to hundreds of thousands of periods, sums of two columns or of two forms of one
with a frequency each, and phases with a square or a product. A peak counts when noise would have one as high anywhere
in the scan with a small, stated probability. Longer scans come after a pause. Its border: what goes through less than
three quarters of a period bends as smooth terms do, and is left to `sums` and `products`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.waves.laws import Surroundings
from mosaic_sr.proposal.waves.phases import (
    SUMMED,
    WIDE_ARGUMENTS,
    Piece,
    make_bowl,
    make_plane,
    make_saddle,
    make_single,
)
from mosaic_sr.proposal.waves.scan import AMPLITUDE_RATES, AMPLITUDES, FAST, FEW_ROWS, Scan
from mosaic_sr.proposal.waves.wave import Wave
from mosaic_sr.sketch import Sketch, rank_sketches

# Sketches, and at the end whether they hold a law that leaves nothing to explain.
Batches = Generator[Event, None, bool]
# Points of a grid for each of two or three arguments.
Sizes = tuple[tuple[int, int], tuple[int, int, int]]

# A wave that is known bears more trials of amplitudes than one that is looked for.
RATES = (-8.0, -4.0, -1.0, 1.0, 2.0)
MORE_POWERS = ("a^3", "a^4", "a^5", "a^6", "1/a^2", "1/a^3", "sqrt(a)^3", "1/sqrt(a)")
BESIDE = (("a", "a^2", "a^3", "log(a)", "1/a", "sqrt(a)"), ("a*b", "a/b", "b/a", "sqrt(a*b)"))
# A wave with an offset has four numbers; a frequency needs three rows for each.
LEAST_ROWS = 12
# Nodes; a wave that needs more background than this explains nothing.
LARGEST_SKETCH = 48
# A wave is followed by others of a sum when it explains so much of what is left.
LEAST_OF_SLOW, LEAST_OF_FAST = 0.5, 0.05
# With its partner in a product a wave explains twice as much as alone, but for chance.
PARTNERED = 1.4
NUM_WAVES = 3  # of one sum
NUM_PEAKS = 2  # that are followed
SIZES = ((512, 512), (64, 64, 64))  # 170 periods of each of two arguments, 20 of three; some 3 ms
# After the pause, some 30 ms each.
LONG_SIZES = ((1024, 1024), (128, 128, 128))
LENGTHENING = 8  # of the grids of one argument
WIDE_POINTS = 2**14  # of a grid for each of two thousand arguments: some 5,000 periods; 0.3 ms
WIDE_BATCH = 256  # of them between two looks at the clock
LONG_ARGUMENTS = 30  # the simplest ones: each takes as many times longer
MOST_SADDLES = 10  # pairs of five columns
MOST_SUMMED = 2  # columns of a table in which all forms of one are paired


def propose_waves(context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Laws with one to three sinusoids, where these explain much."""
    del rng  # nothing is left to chance
    if context.rows.num_rows < LEAST_ROWS or not {"sin", "cos", "add", "mul"} <= set(context.operators):
        return
    scan = Scan(context)
    if not scan.has_rest:
        return
    search = _WaveSearch(context, scan)
    for waves in (search.sums_of_waves(), search.flat_waves(SIZES), search.bent_waves(SIZES)):
        if (yield from waves):
            return
        yield Signal.HEARTBEAT
    yield Signal.PAUSE
    for waves in (
        search.long_waves(),
        search.wide_waves(),
        search.flat_waves(LONG_SIZES),
        search.bent_waves(LONG_SIZES),
        search.summed_waves(SIZES),
    ):
        if (yield from waves):
            return
        yield Signal.HEARTBEAT


class _WaveSearch:
    """Follows the waves of a scan to laws."""

    def __init__(self, context: ProposalContext, scan: Scan) -> None:
        self._context, self._scan = context, scan
        self._few = slice(0, FEW_ROWS)
        self._plain = self._on_few(scan.plain)
        # A column in the amplitude of a fast wave looks irrelevant.
        singles = [
            *scan.pieces(((*AMPLITUDES[0], *MORE_POWERS),), scan.order),
            *scan.exponentials((*AMPLITUDE_RATES, *RATES), scan.order),
        ]
        pairs = scan.pieces(((), AMPLITUDES[1]), scan.order)
        self._around = Surroundings(
            context,
            scan.rows.take(np.arange(scan.rows.num_rows)[self._few]),
            self._on_few(list(scan.pieces(BESIDE, scan.relevant))[: scan.most_terms]),
            self._on_few([scan.amplitudes[0], *singles, *pairs]),
            scan.relevant,
        )
        self._around_slow = replace(self._around, terms=self._plain)
        self._followed: list[Wave] = []
        # Waves of one argument beside which those of two are looked for.
        self._chain: list[Wave] = []

    def _on_few(self, every: Sequence[Piece]) -> list[Piece]:
        less = (piece.on(self._few) for piece in every)
        return [piece for piece in less if np.any(piece.values != 0)]

    def sums_of_waves(self) -> Batches:
        """Sums of waves of one argument each, found one after the other."""
        for rank, first in enumerate(self._waves([])[:NUM_PEAKS]):
            self._followed.append(first)
            chain = [first]
            for _ in range(NUM_WAVES):
                if (yield from self._hand_on(list(self._sums(chain)))):
                    return True
                if len(chain) == 1:
                    yield from self._around_one(first)
                    self._chain = self._chain or chain
                # The second best guess at one wave is seldom part of a sum.
                more = self._waves(chain)[:1] if rank == 0 and self._is_worth_more(chain) else []
                if not more:
                    break
                self._chain = chain
                chain = self._scan.refined([*chain, *more])
        return False

    def _waves(self, chain: Sequence[Wave]) -> list[Wave]:
        """The best waves of one argument beside the chain, the best first."""
        scan, rests = self._scan, self._scan.rest_values(chain)
        slow, fast = scan.slow(rests[0]), scan.fast(list(scan.arguments), rests[-1], 1)
        return scan.best(iter([*slow, *fast]), chain)

    def _is_worth_more(self, chain: Sequence[Wave]) -> bool:
        """Whether the last wave explains so much that it is no mere bend of what is left."""
        after, before = self._scan.left(chain), self._scan.left(chain[:-1])
        is_slow = chain[-1].num_periods < FAST
        return after**2 < (1.0 - (LEAST_OF_SLOW if is_slow else LEAST_OF_FAST)) * before**2

    def _hand_on(self, given: Sequence[Expression | None]) -> Batches:
        """The laws that there are as a batch, and whether the first leaves nothing to explain."""
        laws = [law for law in given if law is not None]
        yield _sketches(laws)
        return any(map(self._is_law, laws[:1]))

    def _is_law(self, expression: Expression) -> bool:
        rows = self._context.rows
        return self._context.limits.may_lead(expression) and is_exact(expression, rows, self._context.table)

    def _sums(self, chain: Sequence[Wave]) -> Iterator[Expression | None]:
        few = [found.on(self._few) for found in chain]
        is_slow = any(found.num_periods < FAST for found in chain)
        yield self._around.sum_law(few, self._plain if is_slow else self._around.terms)
        yield self._around.sum_law(few, [])

    def _around_one(self, found: Wave) -> Iterator[Event]:
        """Laws of one wave with amplitudes, links and terms beside it."""
        few, is_slow = found.on(self._few), found.num_periods < FAST
        around = self._around_slow if is_slow else self._around
        yield _sketches(around.linked_laws(few))
        yield _sketches(list(around.sparse_laws(around.oscillation(few), is_slow)))

    def long_waves(self) -> Batches:
        """Waves of one argument on the longest grids."""
        phases = list(self._scan.arguments)[:LONG_ARGUMENTS]
        found = self._scan.fast(phases, self._scan.rest_values([])[-1], LENGTHENING)
        return (yield from self._of_one(self._scan.best(found, [])))

    def wide_waves(self) -> Batches:
        """Waves of squares of sums of two columns, and of products of powers of two to four."""
        phases = [make_single(piece) for piece in self._scan.pieces(WIDE_ARGUMENTS, self._scan.wide)]
        rest, sizes, batch = self._scan.rest_values([])[-1], (WIDE_POINTS,), WIDE_BATCH
        found: list[tuple[float, Wave]] = []
        for start in range(0, len(phases), batch):
            found += self._scan.standing_out(phases[start : start + batch], [self._scan.one], rest, sizes, len(phases))
            yield Signal.HEARTBEAT
        return (yield from self._of_one(self._scan.best(iter(found), [])))

    def summed_waves(self, sizes: Sizes) -> Batches:
        """Waves of two forms of one column."""
        if len(self._scan.order) > MOST_SUMMED:
            return False
        forms = [list(self._scan.pieces((SUMMED,), [column])) for column in self._scan.order]
        phases = [make_plane(*pair) for own in forms for pair in combinations(own, 2)]
        # A rich background can bend as such a wave does where it is slow.
        found = self._scan.standing_out(phases, [self._scan.one], self._scan.rest_values([])[0], sizes[0])
        return (yield from self._of_one(self._scan.best(found, [])))

    def _of_one(self, found: Sequence[Wave]) -> Batches:
        """The waves that were not followed before, each alone."""
        for first in [each for each in found if not any(map(each.is_same, self._followed))][:NUM_PEAKS]:
            self._followed.append(first)
            if (yield from self._hand_on(list(self._sums([first])))):
                return True
            yield from self._around_one(first)
        return False

    def flat_waves(self, sizes: Sizes) -> Batches:
        """Waves of two columns with a frequency each."""
        planes = {make_plane(*pair): pair for pair in combinations(self._scan.columns, 2)}
        found = self._scan.standing_out(
            list(planes), [self._scan.one], self._scan.rest_values(self._chain)[-1], sizes[0]
        )
        for first in self._scan.best(found, self._chain)[:NUM_PEAKS]:
            if (yield from self._hand_on(self._of_two(first, planes[first.phase]))):
                return True
            yield from self._around_one(first)
        return False

    def bent_waves(self, sizes: Sizes) -> Batches:
        """Waves of a column and its square, or of two columns and their product."""
        columns, rest = self._scan.columns, self._scan.rest_values([])[-1]
        found = list(self._scan.standing_out(list(map(make_bowl, columns)), [self._scan.one], rest, sizes[0]))
        pairs = list(combinations(columns, 2))
        if len(pairs) <= MOST_SADDLES:
            found += self._scan.standing_out([make_saddle(*pair) for pair in pairs], [self._scan.one], rest, sizes[1])
        return (yield from self._of_one(self._scan.best(iter(found), [])))

    def _of_two(self, first: Wave, pair: Sequence[Piece]) -> list[Expression | None]:
        """The wave, or the product that it is part of, beside the chain."""
        one, two = first.frequencies
        partner = replace(first, frequencies=(one, -two))
        chain = self._chain
        both = self._scan.refined([*chain, first, partner])
        whole, alone, together = (self._scan.left(waves) ** 2 for waves in (chain, [*chain, first], both))
        if whole - together < PARTNERED * (whole - alone):
            return [*self._sums(self._scan.refined([*chain, first])), *self._sums([first])]
        few = [found.on(self._few) for found in both]
        oscillation = self._around.product(few[-2], few[-1], pair)
        if oscillation is None:
            return list(self._sums(both))
        others = [self._around.oscillation(found) for found in few[:-2]]
        beside = [[], *([others] if others else []), [*others, *self._around.terms]]
        laws = [self._around.with_terms(oscillation, terms) for terms in beside]
        return [*laws, *self._around.sparse_laws(oscillation)]


def _sketches(expressions: Sequence[Expression]) -> list[Sketch]:
    return rank_sketches((each for each in expressions if len(each) <= LARGEST_SKETCH), "waves")
