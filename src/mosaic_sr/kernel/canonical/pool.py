"""The node pool in which a canonical form is built, and the order of its nodes.

A node is a number, a leaf, a function of one node, a general power, a sum or a product. A sum is an offset plus
weighted terms; a product is a list of bases with exponents. Each node carries its postfix tokens, by which nodes
are compared: shorter first, then token by token.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import compiled
from mosaic_sr.operators import CODES, CONSTANT, HOLE

NUMBER, LEAF, FUNCTION, POWER, SUM, PRODUCT = range(6)

ADD, SUB, MUL, DIV, POW = (CODES[name] for name in ("add", "sub", "mul", "div", "pow"))
NEG, INV, SQ, CUBE, SQRT = (CODES[name] for name in ("neg", "inv", "sq", "cube", "sqrt"))
EXP, LOG, ABS = (CODES[name] for name in ("exp", "log", "abs"))

# Places in `Pool.used`.
NODES, CHILDREN, TOKENS, FAULT = range(4)
# Values of `used[FAULT]`: the arrays were too small, or numbers folded to a value that is not finite.
TOO_LARGE, NOT_FINITE = 1, 2


# Columns of `Pool.nodes`. A sum, and a product with a sum in it, also carries the tokens of its negative.
KIND, CODE, FIRST, SIZE, START, LENGTH, NEGATED_START, NEGATED_LENGTH = range(8)


class Pool(NamedTuple):
    """Growing arrays: nodes and their numbers, children and their weights, tokens (code, slot) and their numbers."""

    nodes: NDArray[np.int64]
    value: NDArray[np.float64]
    child: NDArray[np.int64]
    weight: NDArray[np.float64]
    tokens: NDArray[np.int32]
    values: NDArray[np.float64]
    used: NDArray[np.int64]


@compiled()
def make_pool(num_tokens):
    """An empty pool that suits a program of `num_tokens` tokens."""
    nodes, children = 24 * num_tokens + 64, 64 * num_tokens + 256
    tokens = 48 * num_tokens * min(num_tokens, 64) + 1024
    return Pool(
        np.zeros((nodes, 8), np.int64),
        np.zeros(nodes),
        np.zeros(children, np.int64),
        np.zeros(children),
        np.zeros((tokens, 2), np.int32),
        np.zeros(tokens),
        np.zeros(4, np.int64),
    )


@compiled()
def new_node(pool, kind, code, value):
    """A node without children or tokens; node 0 is handed out again once the pool is full."""
    node = pool.used[NODES]
    if node + 1 >= len(pool.nodes):
        pool.used[FAULT] = TOO_LARGE
        node = 0
    else:
        pool.used[NODES] = node + 1
    pool.nodes[node, KIND] = kind
    pool.nodes[node, CODE] = code
    pool.value[node] = value
    pool.nodes[node, FIRST] = pool.used[CHILDREN]
    pool.nodes[node, SIZE] = 0
    pool.nodes[node, START] = pool.used[TOKENS]
    pool.nodes[node, LENGTH] = 0
    pool.nodes[node, NEGATED_LENGTH] = 0
    return node


@compiled()
def add_child(pool, node, child, weight):
    """Append a weighted child to the newest node."""
    place = pool.used[CHILDREN]
    if place >= len(pool.child):
        pool.used[FAULT] = TOO_LARGE
        return
    pool.child[place] = child
    pool.weight[place] = weight
    pool.used[CHILDREN] = place + 1
    pool.nodes[node, SIZE] += 1


@compiled()
def emit(pool, node, code, slot, value):
    """Append a token to the newest node."""
    place = pool.used[TOKENS]
    if place >= len(pool.tokens):
        pool.used[FAULT] = TOO_LARGE
        return
    pool.tokens[place, 0] = code
    pool.tokens[place, 1] = slot
    pool.values[place] = value
    pool.used[TOKENS] = place + 1
    pool.nodes[node, LENGTH] += 1


@compiled()
def emit_node(pool, node, other):
    """Append the tokens of another node to the newest node."""
    for place in range(pool.nodes[other, START], pool.nodes[other, START] + pool.nodes[other, LENGTH]):
        emit(pool, node, pool.tokens[place, 0], pool.tokens[place, 1], pool.values[place])


@compiled()
def end_negated(pool, node, length):
    """Declare the newest node's tokens past the first `length` to be those of its negative."""
    pool.nodes[node, NEGATED_START] = pool.nodes[node, START] + length
    pool.nodes[node, NEGATED_LENGTH] = pool.nodes[node, LENGTH] - length
    pool.nodes[node, LENGTH] = length


@compiled()
def emit_negated(pool, node, other):
    """Append the tokens of -other to the newest node."""
    for place in range(
        pool.nodes[other, NEGATED_START], pool.nodes[other, NEGATED_START] + pool.nodes[other, NEGATED_LENGTH]
    ):
        emit(pool, node, pool.tokens[place, 0], pool.tokens[place, 1], pool.values[place])


@compiled()
def emit_number(pool, node, value):
    """Append a constant to the newest node."""
    emit(pool, node, CONSTANT, 0, value)


@compiled()
def emit_operator(pool, node, code):
    """Append an operator to the newest node."""
    emit(pool, node, code, 0, 0.0)


@compiled()
def compare(pool, a, b):
    """Negative, zero or positive as node `a` stands before, with or after node `b`; all NaN are alike and last."""
    if pool.nodes[a, LENGTH] != pool.nodes[b, LENGTH]:
        return pool.nodes[a, LENGTH] - pool.nodes[b, LENGTH]
    for step in range(pool.nodes[a, LENGTH]):
        i, j = pool.nodes[a, START] + step, pool.nodes[b, START] + step
        if pool.tokens[i, 0] != pool.tokens[j, 0]:
            return np.int64(pool.tokens[i, 0] - pool.tokens[j, 0])
        if pool.tokens[i, 1] != pool.tokens[j, 1]:
            return np.int64(pool.tokens[i, 1] - pool.tokens[j, 1])
        u, v = pool.values[i], pool.values[j]
        if u < v or (v != v and u == u):
            return np.int64(-1)
        if u > v or (u != u and v == v):
            return np.int64(1)
    return np.int64(0)


@compiled()
def has_hole(pool, node):
    """Whether a variable hole stands below the node: two holes are two unknowns, never like terms."""
    for place in range(pool.nodes[node, START], pool.nodes[node, START] + pool.nodes[node, LENGTH]):
        if pool.tokens[place, 0] == HOLE:
            return True
    return False


@compiled()
def merge_alike(pool, nodes, weights, size):
    """Sort nodes, add the weights of equal ones, drop weight zero; returns how many are left."""
    for i in range(1, size):
        node, weight, j = nodes[i], weights[i], i - 1
        while j >= 0 and compare(pool, nodes[j], node) > 0:
            nodes[j + 1], weights[j + 1] = nodes[j], weights[j]
            j -= 1
        nodes[j + 1], weights[j + 1] = node, weight
    kept = 0
    for i in range(size):
        if kept > 0 and compare(pool, nodes[kept - 1], nodes[i]) == 0 and not has_hole(pool, nodes[i]):
            weights[kept - 1] += weights[i]
        else:
            nodes[kept], weights[kept] = nodes[i], weights[i]
            kept += 1
    size, kept = kept, 0
    for i in range(size):
        if weights[i] != 0.0:
            nodes[kept], weights[kept] = nodes[i], weights[i]
            kept += 1
    return kept
