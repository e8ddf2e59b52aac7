"""Description length: structure, constants as far as they matter, and what is left over."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.equation import Equation, Errors, measure
from mosaic_sr.expressions.text import parse
from mosaic_sr.selection.description import (
    MOST_BITS,
    constant_bits,
    description_length,
    known_bits,
    law_bits,
    residual_bits,
    simple_bits,
    structure_bits,
)
from mosaic_sr.table import Rows, Table


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


def test_halving_the_error_saves_a_bit_per_row():
    rows = Rows(np.ones((1, 50)), np.linspace(-1.0, 1.0, 50), np.empty(0))
    gain = residual_bits(Errors(1e-2, 1.0), rows) - residual_bits(Errors(0.25e-2, 1.0), rows)
    assert gain == pytest.approx(50)


def test_residuals_in_proportion_to_the_target_count_as_such():
    wide = Rows(np.ones((1, 50)), np.logspace(-6.0, 6.0, 50), np.empty(0))
    assert residual_bits(Errors(1e-4, 1e-4), wide) < residual_bits(Errors(1e-4, 1.0), wide)


def test_rows_that_serve_twice_count_once():
    table = Table.from_arrays(np.arange(10.0)[:, None], np.arange(10.0) ** 2 + 1, rng=np.random.default_rng(0))
    errors = Errors(0.5, 0.5)
    equation = Equation(parse("x0", ["x0"]), ("x0",), errors, errors, "test")
    assert table.validation is table.training
    assert description_length(equation, table) == pytest.approx(4.0 + residual_bits(errors, table.training))


def test_a_law_that_says_nothing_is_no_shorter_for_decades_in_the_target():
    target = 10.0 ** np.random.default_rng(0).normal(0.0, 2.0, 100)
    rows = Rows(target[None], target, np.empty(0))
    nothing = measure(parse("0.0001", ["x"]), rows)  # errs by nearly all of every target
    mean = measure(parse(repr(float(target.mean())), ["x"]), rows)
    assert residual_bits(nothing, rows) >= residual_bits(mean, rows)
    assert residual_bits(measure(parse("1.1*x", ["x"]), rows), rows) < residual_bits(mean, rows) - 100.0
