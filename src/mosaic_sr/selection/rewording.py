"""Other words for a law that are equal to it where its parts stay in their usual ranges; the rows decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.operators import ARITY, Operator, operator_of

# A function and one that undoes it; the first of the cosine and the second of the sine leave a turn behind.
UNDONE: dict[tuple[str, str], Callable[[Expression], Expression]] = {
    ("asin", "sin"): lambda operand: operand,
    ("acos", "cos"): lambda operand: operand,
    ("atan", "tan"): lambda operand: operand,
    ("log", "exp"): lambda operand: operand,
    ("sqrt", "sq"): lambda operand: operand,
    ("asin", "cos"): lambda operand: apply("sub", constant(math.pi / 2), operand),
    ("acos", "sin"): lambda operand: apply("sub", constant(math.pi / 2), operand),
}
Rule = Callable[[str, Expression], Expression | None]


def rewordings(expression: Expression) -> Iterator[Expression]:
    """The expression after each rule that changes it: no magnitudes, nothing undone, powers in place of logarithms."""
    for rule in (_without_magnitude, _not_undone, _as_power):
        reworded = _reworded(expression, rule)
        if reworded != expression:
            yield reworded


def _reworded(expression: Expression, rule: Rule) -> Expression:
    def node(operator: Operator, operands: list[Expression]) -> Expression:
        found = rule(operator.name, operands[0]) if operator.arity == 1 else None
        return apply(operator.name, *operands) if found is None else found

    return expression.fold(node, variable, constant)


def _without_magnitude(name: str, operand: Expression) -> Expression | None:
    """The operand of a magnitude, which regressions on logarithms leave behind."""
    return operand if name == "abs" else None


def _not_undone(name: str, operand: Expression) -> Expression | None:
    """What stands inside a function that another one undoes."""
    for (outer, inner), left in UNDONE.items():
        if name == outer and _root(operand) == inner:
            return left(operand.subtree(len(operand) - 2))
    return None


def _as_power(name: str, operand: Expression) -> Expression | None:
    """A power for exp(u * log v), which also holds where v is zero."""
    if name != "exp" or _root(operand) != "mul":
        return None
    right = operand.subtree(len(operand) - 2)
    left = operand.subtree(len(operand) - 2 - len(right))
    for logarithm, factor in ((right, left), (left, right)):
        if _root(logarithm) == "log":
            return apply("pow", logarithm.subtree(len(logarithm) - 2), factor)
    return None


def _root(expression: Expression) -> str:
    """The name of the operator at the root, empty for a leaf."""
    code = int(expression.codes[-1])
    return operator_of(code).name if ARITY[code] else ""
