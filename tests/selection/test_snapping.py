"""Constants snap to simple numbers only where the error stays."""

import numpy as np
import pytest

from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.selection.snapping import no_worse, simple_values, snapped
from mosaic_sr.table import Rows

NAMES = ["x", "y"]


def rows_of(truth):
    columns = np.random.default_rng(0).uniform(0.5, 2.0, size=(2, 50))
    return Rows(columns, evaluate_expression(parse(truth, NAMES), columns), np.empty(0))


@pytest.mark.parametrize(
    ("truth", "fitted"),
    [
        ("3*x + 0.5*y", "2.9999999999997*x + 0.50000000000002*y"),
        ("x^1.7/3", "0.33333333333334*x^1.7000000000001"),
        ("2*x", "1.9999999999998*x + 1e-13*y"),
    ],
)
def test_values_within_rounding_snap(truth, fitted):
    rows = rows_of(truth)
    law = snapped(parse(fitted, NAMES), no_worse(parse(fitted, NAMES), rows))
    np.testing.assert_array_max_ulp(evaluate_expression(law, rows.columns), rows.target, 4)


def test_a_constant_that_matters_stays():
    law = parse("3.0001*x", NAMES)
    assert to_text(snapped(law, no_worse(law, rows_of("3.0001*x"))), NAMES) == "3.0001*x"


def test_integers_come_before_fractions():
    assert next(simple_values(2.0000001)) == 2.0
    assert next(simple_values(0.3333334)) == pytest.approx(1 / 3)
