"""Canonical sums and products: like terms and powers merged, one number in front, one exponential."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from mosaic_sr.expressions.canonical.nodes import (
    Kind,
    Node,
    Part,
    checked,
    function,
    is_even,
    is_integer,
    merge_alike,
    number,
    power_of,
)
from mosaic_sr.expressions.canonical.writing import flippable, leans_negative, write_product, write_sum
from mosaic_sr.operators import CODES

EXP, LOG, ABS = CODES["exp"], CODES["log"], CODES["abs"]
# Beyond this every double is nearly an integer, and being one says nothing.
LARGEST_INTEGER = 1e6


def total(parts: Iterable[Part]) -> Node:
    """The weighted sum of nodes."""
    offset, terms = 0.0, []
    for node, weight in parts:
        if node.kind is Kind.NUMBER:
            offset += checked(weight * node.number, weight, node.number)
        elif node.kind is Kind.SUM and not _keeps_factor(node, weight):
            offset += weight * node.number if node.number != 0.0 else 0.0
            terms += [(term, checked(weight * share, weight, share)) for term, share in node.parts]
        else:
            terms.append((node, weight))
    return _make_sum(checked(offset, offset), merge_alike(terms))


def _keeps_factor(node: Node, weight: float) -> bool:
    """Whether a constant hole stays in front of a sum, because in its terms it would become several."""
    numbers = [share for _, share in node.parts] + ([node.number] if node.number != 0.0 else [])
    return math.isnan(weight) and sum(not math.isnan(value) for value in numbers) > 1


def _make_sum(offset: float, terms: Sequence[Part]) -> Node:
    if not terms:
        return number(offset)
    if len(terms) == 1 and offset == 0.0 and terms[0][1] == 1.0:
        return terms[0][0]
    negated = write_sum(-offset, [(term, -weight) for term, weight in terms])
    return Node(Kind.SUM, write_sum(offset, terms), number=offset, parts=tuple(terms), negated=negated)


def product(factors: Sequence[Part]) -> Node:
    """The product of powers of nodes."""
    pending, bases, exponent_terms, coefficient = list(factors), list[Part](), list[Part](), 1.0
    while pending:
        while pending:
            node, exponent = pending.pop()
            value = _open(node, exponent, pending, bases, exponent_terms)
            coefficient = checked(coefficient * value, coefficient, value)
        bases = merge_alike(bases)
        pending = [part for part in bases if _splits(*part)]
        bases = [part for part in bases if not _splits(*part)]
    if exponent_terms:
        argument = total(exponent_terms)
        if argument.kind is Kind.NUMBER:
            coefficient = checked(coefficient * _exp(argument.number), coefficient)
        else:
            bases = merge_alike([*bases, (function(EXP, argument), 1.0)])
    return _make_product(coefficient, bases)


def _make_product(coefficient: float, bases: Sequence[Part]) -> Node:
    if coefficient == 0.0 or not bases:
        return number(coefficient)
    if len(bases) == 1 and bases[0][1] == 1.0:
        node = bases[0][0]
    else:
        negated = write_product(bases, -1.0) if flippable(bases) >= 0 else ()
        node = Node(Kind.PRODUCT, write_product(bases, 1.0), parts=tuple(bases), negated=negated)
    return node if coefficient == 1.0 else total([(node, coefficient)])


def _splits(node: Node, exponent: float) -> bool:
    """Whether node^exponent comes apart into simpler factors."""
    if node.kind is Kind.PRODUCT:
        return is_integer(exponent) or len(node.parts) == 1
    if node.is_scaled:
        return is_integer(exponent) or node.parts[0][1] > 0.0
    return node.kind is Kind.FUNCTION and node.code == ABS and is_even(exponent)


def _open(node: Node, exponent: float, pending: list[Part], bases: list[Part], exponent_terms: list[Part]) -> float:
    """Take node^exponent apart: factors go to the lists, its number is returned."""
    if node.kind is Kind.NUMBER:
        return power_of(node.number, exponent)
    if _splits(node, exponent):
        return _split(node, exponent, pending)
    if node.kind is Kind.FUNCTION and node.code == EXP:
        return _open_exponential(node.child, exponent, pending, exponent_terms)
    value = 1.0
    if node.kind is Kind.SUM and not node.is_scaled:
        scale = _common_scale(node)
        if not is_integer(exponent):
            scale = 1.0 if math.isnan(scale) else abs(scale)
        if scale != 1.0:
            value = power_of(scale, exponent)
            node = _divided(node, scale)
    bases.append((node, exponent))
    return value


def _split(node: Node, exponent: float, pending: list[Part]) -> float:
    """Push the parts of a product, of a scaled term or of an even power of |a|."""
    if node.kind is Kind.SUM:
        pending.append((node.parts[0][0], exponent))
        return power_of(node.parts[0][1], exponent)
    for base, weight in node.parts:
        is_root_of_even = is_even(weight) and not is_integer(exponent) and not is_even(weight * exponent)
        pending.append((function(ABS, base) if is_root_of_even else base, weight * exponent))  # (a^2)^0.5 = |a|
    return 1.0


def _open_exponential(argument: Node, exponent: float, pending: list[Part], exponent_terms: list[Part]) -> float:
    """Split exp(argument)^exponent: logarithms become powers, the offset a number, the rest is left for one exp."""
    terms: Sequence[Part] = argument.parts if argument.kind is Kind.SUM else ((argument, 1.0),)
    for term, weight in terms:
        if term.kind is Kind.FUNCTION and term.code == LOG:
            pending.append((term.child, weight * exponent))
        else:
            exponent_terms.append((term, weight * exponent))
    if argument.kind is not Kind.SUM or argument.number == 0.0:
        return 1.0
    return _exp(argument.number * exponent)


def _exp(value: float) -> float:
    """exp(value), refused where it overflows or vanishes."""
    return power_of(math.e, value) if abs(value) > 700.0 else math.exp(value)


def _common_scale(node: Node) -> float:
    """The number taken out of a sum that is a factor: the quotients are mostly integers, else at most one."""
    numbers = [abs(value) for value in (node.number, *(weight for _, weight in node.parts)) if value != 0.0]
    best, best_rank = math.nan, (0, math.inf)
    for scale in numbers:
        if math.isnan(scale):
            continue
        quotients = [value / scale for value in numbers]
        integers = sum(is_integer(quotient) and quotient <= LARGEST_INTEGER for quotient in quotients)
        largest = max(quotient for quotient in quotients if not math.isnan(quotient))
        if (-integers, largest) < best_rank:
            best, best_rank = scale, (-integers, largest)
    return -best if leans_negative(node.number, node.parts) else best


def _divided(node: Node, scale: float) -> Node:
    """The sum divided by a number; a NaN scale makes the leading coefficient one and leaves the others open."""
    terms = [(term, weight / scale) for term, weight in node.parts]
    if math.isnan(scale):
        terms[0] = (terms[0][0], 1.0)
    return _make_sum(node.number / scale if node.number != 0.0 else 0.0, terms)
