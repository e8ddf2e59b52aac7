"""Products of many factors around a number, and with a sum as one of them; other tables yield nothing and no harm."""

import numpy as np
import pytest

from mosaic_sr.exactness import is_exact
from mosaic_sr.operators import CODES
from mosaic_sr.proposal.products.centred import find_centred_products
from tests.proposal.tables import columns_between, question_about, values_of

WIDE = columns_between([-50.0] * 5, [50.0] * 5, num_rows=1200)
NARROW = columns_between([-1.0] * 5, [1.0] * 5, num_rows=1200, seed=1)


def laws_about(columns, target, **settings):
    context = question_about(columns, target, **settings)
    return context, [law for laws in find_centred_products(context) for law in laws]


def finds(law, columns):
    context = question_about(columns, values_of(law, columns))
    laws = (each for laws in find_centred_products(context) for each in laws)
    return any(is_exact(each, context.table.validation, context.table) for each in laws)


@pytest.mark.parametrize(
    "law",
    [
        "7.3 - 2.9*tan(x0)*x2^2/(sin(x1)*tanh(x3))",
        "0.4 + 3*exp(x0)*cos(x1)*log(abs(x2))",
        "-12 + 1.7*(x0 - x3)^3*sqrt(abs(x1))/(1 + x4)",
        "2.5*tan(x0)*x1*cos(x2)*sin(x3)*abs(x4)",
    ],
)
def test_products_of_many_factors_are_found_where_columns_take_both_signs(law):
    assert finds(law, WIDE)
    assert finds(law, NARROW)


@pytest.mark.parametrize(
    "law",
    [
        "4.1 + 2*(cos(x0) - tan(x1))*x3/sin(x2)",
        "-0.7 + 3.3*(exp(x0) + x1^2)*abs(x3)*sin(x2)",
        "6 - 1.2*(log(abs(x0)) - 2*x1)*tan(x3)",
    ],
)
def test_one_factor_may_be_a_sum(law):
    # Which rows are read decides about a case or two.
    tables = [
        columns_between([-end] * 5, [end] * 5, num_rows=1200, seed=seed) for end in (50.0, 1.0) for seed in (2, 3)
    ]
    assert sum(finds(law, columns) for columns in (WIDE, NARROW, *tables)) >= 2


def test_single_precision_does_not_hide_a_product():
    columns = WIDE.astype(np.float32).astype(float)
    target = values_of("7.3 - 2.9*tanh(x0)*x2^2/x3", columns).astype(np.float32).astype(float)
    context, laws = laws_about(columns, target)
    assert any(is_exact(each, context.table.validation, context.table) for each in laws)


def test_noise_yields_no_exact_law():
    target = values_of("7.3 - 2.9*x1*x2^2/x3", WIDE)
    target = target * (1.0 + 0.01 * np.random.default_rng(3).standard_normal(len(target)))
    context, laws = laws_about(WIDE, target)
    assert not any(is_exact(each, context.table.validation, context.table) for each in laws)


@pytest.mark.parametrize("num_rows", [5, 60, 120])
def test_odd_tables_do_no_harm(num_rows):
    rng = np.random.default_rng(num_rows)
    columns = np.stack([np.zeros(num_rows), rng.integers(-2, 3, num_rows), 1e30 * rng.normal(size=num_rows)])
    for target in (rng.integers(0, 2, num_rows), 1e-30 * columns[1], np.where(columns[1] > 0, 3.0, columns[2])):
        context, laws = laws_about(columns, np.concatenate([target[:-1], [7.0]]))
        assert not any(is_exact(each, context.table.validation, context.table) for each in laws)


def test_operators_that_are_switched_off_are_not_searched():
    operators = ("add", "sub", "mul", "div", "sin", "abs", "sq", "cube", "neg", "inv")
    _, laws = laws_about(WIDE, values_of("7.3 - 2.9*x1*sin(x0)/x3", WIDE), operators=operators)
    assert laws
    assert not any({CODES["tan"], CODES["exp"]} & set(law.codes.tolist()) for law in laws)
