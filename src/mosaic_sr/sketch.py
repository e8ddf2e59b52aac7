"""`Sketch`: an expression with zero or more variable holes and constant holes, as proposers return it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mosaic_sr.expressions.expression import Expression


@dataclass(frozen=True)
class Sketch:
    """A proposed structure; constants that are NaN are yet to be fitted, the others are a start.

    log_weight: logarithm of the prior weight, comparable within one proposer.
    found_by: name of the proposer, or `sums` for the sums of terms that the enumeration tries.
    column_weights: one per column of the table, how likely it is in the law; empty where the proposer cannot say.
    is_fitted: whether the proposer has fitted the constants with care, so that they are taken as they are.
    """

    expression: Expression
    log_weight: float
    found_by: str
    column_weights: tuple[float, ...] = ()
    is_fitted: bool = False


def rank_sketches(expressions: Iterable[Expression], found_by: str, is_fitted: bool = False) -> list[Sketch]:
    """Sketches of expressions that come the likeliest first."""
    return [Sketch(each, -float(rank), found_by, is_fitted=is_fitted) for rank, each in enumerate(expressions)]
