"""The Python door to the kernel."""

from __future__ import annotations

import numpy as np
import pytest

from mosaic_sr.errors import InvalidTable
from mosaic_sr.expressions.expression import apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression


def test_values_have_one_number_per_row():
    expression = apply("add", apply("sq", variable(0)), constant(1.0))
    assert evaluate_expression(expression, np.array([[1.0, 2.0, 3.0]])).tolist() == [2.0, 5.0, 10.0]


def test_columns_of_any_layout_and_type_are_accepted():
    rows = np.array([[1, 10], [2, 20], [3, 30]])
    expression = apply("mul", variable(0), variable(1))
    assert evaluate_expression(expression, rows.T).tolist() == [10.0, 40.0, 90.0]


def test_log_of_negative_is_nan_and_of_zero_minus_infinity():
    values = evaluate_expression(apply("log", variable(0)), np.array([[-1.0, 0.0, 1.0]]))
    np.testing.assert_array_equal(values, [np.nan, -np.inf, 0.0])


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(InvalidTable, match="needs 3 columns, the table has 2"):
        evaluate_expression(variable(2), np.zeros((2, 4)))


def test_a_table_that_is_not_a_table_is_refused():
    with pytest.raises(InvalidTable, match="shape"):
        evaluate_expression(variable(0), np.zeros(4))
