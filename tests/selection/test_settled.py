"""Which exact laws end the search: those in simple numbers, but for a factor of the whole, whose functions bend."""

import numpy as np
import pytest

from mosaic_sr.equation import UNKNOWN, Equation, in_table_units
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.selection import SelectionConfig, has_only_simple_constants, validate
from mosaic_sr.table import Table

NAMES = ("x", "y")
CONFIG = SelectionConfig()


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        ("x*y^2", True),
        ("6.6743015e-11*x/y^2", True),
        ("2.5*x/(1 + 0.37*y)", True),
        ("sin(x/3)*exp(-y)", True),
        ("sin(2*pi*x) + 1.25", True),
        ("x*exp(0.3333337182*y)", False),
        ("x + 0.4996928661*y", False),
        ("sqrt(x^2 + 1.732051912*y)", False),
    ],
)
def test_odd_numbers_inside_leave_a_law_open(law, expected):
    # The table scales its columns: numbers are simple in the user's units.
    assert settled(law, farthest=30.0) is expected


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        ("x/(1 - y/3)", False),
        ("x*(1 + exp(2*y/3))", False),
        ("x*cos(y)", False),
        ("sinh(100*y)*x", False),
        ("sinh(150*y)*x", False),
        ("sinh(200*y)*x", False),
        ("sinh(1000*y)*x", True),
        ("x*exp(y*1e6)", True),
        ("x/y", True),
        ("x*y^2 + 3*y", True),
    ],
)
def test_a_function_that_looks_like_a_polynomial_leaves_a_law_open(law, expected):
    assert settled(law, farthest=1e-5) is expected


def settled(law, farthest):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.1 * farthest, farthest, size=(200, 2))
    truth = parse(law, NAMES)
    table = Table.from_arrays(X, evaluate_expression(truth, X.T), rng=rng, names=NAMES)
    found = validate(Equation(in_table_units(truth, table), table.names, UNKNOWN, UNKNOWN, "test"), table, CONFIG)
    assert found.is_exact
    return has_only_simple_constants(found, table, CONFIG)
