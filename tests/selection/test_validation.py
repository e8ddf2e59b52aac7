"""Validation: constants refitted, errors on both sets of rows, exactness, and no work done twice."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.equation import UNKNOWN, Equation, Errors
from mosaic_sr.expressions.text import parse
from mosaic_sr.selection import SelectionConfig, Validator, validate, validation
from mosaic_sr.table import Table

NAMES = ("x", "y")


def table_of(function, num_rows=300, noise=0.0, rounded=lambda values: values):
    rng = np.random.default_rng(0)
    X = rounded(rng.uniform(0.5, 3.0, size=(num_rows, 2)))
    y = function(*X.T)
    y = rounded(y + noise * np.std(y) * rng.normal(size=num_rows))
    return Table.from_arrays(X, y, rng=np.random.default_rng(1), names=NAMES)


def equation(text, error=1.0):
    return Equation(parse(text, NAMES), NAMES, Errors(error, error), UNKNOWN, "test")


def test_constants_of_some_rows_are_refined_on_all():
    table = table_of(lambda x, y: 2.5 * np.sin(1.3 * x) / y)
    law = validate(equation("2.4*sin(1.31*x)/y"), table, SelectionConfig())
    assert law.is_exact
    np.testing.assert_allclose(sorted(law.expression.constants), [1.3, 2.5], rtol=1e-12)


def test_noise_leaves_errors_of_the_constants():
    law = validate(equation("2*x"), table_of(lambda x, y: 2 * x, noise=0.1), SelectionConfig())
    assert not law.is_exact
    assert 0 < law.standard_errors[0] < 0.05
    assert law.validation.nmse == pytest.approx(0.01, rel=0.5)


def test_a_law_steep_in_rounded_columns_is_fitted_by_what_its_rows_say():
    X = np.random.default_rng(0).uniform(0.2, 1.2, size=(300, 2))
    target = np.sin(2.5 * np.exp(X[:, 0] ** 4))
    X = X.astype(np.float32).astype(np.float64)
    table = Table.from_arrays(X, target, rng=np.random.default_rng(1), names=NAMES)
    assert validate(equation("sin(2.5001*exp(x^4))"), table, SelectionConfig()).is_exact


def test_a_candidate_is_fitted_once(monkeypatch):
    calls = []
    monkeypatch.setattr(validation, "validate", lambda equation, *_: calls.append(equation) or equation)
    validator = Validator(table_of(lambda x, y: x * y), SelectionConfig())
    for text in ("2*x", "2*x", "3*x", "2*x"):
        validator.validated(equation(text))
    assert [call.text() for call in calls] == ["2*x", "3*x"]


def test_long_tables_are_judged_on_some_rows():
    table = table_of(lambda x, y: x * y, num_rows=5000)
    validator = Validator(table, SelectionConfig())
    assert validator.table.training.num_rows == validation.MOST_ROWS
    assert validator.validated(replace(equation("1.1*x*y"))).is_exact
