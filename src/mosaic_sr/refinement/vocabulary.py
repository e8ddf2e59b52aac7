"""What edits may write: operators, columns, fresh constants, and subtrees of programs found by other paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import compiled, pointer, shifted
from mosaic_sr.operators import ARITY, CODES, CONSTANT, VARIABLE, operator_named
from mosaic_sr.refinement.chance import State, below, drawn, uniform
from mosaic_sr.refinement.programs import Buffer, Floats, Ints, Places, push, push_constant

# Fresh constants start within this many decades of 1, either sign; linear ones are solved at once anyway.
START_DECADES = 1.5
CONSTANT_SHARE = 0.25
# A random small tree is a leaf in this share of cases, and has two operators in another.
LEAF_SHARE, LARGE_SHARE = 0.3, 0.2


class Vocabulary(NamedTuple):
    """Operator codes by arity with running sums of their chances, those of the columns and those of the edits.

    pool_*: programs of all paths, one per row, whose subtrees may be copied.
    """

    unary: NDArray[np.int32]
    unary_chances: NDArray[np.float64]
    binary: NDArray[np.int32]
    binary_chances: NDArray[np.float64]
    columns: NDArray[np.float64]
    edits: NDArray[np.float64]
    pool_codes: NDArray[np.int32]
    pool_slots: NDArray[np.int32]
    pool_constants: NDArray[np.float64]
    pool_sizes: NDArray[np.int64]


class Words(NamedTuple):
    """A vocabulary as compiled code sees it: pointers and numbers of elements."""

    unary: Any
    unary_chances: Any
    num_unary: int
    binary: Any
    binary_chances: Any
    num_binary: int
    columns: Any
    num_columns: int
    edits: Any
    num_edits: int
    pool_codes: Any
    pool_slots: Any
    pool_constants: Any
    pool_sizes: Any
    num_pooled: int
    pool_width: int


def make_vocabulary(operators: Sequence[str], scores: Sequence[float], edit_chances: Sequence[float]) -> Vocabulary:
    """The vocabulary of the named operators with an empty pool; columns of higher score are drawn more often."""
    chances = np.asarray(scores, dtype=np.float64) + 0.5 * float(np.max(scores)) + 1e-9
    unary, binary = ([name for name in operators if ARITY[CODES[name]] == arity] for arity in (1, 2))
    nothing = np.zeros((0, 1), np.int32)
    return Vocabulary(
        *_codes_and_chances(unary), *_codes_and_chances(binary), _running(chances), _running(edit_chances),
        nothing, nothing, np.zeros((0, 1)), np.zeros((0, 2), np.int64),
    )  # fmt: skip


def _codes_and_chances(names: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    weights = [operator_named(name).weight for name in names]
    return np.array([CODES[name] for name in names], np.int32), _running(weights)


def _running(chances: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Running sums that end at one."""
    sums = np.cumsum(np.asarray(chances, dtype=np.float64))
    return sums / sums[-1] if len(sums) else sums


@compiled()
def words_of(
    unary: Ints, unary_chances: Floats, binary: Ints, binary_chances: Floats, columns: Floats, edits: Floats,
    pool_codes: Ints, pool_slots: Ints, pool_constants: Floats, pool_sizes: Places,
) -> Words:  # fmt: skip
    """The words of the arrays of a vocabulary, which must live on."""
    return Words(
        pointer(unary), pointer(unary_chances), len(unary), pointer(binary), pointer(binary_chances), len(binary),
        pointer(columns), len(columns), pointer(edits), len(edits), pointer(pool_codes), pointer(pool_slots),
        pointer(pool_constants), pointer(pool_sizes), len(pool_sizes), pool_codes.shape[1],
    )  # fmt: skip


@compiled()
def push_leaf(vocabulary: Words, state: State, into: Buffer) -> None:
    """Append a variable or a fresh constant."""
    if uniform(state) < CONSTANT_SHARE:
        push_fresh(state, into)
    else:
        push(into, VARIABLE, drawn(state, vocabulary.columns, vocabulary.num_columns))


@compiled()
def push_fresh(state: State, into: Buffer) -> None:
    """Append a constant that is yet to be fitted."""
    value = 10.0 ** (START_DECADES * (2.0 * uniform(state) - 1.0))
    push_constant(into, value if uniform(state) < 0.5 else -value)


@compiled()
def random_operator(vocabulary: Words, state: State, arity: int) -> int:
    """The code of an operator of that arity; -1 when there is none."""
    if arity == 1:
        number = vocabulary.num_unary
        return vocabulary.unary[drawn(state, vocabulary.unary_chances, number)] if number > 0 else -1
    number = vocabulary.num_binary
    return vocabulary.binary[drawn(state, vocabulary.binary_chances, number)] if number > 0 else -1


@compiled()
def random_arity(vocabulary: Words, state: State, unary_share: float) -> int:
    """The arity of the next operator."""
    has_unary, has_binary = vocabulary.num_unary > 0, vocabulary.num_binary > 0
    return 1 if has_unary and (not has_binary or uniform(state) < unary_share) else 2


@compiled()
def grow(vocabulary: Words, state: State, into: Buffer) -> None:
    """Put an operator on the tree that was just appended, with a leaf if it is binary."""
    arity = random_arity(vocabulary, state, 0.5)
    if arity == 2:
        push_leaf(vocabulary, state, into)
    push(into, random_operator(vocabulary, state, arity), 0)


@compiled()
def push_small(vocabulary: Words, state: State, into: Buffer) -> None:
    """Append a leaf, an operator over leaves, or sometimes two operators."""
    push_leaf(vocabulary, state, into)
    if uniform(state) >= LEAF_SHARE:
        grow(vocabulary, state, into)
        if uniform(state) < LARGE_SHARE:
            grow(vocabulary, state, into)


@compiled()
def push_pooled(vocabulary: Words, state: State, into: Buffer) -> None:
    """Append a random subtree of the pool, or a small random tree when the pool is empty."""
    if vocabulary.num_pooled == 0:
        push_small(vocabulary, state, into)
        return
    row = below(state, vocabulary.num_pooled)
    codes, slots = (
        shifted(vocabulary.pool_codes, row * vocabulary.pool_width),
        shifted(vocabulary.pool_slots, row * vocabulary.pool_width),
    )
    constants = shifted(vocabulary.pool_constants, row * vocabulary.pool_width)
    last = below(state, vocabulary.pool_sizes[2 * row])
    first, missing = last, ARITY[codes[last]]
    while missing > 0:
        first -= 1
        missing += ARITY[codes[first]] - 1
    for node in range(first, last + 1):
        if codes[node] == CONSTANT:
            push_constant(into, constants[slots[node]])
        else:
            push(into, codes[node], slots[node])
