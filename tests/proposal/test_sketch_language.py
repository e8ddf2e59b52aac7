"""Sketches written from expressions and read back."""

import numpy as np
import pytest

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.proposal.prior.sketch_language import (
    full_tokens,
    literal_tokens,
    normal_order,
    read_literal,
    read_scale_free,
    scale_free_tokens,
)

NAMES = ("x0", "x1", "x2", "x3")


def sketch(text: str) -> str:
    return " ".join(scale_free_tokens(canonical(parse(text, NAMES))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 + 3*x0 + sin(x0*x1)", "add C add ? sin mul ? ?"),
        ("1/(1 + x0^2)", "inv add C sq ?"),
        ("7*x0^-2", "inv sq ?"),
        ("x0*x1/(x2*x3)", "div mul ? ? mul ? ?"),
        ("cos(2*x0 + 1)", "sin add C ?"),
        ("exp(2*x0 + 1)", "exp ?"),
        ("x0^0.31", "pow ? C"),
        ("x0 - x1", "add ? ?"),
    ],
)
def test_scale_free_sketches_of_known_laws(text: str, expected: str) -> None:
    assert sketch(text) == expected


@pytest.mark.parametrize("factor", [3.0, -0.2, 1e3])
def test_scaling_target_or_column_leaves_the_sketch(factor: float) -> None:
    law = "x0*sin(x1) + 1/(2 + x2)"
    scaled = f"{factor}*(x0*sin({factor}*x1) + 1/(2 + {factor}*x2))"
    assert sketch(scaled) == sketch(law)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("sin ?", "_*sin(_*?)"),
        ("add C ?", "_ + _*?"),
        ("inv add C sq ?", "_*(_ + ?^2)^-1"),
        ("div ? sq add ? ?", "_*(?/(_*? + ?)^2)"),
        ("sqrt add C sq ?", "sqrt(_ + _*?^2)"),
        ("pow ? C", "_*?^_"),
    ],
)
def test_reading_inserts_each_scale_once(tokens: str, expected: str) -> None:
    assert to_text(read_scale_free(tokens.split()), NAMES) == expected


def test_reading_and_writing_agree_on_random_laws() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        law = canonical(generate(rng, GeneratorConfig(max_operators=9)))
        tokens = scale_free_tokens(law)
        assert normal_order(tokens, scale_free=True) == tokens
        assert scale_free_tokens(read_scale_free(tokens)) == tokens
        literal = literal_tokens(law)
        assert literal_tokens(read_literal(literal)) == literal


def test_commuted_sketches_have_one_order() -> None:
    assert normal_order(["add", "sin", "?", "?"], True) == ("add", "?", "sin", "?")


def test_full_tokens_keep_variables_and_known_numbers() -> None:
    assert full_tokens(parse("2*x1 + 0.7", NAMES)) == ("add", "mul", "2", "x1", "C")
