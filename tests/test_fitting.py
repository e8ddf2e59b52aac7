"""The door to the fitter: recovery, outcomes, weightings, errors of constants."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import curve_fit

from mosaic_sr.errors import InvalidFormula, InvalidSettings
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import FitConfig, FitStatus, fit_constants, fit_parameters, polish
from mosaic_sr.fitting.fit import screening_indices
from mosaic_sr.fitting.named import parse_named
from mosaic_sr.table import Rows

NAMES = ["x0", "x1"]
# Few starts, because the same tests also run without compilation.
FEW = FitConfig(starts=4, draws_per_start=2)


def rows_of(text, constants, *, count=24, low=0.5, high=3.0, noise=0.0, weights=None, seed=0):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(low, high, (2, count))
    target = evaluate_expression(parse(text, NAMES).with_constants(constants), columns)
    return Rows(columns, target + noise * rng.normal(size=count), np.empty(0) if weights is None else weights)


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("_*x0 + _", [1e-6, -1e6]),
        ("_*sin(_*x0 + _) + _", [1e6, 3.0, 0.5, 1e-6]),
        ("_*exp(_*x0) + _*x1", [1e-6, -2.0, 1e3]),
        ("_*x0^_", [1e6, -2.5]),
        ("_*x0^_ + _*x1^_", [1.5, 0.5, -0.3, 2.0]),
        ("_/(_ + x0)", [1e4, 1e2]),
        ("log(_*x0 + _)", [1e5, 1e4]),
        ("_*sqrt(x0 + _)", [1e-5, 40.0]),
        ("_*tanh(_*(x0 - _))", [2.0, 3.0, 1.5]),
        ("_*exp(-(x0 - _)^2/_)", [1e3, 1.5, 0.4]),
    ],
)
def test_constants_over_twelve_decades_are_recovered_to_rounding(text, truth):
    rows = rows_of(text, truth)
    fit = fit_constants(parse(text, NAMES), rows, FitConfig(starts=8, draws_per_start=4))
    assert fit.status is FitStatus.CONVERGED
    assert np.sqrt(fit.loss) * rows.target.std() <= 1e-14 * np.abs(rows.target).max()


def test_columns_of_any_scale_give_the_same_fit():
    rows = rows_of("_*exp(_*x0) + _", [2.0, -1.0, 0.5])
    scaled = Rows(rows.columns * 1e-9, rows.target * 1e7, rows.weights)
    fit = fit_constants(parse("_*exp(_*x0) + _", NAMES), scaled, FEW)
    np.testing.assert_allclose(fit.expression.constants, [2e7, -1e9, 0.5e7], rtol=1e-9)


@pytest.mark.parametrize(
    ("text", "config", "status"),
    [
        ("_*x0 + _", FEW, FitStatus.CONVERGED),
        ("2*x0", FEW, FitStatus.CONVERGED),
        ("x0*x1", FEW, FitStatus.NO_CONSTANTS),
        ("_*sin(_*x0)*exp(_*x1)", FitConfig(starts=1, max_iterations=1, is_polished=False), FitStatus.ITERATION_LIMIT),
        ("_*x0 + _*x0", FEW, FitStatus.RANK_DEFICIENT),
        ("exp(exp(exp(exp(x0 + 9)))) * _", FEW, FitStatus.OVERFLOW),
        ("log(-x0) * _", FEW, FitStatus.NOT_A_NUMBER),
        ("+".join(["_*x0"] * 25), FEW, FitStatus.TOO_FEW_ROWS),
    ],
)
def test_every_status_has_a_case(text, config, status):
    rows = rows_of("_*x0^2 + _*x1", [2.0, 0.3], noise=0.1)
    fit = fit_constants(parse(text, NAMES), rows, config)
    assert fit.status is status
    if status in (FitStatus.OVERFLOW, FitStatus.NOT_A_NUMBER, FitStatus.TOO_FEW_ROWS):
        assert fit.loss == fit.relative_loss == np.inf
        assert fit.covariance is None


def test_losses_are_those_of_their_definition():
    rows = rows_of("_*x0 + _", [2.0, 1.0], noise=0.3)
    fit = fit_constants(parse("_*x0 + _", NAMES), rows, FEW)
    residual = evaluate_expression(fit.expression, rows.columns) - rows.target
    assert fit.loss == pytest.approx(np.mean(residual**2) / rows.target.var(), rel=1e-12)
    assert fit.relative_loss == pytest.approx(np.mean((residual / rows.target) ** 2), rel=1e-12)


def test_each_weighting_is_best_under_its_own_loss():
    rows = rows_of("_*exp(_*x0) + _*x1", [1.0, 3.0, 2.0], noise=0.2)
    fits = {name: fit_constants(parse("_*exp(_*x0)", NAMES), rows, replace(FEW, weighting=name)) for name in WEIGHTINGS}
    assert fits["uniform"].loss < fits["relative"].loss
    assert fits["relative"].relative_loss < fits["uniform"].relative_loss
    products = [fits[name].loss * fits[name].relative_loss for name in WEIGHTINGS]
    assert products[2] == min(products)


WEIGHTINGS = ("uniform", "relative", "both")


def test_row_weights_repeat_rows_and_zero_leaves_them_out():
    weights = np.random.default_rng(1).integers(0, 3, 24)
    rows = rows_of("_*sqrt(x0) + _", [2.0, 1.0], noise=0.3, weights=weights.astype(np.float64))
    repeated = Rows(np.repeat(rows.columns, weights, axis=1), np.repeat(rows.target, weights), np.empty(0))
    fit, twin = (fit_constants(parse("_*x0^_ + _", NAMES), table, FEW) for table in (rows, repeated))
    np.testing.assert_allclose(fit.expression.constants, twin.expression.constants, rtol=1e-5)
    assert fit.loss == pytest.approx(twin.loss, rel=1e-9)


def test_finite_constants_are_the_first_start():
    rows = rows_of("sin(_*x0)", [40.0])
    near = parse("sin(_*x0)", NAMES).with_constants([40.01])
    assert fit_constants(near, rows, FitConfig(starts=1)).loss <= 1e-20


def test_the_same_call_gives_the_same_bits_and_a_generator_moves_the_starts():
    rows, formula = rows_of("_*sin(_*x0)", [2.0, 4.0], noise=0.1), parse("_*sin(_*x0)", NAMES)
    first, second = (fit_constants(formula, rows, FEW) for _ in range(2))
    moved, again = (fit_constants(formula, rows, FEW, np.random.default_rng(5)) for _ in range(2))
    assert first.expression == second.expression
    assert moved.expression == again.expression
    assert moved.evaluations != first.evaluations


def test_errors_of_constants_are_those_of_curve_fit():
    rows = rows_of("_*exp(_*x0) + _", [2.0, 0.5, 1.0], noise=0.1)
    fit = fit_constants(parse("_*exp(_*x0) + _", NAMES), rows, FEW)
    peer, covariance = curve_fit(lambda x, a, b, c: a * np.exp(b * x) + c, rows.columns[0], rows.target, p0=[2, 0.5, 1])
    np.testing.assert_allclose(fit.expression.constants, peer, rtol=1e-5)
    np.testing.assert_allclose(fit.covariance, covariance, rtol=1e-3)


def test_only_constants_that_rows_do_not_determine_have_no_error():
    fit = fit_constants(parse("_*x0 + _*x0 + _*x1", NAMES), rows_of("_*x0 + x1", [2.0], noise=0.1), FEW)
    assert fit.is_determined.tolist() == [False, False, True]
    assert np.isfinite(np.diagonal(fit.covariance)).tolist() == [False, False, True]


def test_no_row_to_spare_gives_no_covariance():
    rows = rows_of("_*x0 + _", [2.0, 1.0], count=2)
    assert fit_constants(parse("_*x0 + _", NAMES), rows, FEW).covariance is None


def test_chunks_of_any_size_give_the_same_polish(monkeypatch):
    rows, formula = rows_of("_*exp(_*x0)", [2.0, 0.5], count=50, noise=0.1), parse("_*exp(_*x0)", NAMES)
    whole = fit_constants(formula, rows, FEW)
    monkeypatch.setattr(polish, "CHUNK_ROWS", 7)
    cut = fit_constants(formula, rows, FEW)
    np.testing.assert_allclose(cut.expression.constants, whole.expression.constants, rtol=1e-9)
    np.testing.assert_allclose(cut.covariance, whole.covariance, rtol=1e-9)


def test_the_polish_walks_curved_valleys_to_the_rounding_floor():
    rows = rows_of("_/(_ + x0) + _", [2.0, 3e3, 1.0], count=60)
    fit = fit_constants(parse("_/(_ + x0) + _", NAMES), rows, FEW)
    assert fit.relative_loss <= 1e-30


def test_screening_rows_show_the_range_of_every_column():
    rows = rows_of("_*x0", [1.0], count=500)
    few = screening_indices(rows, 32)
    assert len(np.unique(few)) == 32
    for numbers in (*rows.columns, rows.target):
        assert numbers[few].min() == numbers.min()
        assert numbers[few].max() == numbers.max()


@pytest.mark.parametrize("wrong", [{"starts": 0}, {"screening_rows": 1}, {"weighting": "log"}, {"max_iterations": 0}])
def test_settings_outside_their_range_are_refused(wrong):
    with pytest.raises(InvalidSettings):
        FitConfig(**wrong)


def test_names_that_are_no_columns_are_constants_and_one_name_is_one_constant():
    formula = parse_named("a*sin(2*pi*b*x0) + a*x1 + _ + _", NAMES)
    assert formula.names == ("a", "b", "_1", "_2")
    assert formula.parameter_of_constant.tolist() == [0, -1, -1, 1, 0, 2, 3]


def test_pi_and_e_are_numbers_unless_a_column_is_called_so_and_a_modulus_is_none():
    formula = parse_named("E*x0*exp(pi) + e", NAMES)
    assert (formula.names, formula.numbers) == (("E",), ("pi", "e"))
    assert parse_named("a*e + E", ["e", "E"]).names == ("a",)
    assert parse_named("a*e + E", ["e", "E"]).numbers == ()


def test_a_constant_that_occurs_twice_is_fitted_as_one():
    formula = parse_named("a*sin(2*pi*b*x0) + a*x1", NAMES)
    truth = [1.5, 2.0, np.pi, 0.4, 1.5]
    rows = rows_of("_*sin(_*_*_*x0) + _*x1", truth)
    fit = fit_parameters(formula.expression, formula.parameter_of_constant, rows, FitConfig(starts=8))
    np.testing.assert_allclose(fit.expression.constants, truth, rtol=1e-9)
    np.testing.assert_allclose(formula.values(fit.expression), [1.5, 0.4], rtol=1e-9)


def test_a_misspelt_function_is_refused():
    with pytest.raises(InvalidFormula):
        parse_named("a*sine(x0)", NAMES)


def test_linear_constants_reach_their_best_values_also_where_little_is_gained():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 4.0, 80)
    y = 1.0 + 2.0 * x + 0.3 * rng.standard_normal(80)
    slope, offset = np.polyfit(x, y, 1)
    rows = Rows(x[None].copy(), y, np.empty(0))
    brief = FitConfig(starts=1, draws_per_start=1, max_iterations=20, is_polished=False)
    found = fit_constants(parse("1.01 + 2.02*x", ["x"]), rows, brief)
    np.testing.assert_allclose(found.expression.constants, [offset, slope], rtol=1e-9)
