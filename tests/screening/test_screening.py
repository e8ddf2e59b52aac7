"""Columns that act only together are found among many, and neighbours of a law's columns are named."""

import numpy as np
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.expressions.text import parse
from mosaic_sr.preparation import Problem, prepare
from mosaic_sr.screening import MANY_COLUMNS, notes_on_columns, screen_columns
from mosaic_sr.screening.scan import Scan
from mosaic_sr.screening.triples import best_triple
from mosaic_sr.settings import SearchOptions
from mosaic_sr.table import Table


@pytest.fixture(scope="module")
def columns():
    return np.random.default_rng(0).standard_normal((100, 400))


def test_a_product_without_marginal_correlation_is_found(columns):
    target = columns[7] * columns[50] + 0.5 * columns[99] * columns[3]
    found = screen_columns(columns, target)
    assert {7, 50, 99, 3} <= set(found.columns)
    assert len(found.columns) <= 6
    assert found.suffice


def test_a_product_of_three_is_found(columns):
    target = columns[7] * columns[50] * columns[99]
    assert set(best_triple(columns, target).columns) == {7, 50, 99}
    found = screen_columns(columns, target + 2.0 * columns[3])
    assert {7, 50, 99, 3} <= set(found.columns)


def test_signs_that_combine_like_exclusive_or_are_found(columns):
    signs = np.where(columns > 0.0, 1.0, -1.0)
    assert set(screen_columns(signs, signs[4] * signs[77]).columns) == {4, 77}


def test_neighbours_are_searched_with_the_columns_that_they_are_like(columns):
    rng = np.random.default_rng(1)
    wide = np.vstack([columns[:60], 0.99 * columns[7] + 0.14 * rng.standard_normal(400)])
    for target in (wide[7] * wide[50], wide[60] * wide[50]):
        found = screen_columns(wide, target).columns
        assert {7, 50, 60} <= set(found)
        assert len(found) <= 4


def test_noise_alone_chooses_no_column_that_suffices(columns):
    target = np.random.default_rng(2).standard_normal(400)
    assert not screen_columns(columns, target).suffice


def test_chance_has_no_excess(columns):
    target = np.random.default_rng(3).standard_normal(400)
    for group in Scan(columns).groups(target, [1, 2]):
        assert group.excess < 0.05
    assert best_triple(columns, target).excess < 0.05


def table_of(num_columns):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((300, num_columns))
    X[:, 9] = 0.999 * X[:, 0] + 0.045 * rng.standard_normal(300)
    return X, X[:, 0] * X[:, 1]


def test_a_fit_of_many_columns_says_which_it_uses_and_names_neighbours():
    X, y = table_of(MANY_COLUMNS + 10)
    model = MosaicRegressor(random_state=0).fit(X, y)
    assert str(model.law_) == "x0*x1"
    assert any("of 60 columns" in note and "x0" in note and "x1" in note for note in model.notes_)
    assert any(note.startswith("x0 could be x9: correlation 0.999") for note in model.notes_)


def test_few_columns_are_not_screened():
    X, y = table_of(MANY_COLUMNS)

    def read(rng):
        return Problem(Table.from_arrays(X, y, rng=rng), tuple(f"x{i}" for i in range(MANY_COLUMNS)), is_named=False)

    prepared = prepare(SearchOptions(), None, (1, 2), read)
    assert prepared.problem.wide is None
    assert prepared.problem.table.num_columns == MANY_COLUMNS
    assert not any("the search uses" in note for note in prepared.problem.table.notes)


def test_a_column_that_explains_what_the_law_leaves_is_named():
    X, y = table_of(MANY_COLUMNS + 10)
    y = y + 0.3 * X[:, 5] + 0.01 * np.random.default_rng(6).standard_normal(300)
    table = Table.from_arrays(X, y, rng=np.random.default_rng(0))
    notes = notes_on_columns(parse("x0*x1", table.names), table)
    assert any(note.startswith("x5 may explain what the law leaves") for note in notes)
    notes = notes_on_columns(parse("x0*x1 + 0.3*x5", table.names), table)
    assert not any("may explain" in note for note in notes)
