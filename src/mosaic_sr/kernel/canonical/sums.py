"""Canonical sums, the scale that is taken out of a sum, and how sums and products are written as tokens."""

from __future__ import annotations

import math

import numpy as np

from mosaic_sr.kernel.canonical.pool import (
    ADD,
    CUBE,
    DIV,
    FIRST,
    INV,
    KIND,
    LENGTH,
    MUL,
    NEG,
    NEGATED_LENGTH,
    NUMBER,
    POW,
    PRODUCT,
    SIZE,
    SQ,
    SQRT,
    SUB,
    SUM,
    add_child,
    emit_negated,
    emit_node,
    emit_number,
    emit_operator,
    end_negated,
    merge_alike,
    new_node,
)
from mosaic_sr.kernel.jit import compiled

# Beyond this every double is nearly an integer, and being one says nothing.
LARGEST_INTEGER = 1e6


@compiled()
def new_number(pool, value):
    """A node that holds a number."""
    node = new_node(pool, NUMBER, 0, value)
    emit_number(pool, node, value)
    return node


@compiled()
def is_scaled(pool, node):
    """Whether the node is one term times a number."""
    return pool.nodes[node, KIND] == SUM and pool.nodes[node, SIZE] == 1 and pool.value[node] == 0.0


@compiled()
def keeps_factor(pool, node, weight):
    """Whether a constant hole stays in front of a sum, because in its terms it would become several."""
    known = 1 if pool.value[node] == pool.value[node] and pool.value[node] != 0.0 else 0
    for place in range(pool.nodes[node, FIRST], pool.nodes[node, FIRST] + pool.nodes[node, SIZE]):
        known += 1 if pool.weight[place] == pool.weight[place] else 0
    return weight != weight and known > 1


@compiled()
def total(pool, nodes, weights, size):
    """The weighted sum of nodes as a canonical node."""
    capacity = 0
    for i in range(size):
        capacity += max(pool.nodes[nodes[i], SIZE], 1)
    terms, coefficients, kept, offset = np.empty(capacity, np.int64), np.empty(capacity), 0, 0.0
    for i in range(size):
        node, weight = nodes[i], weights[i]
        if pool.nodes[node, KIND] == NUMBER:
            offset += weight * pool.value[node]
        elif pool.nodes[node, KIND] == SUM and not keeps_factor(pool, node, weight):
            if pool.value[node] != 0.0:
                offset += weight * pool.value[node]
            for place in range(pool.nodes[node, FIRST], pool.nodes[node, FIRST] + pool.nodes[node, SIZE]):
                terms[kept], coefficients[kept] = pool.child[place], weight * pool.weight[place]
                kept += 1
        else:
            terms[kept], coefficients[kept] = node, weight
            kept += 1
    kept = merge_alike(pool, terms, coefficients, kept)
    return make_sum(pool, offset, terms, coefficients, kept)


@compiled()
def make_sum(pool, offset, terms, coefficients, size):
    """The node of an offset and sorted terms."""
    if size == 0:
        return new_number(pool, offset)
    if size == 1 and offset == 0.0 and coefficients[0] == 1.0:
        return terms[0]
    node = new_node(pool, SUM, 0, offset)
    for i in range(size):
        add_child(pool, node, terms[i], coefficients[i])
    emit_sum(pool, node, offset, terms, coefficients, size)
    length = pool.nodes[node, LENGTH]
    emit_sum(pool, node, -offset, terms, -coefficients, size)
    end_negated(pool, node, length)
    return node


@compiled()
def shows_minus(pool, term, coefficient):
    """Whether coefficient * term is written with a minus: a negative number and no sum inside that could take it."""
    return coefficient < 0.0 and pool.nodes[term, NEGATED_LENGTH] == 0


@compiled()
def emit_sum(pool, node, offset, terms, coefficients, size):
    """Tokens of a sum: positive terms first, so that a minus is a subtraction and not a factor."""
    has_positive = not offset <= 0.0
    for i in range(size):
        has_positive = has_positive or not shows_minus(pool, terms[i], coefficients[i])
    is_first = True
    if offset != 0.0 and (not offset < 0.0 or not has_positive):
        emit_number(pool, node, offset)
        is_first = False
    for sign in range(2):
        for i in range(size):
            if shows_minus(pool, terms[i], coefficients[i]) == (sign == 1):
                if is_first:
                    emit_scaled(pool, node, terms[i], coefficients[i])
                else:
                    emit_scaled(pool, node, terms[i], -coefficients[i] if sign == 1 else coefficients[i])
                    emit_operator(pool, node, SUB if sign == 1 else ADD)
                is_first = False
    if offset < 0.0 and has_positive:
        emit_number(pool, node, -offset)
        emit_operator(pool, node, SUB)


@compiled()
def emit_scaled(pool, node, term, coefficient):
    """Tokens of coefficient * term."""
    if pool.nodes[term, KIND] == PRODUCT and not shows_minus(pool, term, coefficient):
        emit_product(pool, node, term, coefficient)
        return
    scale = 1.0 if coefficient == -1.0 else coefficient
    if pool.nodes[term, KIND] == PRODUCT:
        emit_product(pool, node, term, scale)
    else:
        if scale != 1.0:
            emit_number(pool, node, scale)
        emit_node(pool, node, term)
        if scale != 1.0:
            emit_operator(pool, node, MUL)
    if coefficient == -1.0:
        emit_operator(pool, node, NEG)


