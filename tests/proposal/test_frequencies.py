"""Frequencies: sinusoids of scaled columns are found far from any start, and nothing costly without them."""

import numpy as np
import pytest

from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.frequencies import FrequencyConfig, propose_frequencies
from tests.proposal.tables import columns_between, question_about, values_of

COLUMNS = columns_between([0.5] * 3, [3.0] * 3)


def proposed(question):
    batches = propose_frequencies(FrequencyConfig(), question, np.random.default_rng(0))
    return [sketch for batch in batches for sketch in batch]


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
    question = question_about(COLUMNS, values_of(law, COLUMNS))
    assert any(is_exact(each.expression, question.table.validation, question.table) for each in proposed(question))


@pytest.mark.parametrize("law", ["sin(9*x0)*cos(6*x1)", "2*cos(8*x0 - 5*x1 + 0.4)"])
def test_waves_of_two_columns_come_close_enough_for_a_fit(law):
    question = question_about(COLUMNS, values_of(law, COLUMNS))
    target = question.rows.target
    errors = [
        np.var(evaluate_expression(each.expression, question.rows.columns) - target) for each in proposed(question)
    ]
    assert min(errors) < 0.3 * np.var(target)


@pytest.mark.parametrize("law", ["x0 + 2*x1", "x0*x1 - x2^2", "-6/x0", "3*x0*x1 + x0/x1"])
def test_a_smooth_background_alone_is_left_to_others(law):
    assert proposed(question_about(COLUMNS, values_of(law, COLUMNS))) == []


def test_whole_numbers_get_no_frequency_that_they_cannot_tell():
    whole = np.random.default_rng(0).integers(1, 20, (1, 200)).astype(float)
    columns = np.concatenate([whole, COLUMNS[:1]])
    question = question_about(columns, values_of("sin(1.3*x0)/x1", columns))
    found = [
        each for each in proposed(question) if is_exact(each.expression, question.table.validation, question.table)
    ]
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
