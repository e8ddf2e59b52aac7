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
# What sine and cosine are, none to three quarters of a turn later, and whether the sign is the other one.
QUARTERS = {
    "sin": (("sin", False), ("cos", False), ("sin", True), ("cos", True)),
    "cos": (("cos", False), ("sin", True), ("cos", True), ("sin", False)),
}
# Phases that a fit has found err by less than this; those that a person has set have so few decimals.
SAME_PHASE, MOST_DECIMALS = 1e-9, 5
Rule = Callable[[str, Expression], Expression | None]


def rewordings(expression: Expression) -> Iterator[Expression]:
    """The expression after each rule that changes it.

    No magnitudes, nothing undone, powers in place of logarithms, short phases, powers of the factors in
    place of those of a product: where that is shorter, then everywhere, since equal factors may meet.
    """
    rewritten = (
        *(_reworded(expression, rule) for rule in (_without_magnitude, _not_undone, _as_power, _in_phase)),
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


def _in_phase(name: str, operand: Expression) -> Expression | None:
    """A sine or cosine whose phase is a short number, else at most a quarter of a turn.

    A sine is a cosine a quarter of a turn later, so that the phase may be any quarter of a turn away.
    """
    if name not in QUARTERS or root_of(operand) not in ("add", "sub"):
        return None
    parts = operands_of(operand)
    place = next((place for place, part in enumerate(parts) if _is_number(part)), None)
    if place is None:
        return None
    phase, side = float(parts[place].constants[0]), -1.0 if root_of(operand) == "sub" and place == 1 else 1.0
    turns = min(range(-8, 9), key=lambda quarters: _length(phase - side * quarters * math.pi / 2))
    parts[place] = constant(phase - side * turns * math.pi / 2)
    function, is_negative = QUARTERS[name][turns % 4]
    wave = apply(function, apply(root_of(operand), *parts))
    return apply("neg", wave) if is_negative else wave


def _length(phase: float) -> tuple[int, float]:
    """Decimals of a phase, all that there are where they do not end, and its size."""
    decimals = (count for count in range(MOST_DECIMALS) if abs(phase - round(phase, count)) < SAME_PHASE)
    return next(decimals, MOST_DECIMALS), abs(phase)


def _is_number(expression: Expression) -> bool:
    return len(expression) == 1 and expression.num_constants == 1
