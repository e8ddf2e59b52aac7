"""Expressions are immutable postfix arrays; subtrees are slices."""

import pickle

import numpy as np
import pytest

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.complexity import complexity
from mosaic_sr.expressions.expression import Expression, apply, constant, hole, num_operators, variable
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse
from mosaic_sr.operators import ARITY, CODES, CONSTANT, HOLE, MOST_DEFINED, VARIABLE

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


def arrays(codes, slots, constants, kinds=(np.int32, np.int32, np.float64)):
    return [np.array(values, dtype=kind) for values, kind in zip((codes, slots, constants), kinds, strict=True)]


X, C, ADD, SIN = VARIABLE, CONSTANT, CODES["add"], CODES["sin"]
NO_FORMULAS = {
    "nothing": ([], [], []),
    "an operator alone": ([SIN], [0], []),
    "an operand missing": ([X, ADD], [0, 0], []),
    "an operand missing in between": ([X, ADD, X], [0, 0, 0], []),
    "two values": ([X, X], [0, 0], []),
    "an unknown code": ([len(ARITY)], [0], []),
    "a code that no operator has yet": ([X, len(ARITY) - 1 - MOST_DEFINED], [0, 0], []),
    "a code below 0": ([-1], [0], []),
    "a column below 0": ([X], [-1], []),
    "a slot of an operator": ([X, SIN], [0, 1], []),
    "a slot of a hole": ([HOLE], [1], []),
    "a constant too few": ([C], [0], []),
    "a constant too many": ([X], [0], [1.0]),
    "constants out of order": ([C, C, ADD], [1, 0, 0], [1.0, 2.0]),
    "a constant twice": ([C, C, ADD], [0, 0, 0], [1.0]),
    "constants below 0": ([C], [-1], [1.0]),
    "slots too few": ([X, SIN], [0], []),
    "tables": ([[X]], [[0]], [[]]),
}


@pytest.mark.parametrize("parts", NO_FORMULAS.values(), ids=NO_FORMULAS)
def test_what_is_no_formula_is_refused_when_it_is_made(parts):
    made = arrays(*parts)
    with pytest.raises(InvalidFormula, match="not a formula: "):
        Expression(*made)


@pytest.mark.parametrize("place", range(3))
def test_arrays_of_another_kind_are_refused(place):
    kinds = [np.int32, np.int32, np.float64]
    kinds[place] = np.float32
    made = arrays([X, C, ADD], [0, 0, 0], [1.5], kinds)
    with pytest.raises(InvalidFormula, match="float32"):
        Expression(*made)


def test_arrays_with_gaps_are_refused():
    codes, slots, constants = arrays([X, 99, SIN], [0, 0, 0], [])
    with pytest.raises(InvalidFormula, match="contiguous"):
        Expression(codes[::2], slots[::2], constants)


def test_other_constants_must_be_as_many():
    with pytest.raises(InvalidFormula, match="expected 1 constants, got 2"):
        parse("x+1", NAMES).with_constants([1.0, 2.0])


def test_columns_must_exist():
    with pytest.raises(InvalidFormula, match="slot -1"):
        parse("x+1", NAMES).renamed([-1])