@compiled()
def flippable_place(pool, product):
    """Where in the product the first sum with exponent ±1 stands, which can take a minus; -1 when there is none."""
    for place in range(pool.nodes[product, FIRST], pool.nodes[product, FIRST] + pool.nodes[product, SIZE]):
        if pool.nodes[pool.child[place], KIND] == SUM and abs(pool.weight[place]) == 1.0:
            return place
    return -1


@compiled()
def emit_product(pool, node, product, scale):
    """Tokens of scale * numerator / denominator; negative exponents stand in the denominator."""
    flipped = flippable_place(pool, product) if scale < 0.0 else -1
    if flipped >= 0:
        scale = -scale
    has_numerator = scale != 1.0
    if has_numerator:
        emit_number(pool, node, scale)
    places = range(pool.nodes[product, FIRST], pool.nodes[product, FIRST] + pool.nodes[product, SIZE])
    for place in places:
        if not pool.weight[place] < 0.0:
            emit_factor(pool, node, place, place == flipped)
            if has_numerator:
                emit_operator(pool, node, MUL)
            has_numerator = True
    has_denominator = False
    for place in places:
        if pool.weight[place] < 0.0:
            emit_factor(pool, node, place, place == flipped)
            if has_denominator:
                emit_operator(pool, node, MUL)
            has_denominator = True
    if has_denominator:
        emit_operator(pool, node, DIV if has_numerator else INV)


@compiled()
def emit_factor(pool, node, place, is_flipped):
    """Tokens of the factor at a place of the children, without the sign of its exponent."""
    if is_flipped:
        emit_negated(pool, node, pool.child[place])
    else:
        emit_power(pool, node, pool.child[place], abs(pool.weight[place]))


@compiled()
def emit_power(pool, node, base, exponent):
    """Tokens of base^exponent: squares, cubes and roots where they suffice, because they hold no constant to fit."""
    emit_node(pool, node, base)
    if exponent == 1.0:
        return
    if exponent == 2.0:
        emit_operator(pool, node, SQ)
    elif exponent == 3.0:
        emit_operator(pool, node, CUBE)
    elif exponent == 0.5:
        emit_operator(pool, node, SQRT)
    elif exponent == 1.5:
        emit_operator(pool, node, SQRT)
        emit_operator(pool, node, CUBE)
    elif exponent == 0.25:
        emit_operator(pool, node, SQRT)
        emit_operator(pool, node, SQRT)
    elif exponent == 4.0:
        emit_operator(pool, node, SQ)
        emit_operator(pool, node, SQ)
    elif exponent == 6.0:
        emit_operator(pool, node, CUBE)
        emit_operator(pool, node, SQ)
    elif exponent == 8.0:
        for _ in range(3):
            emit_operator(pool, node, SQ)
    elif exponent == 9.0:
        emit_operator(pool, node, CUBE)
        emit_operator(pool, node, CUBE)
    elif pool.nodes[base, LENGTH] == 1 and (exponent == 5.0 or exponent == 7.0):
        emit_node(pool, node, base)
        emit_operator(pool, node, SQ if exponent == 5.0 else CUBE)
        emit_operator(pool, node, SQ)
        emit_operator(pool, node, MUL)
    else:
        emit_number(pool, node, exponent)
        emit_operator(pool, node, POW)


@compiled()
def leans_negative(pool, node):
    """Whether -node is the preferred sign: most coefficients are negative, or, at a tie, the leading one is."""
    if pool.nodes[node, KIND] == NUMBER:
        return pool.value[node] < 0.0
    if pool.nodes[node, KIND] != SUM:
        return False
    balance = np.sign(pool.value[node]) if pool.value[node] == pool.value[node] else 1.0
    leading = balance
    for place in range(pool.nodes[node, FIRST], pool.nodes[node, FIRST] + pool.nodes[node, SIZE]):
        sign = -1.0 if pool.weight[place] < 0.0 else 1.0
        balance += sign
        if leading == 0.0:
            leading = sign
    return balance < 0.0 or (balance == 0.0 and leading < 0.0)


@compiled()
def common_scale(pool, node):
    """The number taken out of a sum that is a factor: its quotients are mostly integers, else at most one."""
    first, stop = pool.nodes[node, FIRST], pool.nodes[node, FIRST] + pool.nodes[node, SIZE]
    best, best_integers, best_largest = np.nan, -1, np.inf
    for candidate in range(first - 1, stop):
        scale = abs(pool.value[node] if candidate < first else pool.weight[candidate])
        if not 0.0 < scale < np.inf:
            continue
        integers, largest = 0, 0.0
        for place in range(first - 1, stop):
            quotient = abs(pool.value[node] if place < first else pool.weight[place]) / scale
            if quotient <= LARGEST_INTEGER and quotient >= 1.0 and quotient == math.floor(quotient):
                integers += 1
            if quotient > largest:
                largest = quotient
        if integers > best_integers or (integers == best_integers and largest < best_largest):
            best, best_integers, best_largest = scale, integers, largest
    return -best if leans_negative(pool, node) else best


@compiled()
def divided(pool, node, scale):
    """The sum divided by a number; a NaN scale makes the leading coefficient one and leaves the others open."""
    size = pool.nodes[node, SIZE]
    terms, coefficients = np.empty(size, np.int64), np.empty(size)
    for i in range(size):
        terms[i] = pool.child[pool.nodes[node, FIRST] + i]
        coefficients[i] = pool.weight[pool.nodes[node, FIRST] + i] / scale
    if scale != scale:
        coefficients[0] = 1.0
    offset = pool.value[node] if pool.value[node] == 0.0 else pool.value[node] / scale
    return make_sum(pool, offset, terms, coefficients, size)
