"""Whatever the text, the parser answers with an expression or with `InvalidFormula`."""

import random

import numpy as np
import pytest

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse, to_text

NAMES = ("x", "N", "my col %", "sin")
CHARACTERS = "xN0123456789.eE+-*/^()`_?,;\"'\\[]{}|<>=!%&@#$~: \t\n\x00\x7fsincoexplg²−×хβ𝑥\u200b\ud800"
WORDS = (
    *[
        "x",
        "N",
        "`my col %`",
        "sin",
        "cos",
        "pow",
        "sqrt",
        "log",
        "abs",
        "z",
        "pi",
        "e",
        "_",
        "?",
        "lambda",
        "__import__",
    ],
    *["+", "-", "*", "/", "^", "**", "(", ")", "(", ")", ",", "1", "2.5", ".5", "1e-5", "1e999", "3.", "`", ".", "x.y"],
)


def random_characters(rng):
    return "".join(rng.choices(CHARACTERS, k=rng.randint(0, 40)))


def random_words(rng):
    return rng.choice(["", " "]).join(rng.choices(WORDS, k=rng.randint(1, 25)))


def mutated_formula(rng):
    expression = generate(np.random.default_rng(rng.getrandbits(32)), GeneratorConfig(num_variables=4))
    text = list(to_text(expression, NAMES))
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(text) + 1)
        text[start : start + rng.randint(0, 2)] = rng.choice([*CHARACTERS, *WORDS, ""])
    return "".join(text)


def read(text):
    """The expression, or the message that refuses the text."""
    try:
        return parse(text, NAMES)
    except InvalidFormula as error:
        return str(error)


@pytest.mark.parametrize("make_text", [random_characters, random_words, mutated_formula])
def test_any_text_gives_an_expression_or_invalid_formula(make_text):
    rng = random.Random(7)
    num_read = 0
    for _ in range(5_000):
        outcome = read(make_text(rng))
        if isinstance(outcome, str):
            assert len(outcome) < 500
            continue
        num_read += 1
        assert parse(to_text(outcome, NAMES), NAMES) == outcome
    assert 0 < num_read < 5_000
