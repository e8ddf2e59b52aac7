"""Sums keep their value when common factors are taken out, and become shorter."""

import numpy as np

from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.terms.writing import write_sum

A, B, C = map(variable, range(3))
NAMES = ("a", "b", "c")


def test_a_common_factor_is_taken_out():
    assert to_text(write_sum(np.array([0.0, 2.0, 3.0]), [[A, B], [A, C]]), NAMES) == "a*(2*b + 3*c)"


def test_the_value_stays():
    found = write_sum(np.array([0.5, 2.0, 3.0, -1.0, 4.0]), [[A, A, B], [A, C], [C], [B, B]])
    columns = np.random.default_rng(0).normal(size=(3, 20))
    plain = parse("0.5 + 2*a*a*b + 3*a*c - c + 4*b*b", NAMES)
    np.testing.assert_allclose(evaluate_expression(found, columns), evaluate_expression(plain, columns), rtol=1e-12)


def test_an_empty_sum_is_its_offset():
    assert to_text(write_sum(np.array([3.0]), []), NAMES) == "3"
    assert to_text(write_sum(np.array([0.0]), []), NAMES) == "0"
