"""The canonical form of an expression."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from mosaic_sr.expressions.canonical.algebra import ABS, EXP, LOG, product, total
from mosaic_sr.expressions.canonical.nodes import Kind, Node, Unfoldable, function, is_even, leaf, number
from mosaic_sr.expressions.canonical.writing import POW, leans_negative
from mosaic_sr.expressions.expression import Expression, apply, constant, hole, make_expression, order_of, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import CODES, CONSTANT, HOLE, PARITY, VARIABLE, Operator

NO_COLUMNS = np.empty((0, 1))
# The least number with all its digits.
TINY = float(np.finfo(np.float64).tiny)
# Canonical forms that are kept: a search asks for those of its best laws after every round.
MOST_KEPT = 8192


@lru_cache(maxsize=MOST_KEPT)
def canonical(expression: Expression) -> Expression:
    """The same function in canonical form.

    Sums and products are flattened and sorted, numbers folded, like terms and powers merged. The value is kept
    wherever the original is finite. Constant holes (NaN) absorb the numbers they meet. An expression whose numbers
    fold to a value that is not finite is returned as it came, but for factors that merge to a finite one.
    """
    try:
        node: Node = expression.fold(_apply, lambda column: leaf(VARIABLE, column), number, lambda: leaf(HOLE, 0))
    except Unfoldable:
        return expression.fold(_with_one_factor, variable, constant, hole)
    constants = [math.nan if token[2] else token[3] for token in node.tokens if token[0] == CONSTANT]
    codes = [_DEFINED.get(token[0], token[0]) for token in node.tokens]
    return make_expression(codes, [token[1] for token in node.tokens], constants)


def _with_one_factor(operator: Operator, operands: list[Expression]) -> Expression:
    """The node, where a number times a number times a part becomes one number times the part, if there is such."""
    if operator.name == "mul":
        outer, part = _factored(apply("mul", *operands))
        inner, rest = _factored(part)
        factor = outer * inner
        if inner != 1.0 and TINY <= abs(factor) < math.inf:
            return apply("mul", constant(factor), rest)
    return apply(operator.name, *operands)


def _factored(expression: Expression) -> tuple[float, Expression]:
    """A number and the part that it multiplies; 1 and the expression where it is no such product."""
    if expression.codes[-1] == CODES["mul"]:
        right = expression.subtree(len(expression) - 2)
        left = expression.subtree(len(expression) - 2 - len(right))
        for one, other in ((left, right), (right, left)):
            if len(one) == 1 and one.num_constants and not math.isnan(one.constants[0]):
                return float(one.constants[0]), other
    return 1.0, expression


def _apply(operator: Operator, operands: list[Node]) -> Node:
    algebraic = ALGEBRAIC.get(operator.name)
    if algebraic is not None:
        return algebraic(*operands)
    if all(operand.kind is Kind.NUMBER for operand in operands):
        return number(_folded(operator, [operand.number for operand in operands]))
    if operator.arity == 1:
        return _function(operator, operands[0])
    return function(
        _token_code(operator), *(sorted(operands, key=lambda node: node.key) if operator.commutes else operands)
    )


# number that stands for a defined operator in tokens -> its code
_DEFINED: dict[int, int] = {}


def _token_code(operator: Operator) -> int:
    """What stands for an operator in tokens, which are ordered by it."""
    code = CODES[operator.name]
    order = order_of(code)
    return order if order == code or _DEFINED.setdefault(order, code) == code else code


def _general_power(base: Node, exponent: Node) -> Node:
    if exponent.kind is Kind.NUMBER:
        return _power(base, exponent.number)
    if base.kind is Kind.FUNCTION and base.code == EXP:
        return product([(function(EXP, product([(base.child, 1.0), (exponent, 1.0)])), 1.0)])
    tokens = (*base.tokens, *exponent.tokens, POW)
    return Node(Kind.POWER, tokens, code=CODES["pow"], parts=((base, 1.0), (exponent, 1.0)))


def _power(base: Node, exponent: float) -> Node:
    return number(1.0) if exponent == 0.0 else product([(base, exponent)])


ALGEBRAIC: dict[str, Callable[..., Node]] = {
    "add": lambda a, b: total([(a, 1.0), (b, 1.0)]),
    "sub": lambda a, b: total([(a, 1.0), (b, -1.0)]),
    "mul": lambda a, b: product([(a, 1.0), (b, 1.0)]),
    "div": lambda a, b: product([(a, 1.0), (b, -1.0)]),
    "pow": _general_power,
    "neg": lambda a: total([(a, -1.0)]),
    "inv": lambda a: _power(a, -1.0),
    "sq": lambda a: _power(a, 2.0),
    "cube": lambda a: _power(a, 3.0),
    "sqrt": lambda a: _power(a, 0.5),
}


def _function(operator: Operator, argument: Node) -> Node:
    """The node of a function of one operand; the sign of the argument moves outside where the function allows it."""
    code, parity = _token_code(operator), PARITY[CODES[operator.name]]
    if code == EXP:
        return product([(function(EXP, argument), 1.0)])
    if code == LOG and argument.kind is Kind.FUNCTION and argument.code == EXP:
        return argument.child
    factor = 1.0
    if parity != 0 and argument.kind is Kind.SUM and leans_negative(argument.number, argument.parts):
        argument, factor = total([(argument, -1.0)]), float(parity)
    if code == ABS and argument.is_scaled and argument.parts[0][1] > 0.0:
        argument, factor = argument.child, argument.parts[0][1]
    if code == ABS and _is_magnitude(argument):
        return total([(argument, factor)])
    return total([(function(code, argument), factor)])


def _folded(operator: Operator, values: list[float]) -> float:
    """The function of numbers; a constant hole makes it one."""
    if any(map(math.isnan, values)):
        return math.nan
    result = float(evaluate_expression(apply(operator.name, *map(constant, values)), NO_COLUMNS)[0])
    if not math.isfinite(result):
        raise Unfoldable
    return result


def _is_magnitude(node: Node) -> bool:
    """Whether |node| = node by its form: an absolute value, an exponential or even powers only."""
    if node.kind is Kind.FUNCTION:
        return node.code in (ABS, EXP)
    return node.kind is Kind.PRODUCT and all(is_even(exponent) for _, exponent in node.parts)
