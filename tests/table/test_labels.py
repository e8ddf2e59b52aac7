"""Labels of groups and columns of 0 and 1."""

import numpy as np
import pandas as pd
import pytest

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table.indicators import labels_of, read_indicators, with_indicators
from mosaic_sr.table.labels import checked_labels, found_groups, plain_label


def test_one_label_has_many_spellings():
    labels = checked_labels([1, 1.0, "1", " 1 ", np.int64(2), "2.0"], 6, "groups")
    assert [str(name) for name in labels.names] == ["1", "2.0"]
    assert labels.codes.tolist() == [0, 0, 0, 0, 1, 1]


def test_labels_stand_in_the_order_of_numbers_then_of_letters():
    assert checked_labels(["b", "10", "9", "a"] * 2, 8, "groups").names == ("9", "10", "a", "b")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "b", "a"], "X has 4 rows and groups has 3; both need one entry per row"),
        (["a", None, "a", "b"], "groups has 1 row without a label, the first is row 1; leave these rows out"),
        (["a", float("nan"), "", "b"], "groups has 2 rows without a label"),
        ([0.1, 0.2, 0.3, 0.4], "4 different labels in 4 rows; a group needs two rows or more .* leave it in X"),
    ],
)
def test_labels_that_cannot_be_groups_are_refused(labels, message):
    with pytest.raises(InvalidTable, match=message):
        checked_labels(labels, 4, "groups")


def test_a_group_that_is_not_known_has_no_place():
    assert found_groups(["b", "z", 1.0, None], ("a", "b", 1)).tolist() == [1, -1, 2, -1]


def test_missing_labels_are_none():
    assert [plain_label(cell) for cell in (None, "", "NA", np.nan, pd.NA)] == [None] * 5


def test_two_labels_become_one_column_and_three_become_three():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "sex": ["m", "f", "m"], "site": ["a", "b", "c"]})
    read = with_indicators(frame, read_indicators(frame, ["sex", "site"]))
    assert list(read.columns) == ["x", "sex_m", "site_a", "site_b", "site_c"]
    assert read["sex_m"].tolist() == [1.0, 0.0, 1.0]
    assert read["site_b"].tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a", "a"], "1 different labels; an indicator needs two"),
        ([str(cell) for cell in range(11)], "11 different labels; indicators have at most 10; try groups instead"),
        (["a", None], "1 row without a label"),
    ],
)
def test_columns_that_cannot_be_indicators_are_refused(cells, message):
    with pytest.raises(InvalidTable, match=message):
        labels_of(cells, "site")


def test_a_label_that_was_not_fitted_has_no_indicator():
    with pytest.raises(InvalidTable, match="'z', which is none of its labels a, b"):
        with_indicators(pd.DataFrame({"site": ["a", "z"]}), {"site": ("a", "b")})
