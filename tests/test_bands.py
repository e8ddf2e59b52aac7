"""Standard deviations of predictions."""

from dataclasses import replace

import numpy as np
import pytest
from noisy_outcomes import NAMES, ROWS, equation, noisy_outcome
from scipy.stats import norm

from mosaic_sr import InvalidSettings
from mosaic_sr.bands import (
    constant_errors,
    interval_factor,
    outlier_rows,
    slopes,
    standard_deviations,
    weighted_laws,
)
from mosaic_sr.equation import Errors
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.expressions.definitions import define, parse_with


def test_slopes_are_differences():
    law = equation("2*exp(-0.5*x) + 3.5*z^1.2")
    step = 1e-6
    for place, slope in enumerate(slopes(law.expression, ROWS)):
        moved = law.expression.constants.copy()
        moved[place] += step
        other = replace(law, expression=law.expression.with_constants(moved))
        np.testing.assert_allclose(slope, (other.predict(ROWS) - law.predict(ROWS)) / step, rtol=1e-3, atol=1e-5)


def test_slopes_of_defined_operators_belong_to_their_constants():
    expression = parse_with("2.5*twice(1.5*x)", NAMES, [define("twice(a) = a + a + 7").name])
    np.testing.assert_allclose(slopes(expression, ROWS), [3.0 * ROWS[0] + 7.0, 5.0 * ROWS[0]])


def test_correlated_constants_cancel():
    law = replace(equation("2*x + 1.5"), covariance=((0.01, -0.02), (-0.02, 0.04)))
    columns = np.array([[1.0, 2.0, 4.0]] * 3)
    np.testing.assert_allclose(constant_errors(law, columns), [0.1, 0.0, 0.2], atol=1e-9)


@pytest.mark.parametrize("covariance", [(), ((np.nan, np.nan), (np.nan, np.nan)), ((1.0,),)])
def test_without_a_covariance_standard_errors_serve(covariance):
    law = replace(equation("2*x + 1.5"), covariance=covariance, standard_errors=(0.1, np.nan))
    np.testing.assert_allclose(constant_errors(law, ROWS), 0.1 * ROWS[0])


def test_errors_of_huge_constants_are_finite():
    law = replace(equation("2e200*x"), covariance=(), standard_errors=(1e198,))
    np.testing.assert_allclose(constant_errors(law, ROWS), 1e198 * ROWS[0])


def test_bands_open_where_rivals_differ():
    outcome = noisy_outcome(0.6, (("1.8*x + 0.3*z^2", 0.3),))
    columns = np.array([[2.0, 2.0], [1.8, 20.0], [1.0, 1.0]])
    near, far = standard_deviations(outcome, columns)
    gap = 1.8 * 2.0 + 0.3 * 400.0 - 5.5
    assert near < 1.0
    assert far == pytest.approx(np.sqrt(1 / 3) * gap, rel=0.05)


def test_one_law_has_its_noise_and_the_errors_of_its_constants():
    outcome = noisy_outcome(0.99, (), scatter=Scatter(0.3, 0.1))
    values = outcome.law.predict(ROWS)
    expected = np.sqrt(0.09 + np.square(0.1 * values) + np.square(0.02 * ROWS[0]) + 0.02**2)
    np.testing.assert_allclose(standard_deviations(outcome, ROWS), expected)


def test_an_exact_law_has_rounding_and_its_constants_only():
    outcome = noisy_outcome(None, ())
    exact = replace(outcome.law, training=Errors(1e-20, 1e-20), covariance=(), standard_errors=(0.0, 1e-9))
    deviations = standard_deviations(replace(outcome, law=exact, scatter=None), ROWS)
    np.testing.assert_allclose(deviations, np.hypot(1.7e-10, 1e-9), rtol=1e-6)


def test_rivals_without_values_do_not_count_and_laws_without_values_have_none():
    outcome = noisy_outcome(0.6, (("log(x - 2)", 0.3),))
    columns = np.array([[1.0, np.nan], [1.0, 1.0], [1.0, 1.0]])
    deviations = standard_deviations(outcome, columns)
    assert deviations[0] == pytest.approx(np.sqrt(0.01 + 2 * 0.02**2))
    assert np.isnan(deviations[1])


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (noisy_outcome(0.6, (("2*z", 0.2),)), [0.75, 0.25]),
        (noisy_outcome(None, (("2*x", 0.2),), text="4.5"), [0.8, 0.2]),
        (noisy_outcome(0.5, (("4.5", None),)), [0.5, 0.5]),
        (noisy_outcome(0.9, (("4.5", None),)), [0.9, 0.1]),
        (noisy_outcome(0.0, ()), [1.0]),
        (replace(noisy_outcome(None, (("2*x", None),)), scatter=None), [1.0]),
    ],
)
def test_weights_add_up_to_one(outcome, expected):
    np.testing.assert_allclose([share for _, share in weighted_laws(outcome)], expected)


def test_intervals_are_those_of_a_normal_distribution():
    assert interval_factor(0.9) == pytest.approx(norm.ppf(0.95))


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 90.0, float("nan")])
def test_other_intervals_are_refused(level):
    with pytest.raises(InvalidSettings, match="between 0 and 1"):
        interval_factor(level)


def test_rows_far_from_the_law_are_outliers():
    law = equation("2*x + 1.5")
    target = law.predict(ROWS) + 0.1 * np.random.default_rng(1).normal(size=ROWS.shape[1])
    target[[7, 20]] += [3.0, -5.0]
    assert outlier_rows(law, Scatter(0.1), ROWS, target).tolist() == [7, 20]
