"""Bits of laws: structure, and constants as far as they matter."""

import math
from dataclasses import replace

import pytest

from mosaic_sr.equation import Equation, Errors
from mosaic_sr.expressions.text import parse
from mosaic_sr.selection.description import (
    MOST_BITS,
    constant_bits,
    known_bits,
    law_bits,
    simple_bits,
    structure_bits,
)


def test_simple_numbers_cost_less_the_simpler_they_are():
    costs = [simple_bits(value) for value in (1.0, 2.0, 1 / 3, 2 * math.pi, 7 / 12, 37412.0)]
    assert costs == sorted(costs)
    assert simple_bits(0.1234567890123) is None
    assert simple_bits(-2.0) == simple_bits(2.0)


def test_a_fitted_constant_costs_the_bits_that_its_error_leaves():
    assert known_bits(1.0, 0.001) == pytest.approx(1 + math.log2(1000))
    assert known_bits(1.0, math.nan) == MOST_BITS
    assert constant_bits(1.2345678901234, 0.5) < 3
    assert constant_bits(2.0, 1e-12) == simple_bits(2.0)


def test_an_undetermined_constant_costs_most():
    law = Equation(parse("1.2345678901*x", ["x"]), ("x",), Errors(0.1, 0.1), Errors(0.1, 0.1), "test")
    known = replace(law, standard_errors=(1e-3,))
    assert law_bits(replace(law, standard_errors=(math.nan,))) == law_bits(law) > law_bits(known)


def test_constants_that_balance_each_other_cost_all_their_digits():
    def law(text, errors):
        return Equation(parse(text, ["x"]), ("x",), Errors(0.1, 0.1), Errors(0.1, 0.1), "test", standard_errors=errors)

    # x^0.0001 with an offset stands in for a logarithm
    balanced = law("4995.731234567*x^0.0000868767123 - 4990.981234567", (1.1e4, 1.9e-4, 1.1e4))
    plain = law("0.434131234567*log(x) + 4.7501234567", (1e-3, 1e-2))
    assert law_bits(balanced) > law_bits(plain) + MOST_BITS
    assert law_bits(law("0.0123456789123", (0.1,))) < 10.0


def test_functions_cost_more_than_arithmetic_and_functions_of_functions_most():
    costs = [structure_bits(parse(text, ["x"])) for text in ("1 + x*x", "1 + x", "exp(x)", "tan(x)", "tan(exp(x))")]
    assert costs == [20.0, 12.0, 10.0, 13.0, 23.0]
