"""The judge of laws under noise: structure prior and evidence of an expression in the user's units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.column_pairs import with_pair_as_column
from mosaic_sr.evidence.laplace import Evidence, Measured, measure_evidence
from mosaic_sr.evidence.noise import Noise, noises_to_try
from mosaic_sr.evidence.plausibility import num_short_waves
from mosaic_sr.evidence.structure import shipped_prior
from mosaic_sr.evidence.written import symbol_of, with_factors, with_tied_factors, written
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.powers import with_high_powers
from mosaic_sr.expressions.simple_numbers import bits_of_whole, number_bits
from mosaic_sr.operators import CODES

Floats = NDArray[np.float64]

# Numbers that take more bits to write are not taken for set: a fit has found them, or the units have made them.
MOST_BITS = 12.0
# Bits of a number alone: one table in eight has no law above its noise.
NO_LAW_BITS = 3.0
# Laws from a textbook and those from a fit: their share among laws, and the share of their constants that a
# person wrote. Physical formulas have such numbers almost only, measured laws hardly any.
Sources = tuple[tuple[float, float], ...]
SOURCES: Sources = ((0.2, 0.9), (0.8, 0.02))
BITS_OF_ONE = bits_of_whole(1)
# In the 820 formulas that the structure prior was counted on stand 127 numbers other than 1 and exponents: 91 are 2, 3,
# 4, 1/2 or 10, and not one is 7, 60 or 0.02.
BITS_OF_DECIMALS = 2.0
# Bits of a constant being equal to another one: of the constants of formulas about one in eight is.
BITS_OF_TIE = 3.0
# The waves that the structure prior was counted on have a period and more in their rows.
BITS_OF_SHORT_WAVE = 4.0
# What people write before an angle: whole numbers of such parts of 1 or of pi (180 for degrees), and 1/2 to 1/12.
PARTS_OF_ANGLES, PARTS_OF_PI, LEAST_PART, ROUNDING = (1, 2, 3, 4), (1, 2, 3, 4, 6, 180), 1.0 / 12.0, 1e-12
# None of these formulas is a column as it stands.
BITS_OF_COLUMN_ALONE = 10.0
# Structures whose bits are kept in memory.
MOST_SHAPES = 50_000
# What canonical forms make higher powers of, one of them around another.
WHOLE_POWERS = CODES["sq"], CODES["cube"]
LOG_2 = math.log(2.0)


@dataclass(frozen=True)
class Judged:
    """A law with its evidence.

    score: log of its probability, up to a number that all laws of a table share.
    bits: of its structure and of the numbers that a person wrote.
    """

    evidence: Evidence
    bits: float

    @property
    def expression(self) -> Expression:
        return self.evidence.expression

    @property
    def score(self) -> float:
        return self.evidence.log_likelihood - LOG_2 * self.bits

    def with_more(self, bits: float) -> Judged:
        """The law with more bits."""
        return replace(self, bits=self.bits + bits) if bits else self


def is_number(value: float) -> bool:
    """Whether a person could have written a constant of a law."""
    bits = number_bits(value)
    return bits is not None and bits <= MOST_BITS


def _is_of_angle(value: float) -> bool:
    """Whether a person could have written this factor of an angle: a whole number, a fraction, or parts of pi."""
    counts = [value * part for part in PARTS_OF_ANGLES] + [value / math.pi * part for part in PARTS_OF_PI]
    counts += [1.0 / value] if abs(value) >= LEAST_PART else []
    return any(abs(count - round(count)) <= ROUNDING * abs(count) for count in counts)


def num_fitted(expression: Expression) -> int:
    """How many constants a fit has found: those that no person would have written."""
    return sum(not is_number(value) for value in expression.constants.tolist())


def structure_bits(expression: Expression, num_columns: int) -> float:
    """Bits of the structure, of its columns among `num_columns`, and of the numbers that a person wrote.

    A factor of 1 is not written, but it may be a constant of the law all the same, so that both ways are priced; so are
    x^5 and its canonical words x*(x^2)^2, and a law of x - z or x*z and the same law of one column.
    """
    if not expression.columns:
        return NO_LAW_BITS
    ways = [_bits_as_it_stands(expression, num_columns)]
    is_power = np.isin(expression.codes, WHOLE_POWERS)
    if not expression.has_defined and np.any(is_power[1:] & is_power[:-1]):
        ways.append(_bits_as_it_stands(with_high_powers(expression), num_columns))
    return min(ways)


def _bits_as_it_stands(expression: Expression, num_columns: int) -> float:
    values = [value for value in expression.constants.tolist() if abs(value) != 1.0]
    costs = [number_bits(value, BITS_OF_DECIMALS) for value in values if is_number(value)]
    own = sum(cost for cost in costs if cost is not None)
    ways = []
    for shape in _shapes(expression, num_columns):
        ways.append(shape.bits + bits_of_written(len(costs), len(values)))
        written_bits = bits_of_written(len(costs) + shape.num_ones, len(values) + shape.num_ones)
        ways.append(shape.with_ones + written_bits + shape.num_ones * BITS_OF_ONE)
    return own + min(ways)


@lru_cache(maxsize=20_000)
def bits_of_written(num_written: int, count: int, sources: Sources = SOURCES) -> float:
    """Bits of how many of a law's constants a person wrote; a textbook has mostly such numbers, a fit hardly any."""
    logs = [
        math.log2(own) + num_written * math.log2(likely) + (count - num_written) * math.log2(1.0 - likely)
        for own, likely in sources
    ]
    return -float(np.logaddexp2(logs[0], logs[1]))


