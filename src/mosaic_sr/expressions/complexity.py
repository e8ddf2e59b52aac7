"""How complex an expression is, as the front counts it."""

from __future__ import annotations

from mosaic_sr.expressions.expression import Expression


def complexity(expression: Expression) -> int:
    """The number of nodes: operators, columns and constants, each counted once whatever its digits."""
    return len(expression)
