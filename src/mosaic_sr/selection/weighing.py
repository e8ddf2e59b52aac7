"""Weighing: the evidence of the laws of one search, in the user's units and on all rows of its table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from mosaic_sr.equation import Equation, in_column_units
from mosaic_sr.evidence import Judged, Measured, Noise, choose_noise, judge
from mosaic_sr.evidence.given_units import UnitBits
from mosaic_sr.evidence.plausibility import is_plausible
from mosaic_sr.evidence.posterior import distinct, normalised
from mosaic_sr.evidence.reference import LEAST_ROWS, MOST_OUTLIERS, residual_gain, smooth_gain, strays, trend_left
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, scaled, substituted, variable
from mosaic_sr.expressions.simple_numbers import is_rounded
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.limits import Limits
from mosaic_sr.table import Rows, Table, thinned, unscaled
from mosaic_sr.table.kinds_of_target import are_target_counts

# Evidence is measured on at most so many training rows and as many validation rows: a law takes some milliseconds.
MOST_ROWS = 2000
# Laws among which the noise is judged: the first alone may be wrong, and misread the noise.
LAWS_FOR_NOISE = 3
# Log odds of the law against all laws that were not visited: with 100 rows, by how much they grow with the logarithm of
# the rows and with each bit by which the enumeration has gone further than the law. With few rows a wrong law leaves no
# trace. Set by some hundred tables of `measured-11` to `measured-13`.
UNVISITED, UNVISITED_PER_LOG, UNVISITED_PER_BIT = 3.0, 1.5, 0.2
LEAST_ODDS, MOST_SPARE_BITS = 0.2, 4.0
# By how much they fall with each bit that the law has more than what was enumerated: for a law without fitted
# constants, and for each of its first three. Constants bend a wrong law to the rows: on noisy tables of `generated`, 11
# of 12 such laws without them were right, and 3 of 10 with some.
UNVISITED_PER_MISSING_BIT, UNVISITED_PER_CONSTANT, MOST_CONSTANTS = 0.05, 0.05, 3
# A function without a closed form is so much less probable a priori than the laws that scientists write.
NO_CLOSED_FORM = 6.0
# A smooth function may be likelier than the true law by so much, by chance and because it needs no structure.
MOST_GAIN = 4.0
# A law that leaves more than this share of the target's spread is more likely incomplete than its rows are so noisy: by
# so much the odds fall with the logarithm of what it leaves.
USUAL_LEFT, UNVISITED_PER_LEFT = 0.15, 2.0
# A law that leaves less than this share is hardly wrong unless constants bend it to the rows: by so much the odds grow
# with the logarithm of what it leaves, shared out over the law and its fitted constants.
LITTLE_LEFT, UNVISITED_PER_LITTLE, LEAST_LEFT = 0.02, 1.0, 1e-6
# The kind of noise is judged on so many rows, because each law is fitted under each kind.
NOISE_ROWS = 400
# A row is called an outlier when it is more likely one than not.
LEAST_CHANCE = 0.5
# Standard deviation of what rounding to steps of 1 adds to a number.
ROUNDING_DEVIATION = math.sqrt(1.0 / 12.0)


@dataclass(frozen=True)
class Weighed:
    """An equation of a search with its evidence; `judged` is over the same columns in the user's units."""

    equation: Equation
    judged: Judged

    @property
    def score(self) -> float:
        return self.judged.score


