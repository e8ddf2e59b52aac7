"""The one canonical form of an expression; search, corpus and printed laws all use it."""

from __future__ import annotations

from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.kernel.canonical.form import canonical_program


def canonical(expression: Expression) -> Expression:
    """The same function in canonical form.

    Sums and products are flattened and sorted, numbers folded, like terms and powers merged. The value is kept
    wherever the original is finite. Constant holes (NaN) absorb the numbers they meet. An expression whose numbers
    fold to an infinite value is returned as it came.
    """
    codes, slots, constants, _ = canonical_program(expression.codes, expression.slots, expression.constants)
    return make_expression(codes, slots, constants)
