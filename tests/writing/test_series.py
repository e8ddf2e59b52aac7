"""Long polynomials that are series about a centre."""

import math

import numpy as np
import pytest

from mosaic_sr import evaluate_expression, parse, printed_cost, to_text, written

# Derivatives of sine and cosine repeat after four.
SINES, COSINES = (0.0, 1.0, 0.0, -1.0), (1.0, 0.0, -1.0, 0.0)


def multiplied_out(derivatives, centre, order):
    """A Taylor polynomial about a centre by powers of x, its numbers as a fit leaves them."""
    terms = [derivatives[power % 4] / math.factorial(power) for power in range(order + 1)]
    numbers = np.polynomial.Polynomial(terms)(np.polynomial.Polynomial([-centre, 1.0])).coef
    return " + ".join(f"{float(value)!r}*x^{power}" for power, value in enumerate(numbers))


@pytest.mark.parametrize(
    ("derivatives", "centre", "order"),
    [(SINES, math.pi, 5), (SINES, math.pi, 9), (COSINES, math.pi / 2, 7), (SINES, -math.pi / 4, 5)],
)
def test_a_taylor_polynomial_that_was_multiplied_out_is_written_about_its_centre(derivatives, centre, order):
    given = parse(f"3*({multiplied_out(derivatives, centre, order)})", ["x"])
    columns = np.linspace(0.5, 6.0, 60)[None, :]
    found = written(given, columns)
    np.testing.assert_allclose(
        evaluate_expression(found, columns), evaluate_expression(given, columns), rtol=1e-8, atol=1e-10
    )
    assert printed_cost(found) < 0.6 * printed_cost(given)
    assert "pi" in to_text(found, ["x"], 6)


def test_a_fitted_polynomial_that_is_no_series_stays_as_it_is():
    given = parse("0.12345678912*x^4 + 1.98765432198*x^3 + 0.45612378945*x + 3.14151617181", ["x"])
    found = written(given, np.linspace(0.5, 6.0, 60)[None, :])
    assert sorted(found.constants.tolist())[:4] == sorted(given.constants.tolist())[:4]
