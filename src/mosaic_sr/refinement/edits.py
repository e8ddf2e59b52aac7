"""Tree edits, compiled. Each reads a program and writes another; both are valid postfix programs.

To add one: write `edit(source, starts, vocabulary, state, into)`, give it a number in `apply_edit` and a chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import compiled
from mosaic_sr.operators import ARITY, CODES, COMMUTES, CONSTANT, VARIABLE
from mosaic_sr.refinement.chance import below, drawn, uniform
from mosaic_sr.refinement.programs import append, clear, copy_program, push

ADD, MUL = CODES["add"], CODES["mul"]
# Fresh constants start within this many decades of 1, either sign; linear ones are solved at once anyway.
START_DECADES = 1.5
CONSTANT_SHARE = 0.25


class Vocabulary(NamedTuple):
    """What edits may write: operator codes by arity, and running sums of the columns' chances."""

    unary: NDArray[np.int32]
    binary: NDArray[np.int32]
    columns: NDArray[np.float64]


def make_vocabulary(operators: Sequence[str], scores: Sequence[float]) -> Vocabulary:
    """The vocabulary of the named operators; columns of higher score are drawn more often, none never."""
    chances = np.asarray(scores, dtype=np.float64) + 0.5 * float(np.max(scores)) + 1e-9
    codes = {arity: [CODES[name] for name in operators if ARITY[CODES[name]] == arity] for arity in (1, 2)}
    return Vocabulary(
        np.array(codes[1], dtype=np.int32), np.array(codes[2], dtype=np.int32), np.cumsum(chances / chances.sum())
    )


@compiled()
def push_leaf(vocabulary, state, into):
    """Append a variable or a fresh constant."""
    if uniform(state) < CONSTANT_SHARE:
        push_fresh(state, into)
    else:
        push(into, VARIABLE, drawn(state, vocabulary.columns), 0.0)


@compiled()
def push_fresh(state, into):
    """Append a constant that is yet to be fitted."""
    value = 10.0 ** (START_DECADES * (2.0 * uniform(state) - 1.0))
    push(into, CONSTANT, 0, value if uniform(state) < 0.5 else -value)


@compiled()
def push_operator(codes, state, into):
    """Append a random operator of those codes."""
    push(into, codes[below(state, len(codes))], 0, 0.0)


@compiled()
def prefers_unary(vocabulary, state, share):
    """Whether the next operator is unary."""
    return len(vocabulary.unary) > 0 and (len(vocabulary.binary) == 0 or uniform(state) < share)


@compiled()
def push_small(vocabulary, state, into):
    """Append a leaf, or an operator over leaves."""
    push_leaf(vocabulary, state, into)
    if uniform(state) < 0.3:
        return
    if prefers_unary(vocabulary, state, 0.5):
        push_operator(vocabulary.unary, state, into)
    else:
        push_leaf(vocabulary, state, into)
        push_operator(vocabulary.binary, state, into)


@compiled()
def random_node(source, state, least_arity):
    """A random node of at least that arity; -1 when there is none."""
    count = 0
    for node in range(source.sizes[0]):
        count += ARITY[source.codes[node]] >= least_arity
    if count == 0:
        return -1
    left = below(state, count)
    for node in range(source.sizes[0]):
        if ARITY[source.codes[node]] >= least_arity:
            if left == 0:
                return node
            left -= 1
    return -1


@compiled()
def replace_operator(source, starts, vocabulary, state, into):
    """Another operator of the same arity at one node."""
    copy_program(source, into)
    node = random_node(source, state, 1)
    if node >= 0:
        codes = vocabulary.unary if ARITY[source.codes[node]] == 1 else vocabulary.binary
        if len(codes) > 0:
            into.codes[node] = codes[below(state, len(codes))]


