"""Every edit writes valid programs, and only what the vocabulary allows."""

import numpy as np
import pytest

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, IS_DISABLED, OUT, compiled
from mosaic_sr.operators import ARITY, CODES, CONSTANT, VARIABLE
from mosaic_sr.refinement.chance import OUT_STATE, make_state
from mosaic_sr.refinement.edits import EDIT_CHANCES, NUM_EDITS, apply_edit
from mosaic_sr.refinement.programs import find_starts, lent, to_expression, to_program
from mosaic_sr.refinement.vocabulary import Vocabulary, words_of
from mosaic_sr.refinement.vocabulary import make_vocabulary as vocabulary_of
from mosaic_sr.refinement.walk import POOL_INTS, POOL_SIZES

NAMES = ["x0", "x1", "x2"]
OPERATORS = ("add", "mul", "div", "sub", "sin", "sq")
CAPACITY = 64
PROGRAM = f"int32[::1], int32[::1], {OUT}, int64[::1]"


POOL = f"{POOL_INTS}, {POOL_INTS}, {COLUMNS}, {POOL_SIZES}"
VOCABULARY = f"{INTS}, {FLOATS}, {INTS}, {FLOATS}, {FLOATS}, {FLOATS}, {POOL}"


@compiled(f"void(int64, {PROGRAM}, {VOCABULARY}, {OUT_STATE}, {PROGRAM})")
def edit_once(number, c, s, k, n, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, state, into_c, into_s, into_k, into_n):
    source, starts = lent(c, s, k, n), np.empty(len(c), np.int64)
    find_starts(source, starts)
    into = lent(into_c, into_s, into_k, into_n)
    apply_edit(number, source, starts, words_of(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9), state, into)


def make_vocabulary(operators, scores, pool=()):
    vocabulary = vocabulary_of(operators, scores, EDIT_CHANCES)
    if not pool:
        return vocabulary
    parts = zip(*(to_program(expression, CAPACITY) for expression in pool), strict=True)
    return Vocabulary(*vocabulary[:6], *(np.array(part) for part in parts))


def edited(number, expression, vocabulary, state):
    into = to_program(parse("0", NAMES), CAPACITY)
    edit_once(number, *to_program(expression, CAPACITY), *vocabulary, state, *into)
    return into


def assert_valid(expression: Expression, allowed: set[int]) -> None:
    height = 0
    for code in expression.codes:
        height += 1 - ARITY[code]
        assert height >= 1
    assert height == 1
    assert np.count_nonzero(expression.codes == CONSTANT) == expression.num_constants
    assert np.all(np.isfinite(expression.constants))
    assert all(0 <= slot < 3 for slot in expression.slots[expression.codes == VARIABLE])
    assert {int(code) for code in expression.codes if ARITY[code]} <= allowed
    text = to_text(expression, NAMES)
    assert parse(text, NAMES).structure_key == expression.structure_key, text


@pytest.mark.parametrize("num_pooled", [0, 5])
@pytest.mark.parametrize("number", range(NUM_EDITS))
def test_edited_programs_are_valid(number, num_pooled):
    rng = np.random.default_rng(1)
    config = GeneratorConfig(weights=dict.fromkeys(OPERATORS, 1.0), max_operators=8)
    pool = [generate(rng, config) for _ in range(num_pooled)]
    vocabulary, state = make_vocabulary(OPERATORS, [0.5, 0.2, 0.0], pool), make_state(rng)
    allowed = {CODES[name] for name in OPERATORS}
    changed = 0
    for _ in range(30 if IS_DISABLED else 250):
        before = generate(rng, config)
        after = to_expression(*edited(number, before, vocabulary, state))
        assert_valid(after, allowed)
        changed += after.structure_key != before.structure_key
    assert changed > 0


def test_a_program_that_outgrows_its_buffers_is_marked():
    expression = parse("+".join(["x0"] * 32), NAMES)
    vocabulary, state = make_vocabulary(("add", "mul"), [1.0, 1.0, 1.0]), make_state(np.random.default_rng(0))
    assert min(edited(3, expression, vocabulary, state).sizes[0] for _ in range(20)) == -1


def test_subtrees_of_the_pool_are_copied():
    vocabulary = make_vocabulary(("add",), [1.0, 1.0, 1.0], [parse("cos(x1 + 0.75)", NAMES)])
    state, number = make_state(np.random.default_rng(0)), 11
    texts = {to_text(to_expression(*edited(number, parse("x0", NAMES), vocabulary, state)), NAMES) for _ in range(40)}
    assert texts == {"x1", "0.75", "x1 + 0.75", "cos(x1 + 0.75)"}


def test_irrelevant_columns_are_still_drawn():
    assert np.diff(make_vocabulary(OPERATORS, [1.0, 0.0, 0.0]).columns, prepend=0.0).min() > 0.1


def test_a_missing_arity_is_never_written():
    rng = np.random.default_rng(2)
    vocabulary, state = make_vocabulary(("add", "mul"), [1.0, 1.0, 1.0]), make_state(rng)
    expression = parse("x0*x1 + 2", NAMES)
    for number in range(NUM_EDITS):
        for _ in range(20):
            codes = to_expression(*edited(number, expression, vocabulary, state)).codes
            assert not np.any(ARITY[codes] == 1)
