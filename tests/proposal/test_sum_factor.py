"""Factors that are sums: two functions are found beside a product, and a centre without its last digits is mended."""

import numpy as np
import pytest

from mosaic_sr.expressions.text import parse
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.products.sum_factor import SumFactor
from mosaic_sr.table import Rows
from tests.proposal.tables import columns_between, values_of

COLUMNS = columns_between([-3.0] * 3, [3.0] * 3, num_rows=300)
PRODUCT = np.tan(COLUMNS[2])


def sums_about(law):
    rows = Rows(COLUMNS, values_of(law, COLUMNS), np.empty(0))
    return SumFactor(rows, (0, 0, 0), NAMES), rows.target


@pytest.mark.parametrize("inner", ["2*cos(x0) - 3*x1^2", "1.5 + x0*x1 - log(abs(x1))", "exp(x0)"])
def test_the_sum_beside_a_product_is_found_around_a_centre_that_is_off(inner):
    sums, target = sums_about(f"7 + tan(x2)*({inner})")
    fit = sums.fit(PRODUCT, target - 7.01, np.arange(300))
    assert fit.error < 1e-9
    assert fit.step == pytest.approx(-0.01)
    found = fit.numbers[0] + fit.numbers[1:] @ sums.values[list(fit.places)]
    np.testing.assert_allclose(found, values_of(inner, COLUMNS), rtol=1e-6, atol=1e-6)


def test_a_law_spares_the_numbers_it_does_not_need():
    sums, target = sums_about("tan(x2)*(2*cos(x0) - 3*x1^2)")
    law = sums.law(parse("tan(x2)", ["x0", "x1", "x2"]), sums.fit(PRODUCT, target, np.arange(300)), 0.0)
    np.testing.assert_allclose(sorted(law.constants), [-3.0, 2.0], rtol=1e-12)


def test_without_a_sum_much_is_left():
    sums, target = sums_about("7 + tan(x2)*sin(3*x0*x1)")
    assert sums.fit(PRODUCT, target - 7.0, np.arange(300)).error > 0.1
