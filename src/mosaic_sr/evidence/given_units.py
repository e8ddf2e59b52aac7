"""What units say about the probability of a structure.

A homogeneous law with pure constants says the same in any units. Measured in some of its own columns these are 1, and
the law that is left, over fewer columns, is all there is to know: its bits are those of the law. A constant that needs
a unit costs bits of its own.
"""

from __future__ import annotations

import math

from mosaic_sr.evidence.judge import Sources, bits_of_written, is_number, structure_bits
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, constant, substituted, variable
from mosaic_sr.expressions.simple_numbers import is_rounded
from mosaic_sr.limits import Limits
from mosaic_sr.units.dimensionless import Reduced

# Structures whose bits are kept in memory.
MOST_KEPT = 20_000
# Where constants have no unit, all that was measured is a column: most laws come from a textbook, as in `judge`.
SOURCES_OF_PURE: Sources = ((0.8, 0.9), (0.2, 0.02))


class UnitBits:
    """More bits, or fewer, that laws of one table have for their units; each structure is looked at once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._known: dict[bytes, float] = {}

    def __call__(self, words: Expression) -> float:
        """What is added to the bits of a law in canonical form."""
        dimensions = self._limits.dimensions
        if dimensions is None:
            return 0.0
        if words.key not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            own = self._limits.unit_bits(words)
            if not own and dimensions.reduced is not None and words.columns:
                own = _saved_bits(words, dimensions.reduced, len(dimensions.columns))
            self._known[words.key] = own + (_bits_of_pure(words) if dimensions.are_constants_pure else 0.0)
        return self._known[words.key]


def _bits_of_pure(words: Expression) -> float:
    """More bits, or fewer, of how many constants a person wrote, where none has a unit: 2 and pi, but not 0.3."""
    values = [value for value in words.constants.tolist() if abs(value) != 1.0]
    num_written = sum(is_number(value) and not is_rounded(value) for value in values)
    return bits_of_written(num_written, len(values), SOURCES_OF_PURE) - bits_of_written(num_written, len(values))


def _saved_bits(words: Expression, reduced: Reduced, num_columns: int) -> float:
    """By how much a law is shorter where columns that serve as units are 1: negative, or 0."""
    if not reduced.measures:
        return 0.0
    choice = math.log2(len(reduced.measures))
    short = [_bits_without(words, measures, num_columns) for measures in reduced.measures]
    return min(0.0, min(short) + choice - structure_bits(words, num_columns))


def _bits_without(words: Expression, measures: tuple[int, ...], num_columns: int) -> float:
    kept = [column for column in range(num_columns) if column not in measures]
    # Column i of the law is the i-th of those kept, or 1.
    columns = [constant(1.0) if i in measures else variable(kept.index(i)) for i in range(num_columns)]
    left = canonical(substituted(words, columns))
    # With all columns gone a number is left, which names no law but that of the units.
    return structure_bits(left, max(len(kept), 1)) if left.columns else 1.0
