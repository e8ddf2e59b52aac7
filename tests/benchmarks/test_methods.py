"""What other packages print, in our own words."""

import numpy as np
import pytest

from benchmarks.methods.ffx import in_our_words
from mosaic_sr import evaluate_expression, parse


@pytest.mark.parametrize(
    ("formula", "law"),
    [
        ("0.5 + 0.9*x1 * max(0,x0-0.2)", lambda x, y: 0.5 + 0.9 * y * np.maximum(0, x - 0.2)),
        ("max(0,0.7-x0^2) + max(0, x1)", lambda x, y: np.maximum(0, 0.7 - x**2) + np.maximum(0, y)),
        ("2.0 - 3.0*log10(x1) / abs(x0)", lambda x, y: 2.0 - 3.0 * np.log10(y) / np.abs(x)),
    ],
)
def test_hinges_and_decimal_logarithms_of_ffx_keep_their_values(formula, law):
    columns = np.random.default_rng(0).uniform(-1.0, 1.0, (2, 20))
    columns[1] = np.abs(columns[1])
    values = evaluate_expression(parse(in_our_words(formula), ("x0", "x1")), columns)
    np.testing.assert_allclose(values, law(*columns), rtol=1e-12, atol=1e-15)
