"""Equations: errors of both weightings, and the way back to the user's units."""

import numpy as np
import pytest

from mosaic_sr.equation import UNKNOWN, Equation, in_user_units, measure
from mosaic_sr.expressions.text import parse
from mosaic_sr.table import Rows, Table


def test_errors_are_normalised_by_variance_and_by_the_target():
    target = np.array([1.0, 2.0, 4.0, 0.0])
    rows = Rows(target[None, :] * 1.0, target, np.empty(0))
    errors = measure(parse("1.1*x", ["x"]), rows)
    assert errors.nmse == pytest.approx(0.01 * np.mean(target**2) / np.var(target))
    assert errors.relative == pytest.approx(0.01)


def test_a_value_that_is_not_finite_has_infinite_errors():
    rows = Rows(np.array([[1.0, -1.0]]), np.array([0.0, 1.0]), np.empty(0))
    assert measure(parse("log(x)", ["x"]), rows) == UNKNOWN


def test_weights_count_as_repeated_rows():
    columns, target = np.array([[1.0, 2.0, 3.0]]), np.array([1.0, 2.5, 2.0])
    weighted = measure(parse("x", ["x"]), Rows(columns, target, np.array([1.0, 2.0, 1.0])))
    repeated = measure(parse("x", ["x"]), Rows(columns[:, [0, 1, 1, 2]], target[[0, 1, 1, 2]], np.empty(0)))
    assert weighted.nmse == pytest.approx(repeated.nmse)
    assert weighted.relative == pytest.approx(repeated.relative)


def test_scales_and_dropped_columns_come_back():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(50), rng.uniform(1e20, 9e20, 50), rng.uniform(1.0, 2.0, 50)])
    y = 3e-15 * X[:, 1] / X[:, 2]
    with pytest.warns(UserWarning, match="ignored"):
        table = Table.from_arrays(X, y, rng=rng, names=["one", "far", "near"])
    scale = 3e-15 * 2.0 ** (table.column_exponents[0] - table.target_exponent)
    inside = Equation(parse(f"{scale!r}*far/near", table.names), table.names, UNKNOWN, UNKNOWN, "test")
    law = in_user_units(inside, table, ["one", "far", "near"])
    assert law.text(precision=6) == "3e-15*far/near"
    np.testing.assert_allclose(law.predict(np.ascontiguousarray(X.T)), y, rtol=1e-14)


def test_sympy_simplifies_where_it_is_asked_to():
    law = Equation(parse("sin(x)^2 + cos(x)^2 + y", ["x", "y"]), ("x", "y"), UNKNOWN, UNKNOWN, "test")
    assert str(law.sympy(simplify=True)) in ("y + 1", "1 + y")
    assert law.sympy() == law.sympy(simplify=False) != law.sympy(simplify=True)
