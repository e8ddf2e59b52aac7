"""Every edit keeps expressions valid."""

import numpy as np
import pytest

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.operators import ARITY, CODES, CONSTANT, VARIABLE
from mosaic_sr.refinement.edits import EDIT_CHANCES, EDITS, make_vocabulary

NAMES = ["x0", "x1", "x2"]
OPERATORS = ("add", "mul", "div", "sub", "sin", "sq")


def assert_valid(expression: Expression, allowed: set[int]) -> None:
    height = 0
    for code in expression.codes:
        height += 1 - ARITY[code]
        assert height >= 1
    assert height == 1
    assert np.count_nonzero(expression.codes == CONSTANT) == expression.num_constants
    assert all(0 <= slot < 3 for slot in expression.slots[expression.codes == VARIABLE])
    assert {int(code) for code in expression.codes if ARITY[code]} <= allowed
    text = to_text(expression, NAMES)
    assert parse(text, NAMES).structure_key == expression.structure_key, text


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_edited_expressions_are_valid(edit):
    rng = np.random.default_rng(1)
    vocabulary = make_vocabulary(OPERATORS, [0.5, 0.2, 0.0])
    config = GeneratorConfig(weights=dict.fromkeys(OPERATORS, 1.0), max_operators=8)
    allowed = {CODES[name] for name in OPERATORS}
    changed = 0
    for _ in range(300):
        before = generate(rng, config)
        after = edit(before, vocabulary, rng)
        assert_valid(after, allowed)
        changed += after.structure_key != before.structure_key
    assert changed > 20


def test_chances_belong_to_edits():
    assert len(EDIT_CHANCES) == len(EDITS)
    assert EDIT_CHANCES.sum() == pytest.approx(1.0)


def test_irrelevant_columns_are_still_drawn():
    assert min(make_vocabulary(OPERATORS, [1.0, 0.0, 0.0]).chances) > 0.1
