"""A smooth function is the measure of what a law leaves unexplained."""

import numpy as np
import pytest

from mosaic_sr.evidence import Measured, Noise, judge
from mosaic_sr.evidence.reference import MOST_COLUMNS, smooth_gain, strays
from mosaic_sr.expressions.text import parse
from mosaic_sr.selection.weighing import MOST_GAIN
from mosaic_sr.table import Rows


def measured(x, y):
    return Measured(Rows(np.atleast_2d(x), y, np.empty(0)), None, np.zeros(len(y)))


def noisy(kind="additive", seed=0, num_rows=100):
    rng = np.random.default_rng(seed)
    x = np.linspace(0.2, 6.0, num_rows)
    clean = 2.0 * np.exp(-0.5 * x)
    noise = 0.03 * rng.standard_normal(num_rows)
    return x, clean + noise if kind == "additive" else clean * (1.0 + noise)


def test_nothing_is_left_of_the_true_law_and_much_of_a_wrong_one():
    for kind in ("additive", "proportional"):
        table = measured(*noisy(kind))
        true, wrong = (
            judge(parse(text, "x"), table, Noise(kind)) for text in ("2.012345*exp(-0.512345*x)", "0.812345")
        )
        assert smooth_gain(true, table) < 0.0
        assert smooth_gain(wrong, table) > 20.0


@pytest.mark.parametrize("num_rows", [8, 15, 100])
@pytest.mark.parametrize("noise", [0.0005, 0.01])
def test_a_straight_line_is_no_more_than_the_law_that_is_one(num_rows, noise):
    # The trend of a smooth function has no length that would say how precise its numbers are.
    x = np.linspace(0.5, 5.0, num_rows)
    y = 2.2 * x * (1.0 + noise * np.random.default_rng(num_rows).standard_normal(num_rows))
    table = measured(x, y)
    assert smooth_gain(judge(parse("2.212345*x", "x"), table, Noise()), table) < MOST_GAIN
    assert smooth_gain(judge(parse("2.212345*sqrt(x)", "x"), table, Noise()), table) > 4.0 * MOST_GAIN


def test_rows_that_the_law_alone_calls_outliers_count():
    x, y = noisy()
    table = measured(x, y)
    line = judge(parse("1.212345 - 0.212345*x", "x"), table, Noise(has_outliers=True))
    assert smooth_gain(line, table) > 20.0


def test_outliers_stray():
    x, y = noisy()
    y[[20, 60]] += 0.8
    assert set(np.flatnonzero(strays(measured(x, y)))) >= {20, 60}
    assert strays(measured(x, y)).sum() < 6


def test_of_many_rows_and_columns_those_that_matter_are_read():
    x, y = noisy(num_rows=900)
    table = measured(x, y)
    assert smooth_gain(judge(parse("2.012345*exp(-0.512345*x)", "x"), table, Noise()), table) < 0.0
    others = np.random.default_rng(0).uniform(-1.0, 1.0, (MOST_COLUMNS + 4, len(y)))
    wide, names = measured(np.vstack([others, x]), y), [f"x{place}" for place in range(len(others) + 1)]
    right, wrong = (
        judge(parse(law, names), wide, Noise()) for law in (f"2.01*exp(-0.51*{names[-1]})", "1.2345 + 0.1*x0")
    )
    assert smooth_gain(right, wide) < 0.0 < smooth_gain(wrong, wide)
