"""What a search on noisy rows concludes."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.evidence import Noise, judge
from mosaic_sr.evidence.laplace import Measured
from mosaic_sr.expressions.text import parse
from mosaic_sr.selection.conclusion import Told, as_conclusion
from mosaic_sr.selection.simplifying import covariance, standard_errors
from mosaic_sr.selection.weighing import measured_rows
from mosaic_sr.table import Rows, Table

NAMES = ("x", "z")


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 3.0, size=(60, 2))
    return Table.from_arrays(X, 2.3 * X[:, 0] + 0.1 * rng.normal(size=60), rng=rng, names=NAMES)


def told(text, table, probability):
    judged = judge(parse(text, NAMES), measured_rows(table), Noise())
    return Told(judged, "test", probability)


def test_columns_of_all_visited_laws_are_certain(table):
    laws = [told("2.3*x", table, 0.6), told("2.3*x + 0.1234567*z", table, 0.2)]
    conclusion = as_conclusion(laws, table, NAMES)
    np.testing.assert_allclose(conclusion.column_probabilities, [1.0, 0.25])
    assert (conclusion.law.probability, conclusion.law.ties[0].probability) == (0.6, 0.2)


def test_a_law_without_columns_has_no_probability(table):
    conclusion = as_conclusion([told("4.61234567", table, 0.9)], table, NAMES)
    assert conclusion.law.probability is None
    assert conclusion.column_probabilities == (0.0, 0.0)


def test_a_constant_whose_fit_ends_at_a_simple_number_was_fitted():
    x = np.linspace(1.0, 3.0, 30)
    rows = Rows(x[None], 2.0 * x + 0.1 * np.cos(40.0 * x), np.empty(0))
    judged = judge(parse("1.98765432*x", ("x",)), Measured(rows, None, np.zeros(30)), Noise())
    simple = replace(judged, evidence=replace(judged.evidence, expression=parse("2*x", ("x",))))
    assert covariance(simple).shape == (1, 1)
    assert standard_errors(simple)[0] > 0.0
