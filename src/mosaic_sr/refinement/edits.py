"""Tree edits, compiled. Each reads a program and writes another; both are valid postfix programs.

To add one: write `edit(source, starts, vocabulary, state, into)`, give it a number in `apply_edit` and a chance.
"""

from __future__ import annotations

from mosaic_sr.kernel.jit import compiled
from mosaic_sr.operators import ARITY, CODES, COMMUTES
from mosaic_sr.refinement.chance import State, below, uniform
from mosaic_sr.refinement.programs import Buffer, Places, append, clear, copy_program, push
from mosaic_sr.refinement.vocabulary import (
    Words,
    push_fresh,
    push_leaf,
    push_pooled,
    push_small,
    random_arity,
    random_operator,
)

ADD, MUL = CODES["add"], CODES["mul"]


@compiled()
def random_node(source: Buffer, state: State, least_arity: int) -> int:
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
def allows(vocabulary: Words, code: int) -> bool:
    """Whether the binary operator of that code may be written."""
    for index in range(vocabulary.num_binary):
        if vocabulary.binary[index] == code:
            return True
    return False


@compiled()
def replace_operator(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """Another operator of the same arity at one node."""
    copy_program(source, into)
    node = random_node(source, state, 1)
    if node >= 0:
        code = random_operator(vocabulary, state, ARITY[source.codes[node]])
        if code >= 0:
            into.codes[node] = code


@compiled()
def replace_leaf(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """Another leaf at one leaf."""
    node = below(state, source.sizes[0])
    while ARITY[source.codes[node]] > 0:
        node = below(state, source.sizes[0])
    append(into, source, 0, node)
    push_leaf(vocabulary, state, into)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def replace_subtree(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """A small random tree in place of a subtree."""
    node = below(state, source.sizes[0])
    append(into, source, 0, starts[node])
    push_small(vocabulary, state, into)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def insert_operator(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """An operator above one node; the other operand of a binary one is a leaf or a small tree."""
    node = below(state, source.sizes[0])
    append(into, source, 0, starts[node])
    arity = random_arity(vocabulary, state, 0.4)
    is_left = arity == 1 or uniform(state) < 0.5
    if is_left:
        append(into, source, starts[node], node + 1)
    if arity == 2 and uniform(state) < 0.3:
        push_small(vocabulary, state, into)
    elif arity == 2:
        push_leaf(vocabulary, state, into)
    if not is_left:
        append(into, source, starts[node], node + 1)
    push(into, random_operator(vocabulary, state, arity), 0)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def delete_node(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
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
def hoist_subtree(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """A subtree alone."""
    node = below(state, source.sizes[0])
    append(into, source, starts[node], node + 1)


@compiled()
def swap_operands(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
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
def add_constant(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """A free scale or offset at one node."""
    code = MUL if uniform(state) < 0.5 else ADD
    if not allows(vocabulary, code):
        copy_program(source, into)
        return
    node = below(state, source.sizes[0])
    append(into, source, 0, starts[node])
    push_fresh(state, into)
    append(into, source, starts[node], node + 1)
    push(into, code, 0)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def graft_subtree(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """A copy of one subtree in place of another."""
    node, other = below(state, source.sizes[0]), below(state, source.sizes[0])
    append(into, source, 0, starts[node])
    append(into, source, starts[other], other + 1)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def add_term(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """The whole and a fresh small term."""
    copy_program(source, into)
    if allows(vocabulary, ADD):
        push_small(vocabulary, state, into)
        push(into, ADD, 0)


@compiled()
def multiply_subtree(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """A subtree times a fresh small factor."""
    if not allows(vocabulary, MUL):
        copy_program(source, into)
        return
    node = below(state, source.sizes[0])
    append(into, source, 0, node + 1)
    push_small(vocabulary, state, into)
    push(into, MUL, 0)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def graft_pooled(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """A subtree of another path's program in place of a subtree."""
    node = below(state, source.sizes[0])
    append(into, source, 0, starts[node])
    push_pooled(vocabulary, state, into)
    append(into, source, node + 1, source.sizes[0])


@compiled()
def join_pooled(source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
    """The whole, joined by a random operator to a subtree of another path's program."""
    code = random_operator(vocabulary, state, 2)
    copy_program(source, into)
    if code >= 0:
        push_pooled(vocabulary, state, into)
        push(into, code, 0)


# Insertions and replacements find new terms; hoisting and swapping are rarely what is missing.
EDIT_CHANCES = (0.18, 0.16, 0.16, 0.2, 0.12, 0.02, 0.02, 0.1, 0.04, 0.05, 0.05, 0.05, 0.02)
NUM_EDITS = len(EDIT_CHANCES)


@compiled()
def apply_edit(number: int, source: Buffer, starts: Places, vocabulary: Words, state: State, into: Buffer) -> None:
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
    elif number == 8:
        graft_subtree(source, starts, vocabulary, state, into)
    elif number == 9:
        add_term(source, starts, vocabulary, state, into)
    elif number == 10:
        multiply_subtree(source, starts, vocabulary, state, into)
    elif number == 11:
        graft_pooled(source, starts, vocabulary, state, into)
    else:
        join_pooled(source, starts, vocabulary, state, into)
