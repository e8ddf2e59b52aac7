"""The canonical form of a postfix program."""

from __future__ import annotations

import numpy as np

from mosaic_sr.kernel.canonical.pool import (
    ABS,
    ADD,
    CODE,
    CUBE,
    DIV,
    EXP,
    FAULT,
    FIRST,
    FUNCTION,
    INV,
    KIND,
    LEAF,
    LENGTH,
    LOG,
    MUL,
    NEG,
    NOT_FINITE,
    NUMBER,
    POW,
    POWER,
    PRODUCT,
    SIZE,
    SQ,
    SQRT,
    START,
    SUB,
    add_child,
    emit,
    emit_node,
    emit_operator,
    make_pool,
    new_node,
)
from mosaic_sr.kernel.canonical.products import is_even, new_function, product
from mosaic_sr.kernel.canonical.sums import is_scaled, leans_negative, new_number, total
from mosaic_sr.kernel.evaluate import evaluate
from mosaic_sr.kernel.jit import compiled
from mosaic_sr.operators import ARITY, CONSTANT, PARITY


@compiled()
def canonical_program(codes, slots, constants):
    """Arrays of the canonical form (codes, slots, constants) and a fault code, 0 when all went well."""
    pool = make_pool(len(codes))
    stack = np.empty(len(codes), np.int64)
    top = 0
    for i in range(len(codes)):
        code = codes[i]
        if code == CONSTANT:
            stack[top] = new_number(pool, constants[slots[i]])
        elif ARITY[code] == 0:
            stack[top] = new_leaf(pool, code, slots[i])
        elif ARITY[code] == 1:
            top -= 1
            stack[top] = apply_unary(pool, code, stack[top])
        else:
            top -= 2
            stack[top] = apply_binary(pool, code, stack[top], stack[top + 1])
        top += 1
        if pool.used[FAULT] != 0:
            return codes.copy(), slots.copy(), constants.copy(), pool.used[FAULT]
    return tokens_of(pool, stack[0])


@compiled()
def tokens_of(pool, node):
    """The tokens of a node as program arrays."""
    start, length = pool.nodes[node, START], pool.nodes[node, LENGTH]
    codes = pool.tokens[start : start + length, 0].copy()
    slots = pool.tokens[start : start + length, 1].copy()
    constants = np.empty(length)
    size = 0
    for i in range(length):
        if codes[i] == CONSTANT:
            constants[size] = pool.values[start + i]
            slots[i] = size
            size += 1
    return codes, slots, constants[:size].copy(), pool.used[FAULT]


@compiled()
def new_leaf(pool, code, slot):
    """The node of a variable or of a variable hole."""
    node = new_node(pool, LEAF, code, 0.0)
    emit(pool, node, code, slot, 0.0)
    return node


@compiled()
def apply_binary(pool, code, a, b):
    """The canonical node of a binary operator."""
    pair = np.array([a, b])
    if code == ADD or code == SUB:
        return total(pool, pair, np.array([1.0, 1.0 if code == ADD else -1.0]), 2)
    if code == MUL or code == DIV:
        return checked(pool, product(pool, pair, np.array([1.0, 1.0 if code == MUL else -1.0]), 2))
    return apply_power(pool, a, b)


@compiled()
def apply_power(pool, base, exponent):
    """The canonical node of base^exponent."""
    if pool.nodes[exponent, KIND] == NUMBER:
        return power(pool, base, pool.value[exponent])
    if pool.nodes[base, KIND] == FUNCTION and pool.nodes[base, CODE] == EXP:
        pair = np.array([pool.child[pool.nodes[base, FIRST]], exponent])
        return power(pool, new_function(pool, EXP, product(pool, pair, np.ones(2), 2)), 1.0)
    node = new_node(pool, POWER, POW, 0.0)
    add_child(pool, node, base, 1.0)
    add_child(pool, node, exponent, 1.0)
    emit_node(pool, node, base)
    emit_node(pool, node, exponent)
    emit_operator(pool, node, POW)
    return node


@compiled()
def power(pool, base, exponent):
    """The canonical node of base to the power of a number."""
    if exponent == 0.0:
        return new_number(pool, 1.0)
    return checked(pool, product(pool, np.array([base]), np.array([exponent]), 1))


@compiled()
def scaled(pool, node, factor):
    """The canonical node of factor * node."""
    return total(pool, np.array([node]), np.array([factor]), 1)


@compiled()
def checked(pool, node):
    """The node; a number that is infinite is a fault, while NaN is a constant yet to be fitted."""
    if pool.nodes[node, KIND] == NUMBER and abs(pool.value[node]) == np.inf:
        pool.used[FAULT] = NOT_FINITE
    return node


@compiled()
def apply_unary(pool, code, a):
    """The canonical node of a unary operator."""
    if code == NEG:
        return scaled(pool, a, -1.0)
    if code == INV:
        return power(pool, a, -1.0)
    if code == SQ:
        return power(pool, a, 2.0)
    if code == CUBE:
        return power(pool, a, 3.0)
    if code == SQRT:
        return power(pool, a, 0.5)
    if pool.nodes[a, KIND] == NUMBER:
        return fold_number(pool, code, pool.value[a])
    if code == EXP:
        return power(pool, new_function(pool, EXP, a), 1.0)
    if code == LOG and pool.nodes[a, KIND] == FUNCTION and pool.nodes[a, CODE] == EXP:
        return pool.child[pool.nodes[a, FIRST]]
    return apply_function(pool, code, a)


@compiled()
def fold_number(pool, code, value):
    """The function of a number; a finite number with a value that is not finite is a fault."""
    out = np.empty(1)
    codes, slots = np.array([CONSTANT, code], np.int32), np.zeros(2, np.int32)
    evaluate(codes, slots, np.array([value]), np.empty((0, 1)), out)
    if value == value and not abs(out[0]) < np.inf:
        pool.used[FAULT] = NOT_FINITE
    return new_number(pool, out[0])


@compiled()
def apply_function(pool, code, a):
    """The canonical node of a function; the sign of the argument moves outside where the function allows it."""
    factor = 1.0
    if PARITY[code] != 0 and leans_negative(pool, a):
        a = scaled(pool, a, -1.0)
        factor = float(PARITY[code])
    if code == ABS:
        if is_scaled(pool, a) and pool.weight[pool.nodes[a, FIRST]] > 0.0:
            factor = pool.weight[pool.nodes[a, FIRST]]
            a = pool.child[pool.nodes[a, FIRST]]
        if is_magnitude(pool, a):
            return scaled(pool, a, factor)
    node = new_function(pool, code, a)
    return node if factor == 1.0 else scaled(pool, node, factor)


@compiled()
def is_magnitude(pool, node):
    """Whether |node| = node by its form: an absolute value, an exponential or even powers only."""
    if pool.nodes[node, KIND] == FUNCTION:
        return pool.nodes[node, CODE] == ABS or pool.nodes[node, CODE] == EXP
    if pool.nodes[node, KIND] != PRODUCT:
        return False
    for place in range(pool.nodes[node, FIRST], pool.nodes[node, FIRST] + pool.nodes[node, SIZE]):
        if not is_even(pool.weight[place]):
            return False
    return True
