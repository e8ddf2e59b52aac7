"""The finder of rational laws: low degrees first, behind links, in functions of columns."""

import numpy as np
import pytest
from questions import all_sketches, first_law, question_about, question_of

from mosaic_sr.exactness import is_exact
from mosaic_sr.proposal.sums.quotients import propose_quotients

QUOTIENTS = propose_quotients

LAWS = (
    ("(x0 + x1)/(1 + x0*x1/7.3)", 2),
    ("x0^2/(1 + x0^2)", 1),
    ("(2*x0 + 3)/(1.7*x1 + 0.4)", 2),
    ("x0*x1/(x0^2 + x1^2)", 2),
    ("1/(exp(x0) - 1)", 1),
    ("sqrt(x0/(1 + x1))", 2),
    ("log((1 + x0)/(2 + x1))", 2),
    ("tanh(x0/(1 + x1*x0))", 2),
    ("x0^4/(1 + x0^4) + x1^4/(1 + x1^4)", 2),
    ("x0*sin(x1)/(1 + x0*cos(x1))", 2),
)


@pytest.mark.parametrize(("text", "columns"), LAWS)
def test_laws_of_the_family_are_recovered(text, columns):
    law, num_sketches = first_law(QUOTIENTS, question_about(text, columns))
    assert law is not None
    assert num_sketches <= 4


@pytest.mark.parametrize(("text", "columns"), LAWS[:4])
def test_irrelevant_columns_and_single_precision_do_not_hide_the_law(text, columns):
    assert first_law(QUOTIENTS, question_about(text, columns, dummies=5))[0] is not None
    assert first_law(QUOTIENTS, question_about(text, columns, single=True))[0] is not None


def test_targets_that_span_decades_are_read_in_all_rows():
    rng = np.random.default_rng(2)
    X = 10.0 ** rng.uniform(-3, 3, size=(200, 2))
    law, _ = first_law(QUOTIENTS, question_of(X, X[:, 0] ** 2 / (1.0 + X[:, 1])))
    assert law is not None


@pytest.mark.parametrize("columns", [1, 4])
def test_noise_gives_no_law(columns):
    context = question_about("x0/(1 + x0^2)", columns, noise=0.01)
    law, num_sketches = first_law(QUOTIENTS, context)
    assert law is None
    assert num_sketches <= 2


@pytest.mark.parametrize("rows", [2, 3, 5, 12, 39])
def test_few_random_rows_prove_no_law(rows):
    rng = np.random.default_rng(rows)
    context = question_of(rng.normal(size=(rows, 2)), rng.normal(size=rows))
    for sketch in all_sketches(QUOTIENTS, context):
        assert not is_exact(sketch.expression, context.table.validation, context.table)


def test_the_number_of_sketches_is_bounded_where_everything_fits():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, size=(100, 2))
    assert len(all_sketches(QUOTIENTS, question_of(X, 1e9 + X[:, 0]))) <= 60


def test_without_division_there_are_no_sketches():
    assert not all_sketches(QUOTIENTS, question_about("x0/(1 + x1)", 2, operators=("add", "mul", "sub")))
