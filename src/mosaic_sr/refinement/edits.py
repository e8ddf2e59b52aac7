"""Tree edits. Each takes an expression and a vocabulary and returns a valid expression, perhaps the same one.

To add one: write `edit(expression, vocabulary, rng) -> Expression` and append it to EDITS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mosaic_sr.expressions.expression import Expression, apply, constant, make_expression, variable
from mosaic_sr.operators import ARITY, CODES, COMMUTES, CONSTANT, VARIABLE, operator_of


@dataclass(frozen=True)
class Vocabulary:
    """What edits may write: operators by arity and columns with their chances, which add up to 1."""

    unary: tuple[str, ...]
    binary: tuple[str, ...]
    columns: tuple[int, ...]
    chances: tuple[float, ...]


def make_vocabulary(operators: Sequence[str], scores: Sequence[float]) -> Vocabulary:
    """The vocabulary of the named operators; columns of higher score are drawn more often, none never."""
    chances = np.asarray(scores, dtype=np.float64) + 0.5 * float(np.max(scores)) + 1e-9
    return Vocabulary(
        unary=tuple(name for name in operators if ARITY[CODES[name]] == 1),
        binary=tuple(name for name in operators if ARITY[CODES[name]] == 2),
        columns=tuple(range(len(chances))),
        chances=tuple(chances / chances.sum()),
    )


def replace_operator(expression: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    """Another operator of the same arity at one node."""
    inner = np.flatnonzero(ARITY[expression.codes] > 0)
    if not len(inner):
        return expression
    index = int(rng.choice(inner))
    names = vocabulary.unary if ARITY[expression.codes[index]] == 1 else vocabulary.binary
    if not names:
        return expression
    codes = expression.codes.copy()
    codes[index] = CODES[names[rng.integers(len(names))]]
    return make_expression(codes, expression.slots, expression.constants)


def replace_leaf(expression: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    """Another variable, or a constant for a variable and the other way round, at one leaf."""
    leaves = np.flatnonzero(ARITY[expression.codes] == 0)
    return expression.replaced(int(rng.choice(leaves)), _random_leaf(vocabulary, rng))


def replace_subtree(expression: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    """A small random tree in place of a subtree."""
    return expression.replaced(int(rng.integers(len(expression))), _small_tree(vocabulary, rng))


def insert_operator(expression: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    """An operator above one node; the other operand of a binary one is a leaf or a small tree."""
    index = int(rng.integers(len(expression)))
    return expression.replaced(index, _wrapped(expression.subtree(index), vocabulary, rng))


def delete_node(expression: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    """One of its operands in place of an operator."""
    inner = np.flatnonzero(ARITY[expression.codes] > 0)
    if not len(inner):
        return expression
    index = int(rng.choice(inner))
    return expression.replaced(index, expression.subtree(int(rng.choice(_operands(expression, index)))))


def hoist_subtree(expression: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    """A subtree alone."""
    return expression.subtree(int(rng.integers(len(expression))))


def swap_operands(expression: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    """The operands of a binary operator that does not commute, exchanged."""
    binary = np.flatnonzero((ARITY[expression.codes] == 2) & ~COMMUTES[expression.codes])
    if not len(binary):
        return expression
    index = int(rng.choice(binary))
    left, right = (expression.subtree(operand) for operand in _operands(expression, index))
    return expression.replaced(index, apply(operator_of(int(expression.codes[index])).name, right, left))


def add_constant(expression: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    """A free scale or offset at one node."""
    index = int(rng.integers(len(expression)))
    name = "mul" if rng.random() < 0.5 else "add"
    if name not in vocabulary.binary:
        return expression
    return expression.replaced(index, apply(name, constant(np.nan), expression.subtree(index)))


def graft_subtree(expression: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    """A copy of one subtree in place of another."""
    source = expression.subtree(int(rng.integers(len(expression))))
    return expression.replaced(int(rng.integers(len(expression))), source)


EDITS: tuple[Callable[[Expression, Vocabulary, np.random.Generator], Expression], ...] = (
    replace_operator,
    replace_leaf,
    replace_subtree,
    insert_operator,
    delete_node,
    hoist_subtree,
    swap_operands,
    add_constant,
    graft_subtree,
)
# Insertions and replacements find new terms; hoisting and swapping are rarely what is missing.
EDIT_CHANCES = np.array([0.18, 0.16, 0.16, 0.2, 0.12, 0.02, 0.02, 0.1, 0.04])


def edit(expression: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    """The expression after one random edit."""
    return EDITS[int(rng.choice(len(EDITS), p=EDIT_CHANCES))](expression, vocabulary, rng)


def _operands(expression: Expression, index: int) -> list[int]:
    """The root nodes of the operands of an operator node, left to right."""
    right = index - 1
    if ARITY[expression.codes[index]] == 1:
        return [right]
    return [int(expression.starts[right]) - 1, right]


def _random_leaf(vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    if rng.random() < 0.25:
        return constant(np.nan)
    return variable(int(rng.choice(vocabulary.columns, p=vocabulary.chances)))


def _wrapped(inner: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    is_unary = bool(vocabulary.unary) and (not vocabulary.binary or rng.random() < 0.4)
    if is_unary:
        return apply(vocabulary.unary[rng.integers(len(vocabulary.unary))], inner)
    name = vocabulary.binary[rng.integers(len(vocabulary.binary))]
    other = _small_tree(vocabulary, rng) if rng.random() < 0.3 else _random_leaf(vocabulary, rng)
    return apply(name, inner, other) if rng.random() < 0.5 else apply(name, other, inner)


def _small_tree(vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    tree = _random_leaf(vocabulary, rng)
    return _wrapped_leaf(tree, vocabulary, rng) if rng.random() < 0.7 else tree


def _wrapped_leaf(tree: Expression, vocabulary: Vocabulary, rng: np.random.Generator) -> Expression:
    if vocabulary.unary and (not vocabulary.binary or rng.random() < 0.5):
        return apply(vocabulary.unary[rng.integers(len(vocabulary.unary))], tree)
    return apply(vocabulary.binary[rng.integers(len(vocabulary.binary))], tree, _random_leaf(vocabulary, rng))


def reads_variable(expression: Expression) -> bool:
    """Whether at least one column is read."""
    return bool(np.any(expression.codes == VARIABLE))


def num_free(expression: Expression) -> int:
    """How many constants are fitted."""
    return int(np.count_nonzero(expression.codes == CONSTANT))
