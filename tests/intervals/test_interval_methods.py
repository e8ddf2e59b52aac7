"""Intervals of constants: profile, standard errors, bootstrap."""

import math

import numpy as np
import pytest

from mosaic_sr import InvalidSettings
from mosaic_sr.fitting.named import parse_named
from mosaic_sr.intervals import fitted_form, measured_intervals
from mosaic_sr.table import Rows

SATURATION = "a*x/(b + x)"


def form(text, x, y, start, scatter=None, weights=()):
    formula = parse_named(text, ["x"])
    constants = [
        formula.expression.constants[place] if parameter < 0 else start[parameter]
        for place, parameter in enumerate(formula.parameter_of_constant)
    ]
    rows = Rows(np.asarray(x, dtype=float)[None], np.asarray(y, dtype=float), np.asarray(weights, dtype=float))
    return fitted_form(formula.expression.with_constants(constants), formula.parameter_of_constant, rows, scatter)


def intervals(fitted, method="profile", names="abc"):
    return measured_intervals(fitted, names[: fitted.num_parameters], method, "any", np.random.default_rng(0))


def share_of_hits(text, truth, x, values, deviation, count):
    """How often 68 and 95 % profile intervals hold the true constants: (parameters, levels)."""
    rng, hits, wanted = np.random.default_rng(5), np.zeros((len(truth), 2)), np.array(truth)[:, None]
    for _ in range(count):
        bounds = intervals(form(text, x, values + deviation * rng.normal(size=len(x)), truth)).bounds
        hits += (bounds[:, :, 0] <= wanted) & (wanted <= bounds[:, :, 1])
    return hits / count


@pytest.mark.slow  # hundreds of tables
def test_few_rows_are_covered_as_often_as_stated():
    x, count = np.geomspace(0.5, 20.0, 8), 100
    shares = share_of_hits(SATURATION, (8.0, 3.0), x, 8.0 * x / (3.0 + x), 0.3, count)
    for place, level in enumerate((0.68, 0.95)):
        # Four standard errors of a share of so many tables.
        bound = 4.0 * math.sqrt(level * (1.0 - level) / count)
        assert np.all(np.abs(shares[:, place] - level) < bound), shares


def test_intervals_of_a_saturation_curve_reach_further_up_than_down():
    x = np.linspace(0.2, 3.0, 8)
    y = 8.0 * x / (3.0 + x) + 0.1 * np.random.default_rng(3).normal(size=8)
    profile, delta = (intervals(form(SATURATION, x, y, (8.0, 3.0)), method) for method in ("profile", "delta"))
    for one, two in zip(profile.bounds, delta.bounds, strict=True):
        centre = two.mean()
        assert one[1, 1] - centre > 1.5 * (centre - one[1, 0])
        assert two[1, 1] - centre == pytest.approx(centre - two[1, 0])


def test_the_end_of_an_interval_is_where_the_deviance_reaches_the_quantile():
    x = np.linspace(0.2, 3.0, 8)
    y = 8.0 * x / (3.0 + x) + 0.1 * np.random.default_rng(3).normal(size=8)
    fitted = form(SATURATION, x, y, (8.0, 3.0))
    high = float(intervals(fitted).bounds[0, 1, 1])
    held = form(f"{high!r}*x/(b + x)", x, y, (4.0,))
    worse = fitted.squares(held.expression) - fitted.squares(fitted.expression)
    assert math.sqrt(worse) == pytest.approx(fitted.quantile(0.95), rel=0.01)


def test_rows_that_do_not_saturate_set_no_upper_bound():
    x = np.linspace(0.2, 0.8, 8)
    y = 8.0 * x / (3.0 + x) + 0.1 * np.random.default_rng(3).normal(size=8)
    found = intervals(form(SATURATION, x, y, (8.0, 3.0)))
    assert np.all(np.isposinf(found.bounds[:, 1, 1]))
    assert np.all(np.isfinite(found.bounds[:, 1, 0]))
    assert "no upper bound" in str(found)
    assert found.described()["intervals"]["a"]["95"][1] is None


def test_a_law_linear_in_its_constants_has_the_same_intervals_from_both_methods():
    x = np.linspace(1.0, 4.0, 12)
    y = 2.0 * x + 1.0 + 0.2 * np.random.default_rng(0).normal(size=12)
    fitted = form("a*x + b", x, y, (1.0, 0.0))
    assert intervals(fitted).bounds == pytest.approx(intervals(fitted, "delta").bounds, rel=2e-3, abs=2e-3)


