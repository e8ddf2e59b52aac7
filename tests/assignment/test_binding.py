"""Bindings of a sketch, and which of them are twins."""

import numpy as np
import pytest

from mosaic_sr.assignment.binding import ColumnPrior, bound, twin_key
from mosaic_sr.expressions.text import parse, to_text

NAMES = ("x0", "x1", "x2")


def key(text):
    return twin_key(parse(text, NAMES))


@pytest.mark.parametrize(
    ("one", "twin"),
    [
        ("x0*x1", "x1*x0"),
        ("x0 + sin(x1*x2)", "sin(x2*x1) + x0"),
        ("x0 + (x1 + x2)", "(x2 + x0) + x1"),
        ("_*x0 + _*x1", "x1*_ + x0*_"),
        ("x0*? + 1", "1 + ?*x0"),
    ],
)
def test_the_order_of_commuting_operands_makes_twins(one, twin):
    assert key(one) == key(twin)


@pytest.mark.parametrize(
    ("one", "other"),
    [("x0 - x1", "x1 - x0"), ("x0/x1", "x1/x0"), ("x0*x0", "x0*x1"), ("2*x0", "3*x0"), ("x0 + x1*x2", "x0*x1 + x2")],
)
def test_other_laws_are_no_twins(one, other):
    assert key(one) != key(other)


def test_holes_are_filled_in_reading_order():
    sketch = parse("?/(? + sin(?))", NAMES)
    assert to_text(bound(sketch, (2, 0, 1)), NAMES) == "x2/(x0 + sin(x1))"
    assert bound(sketch, (2,)).num_holes == 2
    assert bound(sketch, ()) == sketch


def test_the_greedy_columns_are_the_likeliest_and_start_again():
    prior = ColumnPrior(np.array([0.1, 0.9, 0.5]), reuse=1.0)
    assert prior.greedy(5) == (1, 2, 0, 1, 2)


def test_a_column_that_stands_already_is_less_likely():
    prior = ColumnPrior(np.array([1.0, 1.0, 2.0]), reuse=0.5)
    np.testing.assert_allclose(prior.chances(()), [0.25, 0.25, 0.5])
    np.testing.assert_allclose(prior.chances((2, 2)), [1 / 3, 1 / 3, 1 / 3])


def test_all_choices_are_all_of_them():
    assert len(set(ColumnPrior(np.ones(3), 1.0).all_choices(3))) == 27
