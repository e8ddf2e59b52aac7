"""`Pool`: the distinct structures that a search has visited, as far as they may be the law of noisy rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from mosaic_sr.equation import Equation, Errors
from mosaic_sr.evidence.judge import LOG_2, structure_bits
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.table import Rows

# Structures that are kept: the probability of those behind them is nothing beside that of the first.
MOST_KEPT = 120
# Squared errors below this are rounding: a law gains nothing by going further.
LEAST_ERROR = 1e-28
# A law that errs by more than a third of the target does not tell its size, on which a proportional scatter rests.
MOST_RELATIVE = 0.1


def no_bits(expression: Expression) -> float:
    """Nothing beside the bits of the structure."""
    del expression
    return 0.0


@dataclass(frozen=True)
class Entry:
    """An equation in canonical words; score: its log probability, roughly and up to a number that all share."""

    equation: Equation
    score: float


@dataclass(frozen=True)
class Pool:
    """Entries of distinct structures, the most probable first."""

    entries: tuple[Entry, ...] = ()

    @property
    def equations(self) -> tuple[Equation, ...]:
        return tuple(entry.equation for entry in self.entries)

    def merged(
        self, equations: Iterable[Equation], rows: Rows, more_bits: Callable[[Expression], float] = no_bits
    ) -> Pool:
        """This pool with other equations considered; rows: those on which their training errors were measured.

        more_bits: what a law has beside those of its structure.
        """
        kept = {entry.equation.expression.structure_key: entry for entry in self.entries}
        worst = self.entries[-1].score if len(self.entries) == MOST_KEPT else -math.inf
        for equation in equations:
            likelihood = rough_log_likelihood(equation.training, rows)
            if not likelihood > worst:
                continue
            words = canonical(equation.expression)
            score = likelihood - LOG_2 * (_rough_bits(words, rows) + _extra_bits(equation) + more_bits(words))
            known = kept.get(words.structure_key)
            if score > worst and (known is None or score > known.score):
                kept[words.structure_key] = Entry(replace(equation, expression=words), score)
        ordered = sorted(kept.values(), key=lambda entry: (-entry.score, entry.equation.expression.key))
        return Pool(tuple(ordered[:MOST_KEPT]))


def rough_score(equation: Equation, rows: Rows) -> float:
    """Log probability of an equation, roughly; rows: those on which its training errors were measured."""
    bits = _rough_bits(canonical(equation.expression), rows) + _extra_bits(equation)
    return rough_log_likelihood(equation.training, rows) - LOG_2 * bits


def _extra_bits(equation: Equation) -> float:
    return 0.0 if equation.costs is None else equation.costs.extra_bits(equation.expression)


def _rough_bits(words: Expression, rows: Rows) -> float:
    """Bits of the structure and of its constants, each known to a share that falls with the root of the rows."""
    return structure_bits(words, len(rows.columns)) + 0.5 * words.num_constants * math.log2(rows.num_rows)


def rough_log_likelihood(errors: Errors, rows: Rows) -> float:
    """Log likelihood of residuals of one spread in all rows, or of one in proportion to the target if that is more."""
    if not math.isfinite(errors.nmse):
        return -math.inf
    half = 0.5 * rows.num_rows
    uniform = half * (math.log(max(errors.nmse, LEAST_ERROR)) + rows.log_variance)
    if rows.has_sigma or rows.sum_of_logs == -math.inf or errors.relative > MOST_RELATIVE:
        return -uniform
    return -min(uniform, half * math.log(max(errors.relative, LEAST_ERROR)) + rows.sum_of_logs)