def test_a_bootstrap_of_many_rows_agrees_with_the_standard_errors():
    x = np.linspace(1.0, 4.0, 300)
    y = 2.0 * x + 1.0 + 0.2 * np.random.default_rng(0).normal(size=300)
    fitted = form("a*x + b", x, y, (1.0, 0.0))
    widths = [np.ptp(intervals(fitted, method).bounds, axis=2) for method in ("bootstrap", "delta")]
    assert widths[0] == pytest.approx(widths[1], rel=0.2)


def test_known_errors_need_no_rows_to_spare_and_no_students_quantile():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    fitted = form("a*x + b", x, y, (1.0, 0.0), scatter=1.0, weights=[4.0, 4.0])
    found = intervals(fitted, "delta")
    assert found.values == pytest.approx([2.0, 1.0])
    assert found.errors[0] == pytest.approx(0.5 * math.sqrt(2.0))
    assert np.ptp(found.bounds[0, 1]) == pytest.approx(2 * 1.95996 * found.errors[0], rel=1e-4)


def test_a_constant_that_stands_twice_is_one_constant():
    x = np.linspace(1.0, 4.0, 20)
    y = 1.5 * x + 1.5 + 0.1 * np.random.default_rng(0).normal(size=20)
    found = intervals(form("a*x + a", x, y, (1.0,)))
    assert found.names == ("a",)
    assert found.bounds[0, 1, 0] < 1.5 < found.bounds[0, 1, 1]


def test_constants_that_only_occur_as_a_product_have_no_bounds():
    x = np.linspace(1.0, 4.0, 20)
    y = 1.5 * x + 0.1 * np.random.default_rng(0).normal(size=20)
    found = intervals(form("a*b*x", x, y, (1.0, 1.5)))
    assert np.all(np.isnan(found.errors))
    assert np.all(np.isposinf(found.bounds[:, :, 1]))


def test_an_interval_ends_where_the_law_has_no_value():
    x = np.linspace(1.0, 4.0, 20)
    y = np.log(x - 0.5) + 0.5 * np.random.default_rng(0).normal(size=20)
    found = intervals(form("log(x - a)", x, y, (0.5,)))
    assert found.bounds[0, 1, 1] <= 1.0


def test_a_better_fit_that_the_profile_finds_becomes_the_centre():
    x = np.linspace(0.0, 10.0, 60)
    y = np.sin(2.0 * x) + 0.1 * np.random.default_rng(0).normal(size=60)
    good, stuck = form("a*sin(b*x)", x, y, (1.0, 2.0)), form("a*sin(b*x)", x, y, (0.1, 2.6))
    assert stuck.squares(stuck.expression) > 1.5 * stuck.squares(good.expression)
    assert intervals(stuck).values[1] == pytest.approx(2.0, abs=0.05)


def test_rows_without_noise_are_answered_from_standard_errors():
    x = np.linspace(1.0, 4.0, 20)
    found = intervals(form("a*exp(b*x)", x, 2.0 * np.exp(0.3 * x), (2.0, 0.3)))
    assert found.method == "delta"
    assert "no noise beyond rounding" in found.notes[0]
    assert found.bounds[0, 1] == pytest.approx([2.0, 2.0])


def test_a_table_and_correlations_are_frames():
    x = np.linspace(1.0, 4.0, 20)
    y = 2.0 * x + 1.0 + 0.2 * np.random.default_rng(0).normal(size=20)
    found = intervals(form("a*x + b", x, y, (1.0, 0.0)))
    assert list(found.table.columns) == ["value", "standard_error", "low_68", "high_68", "low_95", "high_95"]
    assert list(found.table.index) == ["a", "b"]
    assert found.correlations.loc["a", "b"] == pytest.approx(-0.93, abs=0.02)
    assert "a and b are correlated (-0.9" in str(found)


def test_an_unknown_method_is_refused():
    with pytest.raises(InvalidSettings, match="profile, delta, bootstrap, got 'guess'"):
        intervals(form("a*x", [1.0, 2.0, 3.0], [1.0, 2.0, 4.0], (1.0,)), "guess")
