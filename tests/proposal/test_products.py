"""Power laws: products are read off exactly, behind outer links and with free numbers; noise claims nothing."""

import numpy as np
import pytest

from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import CODES
from mosaic_sr.proposal.products import ProductConfig, propose_products
from mosaic_sr.proposal.products.plain import NUM_SKETCHES
from mosaic_sr.proposal.products.product_search import Extra, ProductSearch
from tests.proposal.questions import sketches_in
from tests.proposal.tables import columns_between, question_about, values_of


def proposed(context):
    batches = sketches_in(propose_products(ProductConfig().of_groups(0), context, np.random.default_rng(0)))
    return [sketch for batch in batches for sketch in batch]


def finds(law, columns):
    context = question_about(columns, values_of(law, columns))
    return any(is_exact(sketch.expression, context.table.validation, context.table) for sketch in proposed(context))


POSITIVE = columns_between([0.5] * 4, [3.0] * 4)
SIGNED = columns_between([-3.0] * 4, [3.0] * 4)
PLAIN = (
    "2.5*x0^2*x2/x1^1.5",
    "0.3*exp(-0.7*x0)*x1^1.5",
    "2*(x0 - x1)/(x2 + x3)^2",
    "1.1*sqrt(x0^2 + x1^2)",
    "x0^2.37",
    "1.7*x0*sin(x1)/(x2^2*(1 - x3^2))",
)


@pytest.mark.parametrize("law", PLAIN)
def test_a_product_of_powers_is_found(law):
    assert finds(law, POSITIVE)


@pytest.mark.parametrize("law", PLAIN)
def test_single_precision_and_irrelevant_columns_of_any_size_do_not_hide_it(law):
    idle = columns_between([1.0] * 6, [9.0] * 6, seed=1) * 10.0 ** np.array([[-33.0], [-9], [0], [4], [17], [30]])
    columns = np.concatenate([POSITIVE, idle]).astype(np.float32).astype(float)
    context = question_about(columns, values_of(law, columns).astype(np.float32).astype(float))
    assert any(is_exact(each.expression, context.table.validation, context.table) for each in proposed(context))


@pytest.mark.parametrize("law", ["2*x0*x1/x2", "x0*cos(x1)/abs(x2)", "-3*(x0 - x1)*x2^3", "abs(x0)^1.5*x1"])
def test_signs_come_from_odd_factors(law):
    assert finds(law, SIGNED)


@pytest.mark.parametrize("law", ["atan(2.3*x0*x1^2)", "1/(1 + 2.3*x0*x1^2)", "exp(-x0^3*x1)", "log(x0*x1/x2)"])
def test_a_function_around_a_product_is_undone(law):
    assert finds(law, POSITIVE)


@pytest.mark.parametrize("law", ["3*x0*(x1 + 0.74)^2*sin(x2)", "2*x0*tanh(0.6*x1*x2)"])
def test_a_number_inside_a_factor_is_found(law):
    columns = POSITIVE
    context = question_about(columns, values_of(law, columns))
    # Its last digits are left to the fit.
    found = [values_of_sketch(each, context) for each in proposed(context)]
    assert min(float(np.max(np.abs(values / context.rows.target - 1.0))) for values in found) < 1e-9


@pytest.mark.parametrize(("low", "high"), [(2.0, 20.0), (0.02, 0.7)])
def test_a_function_that_is_close_to_its_limit_keeps_its_number(low, high):
    # Far out cosh is an exponential, close in it is a parabola, whose scale and exponent are hard to tell apart.
    columns = columns_between([1.0, low, 1.0, 1.0], [5.0, high, 5.0, 2.0])
    assert finds("0.5*x0/cosh(x1*x2/x3)", columns)


def values_of_sketch(sketch, context):
    return evaluate_expression(sketch.expression, context.rows.columns)


def test_columns_far_from_one_keep_their_sums():
    columns = columns_between([1.0, 1.0, 0.5], [9.0, 9.0, 2.0]) * np.array([[1e9], [1e9], [1.0]])
    assert finds("2.5*(x0 - x1)*x2", columns)


def test_noise_yields_a_few_approximations_and_no_claim():
    noise = 1.0 + 0.01 * np.random.default_rng(3).standard_normal(POSITIVE.shape[1])
    context = question_about(POSITIVE, values_of("2*x0*x1/x2", POSITIVE) * noise)
    sketches = proposed(context)
    assert 0 < len(sketches) <= NUM_SKETCHES
    assert not any(is_exact(each.expression, context.rows, context.table) for each in sketches)


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        (np.array([[1.0, 2, 3, 4, 5]]), np.array([3.0, 12, 27, 48, 75])),
        (np.array([[0.0, -1, 2, -3, 4, 0]]), np.array([0.0, 1, 4, 9, 16, 0])),
        (np.repeat(np.array([[1.0, 2, 4, 8, 9, 3, 5]]), 3, axis=0) * np.array([[1.0], [2], [4]]), np.arange(1.0, 8)),
        (np.array([[1.0, 2, 3, 4, 5], [5.0, 1, 2, 7, 3]]), np.array([0.0, 0, 0, 0, 1])),
        (np.array([[1e-300, 1e-290, 1e300, 1e200, 1.0, 7.0]]), np.array([1.0, 2, 3, 4, 5, 6])),
    ],
)
def test_small_and_odd_tables_do_no_harm(columns, target):
    for sketch in proposed(question_about(columns, target)):
        assert sketch.expression.num_holes == 0


def test_five_rows_prove_a_square():
    assert finds("3*x0^2", columns_between([1.0], [5.0], num_rows=5))


def test_operators_that_are_switched_off_do_not_occur():
    context = question_about(POSITIVE, values_of("x0*sin(x1)", POSITIVE), operators=("add", "sub", "mul", "div", "sq"))
    banned = {CODES[name] for name in ("sin", "exp", "pow", "sqrt")}
    assert all(not banned & set(sketch.expression.codes.tolist()) for sketch in proposed(context))


def test_a_factor_without_logarithm_in_a_row_makes_no_product():
    columns = columns_between([0.5, 0.5], [2.0, 2.0])
    context = question_about(columns, columns[0] * columns[1])
    search, target = ProductSearch(context, context.rows), context.rows.target
    term = np.log(np.linspace(1.0, 2.0, context.rows.num_rows))
    assert search.made([()], target, extra=Extra(variable(0), term))
    term[3] = -np.inf
    assert search.made([()], target, extra=Extra(variable(0), term)) == []
