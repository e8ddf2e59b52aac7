"""Expressions are immutable postfix arrays; subtrees are slices."""

import pickle

import numpy as np
import pytest

from mosaic_sr.expressions.complexity import complexity
from mosaic_sr.expressions.expression import apply, constant, hole, num_operators, variable
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse

NAMES = ["x", "y", "z"]


def random_expressions(count):
    rng = np.random.default_rng(0)
    return [generate(rng, GeneratorConfig(max_operators=12)) for _ in range(count)]


def test_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        parse("x+1", NAMES).constants[0] = 2.0


def test_equal_expressions_are_equal_and_hash_alike():
    assert parse("x*2+y", NAMES) == parse("x*2 + y", NAMES)
    assert len({parse("x*2+y", NAMES), parse("x*2 + y", NAMES), parse("x*3+y", NAMES)}) == 2


def test_structure_key_ignores_the_values_of_constants():
    assert parse("x*2+y", NAMES).structure_key == parse("x*3+y", NAMES).structure_key


def test_a_subtree_put_back_gives_the_same_expression():
    for expression in random_expressions(200):
        for index in range(len(expression)):
            assert expression.replaced(index, expression.subtree(index)) == expression


def test_replacing_keeps_constants_in_reading_order():
    changed = parse("2*x + 3*y", NAMES).replaced(2, parse("7*z^1.7", NAMES))
    assert changed == parse("7*z^1.7 + 3*y", NAMES)


def test_questions_about_size_and_columns():
    expression = parse("sin(x*y) + 2", NAMES)
    assert num_operators(expression) == 3
    assert complexity(expression) == 6
    assert expression.columns == (0, 1)
    assert expression.renamed([2, 0, 1]).columns == (0, 2)


def test_holes_are_counted_and_refused_where_unexpected():
    sketch = apply("mul", constant(np.nan), hole())
    assert sketch.num_holes == 1
    with pytest.raises(ValueError, match="holes"):
        sketch.fold(lambda _, children: 1, lambda _: 1, lambda _: 1)


def test_expressions_survive_pickling():
    expression = apply("add", variable(1), constant(2.5))
    assert pickle.loads(pickle.dumps(expression)) == expression
