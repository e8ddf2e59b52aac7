"""The law as a person would write it: in the user's units, short, with simple numbers where the rows allow them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.selection import SelectionConfig, tidy, validate, validation
from mosaic_sr.table import Table

NAMES = ("x", "y", "z")
CONFIG = SelectionConfig()


def table_of(truth, noise=0.0, scales=(1.0, 1.0, 1.0), num_rows=400, rounded=lambda values: values):
    rng = np.random.default_rng(0)
    X = rounded(rng.uniform(0.5, 3.0, size=(num_rows, 3)) * scales)
    y = evaluate_expression(parse(truth, NAMES), X.T)
    y = rounded(y + noise * np.std(y) * rng.normal(size=num_rows))
    return Table.from_arrays(X, y, rng=np.random.default_rng(1), names=NAMES)


def tidied(start, table):
    law = Equation(parse(start, NAMES), NAMES, UNKNOWN, UNKNOWN, "test")
    return tidy(validate(law, table, CONFIG), table, CONFIG, NAMES)


@pytest.mark.parametrize("noise", [0.0, 1e-4, 1e-3])
@pytest.mark.parametrize(
    ("truth", "start", "law"),
    [
        ("x*y^2/4", "0.26*x*y^2", "0.25*x*y^2"),
        ("2*pi*sqrt(x/y)", "6*(x/y)^0.52", "2*pi*sqrt(x/y)"),
        ("3.7*sin(1.3*x)", "3.6*sin(1.31*x) + 0.01*z*x", "3.7*sin(1.3*x)"),
    ],
)
def test_constants_snap_and_negligible_terms_go(truth, start, law, noise):
    table = table_of(truth, noise)
    result = tidied(start, table)
    assert str(result) == law
    assert result.is_exact == (noise == 0.0)
    assert set(result.standard_errors) == {0.0}


def test_a_fitted_constant_keeps_its_value_and_its_error():
    result = tidied("37000*x", table_of("37411.83*x", noise=1e-4))
    (value,), (error,) = result.expression.constants, result.standard_errors
    assert 0.0 < error < 2.0
    assert abs(value - 37411.83) < 4 * error
    assert not float(value).is_integer()


def test_a_term_that_matters_stays():
    assert len(tidied("2*x + 0.01*z", table_of("2*x + 0.01*z", noise=1e-4)).expression.columns) == 2


def test_constants_are_simple_in_the_units_of_the_user():
    table = table_of("x*y/3", scales=(1e-9, 1e7, 1.0))
    assert any(table.column_exponents)
    assert str(tidied("1.1*x*y", table)) == "x/3*y"


def test_physical_constants_are_recognised_in_the_units_of_the_user():
    result = tidied("1.1*x*y/z^2", table_of("6.6743e-11*x*y/z^2", scales=(1e24, 1e22, 1e8)))
    assert result.constant_names == ("Newtonian constant of gravitation",)
    noisy = tidied("1.1*x*y", table_of("1.380649e-23*x*y", noise=1e-6, scales=(1e20, 1e2, 1.0)))
    assert noisy.constant_names == ("Boltzmann constant",)
    assert noisy.expression.constants[0] == 1.380649e-23


def test_an_exact_law_of_float32_numbers_stays_exact():
    table = table_of("2.5*x^1.7/y", rounded=lambda values: values.astype(np.float32).astype(np.float64))
    result = tidied("2.4*x^1.71/y", table)
    assert result.is_exact
    assert sorted(result.expression.constants) == [1.7, 2.5]


def test_columns_that_were_set_aside_keep_their_places():
    X = np.random.default_rng(0).uniform(1.0, 2.0, size=(60, 3))
    X[:, 1] = 4.0
    with pytest.warns(UserWarning, match="ignored"):
        table = Table.from_arrays(X, 2 * X[:, 2], rng=np.random.default_rng(0), names=NAMES)
    law = Equation(parse("1.9*z", ("x", "z")), table.names, UNKNOWN, UNKNOWN, "test")
    assert tidy(validate(law, table, CONFIG), table, CONFIG, NAMES).text() == "2*z"


def test_ties_are_tidied_too_keep_their_parts_and_go_where_they_become_the_law():
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
    X[:, 2] = X[:, 2] > 1.5  # equal to its square
    table = Table.from_arrays(X, X[:, 0] * X[:, 2], rng=np.random.default_rng(1), names=NAMES)
    law, twin, other = (
        validate(Equation(parse(text, NAMES), NAMES, UNKNOWN, UNKNOWN, "test"), table, CONFIG)
        for text in ("1.1*x*z", "1.2*z*x", "1.1*x*z^2")
    )
    result = tidy(Equation(**{**vars(law), "ties": (twin, other, other)}), table, CONFIG, NAMES)
    assert str(result) == "x*z"
    assert [str(tie) for tie in result.ties] == ["x*z^2"]


def test_of_laws_that_explain_alike_the_one_in_simple_numbers_is_the_law():
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
    X[:, 2] = X[:, 2] > 1.5
    table = Table.from_arrays(X, X[:, 0] * (1 + X[:, 2]), rng=np.random.default_rng(1), names=NAMES)
    odd, simple = (
        validate(Equation(parse(text, NAMES), NAMES, UNKNOWN, UNKNOWN, "test"), table, CONFIG)
        for text in ("x*exp(0.69*z)", "x*(1 + z)")
    )
    result = tidy(Equation(**{**vars(odd), "ties": (simple,)}), table, CONFIG, NAMES)
    assert str(result) == "x*(1 + z)"
    assert len(result.ties) == 1


@pytest.mark.parametrize("num_trials", [0, 1, 3])
def test_an_interrupted_law_stays_as_far_as_it_has_come(num_trials):
    table = table_of("2*pi*sqrt(x/y)", scales=(1e6, 1.0, 1.0))
    law = validate(Equation(parse("6*(x/y)^0.52 + 0.01*z", NAMES), NAMES, UNKNOWN, UNKNOWN, "test"), table, CONFIG)
    asked = []
    result = tidy(law, table, CONFIG, NAMES, lambda: len(asked) >= num_trials or asked.append(1))
    assert len(asked) == num_trials
    assert result.text() != "2*pi*sqrt(x/y)"
    np.testing.assert_allclose(result.predict(np.array([[4e6], [1.0], [0.0]])), [4000 * math.pi], rtol=1e-6)


def test_long_tables_are_fitted_on_all_rows():
    table = table_of("pi*x", noise=0.1, num_rows=6000)
    free = tidied("3*x + 0.123*y", table_of("3.14321987*x + 0.7654321*y", noise=0.01, num_rows=6000))
    assert free.standard_errors[0] < 1e-3
    assert tidied("3*x", table).expression.constants.tolist() == [math.pi]


def test_numbers_that_are_rounding_leave_an_exact_law():
    table = table_of("-3.68*x/(y + 1.0502) - 0.765077*atan(3.3731*x)")
    result = tidied("1e-17 - 3.68*x/(y + 1.0502) - 0.765077*atan(3.3731*x + 2e-17)", table)
    assert result.is_exact
    assert result.expression.num_constants == 4


def test_a_law_in_many_fitted_numbers_agrees_with_rounded_rows_but_is_not_called_exact():
    X = np.random.default_rng(0).uniform(0.0, 1.0, (200, 3))
    y = np.round(1000.0 * np.exp(0.9 * X[:, 0]), 4)
    table = Table.from_arrays(X, y, rng=np.random.default_rng(1), names=NAMES)
    # A polynomial of the sixth degree meets this function to the four decimals that were kept.
    numbers = np.polynomial.polynomial.polyfit(X[:, 0], y, 6).tolist()
    many = tidied(" + ".join(f"{number!r}*x^{power}" for power, number in enumerate(numbers)), table)
    few = tidied("1000*exp(0.9*x)", table)
    assert (many.closeness, few.closeness) == (Closeness.AGREES, Closeness.EXACT)


@pytest.mark.parametrize("is_paid", [True, False])
def test_a_tie_that_becomes_the_law_is_called_exact_only_when_the_rows_pay_for_its_numbers(is_paid, monkeypatch):
    monkeypatch.setattr(validation, "pays_for", lambda *_: is_paid)
    table = table_of("sin(2*x)")
    law, tie = (
        validate(Equation(parse(text, NAMES), NAMES, UNKNOWN, UNKNOWN, "test"), table, CONFIG)
        for text in ("2*sin(x)*cos(x)", "sin(2*x)")
    )
    result = tidy(replace(law, ties=(tie,)), table, CONFIG, NAMES)
    assert str(result) == "sin(2*x)"
    assert result.is_exact == is_paid
