"""The sampled range of each column, and rows outside it."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import InvalidFile, InvalidSettings, MosaicRegressor, MosaicWarning, Table, parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.law_file import read_law, write_law
from mosaic_sr.outcome import Outcome
from mosaic_sr.sampled import is_outside, outside_words

NAMES = ("x", "z", "w")
RANGES = {0: (1.0, 3.0), 1: (-2.0, 2.0)}


def outcome(**fields):
    law = Equation(parse("2*x", NAMES), NAMES, Errors(0.0, 0.0), Errors(0.0, 0.0), "grammar")
    return Outcome(law, (law,), NAMES, "y", True, 1, 0.1, **fields)


def test_only_columns_that_the_law_reads_count():
    columns = np.array([[1.0, 3.0, 3.1, 0.9, 2.0], [0.0, 0.0, 0.0, 0.0, 9.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    assert is_outside(RANGES, columns, (0,)).tolist() == [False, False, True, True, False]
    assert is_outside(RANGES, columns, (0, 1)).tolist() == [False, False, True, True, True]
    assert not is_outside({}, columns, (0, 1)).any()


def test_a_number_that_lost_its_last_digits_is_not_outside():
    columns = np.array([[1.0 - 1e-12, 3.0 + 1e-12, 3.0 + 1e-6]])
    assert is_outside(RANGES, columns, (0,)).tolist() == [False, False, True]


def test_empty_cells_are_not_outside():
    assert not is_outside(RANGES, np.array([[np.nan, 2.0]]), (0,)).any()


def test_a_note_counts_rows_by_column_and_side():
    columns = np.array([[0.5, 5.0, 6.0, 2.0], [0.0, 0.0, 0.0, 3.0]])
    words = outside_words(RANGES, columns, (0, 1), NAMES)
    assert words.startswith("4 of 4 rows are outside")
    assert "x (1 below 1, 2 above 3); z (1 above 2)" in words
    assert outside_words(RANGES, columns[:, 3:], (0,), NAMES) == ""


def test_a_table_knows_the_range_of_all_its_rows():
    X = np.column_stack([np.linspace(1e-200, 5e-200, 50), np.ones(50), np.linspace(-3.0, 4.0, 50)])
    with pytest.warns(MosaicWarning, match="is ignored"):
        table = Table.from_arrays(X, X[:, 2] ** 2, rng=np.random.default_rng(0))
    assert table.sampled == {0: (1e-200, 5e-200), 2: (-3.0, 4.0)}


def test_law_files_keep_the_ranges_of_columns_that_are_read(tmp_path):
    path = tmp_path / "law.json"
    write_law(path, outcome(sampled=RANGES), {})
    assert json.loads(path.read_text())["sampled_ranges"] == {"x": [1.0, 3.0]}
    assert read_law(path)[0].sampled == {0: (1.0, 3.0)}


def test_law_files_without_ranges_are_still_read(tmp_path):
    path = tmp_path / "law.json"
    write_law(path, outcome(), {})
    content = json.loads(path.read_text())
    del content["sampled_ranges"]
    path.write_text(json.dumps(content))
    model = MosaicRegressor.load(path)
    with pytest.raises(InvalidSettings, match="no sampled ranges"):
        model.is_outside(pd.DataFrame(np.ones((2, 3)), columns=NAMES))


@pytest.mark.parametrize(
    "ranges", [[], {"x": [1]}, {"x": [3, 1]}, {"none": [1, 2]}, {"x": ["1", "2"]}, {"x": [1, float("inf")]}, {"x": 2}]
)
def test_damaged_ranges_are_refused(tmp_path, ranges):
    path = tmp_path / "law.json"
    write_law(path, outcome(sampled=RANGES), {})
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "sampled_ranges": ranges}))
    with pytest.raises(InvalidFile):
        read_law(path)


def test_a_model_marks_rows_outside_also_after_loading(tmp_path):
    X = np.column_stack([np.linspace(1.0, 3.0, 40), np.linspace(5.0, 0.0, 40) ** 2])
    model = MosaicRegressor(random_state=0, max_evaluations=200).fit(X, 2.5 * X[:, 0])
    new = np.array([[2.0, 900.0], [3.5, 1.0], [1.0, 1.0]])
    assert model.is_outside(new).tolist() == [False, True, False]
    model.save(tmp_path / "law.json")
    assert MosaicRegressor.load(tmp_path / "law.json").is_outside(new).tolist() == [False, True, False]


def test_a_law_without_columns_has_no_outside():
    law = replace(outcome().law, expression=parse("2.5", NAMES))
    assert not is_outside({}, np.ones((3, 2)), law.expression.columns).any()
