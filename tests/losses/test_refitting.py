"""Constants for an own loss: they are where the loss is least."""

import numpy as np
import pytest
from scipy.optimize import minimize

from mosaic_sr import parse
from mosaic_sr.losses.loss import to_loss
from mosaic_sr.losses.refitting import covariance, mean_loss, polished, refit
from mosaic_sr.table import Rows


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 5.0, 80)
    y = 2.0 + 3.0 * x + 0.1 * rng.standard_normal(80)
    y[:8] += 20.0
    return Rows(x[None], y, np.empty(0))


@pytest.mark.parametrize("text", ["absolute", "huber", "relative", "poisson", "abs(y - f)/(1 + abs(y))", "(f - y)^2"])
def test_no_other_constants_have_less_loss(rows, text):
    loss = to_loss(text).turning_at(0.1)
    is_fixed = np.zeros(2, dtype=np.bool_)
    found = polished(refit(parse("2.3 + 2.7*x", ["x"]), is_fixed, rows, loss), is_fixed, rows, loss)

    def at(constants):
        return mean_loss(found.expression.with_constants(constants), rows, loss)

    least = min(
        minimize(at, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).fun
        for start in ([2.0, 3.0], [4.0, 3.0], [2.0, 5.0])
    )
    assert found.loss <= least * (1.0 + 1e-3)


def test_absolute_errors_are_not_moved_by_outliers(rows):
    is_fixed = np.zeros(2, dtype=np.bool_)
    law = refit(parse("2.3 + 2.7*x", ["x"]), is_fixed, rows, to_loss("absolute")).expression
    np.testing.assert_allclose(law.constants, [2.0, 3.0], atol=0.1)


def test_weights_multiply_the_loss(rows):
    loss, is_fixed = to_loss("absolute"), np.zeros(2, dtype=np.bool_)
    only = Rows(rows.columns, rows.target, np.where(np.arange(80) < 8, 1.0, 1e-9))
    law = refit(parse("2.3 + 2.7*x", ["x"]), is_fixed, only, loss).expression
    assert law.constants[0] > 15.0  # those of the shifted rows


def test_errors_of_constants_come_from_bootstrap_samples(rows):
    loss, is_fixed = to_loss("huber").turning_at(0.1), np.array([False, True])
    found = refit(parse("2.3 + 3*x", ["x"]), is_fixed, rows, loss)
    errors = covariance(found, is_fixed, rows, loss, np.random.default_rng(0))
    assert 0.003 < np.sqrt(errors[0, 0]) < 0.1
    assert errors[1, 1] == 0.0
