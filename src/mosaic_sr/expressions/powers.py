"""Powers: one way to write them, and products of powers for powers of products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, constant, join, variable
from mosaic_sr.expressions.grammar import OPERATOR_OF_POWER
from mosaic_sr.expressions.rows import POWERS
from mosaic_sr.operators import ARITY, CODES, Operator, operator_of

PRODUCTS = CODES["mul"], CODES["div"]


def distributed(expression: Expression, only_shorter: bool = False) -> Expression:
    """Powers of products and of powers as products of powers, which is the same where all factors are positive."""

    def node(operator: Operator, operands: list[Expression]) -> Expression:
        whole = apply(operator.name, *operands)
        exponent = _exponent(operator.name, operands)
        if exponent is None:
            return whole
        parts = _raised(operands[0], exponent)
        return parts if not only_shorter or len(canonical(parts)) < len(canonical(whole)) else whole

    return expression.fold(node, variable, constant)


def with_named_powers(expression: Expression) -> Expression:
    """Powers to whole numbers and roots in their own words, as in a square for pow(x, 2)."""

    def node(operator: Operator, operands: list[Expression]) -> Expression:
        exponent = _exponent(operator.name, operands)
        return apply(operator.name, *operands) if exponent is None else power(operands[0], exponent)

    return expression.fold(node, variable, constant)


def with_high_powers(expression: Expression) -> Expression:
    """Powers above the third, which canonical forms have as products of squares and cubes, as a power each."""
    Power = tuple[Expression, int]

    def told(part: Power) -> Expression:
        return power(part[0], float(part[1]))

    def node(operator: Operator, operands: list[Power]) -> Power:
        base, exponent = operands[0]
        raised = POWERS.get(operator.name, 0.0)
        if raised > 1.0:
            return base, exponent * int(raised)
        if operator.name == "mul" and operands[1][0] == base and base.columns:
            return base, exponent + operands[1][1]
        return apply(operator.name, *map(told, operands)), 1

    return told(expression.fold(node, lambda column: (variable(column), 1), lambda value: (constant(value), 1)))


def with_shared_roots(expression: Expression) -> Expression:
    """Products and quotients of equal roots as one root, which is the same where all of them have a value."""

    def node(operator: Operator, operands: list[Expression]) -> Expression:
        whole = apply(operator.name, *operands)
        return _gathered(whole) if operator.name in ("mul", "div") else whole

    return expression.fold(node, variable, constant)


def _gathered(product: Expression) -> Expression:
    """A product whose factors under the same root stand under it together."""
    by_root: dict[float, list[tuple[Expression, float]]] = {}
    for factor, side in _factors(product):
        exponent = _exponent(root_of(factor), operands_of(factor))
        is_root = exponent is not None and not exponent.is_integer()
        bare, root = (operands_of(factor)[0], exponent or 1.0) if is_root else (factor, 1.0)
        by_root.setdefault(root, []).append((bare, side))
    if all(len(parts) < 2 for root, parts in by_root.items() if root != 1.0):
        return product
    gathered = []
    for root, parts in by_root.items():
        bases, sides = zip(*parts, strict=True)
        is_below = root != 1.0 and max(sides) < 0
        turn = -1.0 if is_below else 1.0
        gathered.append((power(monomial(bases, turn * np.array(sides)), root), turn))
    bases, sides = zip(*gathered, strict=True)
    return monomial(bases, np.array(sides))


def _factors(product: Expression, side: float = 1.0) -> Iterator[tuple[Expression, float]]:
    """The factors of a product with 1, those below its line with -1."""
    name = root_of(product)
    if name not in ("mul", "div"):
        yield product, side
        return
    left, right = operands_of(product)
    yield from _factors(left, side)
    yield from _factors(right, -side if name == "div" else side)


def _exponent(name: str, operands: Sequence[Expression]) -> float | None:
    """The number to which a node raises its first operand."""
    if name == "pow" and len(operands[1]) == 1 and operands[1].num_constants:
        return float(operands[1].constants[0])
    return POWERS.get(name)


def _raised(base: Expression, exponent: float) -> Expression:
    """A power of an expression, factor by factor."""
    name, operands = root_of(base), operands_of(base)
    inner = _exponent(name, operands)
    if inner is not None:
        return _raised(operands[0], inner * exponent)
    if name in ("mul", "div"):
        return apply(name, *(_raised(operand, exponent) for operand in operands))
    if len(base) == 1 and base.num_constants and base.constants[0] > 0:
        with np.errstate(all="ignore"):
            value = float(base.constants[0] ** np.float64(exponent))
        # A number beyond float64 stays a power, which together with the others may be one within.
        return constant(value) if 0.0 < value < np.inf else power(base, exponent)
    return power(base, exponent)


def power(base: Expression, exponent: float) -> Expression:
    """The base to a power, in the shortest words."""
    if exponent == 1.0:
        return base
    name = OPERATOR_OF_POWER.get(exponent)
    return apply("pow", base, constant(exponent)) if name is None else apply(name, base)


def with_factors_inside(expression: Expression) -> Iterator[Expression]:
    """The expression with the number before a product taken into a power of a sum: sqrt(c^2*b - c^2*x) for
    c*sqrt(b - x), once for each such power.
    """
    for node in np.flatnonzero(np.isin(expression.codes, PRODUCTS)).tolist():
        size, rest = _number_and_factors(expression.subtree(node))
        if size in (0.0, 1.0):
            continue
        for place, (factor, side) in enumerate(rest):
            inside = _with_size_inside(factor, side, size)
            if inside is not None:
                bases, sides = zip(*rest[:place], (inside, side), *rest[place + 1 :], strict=True)
                yield expression.replaced(node, monomial(bases, np.array(sides)))


def with_columns_inside(expression: Expression) -> Iterator[Expression]:
    """The expression with the other factors of a product taken into a power of a sum, where that is shorter:
    c*sqrt(x^2 - b*z) for c*x*sqrt(1 - b*z/x^2), the same where the factors are positive.
    """
    for node in np.flatnonzero(np.isin(expression.codes, PRODUCTS)).tolist():
        product = expression.subtree(node)
        size, rest = _number_and_factors(product)
        for place, (factor, side) in enumerate(rest):
            others = _bases(rest[:place] + rest[place + 1 :])
            inside = _with_others_inside(factor, side, others)
            if inside is None:
                continue
            whole = inside if size == side == 1.0 else apply("mul" if side > 0.0 else "div", constant(size), inside)
            if len(whole) < len(product):
                yield expression.replaced(node, whole)


def powers_of_columns(product: Expression, num_columns: int) -> tuple[float, ...] | None:
    """The power of each column in a product of such powers; None for other expressions."""
    powers = [0.0] * num_columns
    for base, power_of in _bases([(product, 1.0)]).values():
        if len(base) != 1:
            return None
        if base.columns:
            powers[base.columns[0]] = power_of
        elif base.constants[0] != 1.0:
            return None
    return tuple(powers)


def _with_others_inside(factor: Expression, side: float, others: Bases) -> Expression | None:
    """A power of a sum whose terms have the factors of the product beside it; None where these would have odd powers.

    side: 1, or -1 of a power that stands below the line. others: as `_bases` tells them.
    """
    exponent = _exponent(root_of(factor), operands_of(factor))
    base, own = (factor, 1.0) if exponent is None else (operands_of(factor)[0], exponent)
    powers = {key: (other, power_of / (own * side)) for key, (other, power_of) in others.items()} if own else {}
    is_simple = all((2.0 * power_of).is_integer() for _, power_of in powers.values())
    if root_of(base) not in ("add", "sub") or not powers or not is_simple:
        return None
    terms = [(_over(term, powers), sign) for term, sign in _terms(base)]
    return power(_joined(terms), own)


# Bases of a product with their powers, by their keys.
Bases = dict[bytes, tuple[Expression, float]]


def _bases(factors: Sequence[tuple[Expression, float]]) -> Bases:
    """The bases of some factors and their powers; factors: as `_factors` tells them."""
    found: Bases = {}
    for factor, side in factors:
        exponent = _exponent(root_of(factor), operands_of(factor))
        if exponent is not None or root_of(factor) in ("mul", "div"):
            inner = operands_of(factor)[0] if exponent is not None else factor
            own = _bases([(each, turn * side * (exponent or 1.0)) for each, turn in _factors(inner)])
        else:
            own = {factor.key: (factor, side)}
        for key, (base, power_of) in own.items():
            found[key] = base, found.get(key, (base, 0.0))[1] + power_of
    return found


def _over(term: Expression, powers: Bases) -> Expression:
    """A term times powers of some bases, with one power of each base."""
    size, rest = _number_and_factors(term)
    own = _bases(rest)
    for key, (base, power_of) in powers.items():
        own[key] = base, own.get(key, (base, 0.0))[1] + power_of
    number = [] if size == 1.0 else [(constant(size), 1.0)]
    kept = [*number, *(each for each in own.values() if each[1])]
    return monomial([base for base, _ in kept], np.array([power_of for _, power_of in kept]))


def _joined(terms: Sequence[tuple[Expression, float]]) -> Expression:
    """The sum of some terms, each after its sign."""
    (first, first_sign), *others = sorted(terms, key=lambda each: -each[1])
    whole = first if first_sign > 0 else _times(first, -1.0)
    for term, sign in others:
        whole = apply("add" if sign > 0 else "sub", whole, term)
    return whole


def _with_size_inside(factor: Expression, side: float, size: float) -> Expression | None:
    """A power of a sum, or with side -1 a sum, whose value to the side is `size` times what it was; None for others."""
    exponent = _exponent(root_of(factor), operands_of(factor))
    base, own = (factor, 1.0) if exponent is None else (operands_of(factor)[0], exponent)
    if root_of(base) not in ("add", "sub") or own * side in (0.0, 1.0) or not (size > 0.0 or own * side == -1.0):
        return None
    inner = size ** (1.0 / (own * side))
    return power(_joined([(_times(term, inner), sign) for term, sign in _terms(base)]), own)


def _terms(total: Expression, sign: float = 1.0) -> Iterator[tuple[Expression, float]]:
    """The terms of a sum with 1, those that are taken off with -1."""
    name = root_of(total)
    if name not in ("add", "sub"):
        yield total, sign
        return
    left, right = operands_of(total)
    yield from _terms(left, sign)
    yield from _terms(right, -sign if name == "sub" else sign)


def _times(term: Expression, size: float) -> Expression:
    """A term times a number, which is one with the number that it has."""
    number, rest = _number_and_factors(term)
    if not rest:
        return constant(size * number)
    bases, sides = zip(*rest, strict=True)
    return apply("mul", constant(size * number), monomial(bases, np.array(sides)))


def _number_and_factors(product: Expression) -> tuple[float, list[tuple[Expression, float]]]:
    """The number of a product, and its other factors as in `_factors`."""
    number, rest = 1.0, []
    for factor, side in _factors(product):
        if len(factor) == 1 and factor.num_constants:
            number *= float(factor.constants[0]) ** side
        else:
            rest.append((factor, side))
    return number, rest


def operands_of(expression: Expression) -> list[Expression]:
    """The operands of the root, from left to right."""
    found: list[Expression] = []
    end = len(expression) - 2
    for _ in range(int(ARITY[expression.codes[-1]])):
        operand = expression.subtree(end)
        found.insert(0, operand)
        end -= len(operand)
    return found


def root_of(expression: Expression) -> str:
    """The name of the operator at the root, empty for a leaf."""
    code = int(expression.codes[-1])
    return operator_of(code).name if ARITY[code] else ""


def monomial(bases: Sequence[Expression], exponents: NDArray[np.float64]) -> Expression:
    """The product of powers of some bases, negative exponents below the line; 1 where all exponents are 0."""
    above = [power(base, each) for base, each in zip(bases, exponents.tolist(), strict=True) if each > 0]
    below = [power(base, -each) for base, each in zip(bases, exponents.tolist(), strict=True) if each < 0]
    top = join("mul", above) if above else constant(1.0)
    return join("div", [top, *below])
