"""Losses by name and by formula: values, slopes, refusals."""

import numpy as np
import pytest

from mosaic_sr.errors import InvalidSettings, InvalidTable
from mosaic_sr.losses import LOSSES, refuse_unfit_target, to_loss

Y = np.array([0.5, 1.0, 3.0, 8.0])
FORMULAS = ("(y - f)^2", "abs(y - f)/(1 + abs(y))", "log(cosh(y - f))", "f - y*log(f)")


@pytest.mark.parametrize("text", [*LOSSES, *FORMULAS])
def test_a_loss_is_least_at_the_target_and_its_slope_is_its_derivative(text):
    loss = to_loss(text).turning_at(1.0)
    np.testing.assert_array_equal(loss.excess(Y, Y), 0.0)
    for values in (1.3 * Y, 0.6 * Y, Y + 2.0):
        assert np.all(loss.excess(Y, values) > 0.0)
        step = 1e-6 * values
        expected = (loss.excess(Y, values + step) - loss.excess(Y, values - step)) / (2.0 * step)
        np.testing.assert_allclose(loss.slope(Y, values), expected, rtol=1e-4, atol=1e-8)
    refuse_unfit_target(loss, Y)


def test_hubers_loss_turns_from_a_square_to_a_line():
    loss = to_loss("huber").turning_at(1.0)
    np.testing.assert_allclose(loss.excess(np.zeros(2), np.array([1.0, 10.0])), [0.5, 1.345 * (10.0 - 0.6725)])


def test_a_value_outside_the_domain_of_a_loss_is_infinitely_bad():
    assert to_loss("poisson").excess(np.array([3.0]), np.array([-1.0])) == np.inf
    assert to_loss("log(f/y)^2").excess(np.array([3.0]), np.array([-1.0])) == np.inf


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mean", "unknown loss 'mean'"),
        ("", "loss must be one of squared"),
        (3, "got 3"),
        (None, "got None"),
        ("y - f +", "loss 'y - f \\+'"),
        ("abs(y - x)", "no columns"),
        ("f^2", "must contain both y"),
        ("_*(y - f)^2", "open constant"),
        ("__import__('os')", "formula in y"),
    ],
)
def test_what_is_no_loss_is_refused(text, message):
    with pytest.raises(InvalidSettings, match=message):
        to_loss(text)


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("y*f", Y, "not least at f = y"),
        ("abs(y - f - 1)", Y, "not least at f = y"),
        ("(y - f)^2/(y - y)", Y, "no finite value"),
        ("(y - f)^2/log(y)^2", Y, "no finite value"),
        ("0*f + 0*y", Y, "does not grow"),
        ("relative", np.array([0.0, 1.0, 2.0]), "0 in 1 rows"),
        ("poisson", np.array([-1.0, 1.0, 2.0]), "negative in 1 rows"),
    ],
)
def test_a_loss_that_does_not_suit_the_rows_is_refused(text, target, message):
    with pytest.raises(InvalidTable, match=message):
        refuse_unfit_target(to_loss(text), target)
