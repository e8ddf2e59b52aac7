"""Scaling laws: exponents in front, inside and around are found together, from scattered rows."""

import re

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from mosaic_sr.expressions.expression import operator_names
from mosaic_sr.expressions.text import to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.products.descent import Descent, DescentConfig, descend
from mosaic_sr.proposal.products.functions import FUNCTIONS, SUMS_OF_THREE, SUMS_OF_TWO, ScalingForm
from mosaic_sr.proposal.products.rounding import measure_nats
from mosaic_sr.proposal.products.scaling import NUM_SKETCHES, STAGES, propose_scaling
from mosaic_sr.proposal.products.scaling_rows import make_scaling_rows
from mosaic_sr.proposal.products.scaling_writing import write_descent
from mosaic_sr.table import Rows
from tests.proposal.questions import all_sketches, first_law, question_about, question_of


# Sketches of the first stage.
def scaling_laws(context):
    """What the stages of scaling laws propose."""
    rng = np.random.default_rng(0)
    for stage in STAGES:
        yield from propose_scaling(stage, 2, context, rng)


NUM_FIRST = NUM_SKETCHES
FACTORS = (*SUMS_OF_TWO, *SUMS_OF_THREE, *FUNCTIONS)
LAWS = (
    "2.3*x0^2/cosh(0.4*x1*x2/x0)",
    "x0^3/(exp(1.3*x0/x1) - 1)/7.1",
    "x3/sqrt(x2 + 0.7*x1/(x0*x2^2*x3))",
    "0.8*x0*sqrt(x2)*log(1 + 2.1*x1^2/x2)",
    "5*x1*(1 - exp(-0.37*x0/x1))",
    "x0*x1*(1.4 - x2*x1^2)",
    "x1^2*log(0.6*x0/x2)",
    "4.2*x0*cos(0.9*x1*x0)",
    "x1/sin(0.9*x0*x1)",
    "(x0 - 0.3*x1*x2)/sqrt(1 - 0.09*x2^2)",
    "x3*(x0 + 1.3*x1)/(2.1 + x1*x2^2)",
    "x2/sqrt(x0 + 0.7*x1^2/x2 + 0.2*x3)",
    "x3*(x0 + 0.8*x1^2)*exp(-(0.4*x2*x1))",
    "7.1*x1/(1 + exp(2.3*x0 - 0.8*x2 - 1.1))",
    "x0^2*sqrt(x1 + 1.7*x2 - 0.2*x3)",
    "x1*tanh(0.6*x0 + 0.3*x2 - 1.9)",
    "3.7 + 2*x0*x1^2/x2",
    "1.3*x2 - 2*x0*x1^2",
)


@pytest.mark.parametrize("law", LAWS)
def test_laws_of_the_form_are_found(law):
    found, num_tried = first_law(scaling_laws, question_about(law, columns=4))
    assert found is not None
    assert num_tried <= 12


@pytest.mark.parametrize("factor", FACTORS, ids=lambda factor: getattr(factor, "text", str(factor)))
def test_slopes_are_those_of_the_logarithm(factor):
    rng = np.random.default_rng(0)
    groups = rng.uniform(0.05, 2.2, size=(factor.num_groups, 9))
    _, slopes = factor.values_and_slopes(groups)
    step = 1e-6
    for place in range(factor.num_groups):
        moved = np.ones_like(groups)
        moved[place] = np.exp(step)
        above, below = (np.log(np.abs(factor.values_and_slopes(each)[0])) for each in (groups * moved, groups / moved))
        assert slopes[place] == pytest.approx((above - below) / (2.0 * step), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("factor", FACTORS, ids=lambda factor: getattr(factor, "text", str(factor)))
def test_a_law_of_each_factor_is_written_as_it_was_made(factor):
    rng = np.random.default_rng(0)
    columns = rng.uniform(0.5, 1.5, size=(2, 80))
    exponents = np.array([[1.0, 1.0], [2.0, -1.0]])[: factor.num_groups]
    groups = 0.2 * np.exp(exponents @ np.log(columns))
    target = 3.0 * columns[0] ** 2 * factor.values_and_slopes(groups)[0]
    scaling_rows = make_scaling_rows(columns, target)
    numbers = np.log(0.2) + exponents @ scaling_rows.means
    groups, is_odd = np.column_stack([numbers, exponents]), np.zeros((factor.num_groups, 2), bool)
    made = Descent(ScalingForm((factor,)), 0.0, groups, np.ones(1), is_odd)
    law = write_descent(made, scaling_rows, Rows(columns, target, np.empty(0)), np.arange(2))
    assert evaluate_expression(law, columns) == pytest.approx(target, rel=1e-12)


def test_a_sign_of_a_column_is_taken_into_the_function():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.uniform(-2.0, 2.0, 300), rng.uniform(0.5, 2.0, 300)])
    y = 1.7 * X[:, 1] ** 2 * np.exp(0.8 * X[:, 0] / X[:, 1])
    found, _ = first_law(scaling_laws, question_of(X, y))
    assert found is not None


def texts_of(context, names):
    """The laws that are handed on at first; which of them comes closest is a matter of noise."""
    return [to_text(sketch.expression, names) for sketch in all_sketches(scaling_laws, context)[:NUM_FIRST]]


