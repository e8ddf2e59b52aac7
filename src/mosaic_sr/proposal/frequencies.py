"""Frequencies of sines and cosines: a fit cannot find them from afar, a scan of a grid can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import measure
from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.question import Question
from mosaic_sr.proposal.spectrum import LEAST_PERIODS, DoublePeak, Wave, best_double_peak, best_peaks, refined, solve
from mosaic_sr.sketch import Sketch

Floats = NDArray[np.float64]

ARGUMENTS = (("a", "a^2", "1/a", "sqrt(a)"), ("a*b", "a + b", "a - b", "a/b", "b/a"))
# The number under the exponential is a start.
AMPLITUDES = (("a", "a^2", "1/a", "sqrt(a)", "exp(0.5*a)", "exp(-0.5*a)", "exp(-2*a)"), ("a*b", "a/b", "b/a"))
BACKGROUND = (("a", "a^2"), ("a*b",))
# Terms of the background that the rows can still bear beside the waves.
LEAST_ROWS_PER_TERM = 5
LEAST_ROWS = 12
# Above this error no floor is in reach, and the floor need not be computed.
WORTH_A_LOOK = 1e-9
# Nodes; a wave that needs more background than this explains nothing.
LARGEST_SKETCH = 40
# The first rows are spread over the target; these many tell the frequencies of the grid apart.
SCANNED_ROWS = 128
# Of the two parts of a product of waves, which are equal, the weaker to the stronger.
LEAST_BALANCE = 0.4


@dataclass(frozen=True)
class FrequencyConfig:
    """How widely frequencies are looked for."""

    num_columns: int = 4  # the most relevant ones; arguments and amplitudes grow with their square
    num_waves: int = 2  # of one sum
    num_close: int = 6  # peaks that are fitted together with the background
    num_peaks: int = 2  # of those that are followed
    # A wave is worth a fit when it explains this much of what a smooth background leaves: the highest of 1e6 peaks of
    # noise explains 0.22 of the rows scanned.
    least_share: float = 0.3


@dataclass(frozen=True, eq=False)
class Piece:
    """An expression and its values: (rows,)."""

    expression: Expression
    values: Floats


@dataclass(frozen=True, eq=False)
class Found:
    """A wave, and the pieces it was made of."""

    wave: Wave
    argument: Piece
    amplitude: Piece | None


def propose_frequencies(
    config: FrequencyConfig, question: Question, rng: np.random.Generator
) -> Iterator[list[Sketch]]:
    """Sums of a smooth background and one or two sinusoids, and products of two, where these explain much."""
    if question.rows.num_rows < LEAST_ROWS or not {"sin", "cos"} <= set(question.operators):
        return
    search = _Search(config, question)
    if not search.has_rest:
        return
    for first in search.waves([])[: config.num_peaks]:
        chain = [first]
        for _ in range(config.num_waves):
            sketches = search.sketches(chain)
            yield sketches
            if any(search.is_law(sketch.expression) for sketch in sketches[:1]):
                return
            more = search.waves(chain)[:1]
            if not more:
                break
            chain = search.refined([*chain, *more])
    yield search.double_waves()


class _Search:
    """Arguments, amplitudes and background of one table."""

    def __init__(self, config: FrequencyConfig, question: Question) -> None:
        self._config, self._question = config, question
        rows = question.rows
        order = sorted(np.argsort(-question.scores, kind="stable")[: config.num_columns].tolist())
        self._columns = [Piece(variable(column), rows.columns[column]) for column in order]
        self._arguments = [piece for piece in _pieces(ARGUMENTS, order, question) if np.ptp(piece.values) > 0]
        self._amplitudes: list[Piece | None] = [None, *_pieces(AMPLITUDES, order, question)]
        smooth = list(_pieces(BACKGROUND, order, question))
        self._background = smooth[: rows.num_rows // LEAST_ROWS_PER_TERM]
        self._target = rows.target
        self._basis = np.array([np.ones(rows.num_rows), *(piece.values for piece in self._background)])

    @property
    def has_rest(self) -> bool:
        """Whether the background and the bare amplitudes leave more of the target than rounding.

        What they explain would be explained by waves of no frequency as well.
        """
        bare = [piece.values for piece in self._amplitudes if piece is not None]
        terms = np.array([*self._basis, *bare])[: len(self._target) // 2]
        rest = self._target - solve(terms, self._target) @ terms
        return bool(np.std(rest) > 1e-9 * np.std(self._target))

    def is_law(self, expression: Expression) -> bool:
        """Whether nothing is left to explain on the rows."""
        rows = self._question.rows
        return measure(expression, rows).nmse < WORTH_A_LOOK and is_exact(expression, rows, self._question.table)

    def _rest(self, chain: Sequence[Found]) -> Floats:
        terms = np.concatenate([self._basis, *(found.wave.terms for found in chain)])
        rest: Floats = self._target - solve(terms, self._target) @ terms
        return rest

    def waves(self, chain: Sequence[Found]) -> list[Found]:
        """The best waves beside the chain, the best first: the highest peaks, fitted together with all the rest."""
        rest = self._rest(chain)
        ones = np.ones(len(rest))
        amplitudes = np.array([ones if piece is None else piece.values for piece in self._amplitudes])
        found: list[tuple[float, Found]] = []
        few = slice(0, SCANNED_ROWS)
        for argument in self._arguments:
            for peak in best_peaks(argument.values[few], amplitudes[:, few], rest[few]):
                if peak.share >= self._config.least_share:
                    wave = Wave(peak.frequency, argument.values, amplitudes[peak.amplitude])
                    found.append((-peak.share, Found(wave, argument, self._amplitudes[peak.amplitude])))
        highest = [each for _, each in sorted(found, key=lambda pair: pair[0])[: self._config.num_close]]
        fitted = [self.refined([*chain, each])[-1] for each in highest]
        waving = [each for each in fitted if each.wave.num_periods >= LEAST_PERIODS]
        return sorted(waving, key=lambda each: float(np.std(self._rest([*chain, each]))))

    def refined(self, chain: Sequence[Found]) -> list[Found]:
        """The chain with all its frequencies refined together."""
        waves = refined([found.wave for found in chain], self._basis, self._target)
        return [replace(found, wave=wave) for wave, found in zip(waves, chain, strict=True)]

    def sketches(self, chain: Sequence[Found]) -> list[Sketch]:
        """The waves with the background that matters, and one wave also without any."""
        terms = np.concatenate([self._basis, *(found.wave.terms for found in chain)])
        solution = solve(terms, self._target)
        sizes = np.abs(solution) * np.sqrt(np.mean(np.square(terms), axis=1))
        left = float(np.std(self._target - solution @ terms))
        # Terms smaller than the scatter of what is left say nothing; at the floor these are rounding.
        matters = sizes > max(left, 1e-9 * float(np.max(sizes)))
        background = [
            constant(float(value)) if index == 0 else _times(float(value), self._background[index - 1].expression)
            for index, value in enumerate(solution[: len(self._basis)])
            if matters[index]
        ]
        pairs = zip(chain, solution[len(self._basis) :].reshape(-1, 2), strict=True)
        waves = [_sinusoid(found, float(sine), float(cosine)) for found, (sine, cosine) in pairs]
        sums = [_sum([*waves, *background])]
        if background and len(chain) == 1:
            sums.append(_sum(waves))
        return _sketches(sums)

    def double_waves(self) -> list[Sketch]:
        """Products of sinusoids of two columns, or sinusoids of their sum, for the pairs that explain most."""
        few = slice(0, SCANNED_ROWS)
        rest = self._rest([])[few]
        found: list[tuple[float, Expression]] = []
        for one, two in combinations(self._columns, 2):
            peak = best_double_peak(one.values[few], two.values[few], rest)
            if peak.share >= self._config.least_share:
                pairs = zip(peak.frequencies, (one, two), strict=True)
                phases = [-frequency * float(np.mean(piece.values[few])) for frequency, piece in pairs]
                found.append((-peak.share, _double_wave(peak, (one.expression, two.expression), phases)))
        return _sketches([each for _, each in sorted(found, key=lambda pair: pair[0])[:2]])


def _double_wave(peak: DoublePeak, columns: Sequence[Expression], phases: Sequence[float]) -> Expression:
    """The product of two sinusoids, or one of a sum or a difference where the other is weak; phases: at column 0."""
    stronger, weaker = sorted((abs(peak.of_sum), abs(peak.of_difference)), reverse=True)
    if weaker < LEAST_BALANCE * stronger:
        is_sum = abs(peak.of_sum) == stronger
        value = peak.of_sum if is_sum else peak.of_difference
        sign = 1.0 if is_sum else -1.0
        angle = apply("add", _times(peak.frequencies[0], columns[0]), _times(sign * peak.frequencies[1], columns[1]))
        phase = phases[0] + sign * phases[1] - float(np.angle(value))
        return _times(stronger, apply("cos", apply("add", angle, constant(phase))))
    # cos(a + b - s) + cos(a - b - d) = 2 cos(a - (s + d) / 2) cos(b - (s - d) / 2)
    of_sum, of_difference = float(np.angle(peak.of_sum)), float(np.angle(peak.of_difference))
    shifts = (phases[0] - 0.5 * (of_sum + of_difference), phases[1] - 0.5 * (of_sum - of_difference))
    waves = [
        apply("cos", apply("add", _times(frequency, column), constant(shift)))
        for frequency, column, shift in zip(peak.frequencies, columns, shifts, strict=True)
    ]
    return _times(stronger + weaker, apply("mul", waves[0], waves[1]))


def _sketches(expressions: Sequence[Expression]) -> list[Sketch]:
    usable = [each for each in expressions if len(each) <= LARGEST_SKETCH]
    return [Sketch(each, -float(rank), "frequencies") for rank, each in enumerate(usable)]


def _sinusoid(found: Found, sine: float, cosine: float) -> Expression:
    """Amplitude times sin(w u + p), as a plain sine or cosine where the phase is one."""
    argument = _times(found.wave.frequency, found.argument.expression)
    size = float(np.hypot(sine, cosine))
    if abs(cosine) <= 1e-6 * size:
        value, size = apply("sin", argument), sine
    elif abs(sine) <= 1e-6 * size:
        value, size = apply("cos", argument), cosine
    else:
        value = apply("sin", apply("add", argument, constant(float(np.arctan2(cosine, sine)))))
    return _times(size, value if found.amplitude is None else apply("mul", found.amplitude.expression, value))


def _times(number: float, expression: Expression) -> Expression:
    return apply("mul", constant(number), expression)


def _sum(parts: Sequence[Expression]) -> Expression:
    total = parts[0]
    for part in parts[1:]:
        total = apply("add", total, part)
    return total


def _pieces(texts: Sequence[Sequence[str]], columns: Sequence[int], question: Question) -> Iterator[Piece]:
    """The forms of one and two columns that are finite on the rows."""
    for arity, forms in enumerate(texts, start=1):
        for form in (parse(text, "ab") for text in forms):
            for chosen in combinations(columns, arity):
                # A form of two columns reads columns 0 and 1, which stand for the chosen ones.
                expression = form.renamed(chosen)
                values = evaluate_expression(expression, question.rows.columns)
                if np.all(np.isfinite(values)) and np.max(np.abs(values)) < 1e12 and np.any(values != 0):
                    yield Piece(expression, values)
