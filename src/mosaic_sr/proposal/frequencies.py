"""Frequencies of sines and cosines: a fit cannot find them from afar, a Fourier transform of the rows can.

Scanned are single arguments through up to hundreds of thousands of periods, sums of two columns with a frequency each,
and phases with a square or a product. A peak counts when noise would have one as high anywhere in the scan with a
small, stated probability. Longer scans come after a pause.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import measure
from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.proposal.phases import ARGUMENTS, Phase, Piece, bowl, pieces, plane, saddle, single
from mosaic_sr.proposal.question import Pause, Question
from mosaic_sr.proposal.spectrum import LEAST_PERIODS, Peak, Spectrometer, sharpened
from mosaic_sr.proposal.wave_laws import Found, Surroundings
from mosaic_sr.proposal.waves import Background, Wave, make_background, refined
from mosaic_sr.sketch import Sketch

Floats = NDArray[np.float64]
# Sketches, and at the end whether they hold a law that leaves nothing to explain.
Batches = Generator[list[Sketch], None, bool]

# The number under the exponential is a start.
AMPLITUDES = (("a", "a^2", "1/a", "sqrt(a)", "exp(0.5*a)", "exp(-0.5*a)", "exp(-2*a)"), ("a*b", "a/b", "b/a"))
# A wave that is known bears more trials of them.
RATES = tuple(f"exp({rate}*a)" for rate in (-8, -4, -1, 1, 2))
# What stands beside slow waves must not be able to bend as they do.
PLAIN = (("a", "a^2"), ("a*b",))
BESIDE = (("a", "a^2", "a^3", "log(a)", "1/a", "sqrt(a)"), ("a*b", "a/b", "b/a"))
# Periods from which a wave is fast: no short sum of smooth terms has it.
FAST = 4.0
# Terms of the background that the rows can still bear beside the waves.
LEAST_ROWS_PER_TERM = 5
LEAST_ROWS = 12
# Above this error no floor is in reach, and the floor need not be computed.
WORTH_A_LOOK = 1e-9
# Nodes; a wave that needs more background than this explains nothing.
LARGEST_SKETCH = 48
# Rows for the refinement of frequencies, beside a background of up to a hundred terms.
REFINING_ROWS = 600
# Rows for scans of all amplitudes and for laws: these many tell them apart.
FEW_ROWS = 300
# A rich background is worth its own scan when it leaves less than this share of what the plain one leaves.
RICHER = 0.8
# Columns whose mean is below this share of their size change sign: a wave under them cannot be seen without them.
BALANCED = 0.5
# A scan by all amplitudes reaches to so many points, with so many to a period over the range.
SMALL_GRID, SMALL_OVERSAMPLING = 1024, 4.0
# The others: at worst half way between two frequencies a wave still has two thirds of its power.
OVERSAMPLING = 1.5
# A wave is followed by others of a sum when it explains so much of what is left.
LEAST_OF_SLOW, LEAST_OF_FAST = 0.5, 0.05
# The partner of a wave in a product leaves at most this share of what the wave alone leaves.
PARTNERED = 0.7


@dataclass(frozen=True)
class FrequencyConfig:
    """How widely frequencies are looked for."""

    num_columns: int = 10  # of wider tables the most relevant ones: arguments grow with their square
    num_amplitude_columns: int = 4  # amplitudes of pairs, times arguments of pairs
    num_rows: int = 2000  # a wave of 3 % of the squares stands out of a million frequencies
    num_waves: int = 3  # of one sum
    num_close: int = 6  # peaks that are fitted together with the background
    num_peaks: int = 2  # of those that are followed
    # A slow wave is worth a fit when it explains this much of what a smooth background leaves.
    least_share: float = 0.3
    false_alarm: float = 0.01  # of a scan of noise; a false peak costs some hundredths of a second
    points: int = 2**17  # of a grid: some 40,000 periods, and three times as many of a strong wave; 1.5 ms
    hidden_points: int = 2**14  # the same under an amplitude that changes sign
    many_arguments: int = 100  # from here on grids have a quarter of the points
    lengthening: int = 8  # of grids after the pause; 15 ms each
    long_arguments: int = 30


def propose_frequencies(
    config: FrequencyConfig, question: Question, rng: np.random.Generator
) -> Iterator[list[Sketch]]:
    """Laws with one to three sinusoids, where these explain much."""
    del rng  # nothing is left to chance
    if question.rows.num_rows < LEAST_ROWS or not {"sin", "cos", "add", "mul"} <= set(question.operators):
        return
    search = _Search(config, question)
    if not search.has_rest:
        return
    for waves in (search.sums_of_waves(), search.waves_of_many((512, 512), (64, 64, 64))):
        if (yield from waves):
            return
    yield Pause()
    if not (yield from search.long_waves()):
        yield from search.waves_of_many((2048, 2048), (128, 128, 128))


@dataclass(frozen=True, eq=False)
class _Rest:
    """What a background leaves of the target: (rows,)."""

    background: Background
    values: Floats


class _Search:
    """Arguments, amplitudes and backgrounds of one table."""

    def __init__(self, config: FrequencyConfig, question: Question) -> None:
        self._config, self._question, self._table = config, question, question.table
        self._rows = question.table.some_training(config.num_rows)
        ranked = np.argsort(-question.scores, kind="stable").tolist()
        self._order = sorted(ranked[: config.num_columns])
        relevant = sorted(ranked[: config.num_amplitude_columns])
        self._columns = [Piece(variable(column), self._rows.columns[column]) for column in self._order]
        arguments = (piece for piece in self._pieces(ARGUMENTS, self._order) if np.ptp(piece.values) > 0)
        self._arguments = {single(piece): piece for piece in arguments}
        one = Piece(constant(1.0), np.ones(self._rows.num_rows))
        self._amplitudes = [one, *self._pieces(AMPLITUDES, relevant)]
        most = min(self._rows.num_rows, FEW_ROWS) // LEAST_ROWS_PER_TERM
        self._plain = list(self._pieces(PLAIN, relevant))[:most]
        self._beside = list(self._pieces(BESIDE, relevant))[:most]
        self._few = slice(0, FEW_ROWS)
        self._around = Surroundings(
            question, self._rows.take(np.arange(self._rows.num_rows)[self._few]), self._on_few(self._beside),
            self._on_few([*self._amplitudes, *self._pieces((RATES,), relevant)]), relevant,
        )  # fmt: skip
        self._rests = self._make_rests()
        self._refining = self._rests[-1].background.head(REFINING_ROWS)

    def _pieces(self, texts: Sequence[Sequence[str]], columns: Sequence[int]) -> Iterator[Piece]:
        return pieces(texts, columns, self._table, self._rows.columns, self._question.operators)

    def _on_few(self, every: Sequence[Piece]) -> list[Piece]:
        less = (Piece(piece.expression, piece.values[self._few]) for piece in every)
        return [piece for piece in less if np.any(piece.values != 0)]

    def _make_rests(self) -> list[_Rest]:
        """The plain rest, and that of a rich background where it leaves much less."""
        target = self._rows.target
        one = np.ones(len(target))
        plain = make_background(np.array([one, *(piece.values for piece in self._plain)]))
        rests = [_Rest(plain, plain.without(target))]
        rich = make_background(np.array([one, *_powers(self._rows.columns[self._order], len(target) // 8)]))
        left = rich.without(target)
        spare = 1.0 - rich.directions.shape[1] / len(target)
        if float(left @ left) < RICHER * spare * float(rests[0].values @ rests[0].values):
            rests.append(_Rest(rich, left))
        return rests

    @property
    def has_rest(self) -> bool:
        """Whether the background and the bare amplitudes leave more of the target than rounding.

        What they explain would be explained by waves of no frequency as well.
        """
        bare = [piece.values for piece in [*self._plain, *self._amplitudes]][: self._rows.num_rows // 2]
        rest = make_background(np.array(bare)).without(self._rows.target)
        return bool(np.std(rest) > 1e-9 * np.std(self._rows.target))

    def _is_law(self, expression: Expression) -> bool:
        """Whether nothing is left to explain on the rows."""
        rows = self._question.rows
        return measure(expression, rows).nmse < WORTH_A_LOOK and is_exact(expression, rows, self._table)

    def sums_of_waves(self) -> Batches:
        """Sums of waves of one argument each, found one after the other."""
        for rank, first in enumerate(self._waves([])[: self._config.num_peaks]):
            chain = [first]
            for _ in range(self._config.num_waves):
                if (yield from self._told(list(self._sums(chain)))):
                    return True
                if len(chain) == 1:
                    yield from self._around_one(first)
                # The second best guess at one wave is seldom part of a sum.
                more = self._waves(chain)[:1] if rank == 0 and self._is_worth_more(chain) else []
                if not more:
                    break
                chain = self._refined([*chain, *more])
        return False

    def _is_worth_more(self, chain: Sequence[Found]) -> bool:
        """Whether the last wave explains so much that it is no mere bend of what is left."""
        after, before = self._left(chain), self._left(chain[:-1])
        is_slow = chain[-1].wave.num_periods < FAST
        return after**2 < (1.0 - (LEAST_OF_SLOW if is_slow else LEAST_OF_FAST)) * before**2

    def _told(self, laws: Sequence[Expression]) -> Batches:
        """The laws as a batch, and whether the first leaves nothing to explain."""
        yield _sketches(laws)
        return any(map(self._is_law, laws[:1]))

    def _sums(self, chain: Sequence[Found]) -> Iterator[Expression]:
        few = [found.on(self._few) for found in chain]
        is_fast = min(found.wave.num_periods for found in chain) >= FAST
        yield self._around.sum_law(few, self._around.terms if is_fast else self._on_few(self._plain))
        yield self._around.sum_law(few, [])

    def _around_one(self, found: Found) -> Iterator[list[Sketch]]:
        """Laws of one wave with amplitudes, links and terms beside it."""
        few = found.on(self._few)
        yield _sketches([*self._around.linked_laws(few), *self._around.folded_laws(few)])
        yield _sketches(list(self._around.sparse_laws(self._around.oscillation(few))))

    def _refined(self, chain: Sequence[Found]) -> list[Found]:
        """The chain with all its frequencies refined together."""
        waves = [found.on(slice(0, REFINING_ROWS)).wave for found in chain]
        sharp = refined(waves, self._refining, self._rows.target[:REFINING_ROWS])
        return [
            replace(found, wave=replace(found.wave, frequencies=wave.frequencies))
            for wave, found in zip(sharp, chain, strict=True)
        ]

    def _left(self, chain: Sequence[Found]) -> float:
        return min(float(np.std(rest)) for rest in self._rest_values(chain))

    def _rest_values(self, chain: Sequence[Found]) -> list[Floats]:
        """What the backgrounds and the chain leave."""
        if not chain:
            return [rest.values for rest in self._rests]
        terms = np.concatenate([found.wave.terms for found in chain])
        return [make_background(rest.background.without(terms)).without(rest.values) for rest in self._rests]

    def _waves(self, chain: Sequence[Found]) -> list[Found]:
        """The best waves of one argument beside the chain, the best first."""
        rests = self._rest_values(chain)
        return self._best([*self._slow(rests[0]), *self._fast(list(self._arguments), rests[-1], 1)], chain)

    def _best(self, found: Sequence[tuple[float, Found]], chain: Sequence[Found]) -> list[Found]:
        """The highest peaks fitted together with all the rest; found: shares and waves."""
        highest = [each for _, each in sorted(found, key=lambda pair: -pair[0])[: self._config.num_close]]
        fitted = [self._refined([*chain, each])[-1] for each in highest]
        waving = [each for each in fitted if each.wave.num_periods >= LEAST_PERIODS]
        return sorted(waving, key=lambda each: self._left([*chain, each]))

    def _slow(self, rest: Floats) -> Iterator[tuple[float, Found]]:
        """Waves under all amplitudes that explain a large share."""
        amplitudes = np.array([piece.values[self._few] for piece in self._amplitudes])
        own = rest[self._few]
        sizes = np.sum(np.square(amplitudes), axis=1) * float(own @ own)
        series = amplitudes * own
        factors = 2.0 * np.sum(np.square(series), axis=1) / np.maximum(sizes, 1e-300)
        least = self._config.least_share / np.maximum(factors, 1e-300)
        relevant = set(self._around.columns)
        spectrometer = Spectrometer((SMALL_GRID,), SMALL_OVERSAMPLING, len(series))
        for phase, argument in self._arguments.items():
            if not relevant.issuperset(argument.expression.columns):
                continue
            own_arguments = phase.arguments[:, self._few]
            for peak in spectrometer.highest_peaks(own_arguments, phase.extents, series, least):
                share = float(factors[peak.series]) * peak.power
                yield share, self._found(peak, phase, self._amplitudes[peak.series])

    def _fast(self, phases: Sequence[Phase], rest: Floats, longer: int) -> Iterator[tuple[float, Found]]:
        """Waves that stand out, also under the amplitudes that might hide them; longer: factor on the grids."""
        hidden = [piece for piece in self._columns if abs(piece.values.mean()) < BALANCED * piece.values.std()]
        hiding = [*hidden, *(_product(one, two) for one, two in combinations(hidden, 2))]
        config = self._config
        shorter = 1 if len(phases) <= config.many_arguments else 4
        yield from self._standing_out(phases, [None], rest, (longer * config.points // shorter,))
        yield from self._standing_out(
            phases, hiding[: config.num_columns], rest, (longer * config.hidden_points // shorter,)
        )

    def _standing_out(
        self, phases: Sequence[Phase], amplitudes: Sequence[Piece | None], rest: Floats, sizes: Sequence[int]
    ) -> Iterator[tuple[float, Found]]:
        """Waves with a power that noise reaches nowhere in the scan with a probability of all but `false_alarm`."""
        num_peaks = len(phases) * len(amplitudes) * float(np.prod(sizes))
        threshold = float(np.log(max(num_peaks, 1.0) / self._config.false_alarm))
        if not num_peaks or 0.5 * self._rows.num_rows <= threshold:
            return
        spectrometer = Spectrometer(sizes, OVERSAMPLING)
        for phase in phases:
            for amplitude in amplitudes:
                series = rest if amplitude is None else rest * amplitude.values
                for peak in spectrometer.highest_peaks(
                    phase.arguments, phase.extents, series[None], np.array([threshold])
                ):
                    sharp = sharpened(peak, phase.arguments, phase.extents, series, sizes[0])
                    found = self._found(sharp, phase, amplitude)
                    share = 2.0 * sharp.power / self._rows.num_rows
                    is_slow = found.wave.num_periods < FAST
                    if sharp.power >= threshold and not (is_slow and share < self._config.least_share):
                        yield share, found

    def _found(self, peak: Peak, phase: Phase, amplitude: Piece | None) -> Found:
        ones = np.ones(self._rows.num_rows)
        wave = Wave(peak.frequencies, phase.arguments, ones if amplitude is None else amplitude.values)
        return Found(wave, phase, amplitude)

    def long_waves(self) -> Batches:
        """Waves of one argument on the longest grids."""
        phases = list(self._arguments)[: self._config.long_arguments]
        found = list(self._fast(phases, self._rest_values([])[-1], self._config.lengthening))
        for first in self._best(found, [])[:1]:
            if (yield from self._told(list(self._sums([first])))):
                return True
            yield from self._around_one(first)
        return False

    def waves_of_many(self, of_two: tuple[int, int], of_three: tuple[int, int, int]) -> Batches:
        """Waves whose phase has a frequency for each of two columns, for a column and its square, or for a product."""
        rest, pairs = self._rest_values([])[-1], list(combinations(self._columns, 2))
        planes = {plane(*pair): pair for pair in pairs}
        found = list(self._standing_out(list(planes), [None], rest, of_two))
        for first in self._best(found, [])[: self._config.num_peaks]:
            if (yield from self._told(self._of_two(first, planes[first.phase]))):
                return True
            yield from self._around_one(first)
        yield []
        found = list(self._standing_out(list(map(bowl, self._columns)), [None], rest, of_two))
        if len(pairs) <= self._config.num_columns:
            found += self._standing_out([saddle(*pair) for pair in pairs], [None], rest, of_three)
        for first in self._best(found, [])[: self._config.num_peaks]:
            if (yield from self._told(list(self._sums([first])))):
                return True
            yield from self._around_one(first)
        return False

    def _of_two(self, first: Found, pair: Sequence[Piece]) -> list[Expression]:
        """The wave alone, or with its partner as a product."""
        one, two = first.wave.frequencies
        partner = replace(first, wave=replace(first.wave, frequencies=(one, -two)))
        both = self._refined([first, partner])
        if self._left(both) > PARTNERED * self._left([first]):
            return list(self._sums([first]))
        few = [found.on(self._few) for found in both]
        oscillation = self._around.product(few[0], few[1], pair)
        if oscillation is None:
            return list(self._sums(both))
        laws = [self._around.with_terms(oscillation, terms) for terms in ([], self._around.terms)]
        return [*laws, *self._around.sparse_laws(oscillation)]


def _product(one: Piece, two: Piece) -> Piece:
    return Piece(apply("mul", one.expression, two.expression), one.values * two.values)


def _sketches(expressions: Sequence[Expression]) -> list[Sketch]:
    usable = [each for each in expressions if len(each) <= LARGEST_SKETCH]
    return [Sketch(each, -float(rank), "frequencies") for rank, each in enumerate(usable)]


def _powers(columns: Floats, most: int) -> Iterator[Floats]:
    """Products of powers of the columns, low degrees first, and functions of each: rich enough for what is smooth."""
    middle = 0.5 * (columns.max(axis=1) + columns.min(axis=1))
    centred = (columns - middle[:, None]) / np.maximum(0.5 * np.ptp(columns, axis=1), 1e-300)[:, None]
    last = [(np.ones(columns.shape[1]), 0)]
    count = 0
    for _ in range(12):
        last = [(values * centred[place], place) for values, start in last for place in range(start, len(centred))]
        count += len(last)
        if count > min(most, 120):
            return
        yield from (values for values, _ in last)
