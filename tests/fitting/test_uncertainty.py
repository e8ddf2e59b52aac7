"""Standard errors in the user's units agree with the textbook, whatever the scale of the columns."""

import numpy as np
import pytest

from mosaic_sr import Table, parse
from mosaic_sr.fitting.uncertainty import standard_errors


def straight_line(x_scale, y_scale):
    """Rows of y = a + b x with noise, the least-squares constants and their textbook errors."""
    rng = np.random.default_rng(1)
    x = rng.uniform(1.0, 3.0, size=30) * x_scale  # few rows: all of them serve for fitting
    y = (2.0 + 0.7 * x / x_scale + 0.1 * rng.normal(size=30)) * y_scale
    (slope, offset), covariance = np.polyfit(x / x_scale, y / y_scale, 1, cov="unscaled")
    residual = y / y_scale - offset - slope * x / x_scale
    errors = np.sqrt(np.diag(covariance) * np.sum(residual**2) / 28)
    constants = [offset * y_scale, slope * y_scale / x_scale]
    return x, y, constants, [errors[1] * y_scale, errors[0] * y_scale / x_scale]


@pytest.mark.parametrize(("x_scale", "y_scale"), [(1.0, 1.0), (1e20, 1e-30), (1e-9, 1e200)])
def test_errors_are_those_of_linear_regression(x_scale, y_scale):
    x, y, constants, errors = straight_line(x_scale, y_scale)
    table = Table.from_arrays(x[:, None], y, rng=np.random.default_rng(0))
    law = parse("1 + 1*x0", ["x0"]).with_constants(constants)
    np.testing.assert_allclose(standard_errors(law, table), errors, rtol=1e-6)


def test_a_constant_that_the_rows_do_not_determine_has_no_error():
    x, y, _, _ = straight_line(1.0, 1.0)
    table = Table.from_arrays(x[:, None], y, rng=np.random.default_rng(0))
    errors = standard_errors(parse("2*3*x0", ["x0"]), table)
    assert np.isnan(errors).all()
