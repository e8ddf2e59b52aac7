"""Weighing: noise, outliers, what is left unexplained, and rows that are held out."""

import numpy as np
import pytest

from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.evidence.noise import Noise
from mosaic_sr.expressions.text import parse
from mosaic_sr.limits import Limits
from mosaic_sr.selection.weighing import Weighing, without_rows
from mosaic_sr.table import Table
from mosaic_sr.units.dimensions import Dimensions
from mosaic_sr.units.stated import state_units


def table_of(y, x, **options):
    return Table.from_arrays(x[:, None], y, rng=np.random.default_rng(0), **options)


def equation(text):
    return Equation(parse(text, ("x0",)), ("x0",), UNKNOWN, UNKNOWN, "test")


@pytest.fixture
def rows():
    rng = np.random.default_rng(2)
    x = np.sort(rng.uniform(0.2, 5.0, 90))
    return x, 3.1 * np.exp(-0.6 * x) + 0.02 * rng.standard_normal(90)


def test_the_true_law_is_the_most_probable(rows):
    x, y = rows
    laws = [equation(text) for text in ("3.1234*exp(-0.6123*x0)", "2.1234/(0.8123 + x0)", "1.1234 - 0.2123*x0")]
    weighing = Weighing(table_of(y, x))
    weighed = weighing.weighed(laws[::-1])
    assert weighed[0].equation is laws[0]
    assert weighing.noise_of(laws).kind == "additive"
    assert weighing.is_noise_left(weighed[0].judged)
    assert not weighing.is_noise_left(weighed[-1].judged)


def test_the_probability_grows_with_what_was_tried(rows):
    x, y = rows
    weighing = Weighing(table_of(y, x))
    weighed = weighing.weighed([equation("3.1234*exp(-0.6123*x0)")])
    near, far = (weighing.probabilities([one.judged for one in weighed], bits)[0] for bits in (5.0, 15.0))
    assert 0.0 < near < far < 1.0


def test_a_law_that_leaves_little_is_more_probable_the_fewer_constants_bend_it(rows):
    x, _ = rows
    scatter = np.random.default_rng(3).standard_normal(90)

    def probability(text, noise):
        weighing = Weighing(table_of(3.0 * np.exp(-0.5 * x) + noise * scatter, x))
        law = weighing.weighed([equation(text)])[0].judged
        assert weighing.leaves_little(law) == (noise < 1e-2)
        return weighing.probabilities([law], 5.0)[0]

    # Both laws have a smooth function as their rival, which is as far behind the law at each noise.
    gains = [probability(text, 1e-4) - probability(text, 0.05) for text in ("3*exp(-0.5*x0)", "3.1234*exp(-0.5123*x0)")]
    assert gains[0] > 0.0
    assert gains[1] > 0.0
    assert probability("3*exp(-0.5*x0)", 1e-4) > probability("3.1234*exp(-0.5123*x0)", 1e-4)


def test_outliers_are_rows_of_training_and_validation(rows):
    x, y = rows
    y[[10, 40, 70]] += 1.0
    table = table_of(y, x)
    weighing = Weighing(table)
    is_off = weighing.outliers([equation("3.1234*exp(-0.6123*x0)")])
    assert is_off.sum() == 3
    kept = without_rows(table, is_off)
    assert kept.training.num_rows + kept.validation.num_rows == 87
    # In the scaled table the rows that are left lie on the curve.
    values = np.ldexp(kept.training.target, table.target_exponent)
    curve = 3.1 * np.exp(-0.6 * np.ldexp(kept.training.columns[0], table.column_exponents[0]))
    assert np.max(np.abs(values - curve)) < 0.1


def test_a_wrong_law_makes_no_outliers_of_one_end_of_its_range(rows):
    x, y = rows
    weighing = Weighing(table_of(y, x))
    assert not weighing.outliers([equation("1.4123 - 0.3123*x0")]).any()


def test_waves_faster_than_the_rows_are_not_weighed(rows):
    x, y = rows
    laws = [equation("1.1234 - 0.2123*x0"), equation("0.7123*sin(171.234*x0)")]
    assert [one.equation for one in Weighing(table_of(y, x)).weighed(laws)] == laws[:1]


def test_validation_rows_of_the_users_own_are_not_measured(rows):
    x, y = rows
    held_out = (x[:30, None], y[:30])
    own = Weighing(table_of(y[30:], x[30:], validation=held_out))
    assert own.measured.rows.num_rows == 60
    assert Weighing(table_of(y, x)).measured.rows.num_rows == 90


def test_with_units_a_factor_that_does_nothing_costs_its_bits():
    rng = np.random.default_rng(3)
    X, names = rng.uniform(1.0, 5.0, (200, 2)), ("length", "turns")
    y = 0.6251 * X[:, 0] / X[:, 1] ** 2 * (1.0 + 0.01 * rng.standard_normal(200))
    table = Table.from_arrays(X, y, rng=np.random.default_rng(0), names=names)
    units = state_units(["m", "1"], "m", names, "y")
    weighing = Weighing(table, Limits(dimensions=Dimensions.of_columns(units, table.used, are_constants_pure=True)))
    laws = "0.625123*length/turns^2", "0.625123*length*cos(0.000186*turns)/turns^2"
    plain, idle = (weighing.judged(parse(law, names), Noise("proportional")) for law in laws)
    assert plain.score > idle.score + 3.0


def test_without_units_of_constants_scientists_write_simple_numbers(rows):
    x, y = rows
    table = table_of(y, x)
    units = state_units(["1"], "1", ("x0",), "y")
    pure, free = (
        Weighing(table, Limits(dimensions=Dimensions.of_columns(units, table.used, are_pure)))
        for are_pure in (True, False)
    )
    texts = ("3*exp(-x0/2)", "3.1*exp(-0.6*x0)", "3.123412341234*exp(-0.612341234123*x0)")
    judged = [[one.judged(parse(text, ("x0",)), Noise("additive")) for text in texts] for one in (pure, free)]
    assert [pure.num_bent(law) for law in judged[0]] == [0, 2, 2]
    assert [free.num_bent(law) for law in judged[1]] == [0, 0, 2]
    written, rounded, fitted = (own.bits - other.bits for own, other in zip(*judged, strict=True))
    assert written < -1.0 < 1.0 < rounded == pytest.approx(fitted)
