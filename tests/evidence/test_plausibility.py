"""Laws that do between the rows what no row shows are not plausible."""

import numpy as np
import pytest

from mosaic_sr.evidence.plausibility import is_plausible, num_short_waves
from mosaic_sr.expressions.text import parse

RNG = np.random.default_rng(0)
X = np.sort(RNG.uniform(0.1, 10.0, 60))
COLUMNS = np.array([X, RNG.uniform(1.0, 2.0, 60)])


@pytest.mark.parametrize(
    "text",
    ["2*exp(-0.7*x)", "sin(3*x)", "x*y/(1 + x)", "y*cos(5*x + 1)", "abs(x - 3)", "1/(x + 0.2)", "3.5", "x^7.3"],
)
def test_what_the_rows_show_is_plausible(text):
    assert is_plausible(parse(text, "xy"), COLUMNS)


@pytest.mark.parametrize("text", ["sin(97*x)", "y*sin(55*x + 1)", "tan(40*x)", "cos(900*y)", "0.001/(x - 5.03)^3"])
def test_waves_and_poles_between_the_rows_are_not(text):
    assert not is_plausible(parse(text, "xy"), COLUMNS)


def test_a_wave_that_is_too_small_to_be_seen_counts_too():
    grid = np.linspace(0.5, 4.0, 8)[None]
    assert is_plausible(parse("2.2*x + 0.03*sin(3*x)", "x"), grid)
    assert not is_plausible(parse("2.2*x + 0.03*sin(7*x)", "x"), grid)


def test_an_even_grid_does_not_hide_a_fast_wave():
    grid = np.linspace(0.0, 10.0, 51)[None]
    assert not is_plausible(parse("sin(31.5*x)", "x"), grid)  # 2 pi / 0.2 = 31.4: the same as sin(0.1 x) on the rows
    assert is_plausible(parse("sin(7*x)", "x"), grid)


def test_two_values_of_a_column_have_nothing_between_them():
    columns = np.array([np.repeat([0.0, 1.0], 20)])
    assert is_plausible(parse("sin(99*x)", "x"), columns)


@pytest.mark.parametrize(
    ("text", "is_fixed", "count"),
    [
        ("3.3*sin(0.104 + 0.2196*x)", [False, False, False], 1),  # a third of a period: a bend
        ("3.3*sin(0.104 + 0.9137*x)", [False, False, False], 0),  # more than a period
        ("3.3*sin(x/5)", [False, True], 0),  # an angle that a person wrote
        ("sin(y) + cos(0.777*y)*sin(0.4321*y)", [False, False], 2),
        ("exp(0.1234*x)", [False], 0),
    ],
)
def test_fitted_waves_with_less_than_half_a_period_in_the_rows_are_counted(text, is_fixed, count):
    assert num_short_waves(parse(text, "xy"), np.array(is_fixed), COLUMNS) == count