class _Shape(NamedTuple):
    """A way to write a structure.

    bits: of the structure.  with_ones: of the same with all factors there may be.  num_ones: how many are left out.
    """

    bits: float
    with_ones: float
    num_ones: int


_SHAPES: dict[tuple[bytes, tuple[str, ...], int], tuple[_Shape, ...]] = {}


def _shapes(expression: Expression, num_columns: int) -> tuple[_Shape, ...]:
    """The ways to write a structure: as it stands, and with one column for two that occur together only."""
    key = expression.structure_key, tuple(map(symbol_of, expression.constants.tolist())), num_columns
    known = _SHAPES.get(key)
    if known is None:
        if len(_SHAPES) >= MOST_SHAPES:
            _SHAPES.clear()
        found = [_shape_as_it_stands(expression, num_columns)]
        for single, bits in with_pair_as_column(expression, num_columns):
            found += [
                _Shape(bits + own.bits, bits + own.with_ones, own.num_ones) for own in _shapes(single, num_columns - 1)
            ]
        known = _SHAPES[key] = tuple(found)
    return known


def _shape_as_it_stands(expression: Expression, num_columns: int) -> _Shape:
    if len(expression.codes) == 1:
        bits = BITS_OF_COLUMN_ALONE + math.log2(num_columns)
        return _Shape(bits, bits, 0)
    prior, columns, part = shipped_prior(), [math.log2(num_columns)] * num_columns, written(expression)
    scaled, num_ones = with_factors(part)
    tied, num_tied = with_tied_factors(part)
    bits = prior.bits_of(part, columns)
    if num_tied:
        bits = min(bits, prior.bits_of(tied, columns) + num_tied * BITS_OF_TIE)
    return _Shape(bits, prior.bits_of(scaled, columns) if num_ones else bits, num_ones)


def judge(expression: Expression, measured: Measured, noise: Noise) -> Judged | None:
    """The law with its constants fitted on; None where it has no finite value on the rows.

    It is judged in canonical words, or as it stands where it has fewer fitted constants: 1/(1 + c*x) has one, and in
    canonical words a number in front, too.
    """
    words = canonical(expression)
    if num_fitted(expression) < num_fitted(words):
        words = expression
    is_fixed = np.array([is_number(value) for value in words.constants.tolist()], dtype=np.bool_)
    evidence = measure_evidence(words, is_fixed, measured, noise)
    if evidence is None:
        return None
    bits = structure_bits(words, len(measured.rows.columns))
    # A frequency such as 0.04 is made simple by chance more often than a person has written it.
    is_angle = np.array([_is_of_angle(value) for value in words.constants.tolist()], dtype=np.bool_)
    return Judged(
        evidence, bits + BITS_OF_SHORT_WAVE * num_short_waves(evidence.expression, is_angle, measured.rows.columns)
    )


def choose_noise(laws: Sequence[Expression], measured: Measured) -> Noise:
    """The noise model under which the best of some laws is likeliest."""
    noises = noises_to_try(measured.sigma is not None, measured.are_counts)
    best = {
        noise: max((one.score for law in laws if (one := judge(law, measured, noise)) is not None), default=-math.inf)
        for noise in noises
    }
    return max(noises, key=lambda noise: best[noise])
