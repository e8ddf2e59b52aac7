"""The linear finder: sparse sums behind links, read off exactly, and nothing invented."""

import numpy as np
import pytest
from questions import all_sketches, first_law, question_about, question_of

from mosaic_sr.exactness import is_exact
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.sums.linear import propose_linear

LINEAR = propose_linear

LAWS = (
    ("x0^6 + x0^5 + x0^4 + x0^3 + x0^2 + x0", 1),
    ("1.3 + 0.2*x0*x1 + 4.1*sin(x2)", 3),
    ("2*sin(x0)*cos(x1) + x0", 2),
    ("sqrt(x0^2 + x1^2 + x2^2)", 3),
    ("1/(1/x0 + 1/x1)", 2),
    ("exp(x0^2 + 0.3*x0*x1 - x1^2)", 2),
    ("log(1 + x0*x1)", 2),
    ("x0^3*sqrt(x1)/x2 + x2^2", 3),
    ("(x0 + x1)*(x1 + log(x2)) - x0^2", 3),
    ("x0*sin(x1 - x2) + x1", 3),
    ("-sqrt(x0 + 2*x1)", 2),
)

CHAINED = (
    ("tanh(tanh(0.2 + 0.6/x0 - 0.3*x1))", 2),
    ("sqrt(atan(log(x0) + x1*x2 + 2.4))", 3),
    ("sin(log(x0 + 0.3*x1))", 2),
    ("cos(2 + exp(-x0*x1))", 2),
    ("log((x0 + x1/x2)^3)", 3),
    ("exp(sqrt(0.7*x0 + x1^2))", 2),
    ("(x0*x1 + 1.7*x2)^(2/3)", 3),
    ("1 - exp(-x0*x1 - 0.3*x1)", 2),
    ("1/(1 + exp(x0 - 1.4*x1))", 2),
)
OF_TWO_COLUMNS = (
    ("sqrt(x0^2 + x1^2 + 2*x0*x1*cos(x2 - x3))", 4),
    ("x0*(1 - cos(x1*x2))", 3),
    ("x0*exp(-x1/x2) + x3", 4),
    ("0.3*sqrt(x0^2 + x1^2)/x2 - x3*x4", 5),
    ("x4*abs(x0 - x1) + 2*sin(x2) - x3/x0", 5),
    ("tanh(cos(x0/x1)*x2 - 0.2*x1)", 3),
    ("x0*cos(x1*x3/x2) + 0.4*x3", 4),
)


@pytest.mark.parametrize(("text", "columns"), LAWS)
def test_laws_of_the_family_are_recovered(text, columns):
    law, num_sketches = first_law(LINEAR, question_about(text, columns))
    assert law is not None
    assert num_sketches <= 8


@pytest.mark.parametrize(("text", "columns"), [*CHAINED, *OF_TWO_COLUMNS])
def test_chains_of_links_and_functions_of_two_columns_are_recovered(text, columns):
    law, num_sketches = first_law(LINEAR, question_about(text, columns))
    assert law is not None
    assert num_sketches <= 8


@pytest.mark.parametrize(("text", "columns"), LAWS[1:7])
def test_irrelevant_columns_do_not_hide_the_law(text, columns):
    law, _ = first_law(LINEAR, question_about(text, columns, dummies=5))
    assert law is not None
    assert set(law.expression.columns) == set(range(columns))


def test_dummies_of_any_magnitude_do_not_hide_the_law():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.uniform(1, 3, (200, 2)), 10.0 ** rng.uniform(-33, 33, (200, 3))])
    law, _ = first_law(LINEAR, question_of(X, X[:, 0] * np.sin(X[:, 1]) + X[:, 1] ** 2))
    assert law is not None


@pytest.mark.parametrize(("text", "columns"), [*LAWS[1:4], CHAINED[1], OF_TWO_COLUMNS[0]])
def test_single_precision_is_enough(text, columns):
    law, _ = first_law(LINEAR, question_about(text, columns, single=True))
    assert law is not None


def test_the_scale_of_the_table_does_not_hide_a_chain():
    X = np.random.default_rng(2).uniform(1.0, 9.0, size=(200, 2))
    context = question_of(X, np.exp(np.sqrt(3.0 * X[:, 0] * X[:, 1])))
    assert context.table.target_exponent > 0
    assert first_law(LINEAR, context)[0] is not None


@pytest.mark.parametrize("columns", [1, 4])
def test_noise_gives_a_few_seeds_and_no_exact_law(columns):
    context = question_about("x0*sin(x0) + 2", columns, noise=0.01)
    sketches = all_sketches(LINEAR, context)
    assert 0 < len(sketches) <= 5
    assert not any(is_exact(sketch.expression, context.table.validation, context.table) for sketch in sketches)


@pytest.mark.parametrize("rows", [2, 3, 5, 12, 39])
def test_few_random_rows_prove_no_law(rows):
    rng = np.random.default_rng(rows)
    context = question_of(rng.normal(size=(rows, 3)), rng.normal(size=rows))
    for sketch in all_sketches(LINEAR, context):
        assert not is_exact(sketch.expression, context.table.validation, context.table)


def test_functions_of_few_whole_numbers_are_not_interpolated():
    rng = np.random.default_rng(4)
    X = rng.integers(1, 8, size=(200, 1)).astype(np.float64)
    context = question_of(X, rng.normal(size=8)[X[:, 0].astype(int)])
    assert first_law(LINEAR, context)[0] is None


def test_collinear_columns_and_zeros_are_survived():
    rng = np.random.default_rng(5)
    a, b = rng.integers(-3, 4, size=(2, 150)).astype(np.float64)
    law, _ = first_law(LINEAR, question_of(np.column_stack([a, 2 * a + 1, a - b, b]), a * b))
    assert law is not None


def test_forbidden_functions_do_not_occur():
    names = tuple(name for name in NAMES if name not in ("sin", "sqrt", "div", "inv"))
    context = question_about("x0*sin(x1) + 1/x0", 2, operators=names)
    texts = [sketch.expression for sketch in all_sketches(LINEAR, context)]
    forbidden = {3 + NAMES.index(name) for name in ("sin", "sqrt", "div", "inv")}
    assert texts
    assert not any(forbidden & set(expression.codes.tolist()) for expression in texts)
    assert not all_sketches(LINEAR, question_about("x0*x1", 2, operators=("mul", "sin")))