@compiled()
def replace_leaf(source, starts, vocabulary, state, into):
    """Another leaf at one leaf."""
    node = below(state, source.sizes[0])
    while ARITY[source.codes[node]] > 0:
        node = below(state, source.sizes[0])
    append(into, source, 0, node)
    push_leaf(vocabulary, state, into)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def replace_subtree(source, starts, vocabulary, state, into):
    """A small random tree in place of a subtree."""
    node = below(state, source.sizes[0])
    append(into, source, 0, starts[node])
    push_small(vocabulary, state, into)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def insert_operator(source, starts, vocabulary, state, into):
    """An operator above one node; the other operand of a binary one is a leaf or a small tree."""
    node = below(state, source.sizes[0])
    append(into, source, 0, starts[node])
    if prefers_unary(vocabulary, state, 0.4):
        append(into, source, starts[node], node + 1)
        push_operator(vocabulary.unary, state, into)
    else:
        is_left = uniform(state) < 0.5
        if is_left:
            append(into, source, starts[node], node + 1)
        if uniform(state) < 0.3:
            push_small(vocabulary, state, into)
        else:
            push_leaf(vocabulary, state, into)
        if not is_left:
            append(into, source, starts[node], node + 1)
        push_operator(vocabulary.binary, state, into)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def delete_node(source, starts, vocabulary, state, into):
    """One of its operands in place of an operator."""
    node = random_node(source, state, 1)
    if node < 0:
        copy_program(source, into)
        return
    operand = node - 1
    if ARITY[source.codes[node]] == 2 and uniform(state) < 0.5:
        operand = starts[node - 1] - 1
    append(into, source, 0, starts[node])
    append(into, source, starts[operand], operand + 1)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def hoist_subtree(source, starts, vocabulary, state, into):
    """A subtree alone."""
    node = below(state, source.sizes[0])
    append(into, source, starts[node], node + 1)


@compiled()
def swap_operands(source, starts, vocabulary, state, into):
    """The operands of a binary operator that does not commute, exchanged."""
    node = random_node(source, state, 2)
    if node < 0 or COMMUTES[source.codes[node]]:
        copy_program(source, into)
        return
    middle = starts[node - 1]
    append(into, source, 0, starts[node])
    append(into, source, middle, node)
    append(into, source, starts[node], middle)
    append(into, source, node, source.sizes[0])


@compiled()
def add_constant(source, starts, vocabulary, state, into):
    """A free scale or offset at one node."""
    code = MUL if uniform(state) < 0.5 else ADD
    node = below(state, source.sizes[0])
    is_allowed = False
    for allowed in vocabulary.binary:
        is_allowed = is_allowed or allowed == code
    append(into, source, 0, starts[node])
    if is_allowed:
        push_fresh(state, into)
    append(into, source, starts[node], node + 1)
    if is_allowed:
        push(into, code, 0, 0.0)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def graft_subtree(source, starts, vocabulary, state, into):
    """A copy of one subtree in place of another."""
    node, other = below(state, source.sizes[0]), below(state, source.sizes[0])
    append(into, source, 0, starts[node])
    append(into, source, starts[other], other + 1)
    append(into, source, node + 1, source.sizes[0])


# Insertions and replacements find new terms; hoisting and swapping are rarely what is missing.
EDIT_CHANCES = (0.18, 0.16, 0.16, 0.2, 0.12, 0.02, 0.02, 0.1, 0.04)
NUM_EDITS = len(EDIT_CHANCES)
CUMULATIVE = np.cumsum(EDIT_CHANCES)


@compiled()
def apply_edit(number, source, starts, vocabulary, state, into):
    """Write the program after the edit of that number."""
    clear(into)
    if number == 0:
        replace_operator(source, starts, vocabulary, state, into)
    elif number == 1:
        replace_leaf(source, starts, vocabulary, state, into)
    elif number == 2:
        replace_subtree(source, starts, vocabulary, state, into)
    elif number == 3:
        insert_operator(source, starts, vocabulary, state, into)
    elif number == 4:
        delete_node(source, starts, vocabulary, state, into)
    elif number == 5:
        hoist_subtree(source, starts, vocabulary, state, into)
    elif number == 6:
        swap_operands(source, starts, vocabulary, state, into)
    elif number == 7:
        add_constant(source, starts, vocabulary, state, into)
    else:
        graft_subtree(source, starts, vocabulary, state, into)
