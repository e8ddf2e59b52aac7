"""Canonical products: bases with merged exponents, one exponential, one number in front."""

from __future__ import annotations

import math

import numpy as np

from mosaic_sr.kernel.canonical.pool import (
    ABS,
    CODE,
    EXP,
    FAULT,
    FIRST,
    FUNCTION,
    KIND,
    LENGTH,
    LOG,
    NOT_FINITE,
    NUMBER,
    PRODUCT,
    SIZE,
    SUM,
    TOO_LARGE,
    add_child,
    emit_node,
    emit_operator,
    end_negated,
    merge_alike,
    new_node,
)
from mosaic_sr.kernel.canonical.sums import (
    common_scale,
    divided,
    emit_product,
    flippable_place,
    is_scaled,
    new_number,
    total,
)
from mosaic_sr.kernel.jit import compiled


@compiled()
def new_function(pool, code, child):
    """The node of a function of one node."""
    node = new_node(pool, FUNCTION, code, 0.0)
    add_child(pool, node, child, 1.0)
    emit_node(pool, node, child)
    emit_operator(pool, node, code)
    return node


@compiled()
def is_integer(value):
    """Whether the number is a finite integer."""
    return value == math.floor(value) and abs(value) < np.inf


@compiled()
def is_even(value):
    """Whether the number is a finite even integer."""
    return is_integer(value) and 2.0 * math.floor(0.5 * value) == value


@compiled()
def splits(pool, node, exponent):
    """Whether node^exponent comes apart into simpler factors."""
    kind = pool.nodes[node, KIND]
    if kind == PRODUCT:
        return is_integer(exponent) or pool.nodes[node, SIZE] == 1
    if kind == SUM and is_scaled(pool, node):
        return is_integer(exponent) or pool.weight[pool.nodes[node, FIRST]] > 0.0
    return kind == NUMBER or (kind == FUNCTION and pool.nodes[node, CODE] == ABS and is_even(exponent))


@compiled()
def product(pool, nodes, exponents, size):
    """The product of powers of nodes as a canonical node."""
    capacity = 64
    for i in range(size):
        capacity += 4 * pool.nodes[nodes[i], LENGTH]
    stack, stack_exponents = np.empty(capacity, np.int64), np.empty(capacity)
    bases, powers = np.empty(capacity, np.int64), np.empty(capacity)
    arguments, shares = np.empty(capacity, np.int64), np.empty(capacity)
    counts = np.zeros(3, np.int64)  # bases, arguments of exponentials, stack
    for i in range(size):
        stack[i], stack_exponents[i] = nodes[i], exponents[i]
    counts[2] = size
    coefficient = 1.0
    while counts[2] > 0:
        while counts[2] > 0:
            if counts.max() + pool.nodes[stack[counts[2] - 1], SIZE] + 2 >= capacity:
                pool.used[FAULT] = TOO_LARGE
                return nodes[0]
            number = open_factor(pool, stack, stack_exponents, bases, powers, arguments, shares, counts)
            if abs(coefficient * number) == np.inf or (coefficient * number == 0.0 and coefficient != 0.0 != number):
                pool.used[FAULT] = NOT_FINITE
            coefficient *= number
        counts[0] = merge_alike(pool, bases, powers, counts[0])
        reopen(pool, stack, stack_exponents, bases, powers, counts)
    if counts[1] > 0:
        coefficient *= join_exponentials(pool, bases, powers, arguments, shares, counts)
    return make_product(pool, coefficient, bases, powers, counts[0])


@compiled()
def open_factor(pool, stack, stack_exponents, bases, powers, arguments, shares, counts):
    """Take one factor off the stack: its parts go to the stack or the lists, its number is returned."""
    counts[2] -= 1
    node, exponent = stack[counts[2]], stack_exponents[counts[2]]
    kind, first = pool.nodes[node, KIND], pool.nodes[node, FIRST]
    if kind == NUMBER:
        number = pool.value[node] ** exponent
        is_hole = pool.value[node] != pool.value[node] or exponent != exponent
        if not is_hole and (not abs(number) < np.inf or (number == 0.0 and pool.value[node] != 0.0)):
            pool.used[FAULT] = NOT_FINITE
        return number
    if splits(pool, node, exponent):
        return split_factor(pool, node, exponent, stack, stack_exponents, counts)
    if kind == FUNCTION and pool.nodes[node, CODE] == EXP:
        return open_exponential(pool, pool.child[first], exponent, stack, stack_exponents, arguments, shares, counts)
    number = 1.0
    if kind == SUM and not is_scaled(pool, node):
        scale = common_scale(pool, node)
        if not is_integer(exponent):
            scale = 1.0 if scale != scale else abs(scale)
        number = scale**exponent
        if number == 0.0 or abs(number) == np.inf:
            number = 1.0
        elif scale != 1.0:
            node = divided(pool, node, scale)
    bases[counts[0]], powers[counts[0]] = node, exponent
    counts[0] += 1
    return number


