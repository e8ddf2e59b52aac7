"""Frequencies: sinusoids of scaled columns are found far from any start, and nothing costly without them."""

import numpy as np
import pytest
from questions import first_law

from mosaic_sr.exactness import is_exact
from mosaic_sr.proposal.waves import propose_waves
from tests.proposal.questions import sketches_in
from tests.proposal.tables import columns_between, question_about, values_of

COLUMNS = columns_between([0.5] * 3, [3.0] * 3)


def proposed(context):
    batches = sketches_in(propose_waves(context, np.random.default_rng(0)))
    return [sketch for batch in batches for sketch in batch]


def found_law(law):
    return first_law("waves", question_about(COLUMNS, values_of(law, COLUMNS)))[0] is not None


@pytest.mark.parametrize(
    "law",
    [
        "2.3*sin(7.1*x0) + 0.4*x1",
        "x0*cos(11.3*x1)",
        "exp(-0.5*x0)*cos(9*x0)",
        "sin(7.1*x0) + 0.3*cos(23*x1)",
        "sin(12.1*x0*x1)/x2",
        "3*cos(5*x0)^2 + x1*x2",
        "sin(40*x0 + 0.3)",
    ],
)
def test_a_sinusoid_of_a_scaled_column_is_found(law):
    context = question_about(COLUMNS, values_of(law, COLUMNS))
    assert any(is_exact(each.expression, context.table.validation, context.table) for each in proposed(context))


@pytest.mark.parametrize(
    "law",
    [
        "sin(9*x0)*cos(6*x1)",
        "2*cos(8*x0 - 5*x1 + 0.4)",
        "1.5 + 2*cos(90*x0 + 0.3)*sin(40*x2) + x1^2",
        "sin(x0*(7 + 3.3*x0) + 1)",
        "sin(5.1*(x0 - 1.2)*(x1 + 0.4))",
    ],
)
def test_waves_of_several_frequencies_are_found(law):
    assert found_law(law)


@pytest.mark.parametrize("law", ["cos(720*x0^3)", "x1 - 2*sin(3300*x0/x1)", "cos(50000*x2) + log(x1)"])
def test_waves_of_thousands_of_periods_are_found(law):
    assert found_law(law)


@pytest.mark.parametrize(
    "law",
    ["exp(1.3*sin(60*x0))", "x1/(3 + cos(31*x0))", "sqrt(2 + 1.4*sin(80*x1 + 1))"],
)
def test_waves_inside_a_function_are_found(law):
    assert found_law(law)


@pytest.mark.parametrize("law", ["x0*sin(70*x1) + x1^2*x2", "exp(-3*x0)*cos(50*x1)", "sin(66*x0) + 5*x1/x2 + sqrt(x1)"])
def test_amplitudes_and_terms_beside_a_wave_are_found(law):
    assert found_law(law)


@pytest.mark.parametrize(
    "law",
    ["x1*sin(31*x0*sqrt(x1/x2))", "sin(13*x0^2*x1/x2)/x2", "x1 + sin(9*(x0 - 2*x2)^2)", "x0^4*cos(33*x0*x1)"],
)
def test_waves_of_products_of_powers_and_of_squares_of_sums_are_found(law):
    assert found_law(law)


@pytest.mark.parametrize("law", ["cos(31*x0 - 17/x0)", "2*sin(40*sqrt(x0) + 3*x0^2) + x0"])
def test_waves_of_two_forms_of_one_column_are_found(law):
    alone = COLUMNS[:1]
    assert first_law("waves", question_about(alone, values_of(law, alone)))[0]


@pytest.mark.parametrize("end", [0.04, 8.0, 300.0])
def test_a_wave_dies_away_over_any_range(end):
    columns = columns_between([0.0], [end], num_rows=300)
    law = f"sin({8.8 / end}*x0 + {19.2 / end**2}*x0^2)*exp(-{1.6 / end}*x0)"
    assert first_law("waves", question_about(columns, values_of(law, columns)))[0]


def test_an_amplitude_that_changes_sign_does_not_hide_a_wave():
    columns = columns_between([-50.0] * 3, [50.0] * 3, num_rows=600)
    assert first_law("waves", question_about(columns, values_of("x0*x1*sin(7.2*x2)", columns)))[0]


def test_three_waves_of_a_sum_are_found():
    columns = columns_between([0.5] * 2, [3.0] * 2, num_rows=600)
    law = "sin(71*x0) + 0.8*cos(230*x1 + 1) + 0.6*sin(900*x0*x1)"
    assert first_law("waves", question_about(columns, values_of(law, columns)))[0]


@pytest.mark.parametrize("law", ["x0 + 2*x1", "x0*x1 - x2^2", "-6/x0", "3*x0*x1 + x0/x1"])
def test_a_smooth_background_alone_is_left_to_others(law):
    assert proposed(question_about(COLUMNS, values_of(law, COLUMNS))) == []


def test_whole_numbers_get_no_frequency_that_they_cannot_tell():
    whole = np.random.default_rng(0).integers(1, 20, (1, 200)).astype(float)
    columns = np.concatenate([whole, COLUMNS[:1]])
    context = question_about(columns, values_of("sin(1.3*x0)/x1", columns))
    found = [each for each in proposed(context) if is_exact(each.expression, context.table.validation, context.table)]
    assert found
    assert all(np.max(np.abs(each.expression.constants)) < np.pi for each in found)


def test_pure_noise_yields_nothing():
    assert proposed(question_about(COLUMNS, np.random.default_rng(5).standard_normal(COLUMNS.shape[1]))) == []


def test_few_rows_and_duplicated_columns_do_no_harm():
    few = columns_between([0.0, 0.0], [5.0, 5.0], num_rows=13)
    few[1] = 2.0 * few[0]
    for sketch in proposed(question_about(few, np.sin(3.0 * few[0]))):
        assert np.all(np.isfinite(sketch.expression.constants))
    assert proposed(question_about(few[:, :5], np.sin(3.0 * few[0, :5]))) == []


def test_without_sine_and_cosine_nothing_is_proposed():
    assert proposed(question_about(COLUMNS, np.sin(9.0 * COLUMNS[0]), operators=("add", "mul"))) == []


def test_numbers_of_any_size_do_no_harm():
    tiny = columns_between([1e-30, -1e-3, 0.0], [3e-30, 1e30, 1.0], num_rows=60)
    tiny[2] = np.rint(tiny[2])
    for target in (np.sin(5e30 * tiny[0]), tiny[1] * tiny[2], 1e-30 * tiny[2] + tiny[0]):
        for sketch in proposed(question_about(tiny, target)):
            assert np.all(np.isfinite(sketch.expression.constants))
