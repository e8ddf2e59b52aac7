"""Laws become written: errors of their constants, rivals, fronts and limits."""

import numpy as np
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.law_writing import carried_covariance
from mosaic_sr.proposal import PROPOSERS
from mosaic_sr.writing import written

# A law as found, a covariance of its constants, and the form whose constants have errors of their own.
CARRIED = [
    ("3.599/(0.2929 + x^-1)", [[4e-4, 3e-5], [3e-5, 9e-6]], 3),
    (
        "97.1/(1 + 173.8*exp(-0.416*x))",
        [[0.5, 0.0, 0.0, -1e-4], [0.0] * 4, [0.0, 0.0, 9.0, 1e-3], [-1e-4, 0.0, 1e-3, 1e-5]],
        3,
    ),
    ("1.4*(2.1 + x)", [[1e-4, 1e-5], [1e-5, 4e-4]], 3),
]


@pytest.mark.parametrize(("found", "covariance", "most_digits"), CARRIED)
def test_errors_of_written_constants_are_those_of_refits(found, covariance, most_digits):
    """Constants drawn about the found ones, the written form fitted to each of these curves."""
    columns = np.linspace(0.3, 30.0, 80)[None]
    law, before = parse(found, ["x"]), np.array(covariance)
    form = written(law, columns, most_digits)
    after = carried_covariance(law, before, form, columns)
    assert after is not None
    drawn = _refits(law, before, form, columns)
    errors, expected = np.sqrt(np.diag(after)), drawn.std(axis=0)
    fitted = expected > 1e-6 * np.abs(form.constants)
    np.testing.assert_allclose(errors[fitted], expected[fitted], rtol=0.15)
    correlation = after[np.ix_(fitted, fitted)] / np.outer(errors[fitted], errors[fitted])
    np.testing.assert_allclose(correlation, np.corrcoef(drawn[:, fitted].T), atol=0.15)


def _refits(law, covariance, form, columns):
    from scipy.optimize import least_squares

    rng = np.random.default_rng(0)
    is_fixed = np.abs(form.constants) == 1.0
    found = []
    for constants in rng.multivariate_normal(law.constants, covariance, size=400):
        target = evaluate_expression(law.with_constants(constants), columns)

        def residual(free, target=target):
            return evaluate_expression(form.with_constants(_filled(form, is_fixed, free)), columns) - target

        fit = least_squares(residual, form.constants[~is_fixed], x_scale=np.abs(form.constants[~is_fixed]))
        found.append(_filled(form, is_fixed, fit.x))
    return np.array(found)


def _filled(form, is_fixed, free):
    constants = form.constants.copy()
    constants[~is_fixed] = free
    return constants


def test_a_form_that_cannot_follow_has_no_errors():
    columns = np.linspace(1.0, 5.0, 30)[None]
    law, other = parse("2.5*x + 1.5", ["x"]), parse("2.5*x", ["x"])
    assert carried_covariance(law, np.eye(2), other, columns) is None


def test_the_law_of_a_search_is_written():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3.0, (60, 1))
    model = MosaicRegressor(without=[name for name in PROPOSERS if name != "sums"], random_state=0).fit(
        X, 2.7 * X[:, 0] ** 3 + 1.6 * X[:, 0] ** 2 + 1.4 * X[:, 0]
    )
    assert to_text(model.law_.expression, ["x"], 6) == "2.7*x^3 + 1.6*x^2 + 1.4*x"
    assert len(model.law_.standard_errors) == model.law_.expression.num_constants
    assert any(equation.expression == model.law_.expression for equation in model.front_)
