"""Numbers of any size: laws of targets and columns times 1e-300 .. 1e300 are found and measured as those near 1."""

import math

import numpy as np
import pytest
import sympy

from mosaic_sr import MosaicRegressor
from mosaic_sr.equation import Errors, measure
from mosaic_sr.evidence.pool import rough_log_likelihood
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import num_operators
from mosaic_sr.expressions.powers import distributed
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.fitting import FitConfig, fit_constants
from mosaic_sr.proposal import PROPOSERS
from mosaic_sr.table import Rows, deviation

LAWS = {
    "2.5*a": lambda a, b, c: 2.5 * a,
    "a*b": lambda a, b, c: a * b,
    "a*b^2/c": lambda a, b, c: a * b**2 / c,
    "3.7*a/b + 1.2*c": lambda a, b, c: 3.7 * a / b + 1.2 * c,
    "sqrt(a*b) + c": lambda a, b, c: np.sqrt(a * b) + c,
    "noisy": lambda a, b, c: a * b + 0.1 * np.sin(1e4 * c),
}


def rows_of(target, *columns):
    return Rows(np.array(columns), np.asarray(target), np.empty(0))


def scales(number):
    """Factors of the target and of each column, from 1e-300 to 1e300."""
    rng = np.random.default_rng(number)
    return 10.0 ** rng.uniform(-300, 300), 10.0 ** rng.uniform(-300, 300, size=3)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("number", range(2))
def test_a_law_is_found_and_measured_whatever_the_units(name, number):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3.0, size=(60, 3))
    of_target, of_columns = scales([number, len(name)])
    others = [proposer for proposer in PROPOSERS if proposer not in ("products", "sums")]
    y, columns = LAWS[name](*X.T) * of_target, X * of_columns
    model = MosaicRegressor(random_state=0, max_evaluations=500, without=others).fit(columns, y)
    unit = np.abs(y).max()
    left = np.mean(((model.predict(columns) - y) / unit) ** 2) / np.var(y / unit)
    assert left == pytest.approx(model.law_.training.nmse, rel=0.3, abs=1e-12)
    assert left < (0.1 if name == "noisy" else 1e-20)
    assert model.law_.is_exact == (name != "noisy")


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1.0, 1e170, 1e300])
def test_errors_do_not_depend_on_the_unit_of_the_target(size):
    x = np.linspace(1.0, 2.0, 30)
    rows = rows_of(x * size, x)
    close, far = (measure(parse(text, ["x"]), rows) for text in (f"{1.1 * size!r}*x", f"{-3.0 * size!r}*x"))
    assert close.nmse == pytest.approx(np.mean((0.1 * x) ** 2) / np.var(x))
    assert far.nmse == pytest.approx(np.mean((4.0 * x) ** 2) / np.var(x))
    assert (close.relative, far.relative) == (pytest.approx(0.01), pytest.approx(16.0))
    assert deviation(rows.target) == pytest.approx(np.std(x) * size)


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e170, 1e300])
def test_a_fit_has_its_constants_and_their_errors_in_any_unit(size):
    rng = np.random.default_rng(1)
    x = np.linspace(1.0, 2.0, 50)
    y = 3.0 * x + 2.0 + 0.01 * rng.normal(size=50)
    near = fit_constants(parse("_*x + _", ["x"]), rows_of(y, x), FitConfig(starts=1))
    start = near.expression.with_constants(1.1 * size * near.expression.constants)
    far = fit_constants(start, rows_of(y * size, x), FitConfig(starts=1))
    np.testing.assert_allclose(far.expression.constants / size, near.expression.constants, rtol=1e-9)
    np.testing.assert_allclose(far.standard_errors / size, near.standard_errors, rtol=1e-6)
    assert far.loss == pytest.approx(near.loss, rel=1e-6)


def test_likelihoods_fall_with_the_unit_and_stay_finite():
    x = np.linspace(1.0, 2.0, 40)
    known = rough_log_likelihood(Errors(1e-3, 1.0), rows_of(x, x))
    for exponent in (-1000, -500, 500, 1000):
        moved = rough_log_likelihood(Errors(1e-3, 1.0), rows_of(np.ldexp(x, exponent), x))
        assert moved == pytest.approx(known - 40 * exponent * np.log(2.0))


def test_powers_of_numbers_that_leave_float64_stay_powers():
    raised = distributed(parse("(1e200*x)^2", ["x"]))
    assert to_text(raised, ["x"]) == "1e+200^2*x^2"
    assert math.isfinite(distributed(parse("(1e100*x)^2", ["x"])).constants[0])


def test_factors_are_merged_as_far_as_there_is_such_a_number():
    merged = canonical(parse("1e-200*(3*(2e-250*x))", ["x"]))
    assert to_text(merged, ["x"]) == "1e-200*(6e-250*x)"
    assert num_operators(canonical(parse("1e-200*(3*(2e-50*x))", ["x"]))) == 1


def test_sympy_has_the_value_of_a_law_whose_factor_is_no_float64_number():
    X = np.linspace(1.0, 3.0, 40)[:, None] * 1e300
    y = 2.5e-170 * (X[:, 0] / 1e300)
    others = [proposer for proposer in PROPOSERS if proposer != "products"]
    law = MosaicRegressor(random_state=0, without=others).fit(X, y).sympy()
    value = law.subs({sympy.Symbol("x0"): sympy.Float(X[7, 0], 30)})
    assert float(value) == pytest.approx(y[7], rel=1e-9)