class Weighing:
    """Weighs the laws of one table, each once under each noise; limits: they know the units."""

    def __init__(self, table: Table, limits: Limits | None = None) -> None:
        self._table, self._limits = table, Limits() if limits is None else limits
        self._unit_bits = UnitBits(self._limits)
        few = thinned(table, MOST_ROWS)
        self._is_thinned = few is not table
        self.measured = measured_rows(few)
        self._judged: dict[tuple[bytes, Noise], Judged | None] = {}
        self._noises: dict[tuple[bytes, ...], Noise] = {}
        self._units: dict[bytes, Expression] = {}
        self._plausible: dict[bytes, bool] = {}
        self._gains: dict[bytes, float | None] = {}
        self._rests: dict[bytes, bool] = {}
        self._trends: dict[bytes, float] = {}
        self._quantities: tuple[Expression, ...] = ()

    def weighed(self, equations: Sequence[Equation]) -> list[Weighed]:
        """The equations that have finite values on all rows, the most probable first."""
        noise = self.noise_of(equations)
        found = [(equation, self._judge(equation, noise)) for equation in equations]
        usable = [Weighed(equation, judged) for equation, judged in found if judged is not None]
        # The best constants of a law may break what those of the search keep.
        usable = [one for one in usable if self._limits.keep_wishes(one.judged.expression)]
        plausible = [one for one in usable if self._is_plausible(one.judged)]
        return sorted(plausible or usable, key=lambda one: -one.score)

    def _is_plausible(self, law: Judged) -> bool:
        key = law.expression.key
        if key not in self._plausible:
            self._plausible[key] = is_plausible(law.expression, self.measured.rows.columns)
        return self._plausible[key]

    def noise_of(self, equations: Sequence[Equation]) -> Noise:
        """The noise under which the first of the equations are likeliest."""
        first = tuple(equations[:LAWS_FOR_NOISE])
        key = tuple(equation.expression.structure_key for equation in first)
        if key not in self._noises:
            self._noises[key] = choose_noise([self._in_units(equation) for equation in first], self._for_noise)
        return self._noises[key]

    def outliers(self, equations: Sequence[Equation]) -> NDArray[np.bool_]:
        """Which training rows, and behind them validation rows, are outliers by the most probable law: (rows,)."""
        weighed = self.weighed(equations)
        num_values = self.measured.values.rows.num_rows
        if not weighed or not weighed[0].judged.evidence.noise.has_outliers or self._is_thinned:
            return np.zeros(num_values, dtype=np.bool_)
        # Limits stand behind all values, and are no outliers.
        is_off = np.asarray(weighed[0].judged.evidence.chances[:num_values] < LEAST_CHANCE) & self._strays
        # Where more rows are off, the law is wrong and not the rows.
        return is_off if np.mean(is_off) <= MOST_OUTLIERS else np.zeros_like(is_off)

    @cached_property
    def _strays(self) -> NDArray[np.bool_]:
        """Rows that are far from what the other rows predict: a law that is wrong at one end of its range would call
        the rows there outliers: (rows,).
        """
        return strays(self.measured.values)

    def distinct(self, laws: Sequence[Judged]) -> list[Judged]:
        """The laws that are other functions than all before them."""
        return [laws[place] for place in distinct(laws, self.measured.rows.columns)]

    def probabilities(self, laws: Sequence[Judged], covered_bits: float) -> list[float]:
        """The probabilities of some distinct laws, the most probable first, roughly; the rest is of unvisited laws."""
        return normalised([law.score for law in laws], self.remainder(laws[0], covered_bits))

    def remainder(self, law: Judged, covered_bits: float) -> float:
        """The score of all laws that were not visited, beside the best that was.

        covered_bits: all forms of up to so many bits were tried. What is left are longer forms, which are less and less
        probable, and functions without a closed form, for which a smooth function through the rows stands.
        """
        odds = UNVISITED + UNVISITED_PER_LOG * math.log(self.measured.rows.num_rows / 100.0)
        if law.expression.columns:
            odds += _odds_of_fit(law, self.share_left(law))
        unvisited = law.score - max(odds, LEAST_ODDS) - _odds_of_coverage(law, covered_bits, self.num_bent(law))
        gain = self.smooth_gain(law)
        gain = None if gain is None else max(gain, self._trend_left(law))
        return unvisited if gain is None else float(np.logaddexp(unvisited, law.score + gain - NO_CLOSED_FORM))

    def is_noise_left(self, law: Judged, others: Sequence[Judged] = ()) -> bool:
        """Whether no smooth function explains more than the law and others together, nor what it leaves.

        False where there is no such function.
        """
        gain = self.smooth_gain(law)
        together = float(logsumexp([0.0, *(other.score - law.score for other in others)]))
        return gain is not None and gain - together < MOST_GAIN and self.leaves_noise(law)

    def leaves_noise(self, law: Judged) -> bool:
        """Whether no smooth function explains what the law leaves; True where the rows are too few for one."""
        if self.are_rows_few:
            return True
        key = law.expression.key
        if key not in self._rests:
            rest = residual_gain(law, self.measured)
            self._rests[key] = rest is not None and max(rest, self._trend_left(law)) < MOST_GAIN
            if self._rests[key] and self._quantities:
                rest = residual_gain(law, self.measured, self._quantities)
                self._rests[key] = rest is None or rest < MOST_GAIN
        return self._rests[key]

    def _trend_left(self, law: Judged) -> float:
        """By how much a polynomial of the columns, or of what they make, is likelier than noise in many rows."""
        key = law.expression.key
        if key not in self._trends:
            ways = [(), self._quantities] if self._quantities else [()]
            gains = (trend_left(law, self.measured, own) for own in ways)
            self._trends[key] = max((gain for gain in gains if gain is not None), default=-math.inf)
        return self._trends[key]

    def see_joined(self, quantities: Sequence[Expression]) -> None:
        """Take what columns of the table make together: a smooth function of few quantities sees more than one of many
        columns.
        """
        scales = [scaled(variable(i), math.ldexp(1.0, -each)) for i, each in enumerate(self._table.column_exponents)]
        joined = tuple(substituted(quantity, scales) for quantity in quantities)
        if joined != self._quantities:
            self._quantities, self._rests, self._trends = joined, {}, {}

    @property
    def are_rows_few(self) -> bool:
        """Whether the rows are too few for a smooth function, so that nothing tells what a law leaves unexplained."""
        return self.measured.rows.num_rows < LEAST_ROWS

    def num_bent(self, law: Judged) -> int:
        """How many constants of a law may have been bent to the rows: those that a fit has found.

        Where constants have no unit, scientists write 2 and pi, and 0.3 is such a constant, too.
        """
        dimensions, is_fixed = self._limits.dimensions, law.evidence.is_fixed
        num_fitted = int(np.count_nonzero(~is_fixed))
        if dimensions is None or not dimensions.are_constants_pure:
            return num_fitted
        return num_fitted + sum(map(is_rounded, law.expression.constants[is_fixed].tolist()))

    @property
    def has_groups(self) -> bool:
        """Whether units leave functions of groups without a unit alone."""
        dimensions = self._limits.dimensions
        return dimensions is not None and dimensions.are_constants_pure and dimensions.reduced is not None

    def share_left(self, law: Judged) -> float:
        """The usual distance of the target from the law, as a share of its usual distance from its middle.

        A law that calls too many rows outliers leaves everything.
        """
        if np.mean(law.evidence.chances < LEAST_CHANCE) > MOST_OUTLIERS:
            return 1.0
        rows = self.measured.values.rows
        distances = np.abs(rows.target - evaluate_expression(law.expression, rows.columns))
        spreads = np.abs(rows.target - np.median(rows.target))
        # More than half of the targets may be equal.
        usual = np.median if np.median(spreads) > 0.0 else np.mean
        return float(usual(distances) / usual(spreads)) if np.any(spreads > 0.0) else 1.0

    def leaves_little(self, law: Judged) -> bool:
        """Whether a law leaves so little that a wrong one would need constants to do so."""
        return self.share_left(law) < LITTLE_LEFT

    def smooth_gain(self, law: Judged) -> float | None:
        """By how much a smooth function through the rows is likelier than the law; None where there is none."""
        key = law.expression.key
        if key not in self._gains:
            self._gains[key] = smooth_gain(law, self.measured)
        return self._gains[key]

    @cached_property
    def _for_noise(self) -> Measured:
        """Rows enough to tell one kind of noise from another."""
        return self.measured.some(NOISE_ROWS)

    def judged(self, expression: Expression, noise: Noise) -> Judged | None:
        """The evidence of a law over the table's columns in the user's units."""
        key = expression.key, noise
        if key not in self._judged:
            law = judge(expression, self.measured, noise)
            self._judged[key] = None if law is None else law.with_more(self._more_bits(canonical(expression)))
        return self._judged[key]

    def _more_bits(self, words: Expression) -> float:
        """The bits that the user's costs and units add to the structure of a law, in the words that were judged.

        In those that are fitted a constant may be so small that its term is gone.
        """
        costs = self._limits.costs
        extra = 0.0 if costs.are_plain else costs.extra_bits(words)
        return extra + self._unit_bits(words)

    def _judge(self, equation: Equation, noise: Noise) -> Judged | None:
        return self.judged(self._in_units(equation), noise)

    def _in_units(self, equation: Equation) -> Expression:
        key = equation.expression.key
        if key not in self._units:
            self._units[key] = in_column_units(equation, self._table).expression
        return self._units[key]


