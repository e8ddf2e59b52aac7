"""Probabilities: equivalent laws are merged, and what was not visited has its share."""

import numpy as np
import pytest

from mosaic_sr.evidence import Measured, Noise, judge
from mosaic_sr.evidence.posterior import distinct, normalised
from mosaic_sr.expressions.text import parse
from mosaic_sr.table import Rows


def test_probabilities_and_the_remainder_add_up_to_one():
    shares = normalised([-10.0, -11.0, -30.0], -12.0)
    rest = shares[0] * np.exp(-2.0)
    assert sum(shares) + rest == pytest.approx(1.0)
    assert shares[0] / shares[1] == pytest.approx(np.e)


def test_scores_of_any_size_do_not_overflow():
    assert normalised([1e5, -1e5], -2e5) == pytest.approx([1.0, 0.0])


def test_a_law_in_other_words_is_the_same_law():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 3.0, 60)
    rows = Rows(x[None], 2.0 * np.sin(1.3 * x + 0.4) + 0.02 * rng.standard_normal(60), np.empty(0))
    measured = Measured(rows, None, np.zeros(60))
    texts = (
        "2.0003456*sin(1.3123456*x + 0.4123456)",
        "1.9912345*cos(1.3123456*x - 1.1723456)",
        "1.9123456*sin(1.3123456*x) + 0.8123456",
        "2.0123456*sin(0.4123456 + 1.3123456*x)",
    )
    judged = [judge(parse(text, "x"), measured, Noise()) for text in texts]
    assert distinct(judged, rows.columns) == [0, 2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2.3712345*exp(-x)", "2.3712345*exp(x)"),
        ("1/(1 + exp(-x))", "1/(1 + exp(x))"),
        ("2.3712345*sin(x)", "2.3712345*cosh(x)"),
        ("2.3712345 - x", "2.3712345 + x"),
    ],
)
def test_laws_that_differ_by_more_than_the_sign_of_a_constant_are_two(one, other):
    x = np.linspace(0.5, 3.0, 60)
    measured = Measured(Rows(x[None], np.cosh(x), np.empty(0)), None, np.zeros(60))
    assert distinct([judge(parse(text, "x"), measured, Noise()) for text in (one, other)], x[None]) == [0, 1]
