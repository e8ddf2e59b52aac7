"""Laws of noisy rows lose what the rows do not ask for, and nothing else."""

import numpy as np
import pytest

from mosaic_sr.budget import never
from mosaic_sr.evidence import Noise, num_fitted
from mosaic_sr.evidence.judge import is_number
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.limits import Limits
from mosaic_sr.selection.simplifying import reworded, simplified, standard_errors, textbook_values
from mosaic_sr.selection.weighing import Weighing
from mosaic_sr.table import Table


@pytest.fixture(scope="module")
def weighing():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 4.0, (120, 2))
    y = 2.3717 * x[:, 0] ** 2 * np.exp(-0.8123 * x[:, 1]) + 0.02 * rng.standard_normal(120)
    return Weighing(Table.from_arrays(x, y, rng=np.random.default_rng(1)))


def law(text, weighing):
    return weighing.judged(parse(text, ("x0", "x1")), Noise())


@pytest.mark.parametrize(
    "longer",
    [
        "2.3711111*x0^2*exp(-0.8122222*x1) + 0.0012345678",
        "2.3711111*x0^2*exp(-0.8122222*x1 + 0.00012345678*x0)",
        "2.3711111*x0^1.9991234*exp(-0.8122222*x1)",
    ],
)
def test_parts_that_the_rows_do_not_ask_for_go(longer, weighing):
    simple = simplified(law(longer, weighing), weighing, Limits(), never)
    assert sum(not is_number(value) for value in simple.expression.constants.tolist()) == 2
    assert simple.score > law(longer, weighing).score
    plain = law("2.3711111*x0^2*exp(-0.8122222*x1)", weighing)
    assert simple.expression.structure_key == plain.expression.structure_key


def test_what_the_rows_ask_for_stays(weighing):
    plain = law("2.3711111*x0^2*exp(-0.8122222*x1)", weighing)
    assert simplified(plain, weighing, Limits(), never).expression == plain.expression


def test_an_interrupted_law_stays_as_it_is(weighing):
    longer = law("2.3711111*x0^2*exp(-0.8122222*x1) + 0.0012345678", weighing)
    assert simplified(longer, weighing, Limits(), lambda: True) is longer


def test_errors_are_those_of_the_fitted_constants(weighing):
    plain = law("2.3711111*x0^2*exp(-0.8122222*x1)", weighing)
    errors = standard_errors(plain)
    assert np.all(np.array(errors) > 0.0)
    assert np.abs(plain.expression.constants) == pytest.approx([2.3717, 0.8123], abs=4.0 * max(errors))


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(3)
    x = rng.uniform(0.0, 6.0, (100, 1))
    y = 1.7123 * np.cos(2.1317 * x[:, 0]) + 0.03 * rng.standard_normal(100)
    return Weighing(Table.from_arrays(x, y, rng=np.random.default_rng(1)))


def test_a_wave_whose_phase_is_a_quarter_turn_has_none(waves):
    longer = waves.judged(parse("1.7111111*sin(1.5677777 + 2.1312345*x0)", ("x0",)), Noise())
    simple = simplified(longer, waves, Limits(), never)
    assert "cos" in to_text(simple.expression, ("x0",))
    assert simple.expression.num_constants == 2


def test_constants_of_a_textbook_snap_together_and_digits_of_a_measurement_do_not(waves):
    rng = np.random.default_rng(5)
    x = rng.uniform(0.2, 2.0, (60, 1))
    y = 2.0 * np.exp(-0.5 * x[:, 0] ** 2)
    table = Table.from_arrays(x, y * (1.0 + 0.05 * rng.standard_normal(60)), rng=np.random.default_rng(1))
    weighing = Weighing(table)
    fitted = weighing.judged(parse("2.0123456*exp(-0.5012345*x0^2)", ("x0",)), Noise("proportional"))
    assert num_fitted(simplified(fitted, weighing, Limits(), never).expression) == 0
    measured = waves.judged(parse("1.7111111*cos(2.1312345*x0)", ("x0",)), Noise())
    assert num_fitted(simplified(measured, waves, Limits(), never).expression) == 2


def cubics(ratio):
    rng = np.random.default_rng(4)
    x = rng.uniform(-1.5, 1.5, (120, 1))
    y = 3.3717 * x[:, 0] - ratio * 3.3717 * x[:, 0] ** 3 + 0.03 * rng.standard_normal(120)
    return Weighing(Table.from_arrays(x, y, rng=np.random.default_rng(1)))


@pytest.mark.parametrize(("ratio", "num_constants"), [(1.0, 1), (0.9, 2)])
def test_two_constants_become_one_where_they_may_be_equal(ratio, num_constants):
    weighing = cubics(ratio)
    free = weighing.judged(parse("3.3612345*x - 3.3754321*x^3", ("x",)), Noise())
    assert num_fitted(simplified(free, weighing, Limits(), never).expression) == num_constants


@pytest.mark.parametrize(("mean", "is_zero"), [(0.0, True), (3.0, False)])
def test_a_mean_that_may_be_zero_is_zero(mean, is_zero):
    rng = np.random.default_rng(5)
    table = Table.from_arrays(rng.uniform(size=(80, 1)), mean + rng.standard_normal(80), rng=np.random.default_rng(1))
    weighing = Weighing(table)
    found = simplified(weighing.judged(parse("0.1234567", ("x",)), Noise()), weighing, Limits(), never)
    assert (found.expression.constants.tolist() == [0.0]) == is_zero