def _odds_of_fit(law: Judged, left: float) -> float:
    """Log odds for the law because it leaves little, or against it because it leaves much; left: as a share."""
    if left > USUAL_LEFT:
        return -UNVISITED_PER_LEFT * math.log(left / USUAL_LEFT)
    num_fitted = int(np.count_nonzero(~law.evidence.is_fixed))
    return UNVISITED_PER_LITTLE * max(0.0, math.log(LITTLE_LEFT / max(left, LEAST_LEFT))) / (1 + num_fitted)


def _odds_of_coverage(law: Judged, covered_bits: float, num_bent: int) -> float:
    """Log odds for the law because simpler forms were tried, or against it because they were not."""
    spare = min(covered_bits - law.bits, MOST_SPARE_BITS)
    if spare >= 0.0:
        return UNVISITED_PER_BIT * spare
    return (UNVISITED_PER_MISSING_BIT + UNVISITED_PER_CONSTANT * min(num_bent, MOST_CONSTANTS)) * spare


def without_rows(table: Table, is_left_out: NDArray[np.bool_]) -> Table:
    """The table without some of its training rows and, behind them, validation rows; is_left_out: (rows,)."""
    num_training = table.training.num_rows
    training = table.training.take(np.flatnonzero(~is_left_out[:num_training]))
    validation = training
    if table.validation is not table.training:
        is_off_there = np.zeros(table.validation.num_rows, dtype=np.bool_)
        is_off_there[: len(is_left_out) - num_training] = is_left_out[num_training:]
        validation = table.validation.take(np.flatnonzero(~is_off_there))
    return replace(table, training=training, validation=validation, resolutions=table.all_resolutions)


