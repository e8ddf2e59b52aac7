"""The rows that reports show: places, thinning, columns that are kept or lacking."""

import numpy as np
import pytest
from noisy_outcomes import ROWS
from pictured import noisy_pair, noisy_target, plain_outcome

from mosaic_sr.errors import InvalidSettings, InvalidTable
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.pictures import observe_arrays, observe_file
from mosaic_sr.pictures.observed import MOST_COLUMNS, MOST_ROWS, rows_to_show, thinned
from mosaic_sr.table import GAP_RULES, FileColumns


def test_thinning_is_even_and_always_the_same():
    chosen = thinned(1_000_000, 2_000)
    assert 1_990 <= len(chosen) <= 2_000
    assert np.array_equal(chosen, thinned(1_000_000, 2_000))
    assert np.diff(chosen).max() < 2 * 1_000_000 / 2_000
    assert np.array_equal(thinned(5, 5), np.arange(5))


@pytest.mark.parametrize("period", [2, 10, 100, 1000])
def test_thinning_keeps_all_values_of_a_grid(period):
    seen = np.unique(thinned(100_000, 5_000) % period)
    assert len(seen) > 0.9 * min(period, 5_000)


def test_outliers_are_kept_of_a_long_table():
    num_rows = 3 * MOST_ROWS
    x = np.linspace(1.0, 4.0, num_rows)
    outcome, _ = noisy_pair(outliers=(7,))
    target = 2.0 * x + 1.5
    target[12_345] += 50.0
    rows = observe_arrays(outcome, np.array([x, x, x]), target)
    assert rows.num_rows == num_rows
    assert len(rows.target) <= MOST_ROWS + 1
    assert rows.places[rows.outliers].tolist() == [12_345]
    assert rows.facts[-1].high == target.max()


def test_equations_are_read_over_the_kept_columns_of_a_wide_table():
    names = tuple(f"c{i}" for i in range(1_000))
    outcome = plain_outcome("2*c990", "c3*c990", names=names)
    columns = np.random.default_rng(0).uniform(1.0, 2.0, size=(1_000, 30))
    rows = observe_arrays(outcome, columns, columns[3] * columns[990])
    assert len(rows.names) == MOST_COLUMNS
    own = rows.narrowed(outcome.law)
    assert own.text() == "c3*c990"
    np.testing.assert_allclose(own.predict(rows.columns), columns[3] * columns[990])


def test_a_column_that_the_table_lacks_is_named():
    outcome = plain_outcome("2*x", "x*z")
    rows = observe_file(outcome, FileColumns("t.csv", {"x": ROWS[0], "y": 2.0 * ROWS[0]}), "hash")
    assert rows.lacking == ("z", "w")
    assert rows.names == ("x", "z")
    assert np.isnan(rows.columns[1]).all()


def test_rows_after_gaps_keep_their_lines():
    x = np.array([1.0, np.nan, 3.0, 4.0])
    read = GAP_RULES["drop"](FileColumns("t.csv", {"x": x, "y": 2.0 * x}, (2, 3, 5, 6)))
    rows = observe_file(plain_outcome("2*x", names=("x",)), read, "hash")
    assert rows.places.tolist() == [2, 5, 6]
    assert rows.place_word == "line"
    assert rows.notes == read.notes


def test_rows_of_arrays_have_a_digest_of_their_numbers():
    outcome, rows = noisy_pair()
    assert rows.digest == observe_arrays(outcome, ROWS, noisy_target()).digest
    assert rows.digest != observe_arrays(outcome, ROWS, noisy_target(deviation=0.2)).digest


def test_facts_of_a_constant_column_of_large_numbers_are_finite():
    outcome = plain_outcome("2*x", names=("x",))
    (fact, _) = observe_arrays(outcome, np.full((1, 5), 1.7e308), np.arange(5.0)).facts
    assert (fact.num_distinct, fact.median, fact.mean) == (1, 1.7e308, 1.7e308)


def test_a_model_without_rows_asks_for_them():
    outcome, rows = noisy_pair()
    assert rows_to_show(outcome, rows, None, None, None) is rows
    with pytest.raises(InvalidSettings, match="X and y"):
        rows_to_show(outcome, None, None, None, None)
    with pytest.raises(InvalidSettings, match="X and y"):
        rows_to_show(outcome, rows, ROWS, None, None)
    with pytest.raises(InvalidTable, match="50 rows and y has 3"):
        rows_to_show(outcome, rows, ROWS, [1.0, 2.0, 3.0], None)


def test_a_law_without_columns_has_no_outliers_to_find():
    outcome = plain_outcome("4.5", scatter=Scatter(0.1, num_outliers=1))
    rows = observe_arrays(outcome, ROWS, np.where(np.arange(50) == 3, 90.0, 4.5))
    assert np.flatnonzero(rows.outliers).tolist() == [3]
