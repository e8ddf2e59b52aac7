"""Smooth functions in the places of unknowns, and what an unknown must be where the others are known."""

import numpy as np
import pytest

from mosaic_sr.table import Rows
from mosaic_sr.template_form import parse_template
from mosaic_sr.templates.smooth_parts import fit_smooth_parts
from mosaic_sr.templates.targets import wanted_values

RNG = np.random.default_rng(0)
X, Y, Z = RNG.uniform(0.1, 4.0, (3, 160))
CASES = {
    "f(x)/(1 + g(y))*z^a": 3.0 * X / (2.0 + X) / (1.0 + Y**2 / 3.0) * Z**1.7,
    "f(x)*g(y) + h(z)": np.sqrt(X) * np.exp(-Y) + np.sin(2.0 * Z),
    "exp(f(x) + g(y))": np.exp(np.sin(X) - Y / 3.0),
    "sqrt(f(x)^2 + g(y)^2)": np.hypot(X / (1.0 + X), Y),
    "f(x) - f(y)": np.log(X + 1.0) - np.log(Y + 1.0),
    "f(x + y)*z": np.tanh(X + Y) * Z,
}


@pytest.mark.parametrize("text", CASES)
def test_smooth_functions_together_follow_the_law(text):
    template, target = parse_template(text, ["x", "y", "z"]), CASES[text]
    rows = Rows(np.array([X, Y, Z]), target, np.empty(0))
    best, *_ = fit_smooth_parts(template, rows, [""] * len(template.unknowns), np.random.default_rng(1))
    assert best.loss < 1e-4


def test_a_smooth_function_keeps_the_sign_that_the_user_states():
    template = parse_template("f(x)*g(y)", ["x", "y"])
    rows = Rows(np.array([X, Y]), np.sqrt(X) * np.exp(-Y), np.empty(0))
    best, *_ = fit_smooth_parts(template, rows, ["negative", ""], np.random.default_rng(1))
    assert best.loss < 1e-4
    assert np.all(best.slots[0] < 0.0)


def test_an_unknown_is_solved_for_where_all_others_are_known():
    template = parse_template("exp(f(x))*y", ["x", "y"])
    rows = Rows(np.array([X, Y]), np.exp(np.sin(X)) * Y, np.empty(0))
    wanted = wanted_values(template, 0, rows, np.zeros((1, len(X))), np.empty(0), np.zeros(len(X)))
    np.testing.assert_allclose(wanted.values, np.sin(wanted.arguments[0]), atol=1e-9)
