"""A sum or difference of two columns is priced as one quantity."""

import math

import pytest

from mosaic_sr.evidence.column_pairs import BITS_OF_SUMS, with_pair_as_column
from mosaic_sr.evidence.judge import structure_bits
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.operators import CODES

NAMES = ("x0", "x1", "x2", "x3")


def law(text):
    return canonical(parse(text, NAMES))


def test_a_bell_curve_of_a_difference_costs_the_choice_more_than_one_of_a_column():
    single, pair = (
        structure_bits(law(text), columns)
        for text, columns in (
            ("0.3989*exp(-0.5123*(x1/x0)^2)/x0", 2),
            ("0.3989*exp(-0.5123*((x1 - x2)/x0)^2)/x0", 3),
        )
    )
    assert pair == pytest.approx(single + BITS_OF_SUMS[CODES["sub"]] + math.log2(3), abs=1e-9)


def test_two_differences_are_priced_one_after_the_other():
    one = structure_bits(law("sqrt((x0 - x1)^2 + x2^2)"), 3)
    both = structure_bits(law("sqrt((x0 - x1)^2 + (x2 - x3)^2)"), 4)
    assert both <= one + BITS_OF_SUMS[CODES["sub"]] + math.log2(6) + 1e-9


@pytest.mark.parametrize(
    ("text", "single", "num_columns"),
    [
        ("x2*x0*x1/(1 - 0.37*x0*x1)", "x1*x0/(1 - 0.37*x0)", 2),
        ("x0/(exp(0.37*x0/x1) - 1)/x1", "x0/(exp(0.37*x0) - 1)", 1),
        ("sqrt(x0*x1)*sin(x0*x1*x2)", "sqrt(x0)*sin(x0*x1)", 2),
        ("1/(exp(0.37*x0*x1/x2) - 1)", "1/(exp(0.37*x0/x1) - 1)", 2),
        ("1/(x0^2*x1^2) - 0.37*log(x0*x1)", "1/x0^2 - 0.37*log(x0)", 1),
    ],
)
def test_a_product_whose_columns_stand_together_only_is_one_quantity(text, single, num_columns):
    found = [canonical(each).structure_key for each, _ in with_pair_as_column(law(text), num_columns + 1)]
    assert law(single).structure_key in found
    choice = 5.0 + math.log2(math.comb(num_columns + 1, 2))
    assert structure_bits(law(text), num_columns + 1) <= structure_bits(law(single), num_columns) + choice + 1e-9


@pytest.mark.parametrize(
    "text", ["x0 + (x0 - x1)^2", "exp(x1 - x2)*x2", "x0 - 2.5*x1", "x0*x1^2", "x0*x1 + exp(x0)", "x0*x1 + exp(x0*x1^2)"]
)
def test_columns_that_occur_elsewhere_or_in_no_sum_stay(text):
    assert list(with_pair_as_column(law(text), 4)) == []


def test_the_same_pair_may_occur_twice():
    found = list(with_pair_as_column(law("exp(x1 - x2)*cos(x1 - x2) + x3"), 4))
    assert len(found) == 1
    assert found[0][0].columns == (1, 2)
    assert to_text(found[0][0], NAMES).count("x1") == 2
