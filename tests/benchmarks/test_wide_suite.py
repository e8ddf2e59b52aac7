"""The suite of many columns: what its laws read, and what its rows are."""

import numpy as np

from benchmarks.suites import load
from benchmarks.suites.wide import NUM_COLUMNS, NUM_ROWS


def test_laws_read_four_of_the_columns_with_at_most_six_operators():
    for problem in (*load("wide").problems, *load("wide-1").problems):
        assert problem.num_columns == NUM_COLUMNS
        assert len(problem.truth.columns) == 4
        assert problem.true_operators <= 6


def test_rows_have_noise_of_one_percent_and_a_column_that_shows_nothing_alone():
    draw = (problem := load("wide-1").problems[0]).draw(0)
    assert draw.train.columns.shape == (NUM_COLUMNS, NUM_ROWS)
    clean = problem.law(draw.train.columns)
    share = np.std(draw.train.target - clean) / np.sqrt(np.mean(clean**2))
    assert 0.008 < share < 0.012
    correlations = [
        abs(np.corrcoef(draw.test.columns[place], draw.test.target)[0, 1]) for place in problem.source.places
    ]
    assert min(correlations) < 0.15


def test_another_seed_draws_other_laws():
    formulas = [{problem.formula for problem in load(name).problems} for name in ("wide", "wide-1", "wide-2")]
    assert not formulas[0] & formulas[1]
    assert not formulas[1] & formulas[2]
