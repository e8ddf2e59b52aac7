"""What a law leaves over in many rows is seen, and noise is not."""

import numpy as np
import pytest

from mosaic_sr.evidence import Noise, judge
from mosaic_sr.evidence.laplace import Measured
from mosaic_sr.evidence.reference import MOST_ROWS, residual_gain, trend_left
from mosaic_sr.evidence.trend import trend_gain
from mosaic_sr.expressions.text import parse
from mosaic_sr.table import Rows

NAMES = ("x", "z")


@pytest.mark.parametrize("num_columns", [1, 2, 4, 8])
def test_noise_has_no_trend(num_columns):
    rng = np.random.default_rng(num_columns)
    gains = [
        trend_gain(rng.uniform(size=(num_columns, 1000)), rng.standard_normal(1000) * rng.uniform(0.1, 10.0))
        for _ in range(30)
    ]
    assert max(gains) < 3.0


@pytest.mark.parametrize(
    "trend",
    [
        lambda x, z: 0.3 * x,
        lambda x, z: 0.4 * np.sin(6.0 * z),
        lambda x, z: 2.0 * (x - 0.5) * (z - 0.5),
        lambda x, z: 0.8 * np.exp(-np.square((x - 0.5) / 0.2)) * z,
    ],
    ids=["a line", "a wave", "a product", "a bell"],
)
def test_a_trend_below_the_noise_of_a_row_is_seen_in_many(trend):
    rng = np.random.default_rng(1)
    columns = rng.uniform(size=(2, 2000))
    values = trend(*columns) + rng.standard_normal(2000)
    assert trend_gain(columns, values) > 5.0
    assert trend_gain(columns, values) == pytest.approx(trend_gain(columns, 1e-20 * values), abs=1e-6)
    assert trend_gain(columns, values) == pytest.approx(trend_gain(np.exp(30.0 * columns), values), abs=1e-6)


def measured(num_rows, quadratic):
    rng = np.random.default_rng(2)
    x, z = rng.uniform(0.5, 2.0, (2, num_rows))
    target = x / z + quadratic * np.square(x - 1.25) + 0.1 * rng.standard_normal(num_rows)
    return Measured(Rows(np.array([x, z]), target, np.empty(0)), None, np.zeros(num_rows))


def test_more_rows_show_what_a_few_hide():
    rows = measured(2000, 0.12)
    law = judge(parse("1.0001234*x/z + 0.0101234", NAMES), rows, Noise())
    assert residual_gain(law, rows) < 4.0 < trend_left(law, rows)
    whole = judge(parse("1.0001234*x/z + 0.1201234*(x - 1.25)^2", NAMES), rows, Noise())
    assert trend_left(whole, rows) < 3.0
    ratio = (parse("x/z", NAMES),)
    assert trend_left(law, rows, ratio) < trend_left(law, rows)


def test_a_smooth_function_reads_few_rows_itself():
    rows = measured(MOST_ROWS, 0.05)
    assert trend_left(judge(parse("1.0001234*x/z", NAMES), rows, Noise()), rows) is None


def test_quantities_without_a_value_have_no_trend():
    rows = measured(500, 0.0)
    law = judge(parse("1.0001234*x/z", NAMES), rows, Noise())
    assert trend_left(law, rows, (parse("log(x - 1)", NAMES),)) is None
