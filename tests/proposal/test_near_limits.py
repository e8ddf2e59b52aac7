"""Scaling laws near a limit: the product that is nearly all, what it leaves over, and the function behind it."""

import numpy as np
import pytest

from mosaic_sr.expressions.expression import operator_names
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.products.near_limits import bent_rows, limit_of
from mosaic_sr.proposal.products.scaling import ScalingConfig, propose_near_limit
from mosaic_sr.proposal.products.scaling_rows import make_scaling_rows
from tests.proposal.questions import question_of, sketches_in

NAMES = ("x0", "x1", "x2")


def table_of(law):
    columns = 10.0 ** np.random.default_rng(0).uniform(0.0, 1.5, size=(3, 600))
    return columns, evaluate_expression(parse(law, NAMES), columns)


@pytest.mark.parametrize(
    ("law", "front", "exponents"),
    [
        ("7*x0*x1*tanh(1e-4*x1/x2)", [1, 2, -1], [0, 2, -2]),
        ("x0/sqrt(1 - 1e-5*x1^2)", [1, 0, 0], [0, 2, 0]),
        ("x0^2/(exp(1e-3*x1/x2) + 1)", [2, 0, 0], [0, 1, -1]),
        ("0.3*x2*cos(1e-4*x0*sqrt(x1))", [0, 0, 1], [2, 1, 0]),
    ],
)
def test_the_product_and_what_it_leaves_over_are_products_with_simple_exponents(law, front, exponents):
    limit = limit_of(make_scaling_rows(*table_of(law)))
    assert limit.front.tolist() == front
    assert limit.exponents.tolist() == exponents


@pytest.mark.parametrize("law", ["x0*x1^2/x2", "x0*exp(0.1*x1)", "x0^0.21*(1 + 1e-3*x1)", "x0 + x1*x2"])
def test_other_laws_are_near_no_limit(law):
    assert limit_of(make_scaling_rows(*table_of(law))) is None


def test_rows_in_which_most_is_left_over_are_taken_and_some_of_the_rest():
    scaling_rows = make_scaling_rows(*table_of("x0/sqrt(1 - 1e-5*x1^2)"))
    chosen = bent_rows(scaling_rows, limit_of(scaling_rows), 100)
    largest = np.argsort(-scaling_rows.columns[:, 1])[:50]
    assert set(largest) < set(chosen.tolist())
    assert scaling_rows.columns[chosen, 1].min() < 1.5


@pytest.mark.parametrize(
    ("law", "function"),
    [
        ("x0*x1*tanh(0.001*x1/x2)", "tanh"),
        ("x0*x1*atan(0.001*x1/x2)", "atan"),
        ("x0*sin(0.001*x1/x2)/x1", "sin"),
        ("x0*x2^2/sqrt(1 - 0.0001*x1^2)", "sub"),
        ("x0*exp(0.0001*x1*x2)/x1", "exp"),
        ("x0*x1/(1 + exp(0.0001*x2*x0))", "exp"),
    ],
)
def test_a_function_is_told_from_its_like_by_what_it_leaves_over(law, function):
    columns, target = table_of(law)
    batches = propose_near_limit(ScalingConfig(), question_of(columns.T, target))
    first = next(batch for batch in sketches_in(batches) if batch)[0].expression
    assert operator_names(first) - {"mul", "div"} == operator_names(parse(law, NAMES)) - {"mul", "div"}
    assert function in operator_names(first)
