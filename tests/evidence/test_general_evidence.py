"""Evidence with errors of columns, limits and counts: constants without bias, noise that rows decide."""

import numpy as np
import pytest
from scipy.stats import nbinom, norm, poisson

from mosaic_sr import parse
from mosaic_sr.evidence import Measured, Noise, choose_noise
from mosaic_sr.evidence.chi_square import ChiSquare, chi_square
from mosaic_sr.evidence.laplace import measure_evidence
from mosaic_sr.evidence.row_likelihood import Seen
from mosaic_sr.evidence.true_values import moments
from mosaic_sr.table import Rows
from mosaic_sr.table.errors_in_columns import TrueValues

EMPTY = np.empty(0)


def fitted(text, x, y, x_error=None, noise=None, sides=None, sigma=None):
    law, columns = parse(text, ["x"]), np.ascontiguousarray(x[None])
    rows = Rows(columns, y, EMPTY)
    if x_error is not None:
        errors = np.full_like(columns, x_error)
        means, deviations = TrueValues(columns, errors, EMPTY).given(columns, errors)
        rows = Rows(means, y, EMPTY, EMPTY, deviations)
    measured = Measured(rows, sigma, np.zeros(len(y)), sides)
    own = noise or (Noise() if sigma is None else Noise("given"))
    found = measure_evidence(law, np.zeros(law.num_constants, dtype=np.bool_), measured, own)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "true", "law"),
    [
        ("1.1 + 2.1*x", 2.0, lambda x: 1.0 + 2.0 * x),
        ("2.1*exp(0.31*x)", 0.3, lambda x: 2.0 * np.exp(0.3 * x)),
    ],
)
def test_slopes_are_not_too_flat_over_many_tables(text, true, law):
    naive, own = [], []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        values = rng.normal(5.0, 2.0, 100)
        x, y = values + rng.standard_normal(100), law(values) + 0.3 * rng.standard_normal(100)
        naive.append(fitted(text, x, y).expression.constants[1] / true)
        own.append(fitted(text, x, y, x_error=1.0).expression.constants[1] / true)
    assert np.mean(naive) < 0.87
    assert abs(np.mean(own) - 1.0) < 0.05


def test_a_curve_is_integrated_over_true_values():
    law, columns = parse("x^2", ["x"]), np.array([[3.0, 0.0]])
    mean, variance = moments(law, columns, np.array([[0.5, 0.5]]), np.array([9.0, 0.0]))
    np.testing.assert_allclose(mean, [9.25, 0.25])
    np.testing.assert_allclose(variance, [4 * 9 * 0.25 + 2 * 0.0625, 2 * 0.0625])


def test_beyond_its_domain_a_law_goes_on_straight():
    law = parse("log(x)", ["x"])
    mean, variance = moments(law, np.array([[0.5]]), np.array([[0.4]]), np.log(np.array([0.5])))
    assert np.isfinite(mean).all()
    assert np.sqrt(variance[0]) == pytest.approx(0.5, rel=0.5)


def test_limits_pull_constants_to_where_the_true_law_is():
    offsets, without = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.uniform(0.0, 4.0, 120)
        y = 1.0 + 2.0 * x + rng.standard_normal(120)
        is_limit = y < 4.0
        sides, seen = np.where(is_limit, -1.0, 0.0), np.where(is_limit, 4.0, y)
        offsets.append(fitted("1.3 + 1.8*x", x, seen, sides=sides).expression.constants)
        without.append(fitted("1.3 + 1.8*x", x[~is_limit], y[~is_limit]).expression.constants)
    assert np.mean(without, axis=0)[0] > 1.5
    np.testing.assert_allclose(np.mean(offsets, axis=0), [1.0, 2.0], atol=0.25)


def test_the_likelihood_of_each_row_is_that_of_its_distribution():
    target, mean, zeros = np.array([3.0, 0.0, 7.0]), np.array([2.5, 0.5, 9.0]), np.zeros(3)

    def seen(kind, sides=zeros, variance=zeros):
        return Seen(Noise(kind), target, mean, variance, np.ones(3), zeros, sides)

    np.testing.assert_allclose(seen("poisson").log_likelihoods(1.0), poisson.logpmf(target, mean))
    shape = 1.0 / 0.3**2
    expected = nbinom.logpmf(target, shape, shape / (shape + mean))
    np.testing.assert_allclose(seen("overdispersed").log_likelihoods(0.3), expected)
    both = seen("additive", variance=np.full(3, 4.0)).log_likelihoods(2.0)
    np.testing.assert_allclose(both, norm.logpdf(target, mean, np.sqrt(8.0)))
    limits = seen("additive", sides=np.array([-1.0, 1.0, 0.0])).log_likelihoods(2.0)
    np.testing.assert_allclose(limits[0], norm.logcdf(3.0, 2.5, 2.0))
    np.testing.assert_allclose(limits[1], norm.logsf(0.0, 0.5, 2.0))


def test_evidence_without_errors_limits_or_counts_agrees_with_the_closed_form():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 4.0, 80)
    y = 1.0 + 2.0 * x + 0.3 * rng.standard_normal(80)
    slope, offset = np.polyfit(x, y, 1)
    plain = fitted(f"{offset} + {slope}*x", x, y)
    general = fitted(f"{offset} + {slope}*x", x, y, sides=np.zeros(80))
    assert general.log_likelihood == pytest.approx(plain.log_likelihood, abs=0.1)
    assert general.spread == pytest.approx(plain.spread, rel=0.02)
    np.testing.assert_allclose(np.sqrt(np.diag(general.covariance)), np.sqrt(np.diag(plain.covariance)), rtol=0.03)


@pytest.mark.parametrize(
    ("kind", "draw"),
    [
        ("poisson", lambda rng, mean: rng.poisson(mean)),
        ("overdispersed", lambda rng, mean: rng.poisson(mean * rng.gamma(9.0, 1.0 / 9.0, len(mean)))),
        ("additive", lambda rng, mean: np.round(mean + 2.0 * rng.standard_normal(len(mean)))),
    ],
)
def test_rows_of_counts_decide_which_noise_they_have(kind, draw):
    rng = np.random.default_rng(0)
    x = rng.uniform(1.0, 5.0, 200)
    y = np.maximum(draw(rng, 12.0 * x), 0.0).astype(float)
    measured = Measured(Rows(x[None], y, EMPTY), None, np.full(200, 0.29), None, are_counts=True)
    chosen = choose_noise([parse("11.9*x", ["x"])], measured)
    assert chosen.kind == kind


def test_chi2_says_whether_errors_explain_the_scatter():
    rng = np.random.default_rng(0)
    x = rng.uniform(1.0, 5.0, 100)
    y = 2.0 * x + 0.1 * rng.standard_normal(100)
    law, rows = parse("2*x", ["x"]), Rows(x[None], y, EMPTY)
    sentences = {}
    for sigma in (0.1, 0.05, 0.4):
        found = chi_square(law, Measured(rows, np.full(100, sigma), np.zeros(100)), 1)
        sentences[sigma] = found.sentence()
        assert found.dof == 99
    assert "explain the scatter" in sentences[0.1]
    assert "too small by a factor of 1.9" in sentences[0.05] or "too small by a factor of 2" in sentences[0.05]
    assert "too large by a factor of 4" in sentences[0.4] or "too large by a factor of 3.9" in sentences[0.4]
    assert chi_square(law, Measured(rows, None, np.zeros(100)), 1) is None
    assert "far too large" in ChiSquare(1e-20, 10).sentence()
