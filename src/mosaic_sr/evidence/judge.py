"""The judge of laws under noise: structure prior and evidence of an expression in the user's units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.laplace import Evidence, Measured, measure_evidence
from mosaic_sr.evidence.noise import Noise, noises_to_try
from mosaic_sr.evidence.structure import shipped_prior
from mosaic_sr.evidence.written import written
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.simple_numbers import number_bits

Floats = NDArray[np.float64]

# Numbers that take more bits to write are not taken for set: a fit has found them, or the units have made them.
MOST_BITS = 12.0
# Bits of a number alone: one table in eight has no law above its noise.
NO_LAW_BITS = 3.0
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


def is_number(value: float) -> bool:
    """Whether a person could have written a constant of a law."""
    bits = number_bits(value)
    return bits is not None and bits <= MOST_BITS


def num_fitted(expression: Expression) -> int:
    """How many constants a fit has found: those that no person would have written."""
    return sum(not is_number(value) for value in expression.constants.tolist())


def structure_bits(expression: Expression, num_columns: int) -> float:
    """Bits of the structure, of its columns among `num_columns`, and of the numbers that a person wrote."""
    if not expression.columns:
        return NO_LAW_BITS
    bits = shipped_prior().bits_of(written(expression, is_number), [math.log2(num_columns)] * num_columns)
    numbers = [number_bits(value) for value in expression.constants.tolist() if abs(value) != 1.0]
    return bits + sum(own for own in numbers if own is not None and own <= MOST_BITS)


def judge(expression: Expression, measured: Measured, noise: Noise) -> Judged | None:
    """The law with its constants fitted on; None where it has no finite value on the rows."""
    words = canonical(expression)
    is_fixed = np.array([is_number(value) for value in words.constants.tolist()], dtype=np.bool_)
    evidence = measure_evidence(words, is_fixed, measured, noise)
    if evidence is None:
        return None
    return Judged(evidence, structure_bits(words, len(measured.rows.columns)))


def choose_noise(laws: Sequence[Expression], measured: Measured) -> Noise:
    """The noise model under which the best of some laws is likeliest."""
    noises = noises_to_try(measured.sigma is not None)
    best = {
        noise: max((one.score for law in laws if (one := judge(law, measured, noise)) is not None), default=-math.inf)
        for noise in noises
    }
    return max(noises, key=lambda noise: best[noise])
