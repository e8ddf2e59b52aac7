"""Standard errors that the user states have a common factor near 1, which the rows may correct."""

import math

import numpy as np
import pytest

from mosaic_sr.evidence import Measured, Noise
from mosaic_sr.evidence.laplace import measure_evidence
from mosaic_sr.evidence.noise import log_prior_of_factor, stated_factor
from mosaic_sr.expressions.text import parse
from mosaic_sr.selection.weighing import measured_rows
from mosaic_sr.table import Rows, Table

LINE = parse("1.5*x + 0.5", ["x"])
FREE = np.zeros(2, dtype=np.bool_)


def measured(num_rows, factor=1.0, given=True):
    """Rows about 1.5 x + 0.5 whose errors are `factor` times the stated ones."""
    rng = np.random.default_rng(2)
    x, sigma = rng.uniform(1.0, 3.0, num_rows), rng.uniform(0.05, 0.2, num_rows)
    rows = Rows(x[None], 1.5 * x + 0.5 + factor * sigma * rng.normal(size=num_rows), np.empty(0))
    return Measured(rows, sigma if given else None, np.zeros(num_rows))


@pytest.mark.parametrize(("spread", "count", "to_spare"), [(1e-6, 3.0, 1.0), (0.7, 10.0, 8.0), (9.0, 2000.0, 1997.0)])
def test_the_most_probable_factor_is_that_of_likelihood_and_prior(spread, count, to_spare):
    logs = np.linspace(-4.0, 4.0, 200_001)
    log_posterior = -to_spare * logs - 0.5 * count * (spread / np.exp(logs)) ** 2 + log_prior_of_factor(np.exp(logs))
    assert math.log(stated_factor(spread, count, to_spare)) == pytest.approx(logs[log_posterior.argmax()], abs=1e-4)


def test_the_evidence_is_the_integral_over_the_factor():
    rows = measured(12)
    evidence = measure_evidence(LINE, FREE, rows, Noise("given"))
    shares = (rows.rows.target - 1.5 * rows.rows.columns[0] - 0.5) / rows.sigma
    fixed = measure_evidence(LINE, np.ones(2, dtype=np.bool_), rows, Noise("given"))
    logs = np.linspace(-3.0, 3.0, 20_001)
    of_factor = -12 * logs - 0.5 * np.sum(shares**2) * np.exp(-2.0 * logs) + log_prior_of_factor(np.exp(logs))
    integral = math.log(np.sum(np.exp(of_factor)) * (logs[1] - logs[0])) - 6.0 * math.log(2.0 * math.pi)
    assert fixed.log_likelihood == pytest.approx(integral - np.log(rows.sigma).sum() + math.log(0.85), abs=1e-5)
    assert evidence.num_determined == 2


def test_errors_of_constants_of_few_rows_come_from_the_stated_ones():
    few = measured(3)
    evidence = measure_evidence(LINE, FREE, few, Noise("given"))
    slopes = np.array([few.rows.columns[0], np.ones(3)]).T / few.sigma[:, None]
    expected = np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)))
    shares = np.sqrt(np.diag(evidence.covariance)) / expected
    assert np.all((shares > 0.6) & (shares < 1.6))


@pytest.mark.parametrize("factor", [0.1, 0.5, 1.0, 3.0, 10.0])
def test_the_rows_correct_errors_that_are_off_by_a_factor(factor):
    evidence = measure_evidence(LINE, FREE, measured(200, factor), Noise("given"))
    assert evidence.spread == pytest.approx(factor, rel=0.15)


def test_stated_errors_that_are_right_make_the_rows_likelier():
    given, free = measured(40), measured(40, given=False)
    assert (
        measure_evidence(LINE, FREE, given, Noise("given")).log_likelihood
        > measure_evidence(LINE, FREE, free, Noise()).log_likelihood
    )


def test_rows_are_measured_with_their_own_errors_and_counted_once():
    numbers = np.random.default_rng(0).uniform(1.0, 3.0, size=(60, 2))
    sigma = 0.1 * numbers[:, 1]
    table = Table.from_arrays(
        numbers[:, :1], 2.0**40 * numbers[:, 0], sigma=2.0**40 * sigma, rng=np.random.default_rng(0)
    )
    found = measured_rows(table)
    order = np.searchsorted(np.sort(numbers[:, 0]), found.rows.columns[0])
    np.testing.assert_allclose(found.sigma, 2.0**40 * sigma[np.argsort(numbers[:, 0])][order])
    np.testing.assert_array_equal(found.weights, np.ones(60))
