"""Seams of a template: signs and numbers are joined, the user's form and his names stay."""

import numpy as np
import pytest

from mosaic_sr import parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.table import Table
from mosaic_sr.templates.seams import without_seams

RNG = np.random.default_rng(0)
NAMES = ("x", "z")
COLUMNS = RNG.uniform(1.0, 3.0, (40, 2))
TABLE = Table.from_arrays(COLUMNS, COLUMNS.sum(axis=1), rng=RNG, names=list(NAMES))
NO_ERRORS = Errors(0.0, 0.0)

JOINED = {
    "2*x - -0.18*z": "2*x + 0.18*z",
    "x + -0.7*exp(z)": "x - 0.7*exp(z)",
    "x - -0.5/z": "x + 0.5/z",
    "x - -(exp(z))": "x + exp(z)",
    "1 + (1 + x)": "2 + x",
    "x/(1 + 1)": "x/2",
    "2*(3*x)": "6*x",
    "-2*x*(-0.5/(1 + z))": "x/(1 + z)",
    "2*x*(3*z)": "6*x*z",
    "exp(x)*(-2*z)": "-2*exp(x)*z",
    "2*x/(-3*z)": "-2*x/(3*z)",
    "1/(3*z)": "1/(3*z)",
    "-2*x*sin(-0.5*x - 0.4*z^2)": "2*x*sin(0.5*x + 0.4*z^2)",
    "x - sin(-0.5*x)": "x + sin(0.5*x)",
    "cos(-0.5*x + -0.4*z)": "cos(0.5*x + 0.4*z)",
    "exp(-0.5*x - z)": "exp(-0.5*x - z)",
    "-2*x*(exp(z) - 1)": "2*x*(1 - exp(z))",
    "tanh(x)*(-0.5/(1 + z))*(exp(z) - 1)": "0.5*tanh(x)/(1 + z)*(1 - exp(z))",
    "exp(-(-0.18*x))": "exp(0.18*x)",
    "1*x + 0": "x",
    "3*x/(2 + x)/(1 + z^2/3)": "3*x/(2 + x)/(1 + z^2/3)",
    "x - (0.3 - 2*z)": "x - 0.3 + 2*z",
    "2*sqrt(x) - (-0.6 + 0.2*z)": "2*sqrt(x) - 0.2*z + 0.6",
    "sqrt(x) - 1.5 - (0.2*z - 1)": "sqrt(x) - 0.5 - 0.2*z",
    "-3*exp(x) - (-4 + 0.2*z)": "4 - 3*exp(x) - 0.2*z",
    "1 - (0.5 - 0.6*exp(x))": "0.5 + 0.6*exp(x)",
}


def law_of(text, labels=(), covariance=()):
    expression = parse(text, NAMES)
    return Equation(expression, NAMES, NO_ERRORS, NO_ERRORS, "template", constant_names=labels, covariance=covariance)


@pytest.mark.parametrize("text", JOINED)
def test_signs_and_numbers_are_joined_as_a_person_writes_them(text):
    assert without_seams(law_of(text), TABLE).text() == JOINED[text]


def test_a_constant_that_the_user_has_named_keeps_its_sign_and_its_name():
    law = without_seams(law_of("2*x - -0.18*z - (-0.5 - x)", ("", "a", "")), TABLE)
    assert law.text() == "2*x - -0.18*z + 0.5 + x"
    assert law.constant_names == ("", "a", "")


def test_errors_follow_the_constants_as_they_are_written():
    covariance = ((0.04, 0.01), (0.01, 0.09))
    law = without_seams(law_of("2*x - -0.18*z", (), covariance), TABLE)
    np.testing.assert_allclose(law.standard_errors, [0.2, 0.3], rtol=1e-3)
    np.testing.assert_allclose(law.covariance[0][1], -0.01, rtol=1e-2)