def test_a_law_is_told_in_the_form_in_which_its_constants_are_simple():
    rng = np.random.default_rng(7)
    X = rng.uniform(1.0, 3.0, size=(300, 2))
    y = X[:, 0] * (np.cos(X[:, 1]) + X[:, 0] * np.cos(X[:, 1]) ** 2)
    table = Table.from_arrays(X, y + 0.02 * rng.standard_normal(300), rng=np.random.default_rng(1), names=("x", "z"))
    weighing = Weighing(table)
    free = weighing.judged(parse("0.2501234*((1 + 2*x*cos(z))^2 - 1)", ("x", "z")), Noise())
    found = reworded(free, weighing, Limits(), never)
    assert num_fitted(free.expression) == 1
    assert num_fitted(found.expression) == 0
    assert found.score > free.score
    assert reworded(free, weighing, Limits(), lambda: True) is free


def test_a_power_without_limit_becomes_an_exponential(weighing):
    steep = law("2.3711111*x0^2*(1 - 0.0008122222*x1)^1000.5", weighing)
    plain = law("2.3711111*x0^2*exp(-0.8122222*x1)", weighing)
    simple = simplified(steep, weighing, Limits(), never)
    assert simple.expression.structure_key == plain.expression.structure_key
    assert simple.score > steep.score


@pytest.mark.parametrize(
    ("value", "error", "simple"),
    [(0.2499, 3e-4, 0.25), (1.502, 0.01, 1.5), (-0.7491, 2e-3, -0.75), (2.4983, 5e-3, 2.5)],
)
def test_halves_and_quarters_are_simple_however_few_digits_the_rows_determine(value, error, simple):
    assert simple in textbook_values(value, error)


@pytest.mark.parametrize(
    ("truth", "found", "num_left"),
    [
        ("1/(1 + 0.4271*x0)", "2.3414/(2.3417 + x0)", 1),
        ("x0/sqrt(1 + 0.0712*x1^2)", "3.7478*x0/sqrt(14.045 + x1^2)", 1),
        # Numbers of their own are left alone.
        ("1.7313/(1 + 0.4271*x0)", "4.0536/(2.3414 + x0)", 2),
    ],
)
def test_a_number_in_front_may_be_one_with_a_number_inside(truth, found, num_left):
    rng = np.random.default_rng(3)
    x = rng.uniform(0.5, 6.0, (150, 2))
    clean = evaluate_expression(parse(truth, ("x0", "x1")), x.T)
    weighing = Weighing(
        Table.from_arrays(x, clean + 0.01 * np.std(clean) * rng.standard_normal(150), rng=np.random.default_rng(1))
    )
    simple = simplified(law(found, weighing), weighing, Limits(), never)
    assert num_fitted(simple.expression) == num_left
    values = evaluate_expression(simple.expression, weighing.measured.rows.columns)
    wanted = evaluate_expression(parse(truth, ("x0", "x1")), weighing.measured.rows.columns)
    assert values == pytest.approx(wanted, abs=0.01 * np.std(wanted))


def test_numbers_near_simple_ones_are_taken_where_they_make_a_shorter_form():
    rng = np.random.default_rng(0)
    x = rng.uniform(1.0, 5.0, (400, 3))
    names = ("x0", "x1", "x2")
    y = np.sqrt(x[:, 0] ** 2 + x[:, 1] ** 2 - 2.0 * x[:, 0] * x[:, 1] * np.cos(x[:, 2]))
    weighing = Weighing(
        Table.from_arrays(x, y + 0.02 * rng.standard_normal(400), rng=np.random.default_rng(1)), Limits()
    )
    half_angles = parse("2.0003*x0*sqrt(0.24991*(1 - x1/x0)^2 + x1*sin(0.50002*x2)^2/x0)", names)
    simple = simplified(weighing.judged(half_angles, Noise()), weighing, Limits(), never)
    told = reworded(simple, weighing, Limits(), never)
    assert num_fitted(told.expression) == 0
    assert "cos(x2)" in to_text(told.expression, names)


def test_factors_go_into_a_root_where_its_constants_are_simple_there():
    rng = np.random.default_rng(2)
    x = rng.uniform(1.0, 3.0, (300, 3))
    names = ("x0", "x1", "x2")
    y = np.sqrt(8.3771 * x[:, 0] * x[:, 1] - x[:, 2] ** 2)
    weighing = Weighing(
        Table.from_arrays(x, y + 0.02 * rng.standard_normal(300), rng=np.random.default_rng(1)), Limits()
    )
    found = weighing.judged(parse("2.8943*sqrt(x0*x1)*sqrt(1 - 0.11937*x2^2/(x0*x1))", names), Noise())
    simple = simplified(found, weighing, Limits(), never)
    assert num_fitted(simple.expression) == 1
    assert simple.score > found.score + 5.0


def test_a_law_in_other_words_is_simplified_again():
    rng = np.random.default_rng(4)
    x = rng.uniform(1.0, 4.0, (600, 2))
    names = ("x0", "x1")
    y = x[:, 0] ** 3 * (x[:, 1] - 1.0) / (x[:, 1] + 2.0) - x[:, 0]
    weighing = Weighing(
        Table.from_arrays(x, y + 0.05 * rng.standard_normal(600), rng=np.random.default_rng(1)), Limits()
    )
    free = parse("0.74445*x0^3*(1/(0.4965 + x1^-0.97) - 0.66763) - 1.00012*x0", names)
    told = reworded(simplified(weighing.judged(free, Noise()), weighing, Limits(), never), weighing, Limits(), never)
    assert num_fitted(told.expression) == 0
