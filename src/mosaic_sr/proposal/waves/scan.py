"""The scan of a table for waves: its rows, arguments, amplitudes and backgrounds, and the peaks that stand out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import apply, variable
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.regression.projection import Background, make_background
from mosaic_sr.proposal.waves.phases import (
    ARGUMENTS,
    MORE_ARGUMENTS,
    Phase,
    Piece,
    make_exponentials,
    make_one,
    make_pieces,
    make_single,
)
from mosaic_sr.proposal.waves.spectrum import LEAST_PERIODS, Spectrometer, sharpen_peak
from mosaic_sr.proposal.waves.wave import Wave, refine_waves

Floats = NDArray[np.float64]
# Waves with the share of the squares that each seems to explain.
Shares = Iterator[tuple[float, Wave]]

# Functions of one column and of two that stand before a wave most often.
AMPLITUDES = (("a", "a^2", "1/a", "sqrt(a)"), ("a*b", "a/b", "b/a"))
# Of exponentials over half the range of a column; a fit starts from them.
AMPLITUDE_RATES = (0.5, -0.5, -2.0)
# What stands beside slow waves must not be able to bend as they do.
PLAIN = (("a", "a^2"), ("a*b",))
# Periods from which a wave is fast: no short sum of smooth terms has it.
FAST = 4.0
# Terms of the background that the rows can still bear beside the waves.
LEAST_ROWS_PER_TERM = 5
# Rows for scans by all amplitudes and for laws: these many tell them apart.
FEW_ROWS = 300
# Rows for the refinement of frequencies, beside a background of up to a hundred terms.
REFINING_ROWS = 600
# A rich background has so many terms at most, and so many rows for each; it is worth its own scan when it leaves less
# than this share of what the plain one leaves.
MOST_RICH, ROWS_PER_RICH, RICHER = 120, 8, 0.8
# Higher powers of one column are alike in float64 but for rounding.
HIGHEST_DEGREE = 12
# Columns whose mean is below this share of their spread change sign: a wave under them cannot be seen without them.
BALANCED = 0.5
# A deviation of what is left, as a share of the target's, that terms of large size leave by rounding.
ROUNDING = 1e-9
# A scan by all amplitudes reaches to so many points, with so many to a period over the range.
SMALL_GRID, SMALL_OVERSAMPLING = 1024, 4.0
# The others: at worst, half way between two frequencies, a wave still has two thirds of its power.
OVERSAMPLING = 1.5
NUM_COLUMNS = 10  # of wider tables the most relevant ones: arguments grow with their square
FEW_COLUMNS = 4  # up to here also arguments of three columns and rarer ones of two
NUM_AMPLITUDE_COLUMNS = 4  # amplitudes of pairs, times arguments of pairs
NUM_WIDE_COLUMNS = 5  # two thousand arguments of two to four
NUM_ROWS = 2000  # a wave of 3 % of the squares stands out of a million frequencies
NUM_CLOSE = 6  # peaks that are fitted together with the background
# A slow wave is worth a fit when it explains this much of what a smooth background leaves.
LEAST_SHARE = 0.3
FALSE_ALARM = 0.01  # of a scan of noise; a false peak costs some hundredths of a second
POINTS = 2**17  # of a grid: some 40,000 periods, and three times as many of a strong wave; 1.5 ms
HIDDEN_POINTS = 2**14  # the same under an amplitude that changes sign
MOST_HIDING = 15  # amplitudes that change sign: five columns and their products
MANY_ARGUMENTS = 100  # from here on grids have a quarter of the points


class Scan:
    """The rows of a table, arguments and amplitudes of waves there, and what backgrounds leave.

    order: the columns in use.  relevant, wide: the most relevant of them.  plain: terms that stand beside slow waves.
    """

    def __init__(self, context: ProposalContext) -> None:
        self._context = context
        self.rows = context.table.some_training(NUM_ROWS)
        ranked = np.argsort(-context.scores, kind="stable").tolist()
        self.order = sorted(ranked[:NUM_COLUMNS])
        self.relevant = sorted(ranked[:NUM_AMPLITUDE_COLUMNS])
        self.wide = sorted(ranked[:NUM_WIDE_COLUMNS])
        self.columns = [Piece(variable(column), self.rows.columns[column]) for column in self.order]
        self.arguments = {make_single(piece): piece for piece in self._make_arguments()}
        self.one = make_one(self.rows.num_rows)
        self.amplitudes = [
            self.one,
            *self.pieces(AMPLITUDES[:1], self.relevant),
            *self.exponentials(AMPLITUDE_RATES, self.relevant),
            *self.pieces(((), AMPLITUDES[1]), self.relevant),
        ]
        self.plain = list(self.pieces(PLAIN, self.relevant))[: self.most_terms]
        self._few = slice(0, FEW_ROWS)
        self._rests = self._make_rests()
        self._refining = self._rests[-1][0].head(REFINING_ROWS)

    def _make_arguments(self) -> Iterator[Piece]:
        texts = [ARGUMENTS, MORE_ARGUMENTS] if len(self.order) <= FEW_COLUMNS else [ARGUMENTS]
        for forms in texts:
            yield from (piece for piece in self.pieces(forms, self.order) if np.ptp(piece.values) > 0)

    @property
    def most_terms(self) -> int:
        """Terms that the rows for laws can bear."""
        return min(self.rows.num_rows, FEW_ROWS) // LEAST_ROWS_PER_TERM

    def pieces(self, texts: Sequence[Sequence[str]], columns: Sequence[int]) -> Iterator[Piece]:
        """The forms of the columns on the rows of the scan."""
        return make_pieces(texts, columns, self._context.table, self.rows.columns, self._context.operators)

    def exponentials(self, rates: Sequence[float], columns: Sequence[int]) -> Iterator[Piece]:
        """Exponentials of the columns that grow or decay by so much over half their range."""
        if "exp" in self._context.operators:
            yield from make_exponentials(rates, columns, self.rows.columns)

    def _make_rests(self) -> list[tuple[Background, Floats]]:
        """The plain background and what it leaves, (rows,), and a rich one where it leaves much less."""
        target = self.rows.target
        one = np.ones(len(target))
        plain = make_background(np.array([one, *(piece.values for piece in self.plain)]))
        rest = plain.without(target)
        most = min(MOST_RICH, len(target) // ROWS_PER_RICH)
        rich = make_background(np.array([one, *_powers(self.rows.columns[self.order], most)]))
        left = rich.without(target)
        spare = 1.0 - rich.directions.shape[1] / len(target)
        is_richer = float(left @ left) < RICHER * spare * float(rest @ rest)
        return [(plain, rest), *([(rich, left)] if is_richer else [])]

    @property
    def has_rest(self) -> bool:
        """Whether the background and the bare amplitudes leave more of the target than rounding.

        What they explain would be explained by waves of no frequency as well.
        """
        bare = [piece.values for piece in [*self.plain, *self.amplitudes]][: self.rows.num_rows // 2]
        rest = make_background(np.array(bare)).without(self.rows.target)
        return bool(np.std(rest) > ROUNDING * np.std(self.rows.target))

    def rest_values(self, chain: Sequence[Wave]) -> list[Floats]:
        """What the backgrounds and the waves of a chain leave, the richest background last."""
        if not chain:
            return [rest for _, rest in self._rests]
        terms = np.concatenate([found.terms for found in chain])
        return [make_background(background.without(terms)).without(rest) for background, rest in self._rests]

    def left(self, chain: Sequence[Wave]) -> float:
        """The spread of what the chain leaves."""
        return min(float(np.std(rest)) for rest in self.rest_values(chain))

    def refined(self, chain: Sequence[Wave]) -> list[Wave]:
        """The chain with all its frequencies refined together."""
        waves = [found.on(slice(0, REFINING_ROWS)) for found in chain]
        sharp = refine_waves(waves, self._refining, self.rows.target[:REFINING_ROWS])
        return [replace(found, frequencies=wave.frequencies) for wave, found in zip(sharp, chain, strict=True)]

    def best(self, found: Shares, chain: Sequence[Wave]) -> list[Wave]:
        """The waves of the highest shares fitted together with all the rest, the best first."""
        highest = [each for _, each in sorted(found, key=lambda pair: -pair[0])[:NUM_CLOSE]]
        fitted = [self.refined([*chain, each])[-1] for each in highest]
        waving = [each for each in fitted if each.num_periods >= LEAST_PERIODS]
        return sorted(waving, key=lambda each: self.left([*chain, each]))

    def slow(self, rest: Floats) -> Shares:
        """Waves under all amplitudes that explain a large share."""
        amplitudes = np.array([piece.values[self._few] for piece in self.amplitudes])
        own = rest[self._few]
        sizes = np.sum(np.square(amplitudes), axis=1) * float(own @ own)
        series = amplitudes * own
        factors = 2.0 * np.sum(np.square(series), axis=1) / np.maximum(sizes, 1e-300)
        least = LEAST_SHARE / np.maximum(factors, 1e-300)
        spectrometer = Spectrometer((SMALL_GRID,), SMALL_OVERSAMPLING, len(series))
        for phase, argument in self.arguments.items():
            if not set(self.relevant).issuperset(argument.expression.columns):
                continue
            own_arguments = phase.arguments[:, self._few]
            for peak in spectrometer.highest_peaks(own_arguments, phase.extents, series, least):
                yield (
                    float(factors[peak.series]) * peak.power,
                    Wave(peak.frequencies, phase, self.amplitudes[peak.series]),
                )

    def fast(self, phases: Sequence[Phase], rest: Floats, longer: int) -> Shares:
        """Waves that stand out, also under the amplitudes that might hide them; longer: factor on the grids."""
        hidden = [piece for piece in self.columns if abs(piece.values.mean()) < BALANCED * piece.values.std()]
        hiding = [*hidden, *(_product(one, two) for one, two in combinations(hidden, 2))]
        shorter = 1 if len(phases) <= MANY_ARGUMENTS else 4
        yield from self.standing_out(phases, [self.one], rest, (longer * POINTS // shorter,))
        yield from self.standing_out(phases, hiding[:MOST_HIDING], rest, (longer * HIDDEN_POINTS // shorter,))

    def standing_out(
        self,
        phases: Sequence[Phase],
        amplitudes: Sequence[Piece],
        rest: Floats,
        sizes: Sequence[int],
        num_phases: int = 0,
    ) -> Shares:
        """Waves of a power that noise has anywhere in the scan with the probability `false_alarm`.

        sizes: of grids.  num_phases: of the whole scan, where these are a batch of it.
        """
        num_peaks = max(len(phases), num_phases) * len(amplitudes) * float(np.prod(sizes))
        threshold = float(np.log(max(num_peaks, 1.0) / FALSE_ALARM))
        if not num_peaks or 0.5 * self.rows.num_rows <= threshold:
            return
        series = np.array([rest * amplitude.values for amplitude in amplitudes])
        spectrometer = Spectrometer(sizes, OVERSAMPLING, len(series))
        for phase in phases:
            least = np.full(len(series), threshold)
            for peak in spectrometer.highest_peaks(phase.arguments, phase.extents, series, least):
                sharp = sharpen_peak(peak, phase.arguments, phase.extents, series[peak.series], sizes[0])
                found = Wave(sharp.frequencies, phase, amplitudes[peak.series])
                share = 2.0 * sharp.power / self.rows.num_rows
                is_slow = found.num_periods < FAST
                if sharp.power >= threshold and not (is_slow and share < LEAST_SHARE):
                    yield share, found


def _product(one: Piece, two: Piece) -> Piece:
    return Piece(apply("mul", one.expression, two.expression), one.values * two.values)


def _powers(columns: Floats, most: int) -> Iterator[Floats]:
    """Products of powers of the columns (columns, rows), by degrees, as long as there are at most so many."""
    middle = 0.5 * (columns.max(axis=1) + columns.min(axis=1))
    centred = (columns - middle[:, None]) / np.maximum(0.5 * np.ptp(columns, axis=1), 1e-300)[:, None]
    last = [(np.ones(columns.shape[1]), 0)]
    count = 0
    for _ in range(HIGHEST_DEGREE):
        last = [(values * centred[place], place) for values, start in last for place in range(start, len(centred))]
        count += len(last)
        if count > most:
            return
        yield from (values for values, _ in last)