def measured_rows(table: Table) -> Measured:
    """Training and validation rows together, in the user's units; validation rows of the user's own are left out."""
    plain = unscaled(table)
    is_single = plain.validation is plain.training or plain.holds_out
    rows = plain.training if is_single else _joined(plain.training, plain.validation)
    are_counts = not rows.has_sigma and are_target_counts(rows.target)
    sides = None
    if plain.censored is not None:
        sides = np.concatenate([np.zeros(rows.num_rows), plain.censored.sides])
        rows = _joined(rows, plain.censored.rows)
    quantum = plain.target_resolution.quantum(rows.target)
    sigma = rows.sigma if rows.has_sigma else None
    return Measured(rows, sigma, ROUNDING_DEVIATION * quantum, sides, are_counts)


def over_columns(measured: Measured, used: Sequence[int], num_columns: int) -> Measured:
    """The rows with all the user's columns, 1 for those out of use; used: the places of the others."""
    rows = measured.rows
    columns, errors = np.ones((num_columns, rows.num_rows)), rows.x_sigma
    columns[list(used)] = rows.columns
    if rows.has_x_sigma:
        errors = np.zeros_like(columns)
        errors[list(used)] = rows.x_sigma
    return replace(measured, rows=replace(rows, columns=columns, x_sigma=errors))


def _joined(one: Rows, other: Rows) -> Rows:
    weights = [rows.weights if len(rows.weights) else np.ones(rows.num_rows) for rows in (one, other)]
    has_weights = len(one.weights) or len(other.weights)
    return Rows(
        np.concatenate([one.columns, other.columns], axis=1),
        np.concatenate([one.target, other.target]),
        np.concatenate(weights) if has_weights else np.empty(0),
        np.concatenate([one.sigma, other.sigma]),
        np.concatenate([one.x_sigma, other.x_sigma], axis=1) if one.has_x_sigma else one.x_sigma,
    )
