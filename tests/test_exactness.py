"""Exactness: agreement to the noise floor of the data, which is read from the data."""

import numpy as np
import pytest

from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.table import Table

NAMES = ["x", "y"]


def table_of(truth, low=0.5, high=3.0, rounded=lambda values: values, noise=0.0):
    rng = np.random.default_rng(0)
    columns = rounded(np.exp(rng.uniform(np.log(low), np.log(high), size=(2, 300))))
    target = evaluate_expression(parse(truth, NAMES), columns)
    target = target + noise * rng.normal(size=300) * np.std(target)
    return Table.from_arrays(columns.T, rounded(target), rng=rng, names=NAMES)


def float32(values):
    return values.astype(np.float32).astype(np.float64)


def judged(law, table):
    return is_exact(parse(law, NAMES), table.validation, table)


TRUTHS = [
    "0.5*x*y^2",
    "sin(x)/y",
    "1/(exp(0.3*x/y) - 1)",
    "x/sqrt(1 - 0.01*y^2)",
    "5000*(1 - cos(0.01*x))",
    "exp(-x^2)*y^1.7",
]


@pytest.mark.parametrize("truth", TRUTHS)
def test_the_truth_is_exact(truth):
    assert judged(truth, table_of(truth))


@pytest.mark.parametrize("truth", TRUTHS)
def test_the_truth_is_exact_on_float32_data(truth):
    assert judged(truth, table_of(truth, rounded=float32))


@pytest.mark.parametrize(
    ("truth", "close"),
    [
        ("x/sqrt(1 - 1e-6*y^2)", "x"),
        ("x/sqrt(1 - 1e-6*y^2)", "x + 0.0000005*x*y^2"),
        ("1/(exp(0.001*x/y) - 1)", "1000*y/x - 0.5"),
        ("sin(x)*y", "y*(x - x^3/6 + x*x^4/120)"),
        ("x*y", "1.0000001*x*y"),
        ("x*y", "x*y + 1e-9"),
    ],
)
def test_a_law_that_is_merely_close_is_not(truth, close):
    assert not judged(close, table_of(truth))


def test_noise_is_never_exact():
    for level in (1e-6, 1e-3, 1e-1):
        assert not judged("0.5*x*y^2", table_of("0.5*x*y^2", noise=level))


def test_coarse_decimals_prove_nothing():
    assert not judged("0.5*x*y^2", table_of("0.5*x*y^2", rounded=lambda values: np.round(values, 2)))


def test_a_value_outside_the_domain_is_not_exact():
    assert not judged("log(x - 1)", table_of("x*y"))
