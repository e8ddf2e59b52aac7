"""Prefix tokens, both ways."""

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import expressions

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.complexity import complexity
from mosaic_sr.expressions.expression import num_operators
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.tokens import from_tokens, to_tokens

XY = ("x", "y")


def test_tokens_stand_in_prefix_order():
    assert to_tokens(parse("3*x - sin(y/?)", XY)) == ["sub", "mul", "C", "x0", "sin", "div", "x1", "?"]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(expressions)
def test_tokens_keep_the_structure(expression):
    again = from_tokens(to_tokens(expression))
    assert again.structure_key == expression.structure_key
    assert np.isnan(again.constants).all()


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ([], "not complete"),
        (["add", "x0"], "not complete after 2"),
        (["x0", "x1"], "complete after 1 of 2"),
        (["frobnicate", "x0"], "unknown token 'frobnicate' at position 1"),
        (["sin", "x-1"], "unknown token"),
        (["sin", "x01"], "unknown token"),
        (["x99999999999"], "unknown token"),
        ([3], "unknown token 3"),
    ],
)
def test_the_error_names_the_token(tokens, words):
    with pytest.raises(InvalidFormula, match=words):
        from_tokens(tokens)


def test_long_token_lists_are_read_quickly():
    tokens = ["add", "x0"] * 50_000 + ["x1"]
    assert to_tokens(from_tokens(tokens)) == tokens


def test_complexity_counts_nodes():
    expression = parse("3.14159*x^2 + sin(y)", XY)
    assert complexity(expression) == 7
    assert num_operators(expression) == 4
