"""Evidence against integrals by brute force, and what must not change it."""

import math

import numpy as np
import pytest

from mosaic_sr.evidence.laplace import PRIOR_WIDTH, Measured, measure_evidence
from mosaic_sr.evidence.noise import Noise, log_prior
from mosaic_sr.expressions.text import parse
from mosaic_sr.table import Rows


def measured(columns, target, sigma=None):
    rows = Rows(np.atleast_2d(columns).astype(float), np.asarray(target, dtype=float), np.empty(0))
    return Measured(rows, sigma, np.zeros(rows.num_rows))


def evidence(text, table, noise=None, names="xyz"):
    law = parse(text, names)
    return measure_evidence(law, np.zeros(law.num_constants, dtype=bool), table, noise or Noise())


def test_the_integral_over_constant_and_spread_is_that_by_brute_force():
    rng = np.random.default_rng(3)
    x = np.linspace(1.0, 2.0, 12)
    y = 2.4 * x + 0.15 * rng.standard_normal(12)
    found = evidence("2.3*x", measured(x, y))
    usual = math.sqrt(np.mean(y**2))
    # The spread is in units of the root mean square; both priors are flat in logarithms.
    slopes, spreads = np.geomspace(2.0, 2.9, 801), np.geomspace(0.01, 0.4, 801)
    squares = np.array([np.sum((y - slope * x) ** 2) for slope in slopes]) / usual**2
    logs = -12 * np.log(spreads * usual) - 6 * math.log(2 * math.pi) - 0.5 * squares[:, None] / spreads**2
    steps = math.log(slopes[1] / slopes[0]) / PRIOR_WIDTH * math.log(spreads[1] / spreads[0])
    by_force = math.log(np.sum(np.exp(logs - logs.max())) * steps) + logs.max()
    assert found.log_likelihood == pytest.approx(by_force + log_prior(Noise()), abs=0.05)


@pytest.mark.parametrize("noise", [Noise(), Noise("proportional"), Noise("both", 0.1), Noise(has_outliers=True)])
def test_units_move_all_laws_alike(noise):
    rng = np.random.default_rng(4)
    x = rng.uniform(1.0, 5.0, 60)
    y = 3.1 * np.exp(-0.7 * x) + 0.4 + 0.01 * rng.standard_normal(60)
    gaps = []
    for a, b in ((1.0, 1.0), (3.7e-8, 4.1e9)):
        table = measured(a * x, b * y)
        laws = [f"{3.0 * b}*exp({-0.7 / a}*x) + {0.4 * b}", f"{2.0 * b}/(1 + {1.1 / a}*x)"]
        one, other = (evidence(law, table, noise) for law in laws)
        gaps.append(one.log_likelihood - other.log_likelihood)
    assert gaps[0] == pytest.approx(gaps[1], abs=0.05)


def test_a_constant_that_makes_no_difference_costs_its_price():
    rng = np.random.default_rng(5)
    x = rng.uniform(1.0, 5.0, 80)
    table = measured(x, 2.2 * x + 0.1 * rng.standard_normal(80))
    plain, offset = evidence("2.2*x", table), evidence("2.2*x + 0.001", table)
    assert plain.log_likelihood > offset.log_likelihood


def test_outliers_leave_the_constants_alone():
    rng = np.random.default_rng(6)
    x = np.linspace(0.5, 4.0, 60)
    y = 2.0 * np.exp(0.5 * x) + 0.05 * rng.standard_normal(60)
    y[[5, 20, 41]] += [4.0, -3.0, 5.0]
    plain, robust = (evidence("1.9*exp(0.52*x)", measured(x, y), Noise(has_outliers=own)) for own in (False, True))
    assert robust.log_likelihood > plain.log_likelihood + 20.0
    assert robust.expression.constants == pytest.approx([2.0, 0.5], rel=0.02)
    assert np.flatnonzero(robust.chances < 0.5).tolist() == [5, 20, 41]
    assert robust.scatter.num_outliers == 3
    assert robust.scatter.absolute == pytest.approx(0.05, rel=0.3)


def test_outliers_among_tiny_values_do_not_refute_the_law():
    rng = np.random.default_rng(9)
    x = np.geomspace(5.0, 200.0, 100)
    true = 6.3e-5 * x**2 / np.expm1(61.6 / x)
    y = true * (1.0 + 0.02 * rng.standard_normal(100))
    y[[1, 4, 30, 50]] += [-0.02, 0.03, 0.02, -0.03]
    table, noise = measured(x, y), Noise("proportional", has_outliers=True)
    law, wrong = (evidence(text, table, noise) for text in ("6.3e-5*x^2/(exp(61.7/x) - 1)", "2.2e-8*x^3.8"))
    assert law.log_likelihood > wrong.log_likelihood + 100.0
    assert np.flatnonzero(law.chances < 1e-3).tolist() == [1, 4, 30, 50]
    assert 0.01 < law.scatter.relative < 0.03


def test_proportional_noise_is_recognised_by_its_likelihood():
    rng = np.random.default_rng(7)
    x = np.linspace(0.1, 4.0, 80)
    y = 2.0 * np.exp(x) * (1.0 + 0.03 * rng.standard_normal(80))
    table = measured(x, y)
    plain, relative = evidence("2*exp(1.01*x)", table), evidence("2.01*exp(1.01*x)", table, Noise("proportional"))
    assert relative.log_likelihood > plain.log_likelihood + 20.0
    assert relative.scatter.relative == pytest.approx(0.03, rel=0.3)


def test_errors_of_constants_are_those_of_linear_regression():
    rng = np.random.default_rng(8)
    x = rng.uniform(0.0, 1.0, 50)
    y = 1.0 + 2.0 * x + 0.1 * rng.standard_normal(50)
    found = evidence("0.9 + 2.1*x", measured(x, y))
    design = np.column_stack([np.ones(50), x])
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    expected = np.mean(rest**2) * np.linalg.inv(design.T @ design)
    assert found.covariance == pytest.approx(expected, rel=1e-4)


def test_a_law_without_values_on_some_row_has_no_evidence():
    assert evidence("2.1*log(x)", measured([-1.0, 2.0, 3.0], [1.0, 2.0, 3.0])) is None


def test_a_law_that_is_far_too_large_has_no_evidence():
    table = measured([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.5])
    for noise in (Noise(), Noise("proportional"), Noise("both", 0.1), Noise(has_outliers=True)):
        found = evidence("1.2345e200*exp(1.2345*x)", table, noise)
        assert found is None or math.isfinite(found.log_likelihood)