def test_noise_leaves_the_exponents_simple():
    context = question_about("2.3*x0^2*tanh(0.4*x1*x2/x0)", 3, rows=400, noise=0.01)
    texts = texts_of(context, ["x0", "x1", "x2"])
    assert any(re.search(r"\*\(x0\^2\*tanh\(0\.\d*\*\(x1\*x2/x0\)", text) for text in texts), texts


def test_noise_leaves_the_exponents_in_front_simple():
    rng = np.random.default_rng(2)
    x = rng.uniform(0.1, 50.0, (40, 1))
    y = 3.7 * x[:, 0] / (5.2 + x[:, 0]) * (1.0 + 0.02 * rng.standard_normal(40))
    sketches = all_sketches(scaling_laws, question_of(x, y))[:NUM_FIRST]
    assert any(is_saturation(sketch.expression) for sketch in sketches), texts_of(question_of(x, y), ["x"])


def is_saturation(law):
    """Whether a law is a x / (b + x) for some numbers, however it is written: 1/y is then straight in 1/x."""
    x = np.linspace(1.0, 50.0, 9)
    inverse = 1.0 / evaluate_expression(law, x[None])
    straight = Polynomial.fit(1.0 / x, inverse, 1)
    return np.abs(straight(1.0 / x) - inverse).max() < 1e-9 * np.abs(inverse).max()


def test_both_ways_to_write_a_sum_take_as_many_bits():
    columns = np.random.default_rng(0).uniform(0.5, 20.0, size=(1, 40))
    scaling_rows = make_scaling_rows(columns, columns[0] / (5.2 + columns[0]))
    form, power, signs = ScalingForm((SUMS_OF_TWO[0],)), np.array([-1.0]), np.zeros((1, 1), bool)
    in_front = Descent(form, 0.02, np.array([[0.3, 1.0]]), power, signs, np.array([1.0]))  # x / (1 + k x)
    inside = Descent(form, 0.02, np.array([[-0.3, -1.0]]), power, signs, np.array([0.0]))  # 1 / (1 + 1 / (k x))
    assert measure_nats(in_front, scaling_rows) == measure_nats(inside, scaling_rows)


def test_noise_of_one_size_does_not_hide_a_law_that_comes_near_zero():
    rng = np.random.default_rng(6)
    X = rng.uniform(0.3, 3.0, size=(400, 2))
    y = np.exp(-X[:, 1] / X[:, 0] ** 2) + 0.01 * rng.standard_normal(400)
    texts = texts_of(question_of(X, y), ["a", "b"])
    assert any(re.search(r"exp\(-?\(?-?[01]\.\d*\*\(b/a\^2\)", text) for text in texts), texts


def test_rounded_rows_that_hardly_bend_leave_the_powers_simple():
    rng = np.random.default_rng(5)
    X = rng.uniform(1.0, 3.0, size=(400, 3)).astype(np.float32).astype(np.float64)
    y = (X[:, 0] * np.tanh(0.05 * X[:, 1] * X[:, 2])).astype(np.float32).astype(np.float64)
    texts = [to_text(sketch.expression, ["a", "b", "c"]) for sketch in all_sketches(scaling_laws, question_of(X, y))]
    assert any(text.startswith("a*tanh(0.05") or "*(a*tanh(0.05" in text for text in texts), texts


def test_a_factor_that_hardly_bends_gets_a_simple_power():
    rng = np.random.default_rng(5)
    X = rng.uniform(1.0, 3.0, size=(400, 2))
    y = X[:, 0] / (1.0 - 1e-6 * X[:, 0] * X[:, 1])
    texts = [to_text(sketch.expression, ["a", "b"]) for sketch in all_sketches(scaling_laws, question_of(X, y))]
    assert any(re.search(r"\(1/a - 1\.0\d*e-06\*b\)\^-1", text) for text in texts), texts


def test_units_do_not_matter():
    rng = np.random.default_rng(4)
    X = rng.uniform(1.0, 3.0, size=(300, 3)) * np.array([1e-20, 3e8, 1e12])
    y = 1e-9 * X[:, 0] * np.exp(-2e11 * X[:, 0] * X[:, 1] / X[:, 2] * 1e12)
    found, _ = first_law(scaling_laws, question_of(X, y))
    assert found is not None


def test_operators_that_are_not_allowed_are_not_used():
    context = question_about("2.3*x0^2/cosh(0.4*x1/x0)", 2, operators=("add", "mul", "div", "pow"))
    names = {name for sketch in all_sketches(scaling_laws, context) for name in operator_names(sketch.expression)}
    assert names <= {"add", "mul", "div", "pow"}


@pytest.mark.parametrize("rows", [3, 5, 12])
def test_too_few_rows_give_no_sketch(rows):
    assert all_sketches(scaling_laws, question_about("x0*exp(x1)", 3, rows=rows)) == []


def test_descents_repeat():
    rng = np.random.default_rng(0)
    columns = rng.uniform(0.5, 2.0, size=(3, 60))
    scaling_rows = make_scaling_rows(columns, columns[0] * np.tanh(columns[1] * columns[2]))
    form = ScalingForm((SUMS_OF_TWO[0],))
    first, again = (descend(scaling_rows, form, DescentConfig(6, 3, 2, 3), np.random.default_rng(7)) for _ in range(2))
    assert first.error == again.error
    assert np.array_equal(first.groups, again.groups)
