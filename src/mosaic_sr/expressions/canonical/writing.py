"""How sums and products are written as postfix tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from mosaic_sr.expressions.canonical.nodes import Kind, Node, Part, Token, Tokens, number_token, operator_token

ADD, SUB, MUL, DIV, POW, NEG, INV, SQ, CUBE, SQRT = (
    operator_token(name) for name in ("add", "sub", "mul", "div", "pow", "neg", "inv", "sq", "cube", "sqrt")
)
# Squares, cubes and roots where they suffice, because they hold no constant to fit.
CHAINS: dict[float, Tokens] = {
    1.0: (),
    2.0: (SQ,),
    3.0: (CUBE,),
    0.5: (SQRT,),
    1.5: (SQRT, CUBE),
    0.25: (SQRT, SQRT),
    4.0: (SQ, SQ),
    6.0: (CUBE, SQ),
    8.0: (SQ, SQ, SQ),
    9.0: (CUBE, CUBE),
}


def write_sum(offset: float, terms: Sequence[Part]) -> Tokens:
    """Tokens of a sum, positive parts first; a number that several of its terms share is written once, before them."""
    groups = [_group(size, offset, terms) for size in _shared_sizes(offset, terms)]
    if not groups:
        return _write_terms(offset, terms)
    sizes = [group.size for group in groups]
    rest = [part for part in terms if abs(part[1]) not in sizes]
    rest_offset = 0.0 if abs(offset) in sizes else offset
    plus, minus = ([group for group in groups if group.is_negative is sign] for sign in (False, True))
    leads = not rest_offset < 0.0 and (rest_offset != 0.0 or any(not _shows_minus(*part) for part in rest))
    leads = leads or (bool(rest or rest_offset) and not plus)
    tokens = _write_terms(rest_offset, rest) if leads else ()
    for group in plus:
        tokens = (*tokens, *group.tokens, ADD) if tokens else group.tokens
    for group in minus:
        tokens = (*tokens, *group.tokens, SUB) if tokens else (number_token(-group.size), *group.tokens[1:])
    if (rest or rest_offset) and not leads:
        tokens = (*tokens, *_write_terms(-rest_offset, [(term, -weight) for term, weight in rest]), SUB)
    return tokens


class _Group(NamedTuple):
    """Terms of a sum that share a number of this size, written as the number times their sum."""

    size: float
    is_negative: bool
    tokens: Tokens


def _shared_sizes(offset: float, terms: Sequence[Part]) -> list[float]:
    """Sizes of the numbers that terms of a sum share: a*(1 - exp(x)) has one number, a - b*exp(x) has two.

    Integers are not taken out; they need no fit.
    """
    sizes = [abs(value) for value in (offset, *(weight for _, weight in terms))]
    repeated = dict.fromkeys(size for place, size in enumerate(sizes) if size in sizes[:place])
    return [size for size in repeated if math.isfinite(size) and size != math.floor(size)]


def _group(size: float, offset: float, terms: Sequence[Part]) -> _Group:
    own, own_offset = [part for part in terms if abs(part[1]) == size], offset if abs(offset) == size else 0.0
    is_negative = own_offset <= 0.0 and all(weight < 0.0 for _, weight in own)
    scale = -size if is_negative else size
    inner = _write_terms(own_offset / scale, [(term, weight / scale) for term, weight in own])
    return _Group(size, is_negative, (number_token(size), *inner, MUL))


def _write_terms(offset: float, terms: Sequence[Part]) -> Tokens:
    """Tokens of a sum: positive terms first, so that a minus is a subtraction and not a factor."""
    plus = [part for part in terms if not _shows_minus(*part)]
    minus = [part for part in terms if _shows_minus(*part)]
    leads_with_offset = offset != 0.0 and (not offset < 0.0 or not plus)
    tokens: list[Token] = [number_token(offset)] if leads_with_offset else []
    for node, weight in plus:
        is_first = not tokens
        tokens += _write_scaled(node, weight)
        tokens += () if is_first else (ADD,)
    for node, weight in minus:
        is_first = not tokens
        tokens += _write_scaled(node, weight if is_first else -weight)
        tokens += () if is_first else (SUB,)
    if offset < 0.0 and not leads_with_offset:
        tokens += (number_token(-offset), SUB)
    return tuple(tokens)


def _shows_minus(node: Node, weight: float) -> bool:
    """Whether weight * node is written with a minus: a negative number and no sum inside that could take it."""
    return weight < 0.0 and not (node.kind is Kind.PRODUCT and node.negated)


def _write_scaled(node: Node, weight: float) -> Tokens:
    if node.kind is Kind.PRODUCT:
        if _shows_minus(node, weight) and weight == -1.0:
            return (*node.tokens, NEG)
        return write_product(node.parts, weight)
    if weight == 1.0:
        return node.tokens
    if weight == -1.0:
        return (*node.tokens, NEG)
    return (number_token(weight), *node.tokens, MUL)


def flippable(parts: Sequence[Part]) -> int:
    """Place of the first sum with exponent ±1, which can take a minus; -1 when there is none."""
    for place, (base, exponent) in enumerate(parts):
        if base.kind is Kind.SUM and abs(exponent) == 1.0:
            return place
    return -1


def write_product(parts: Sequence[Part], scale: float) -> Tokens:
    """Tokens of scale * numerator / denominator; negative exponents stand in the denominator."""
    flipped = flippable(parts) if scale < 0.0 else -1
    scale = -scale if flipped >= 0 else scale
    above: list[Token] = [number_token(scale)] if scale != 1.0 else []
    below: list[Token] = []
    for place, (base, exponent) in enumerate(parts):
        side = below if exponent < 0.0 else above
        is_first = not side
        side += base.negated if place == flipped else _write_power(base, abs(exponent))
        side += () if is_first else (MUL,)
    if not below:
        return tuple(above)
    return (*above, *below, DIV) if above else (*below, INV)


def _write_power(base: Node, exponent: float) -> Tokens:
    chain = CHAINS.get(exponent)
    if chain is not None:
        return base.tokens + chain
    if len(base.tokens) == 1 and exponent in (5.0, 7.0):
        return (*base.tokens, *base.tokens, SQ if exponent == 5.0 else CUBE, SQ, MUL)
    return (*base.tokens, number_token(exponent), POW)


def leans_negative(offset: float, terms: Sequence[Part]) -> bool:
    """Whether the negative is preferred: most coefficients are negative, or, at a tie, the leading one is."""
    signs = [math.copysign(1.0, offset)] if offset != 0.0 and not math.isnan(offset) else []
    signs += [-1.0 if weight < 0.0 else 1.0 for _, weight in terms]
    balance = sum(signs) + (1.0 if math.isnan(offset) else 0.0)
    return balance < 0.0 or (balance == 0.0 and bool(signs) and signs[0] < 0.0)
