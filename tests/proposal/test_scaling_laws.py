"""Scaling laws: exponents in front, inside and around are found together, from scattered rows."""

import numpy as np
import pytest

from mosaic_sr.expressions.expression import operator_names
from mosaic_sr.expressions.text import to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.scaling_laws.descent import Descent, DescentConfig, descend, make_scene
from mosaic_sr.proposal.scaling_laws.shapes import SHAPES
from mosaic_sr.proposal.scaling_laws.writing import written
from mosaic_sr.table import Rows
from tests.proposal.questions import all_sketches, first_law, question_about, question_of

LAWS = (
    "2.3*x0^2/cosh(0.4*x1*x2/x0)",
    "x0^3/(exp(1.3*x0/x1) - 1)/7.1",
    "x3/sqrt(x2 + 0.7*x1/(x0*x2^2*x3))",
    "0.8*x0*sqrt(x2)*log(1 + 2.1*x1^2/x2)",
    "5*x1*(1 - exp(-0.37*x0/x1))",
    "x0*x1*(1.4 - x2*x1^2)",
    "x1^2*log(0.6*x0/x2)",
    "4.2*x0*cos(1.9*x1*x0)",
    "x1/sin(0.9*x0*x1)",
)


@pytest.mark.parametrize("law", LAWS)
def test_laws_of_the_form_are_found(law):
    found, num_tried = first_law("scaling_laws", question_about(law, columns=4))
    assert found is not None
    assert num_tried <= 2


@pytest.mark.parametrize("shape", SHAPES, ids=[shape.name for shape in SHAPES])
def test_slopes_are_those_of_the_logarithm(shape):
    z = np.array([0.05, 0.3, 0.9, 1.4, 2.2])
    step = 1e-6
    above, below = (np.log(np.abs(shape.value(z * np.exp(sign * step)))) for sign in (1.0, -1.0))
    assert shape.slope(z, shape.value(z)) == pytest.approx((above - below) / (2.0 * step), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("shape", SHAPES, ids=[shape.name for shape in SHAPES])
def test_a_law_of_each_shape_is_written_as_it_was_made(shape):
    rng = np.random.default_rng(0)
    columns = rng.uniform(0.5, 1.5, size=(2, 80))
    target = 3.0 * columns[0] ** 2 * shape.value(0.4 * columns[0] * columns[1])
    scene = make_scene(columns, target)
    rows = Rows(columns, target, np.empty(0))
    number = float(np.log(0.4) + scene.means.sum())
    made = Descent(shape, 0.0, np.array([number, 1.0, 1.0, 1.0]), np.zeros(2, bool))
    law = written(made, scene, rows, np.arange(2))
    assert evaluate_expression(law, columns) == pytest.approx(target, rel=1e-12)


def test_a_sign_of_a_column_is_taken_into_the_function():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.uniform(-2.0, 2.0, 300), rng.uniform(0.5, 2.0, 300)])
    y = 1.7 * X[:, 1] ** 2 * np.exp(0.8 * X[:, 0] / X[:, 1])
    found, _ = first_law("scaling_laws", question_of(X, y))
    assert found is not None


def test_noise_leaves_the_exponents_simple():
    sketches = all_sketches("scaling_laws", question_about("2.3*x0^2*tanh(0.4*x1*x2/x0)", 3, rows=400, noise=0.01))
    text = to_text(sketches[0].expression, ["x0", "x1", "x2"])
    assert "*(x0^2*tanh(0.39" in text
    assert "*(x1*x2/x0)" in text


def test_units_do_not_matter():
    rng = np.random.default_rng(4)
    X = rng.uniform(1.0, 3.0, size=(300, 3)) * np.array([1e-20, 3e8, 1e12])
    y = 1e-9 * X[:, 0] * np.exp(-2e11 * X[:, 0] * X[:, 1] / X[:, 2] * 1e12)
    found, _ = first_law("scaling_laws", question_of(X, y))
    assert found is not None


def test_operators_that_are_not_allowed_are_not_used():
    question = question_about("2.3*x0^2/cosh(0.4*x1/x0)", 2, operators=("add", "mul", "div", "pow"))
    names = {name for sketch in all_sketches("scaling_laws", question) for name in operator_names(sketch.expression)}
    assert names <= {"add", "mul", "div", "pow"}


@pytest.mark.parametrize("rows", [3, 5, 12])
def test_too_few_rows_give_no_sketch(rows):
    assert all_sketches("scaling_laws", question_about("x0*exp(x1)", 3, rows=rows)) == []


def test_descents_repeat():
    rng = np.random.default_rng(0)
    columns = rng.uniform(0.5, 2.0, size=(3, 60))
    scene = make_scene(columns, columns[0] * np.tanh(columns[1] * columns[2]))
    first, again = (descend(scene, SHAPES[0], DescentConfig(), np.random.default_rng(7)) for _ in range(2))
    assert first.error == again.error
    assert np.array_equal(first.parameters, again.parameters)
