"""Other words for a law: proposed by rule, taken only where the rows agree."""

import numpy as np
import pytest

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.selection.rewording import rewordings

NAMES = ("x", "y")
COLUMNS = np.random.default_rng(0).uniform(0.2, 1.2, size=(2, 50))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exp(y*log(x))", "x^y"),
        ("exp(log(x)*2.5)", "pow(x, 2.5)"),
        ("abs(x)*abs(y)", "x*y"),
        ("asin(sin(x*y))", "x*y"),
        ("log(exp(x + y))", "x + y"),
        ("sqrt(x^2)", "x"),
        ("sqrt(x^2/y^2)", "x/y"),
        ("asin(cos(x))", "1.5707963267948966 - x"),
        ("cos(6.783185307179586 + 2*x)", "cos(0.5 + 2*x)"),
        ("sin(x - 1.5707963267948966)", "-cos(x)"),
        ("cos(x - 4.71238898038469)", "-sin(x)"),
        ("sin(1.5707963267948966 - x)", "cos(-x)"),
    ],
)
def test_a_law_has_other_words_that_are_equal_on_the_rows(text, expected):
    expression = parse(text, NAMES)
    others = list(rewordings(expression))
    assert others
    for reworded in others:
        assert canonical(reworded) == canonical(parse(expected, NAMES)), to_text(reworded, NAMES)
        np.testing.assert_allclose(
            evaluate_expression(reworded, COLUMNS), evaluate_expression(expression, COLUMNS), rtol=1e-12
        )


@pytest.mark.parametrize(
    ("phase", "expected"), [("sin(2.5539816339744834 + x)", -5.3), ("cos(x + 3.8707963267949)", 2.3)]
)
def test_a_phase_is_a_short_number_where_a_quarter_of_a_turn_makes_it_one(phase, expected):
    (reworded,) = rewordings(parse(phase, NAMES))
    np.testing.assert_allclose(reworded.constants, [expected], atol=1e-9)
    np.testing.assert_allclose(
        evaluate_expression(reworded, COLUMNS), evaluate_expression(parse(phase, NAMES), COLUMNS), rtol=1e-9
    )


def test_a_law_that_no_rule_changes_has_no_other_words():
    assert not list(rewordings(parse("exp(x*y) + sin(log(x))", NAMES)))
