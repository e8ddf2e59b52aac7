"""Other words for a law that are equal to it where its parts stay in their usual ranges; the rows decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.powers import distributed, operands_of, root_of
from mosaic_sr.operators import Operator

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
    """The expression after each rule that changes it.

    No magnitudes, nothing undone, powers in place of logarithms, no whole turns in phases, powers of the factors in
    place of those of a product: where that is shorter, then everywhere, since equal factors may meet.
    """
    rewritten = (
        *(_reworded(expression, rule) for rule in (_without_magnitude, _not_undone, _as_power, _without_turns)),
        distributed(expression, only_shorter=True),
        distributed(expression),
    )
    yield from (other for other in rewritten if other != expression)


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
        if name == outer and root_of(operand) == inner:
            return left(operand.subtree(len(operand) - 2))
    return None


def _as_power(name: str, operand: Expression) -> Expression | None:
    """A power for exp(u * log v), which also holds where v is zero."""
    if name != "exp" or root_of(operand) != "mul":
        return None
    left, right = operands_of(operand)
    for logarithm, factor in ((right, left), (left, right)):
        if root_of(logarithm) == "log":
            return apply("pow", logarithm.subtree(len(logarithm) - 2), factor)
    return None


def _without_turns(name: str, operand: Expression) -> Expression | None:
    """A sine or cosine whose phase is at most half a turn."""
    if name not in ("sin", "cos") or root_of(operand) not in ("add", "sub"):
        return None
    parts = operands_of(operand)
    reduced = [constant(math.remainder(part.constants[0], math.tau)) if _is_number(part) else part for part in parts]
    return apply(name, apply(root_of(operand), *reduced))


def _is_number(expression: Expression) -> bool:
    return len(expression) == 1 and expression.num_constants == 1