@compiled()
def split_factor(pool, node, exponent, stack, stack_exponents, counts):
    """Push the parts of a product, of a scaled term or of an even power of |a|."""
    number, first, kind = 1.0, pool.nodes[node, FIRST], pool.nodes[node, KIND]
    for place in range(first, first + pool.nodes[node, SIZE]):
        child, power = pool.child[place], pool.weight[place] * exponent
        if kind == PRODUCT and is_even(pool.weight[place]) and not is_even(power) and not is_integer(exponent):
            child = new_function(pool, ABS, child)  # (a^2)^0.5 = |a|
        if kind == SUM:
            number, power = pool.weight[place] ** exponent, exponent
        stack[counts[2]], stack_exponents[counts[2]] = child, power
        counts[2] += 1
    return number


@compiled()
def open_exponential(pool, argument, exponent, stack, stack_exponents, arguments, shares, counts):
    """Split exp(argument)^exponent: logarithms become powers, the offset a number, the rest is kept for one exp."""
    number = 1.0
    if pool.nodes[argument, KIND] != SUM:
        push_share(pool, argument, exponent, stack, stack_exponents, arguments, shares, counts)
        return number
    offset = pool.value[argument]
    if offset != 0.0:
        number = math.exp(offset * exponent)
        if number == 0.0 or number == np.inf:
            arguments[counts[1]], shares[counts[1]] = new_number(pool, offset), exponent
            counts[1] += 1
            number = 1.0
    for place in range(pool.nodes[argument, FIRST], pool.nodes[argument, FIRST] + pool.nodes[argument, SIZE]):
        weight = pool.weight[place] * exponent
        push_share(pool, pool.child[place], weight, stack, stack_exponents, arguments, shares, counts)
    return number


@compiled()
def push_share(pool, term, weight, stack, stack_exponents, arguments, shares, counts):
    """One term of an exponent: exp(w log a) = a^w."""
    if pool.nodes[term, KIND] == FUNCTION and pool.nodes[term, CODE] == LOG:
        stack[counts[2]], stack_exponents[counts[2]] = pool.child[pool.nodes[term, FIRST]], weight
        counts[2] += 1
    else:
        arguments[counts[1]], shares[counts[1]] = term, weight
        counts[1] += 1


@compiled()
def reopen(pool, stack, stack_exponents, bases, powers, counts):
    """Put bases back on the stack whose merged exponent lets them come apart."""
    kept = 0
    for i in range(counts[0]):
        if splits(pool, bases[i], powers[i]):
            stack[counts[2]], stack_exponents[counts[2]] = bases[i], powers[i]
            counts[2] += 1
        else:
            bases[kept], powers[kept] = bases[i], powers[i]
            kept += 1
    counts[0] = kept


@compiled()
def join_exponentials(pool, bases, powers, arguments, shares, counts):
    """Append the one exponential of the collected arguments to the bases; returns the number it leaves."""
    argument = total(pool, arguments, shares, counts[1])
    if pool.nodes[argument, KIND] == NUMBER:
        return math.exp(pool.value[argument])
    bases[counts[0]], powers[counts[0]] = new_function(pool, EXP, argument), 1.0
    counts[0] = merge_alike(pool, bases, powers, counts[0] + 1)
    return 1.0


@compiled()
def make_product(pool, coefficient, bases, powers, size):
    """The node of a number times sorted bases with exponents."""
    if coefficient == 0.0 or size == 0:
        return new_number(pool, coefficient)
    if size > 1 or powers[0] != 1.0:
        node = new_node(pool, PRODUCT, 0, 0.0)
        for i in range(size):
            add_child(pool, node, bases[i], powers[i])
        emit_product(pool, node, node, 1.0)
        if flippable_place(pool, node) >= 0:
            length = pool.nodes[node, LENGTH]
            emit_product(pool, node, node, -1.0)
            end_negated(pool, node, length)
    else:
        node = bases[0]
    if coefficient == 1.0:
        return node
    return total(pool, np.array([node]), np.array([coefficient]), 1)
