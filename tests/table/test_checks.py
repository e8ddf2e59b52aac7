"""Every bad table is refused by name with a remedy, and every honest one is accepted."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from mosaic_sr.errors import InvalidTable, MosaicWarning
from mosaic_sr.table import Table

GOOD = np.array([[1.0, 2.0], [2.0, 5.0], [3.0, 1.0], [4.0, 8.0]])
TARGET = np.array([3.0, 7.0, 4.0, 12.0])


def make(X=GOOD, y=TARGET, **settings):
    return Table.from_arrays(X, y, rng=np.random.default_rng(0), **settings)


def with_cell(value):
    X = GOOD.astype(object)
    X[1, 1] = value
    return X


NAN, INF = with_cell(np.nan).astype(float), with_cell(-np.inf).astype(float)
FRAME = pd.DataFrame(GOOD, columns=["a", "b"])

BAD_FEATURES = {
    "no rows": (np.empty((0, 2)), "empty|0 rows"),
    "empty list": ([], "empty"),
    "no columns": (np.empty((4, 0)), "no columns"),
    "one dimension": (np.arange(4.0), r"reshape\(-1, 1\)"),
    "three dimensions": (np.ones((4, 2, 2)), r"shape \(4, 2, 2\)"),
    "nothing": (None, "NoneType"),
    "a mapping": ({"a": [1, 2, 3, 4]}, "dict"),
    "ragged": ([[1, 2], [1, 2, 3], [1, 2], [3, 4]], "different lengths"),
    "NaN": (NAN, r"'x1' of X has 1 row with NaN or inf; drop or impute them first, e.g. with `frame.dropna\(\)`"),
    "infinity": (INF, r"'x1' of X has 1 row with NaN or inf"),
    "NaN in a frame": (pd.DataFrame(NAN, columns=["a", "b"]), "column 'b' of X has 1 row with NaN"),
    "None in an object array": (with_cell(None), "'x1' of X has 1 row with NaN"),
    "pandas NA": (FRAME.convert_dtypes().mask(FRAME > 6), "column 'b' of X has 1 row with NaN"),
    "polars null": (pl.DataFrame({"a": [1, 2, 3, 4], "b": [1.5, None, None, 2.0]}), "'b' of X has 2 rows with NaN"),
    "masked cells": (np.ma.masked_greater(GOOD, 6), "'x1' of X has 1 row with NaN"),
    "text in an object array": (with_cell("blue"), "'x1' of X has 'blue' in row 1"),
    "numbers as text": (GOOD.astype(str), "contains text .* convert it to numbers"),
    "text in a list": ([[1, 2], [3, "blue"], [4, 5], [7, 6]], "'x1' of X has 'blue' in row 1"),
    "text column in pandas": (FRAME.assign(c=list("wxyz")), "column 'c' of X has 'w' in row 0"),
    "text column in polars": (
        pl.DataFrame({"a": [1, 2, 3, 4], "c": list("wxyz")}),
        "column 'c' of X has 'w' in row 0",
    ),
    "dates": (FRAME.assign(c=pd.date_range("2020", periods=4)), "'c' of X contains dates"),
    "complex": (GOOD + 1j, "Complex data not supported"),
    "complex object": (with_cell(1j), "Complex data not supported"),
    "a list in a cell": (with_cell([1, 2]), r"has \[1, 2\] in row 1"),
    "sparse matrix": (scipy.sparse.csr_matrix(GOOD), r"sparse csr_matrix.*toarray\(\)"),
    "sparse array": (scipy.sparse.coo_array(GOOD), r"toarray\(\)"),
    "duplicate names": (pd.DataFrame(GOOD, columns=["a", "a"]), "2 columns named 'a'"),
    "names equal as text": (pd.DataFrame(GOOD, columns=[1, "1"]), "2 columns named '1'"),
    "empty name": (pd.DataFrame(GOOD, columns=["a", " "]), "rename"),
    "backtick in name": (pd.DataFrame(GOOD, columns=["a", "b`"]), "rename"),
    "constant columns only": (np.ones((4, 2)), "every column of X is constant"),
    "huge integer": (with_cell(10**400), "'x1' of X has 1 row with NaN or inf"),
    "signalling NaN": (with_cell(Decimal("sNaN")), "'x1' of X has 1 row with NaN"),
    "wrong number of rows": (GOOD[:3], "X has 3 rows and y has 4"),
}

BAD_TARGETS = {
    "constant": (np.full(4, 2.5), "'y' is 2.5 in every row"),
    "NaN": ([1.0, np.nan, np.nan, 2.0], "y has 2 rows with NaN or inf"),
    "text": (["a", "b", "c", "d"], "y has 'a' in row 0"),
    "several": (np.ones((4, 2)), "one target at a time"),
    "scalar": (3.0, "y must have one number per row"),
    "nothing": (None, "NoneType"),
    "wrong length": ([1.0, 2.0], "X has 4 rows and y has 2"),
    "sparse": (scipy.sparse.csr_matrix(TARGET[:, None]), "sparse"),
    "complex": (TARGET * 1j, "Complex data not supported"),
}

BAD_WEIGHTS = {
    "negative": ([1, -1, -2, 1], "2 rows below 0"),
    "NaN": ([1, np.nan, 1, 1], "weights has 1 row with NaN"),
    "all zero": (np.zeros(4), "weights are all zero"),
    "one left": ([0, 0, 1, 0], "one row"),
    "wrong length": (np.ones(3), "weights has 3"),
    "two columns": (np.ones((4, 2)), "one number per row"),
}

BAD_VALIDATIONS = {
    "not a pair": (GOOD, r"\(X, y\) or \(X, y, weights\)"),
    "one part": ((GOOD,), r"\(X, y\)"),
    "other columns": ((GOOD[:, :1], TARGET), "1 columns, but X has 2"),
    "NaN": ((NAN, TARGET), "validation X has 1 row with NaN"),
    "constant target": ((GOOD, np.ones(4)), "validation y is 1 in every row"),
    "other names": ((pd.DataFrame(GOOD, columns=["p", "q"]), TARGET), "the same order"),
    "negative weights": ((GOOD, TARGET, -np.ones(4)), "validation weights has 4 rows below 0"),
}


@pytest.mark.filterwarnings("ignore::mosaic_sr.errors.MosaicWarning")
@pytest.mark.parametrize("case", BAD_FEATURES)
def test_bad_features_are_refused_by_name(case):
    X, message = BAD_FEATURES[case]
    with pytest.raises(InvalidTable, match=message):
        make(X)


@pytest.mark.parametrize("case", BAD_TARGETS)
def test_bad_targets_are_refused_by_name(case):
    y, message = BAD_TARGETS[case]
    with pytest.raises(InvalidTable, match=message):
        make(y=y)


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_bad_weights_are_refused_by_name(case):
    weights, message = BAD_WEIGHTS[case]
    with pytest.raises(InvalidTable, match=message):
        make(weights=weights)


@pytest.mark.parametrize("case", BAD_VALIDATIONS)
def test_bad_validation_rows_are_refused_by_name(case):
    validation, message = BAD_VALIDATIONS[case]
    with pytest.raises(InvalidTable, match=message):
        make(validation=validation)


def test_one_row_is_refused():
    with pytest.raises(InvalidTable, match="one row"):
        make([[1.0, 2.0]], [3.0])


def test_many_bad_columns_are_named_and_counted():
    X = np.full((4, 6), np.nan)
    with pytest.raises(InvalidTable, match=r"'x0'.*'x1'.*'x2'.*and 3 more columns"):
        make(X)


def test_the_target_among_the_features_is_refused():
    frame = FRAME.assign(y=TARGET)
    with pytest.raises(InvalidTable, match="'y' is also in the feature columns"):
        make(frame, frame["y"])
    with pytest.raises(InvalidTable, match="'b' is also in the feature columns"):
        make(FRAME, target_name="b")


def test_wrong_number_of_names_is_refused():
    with pytest.raises(InvalidTable, match="2 columns but 3 names"):
        make(names=["a", "b", "c"])


ACCEPTED = {
    "list": GOOD.tolist(),
    "tuple rows": tuple(map(tuple, GOOD)),
    "integers": GOOD.astype(int),
    "small integers": GOOD.astype(np.int8),
    "float32": GOOD.astype(np.float32),
    "half": GOOD.astype(np.float16),
    "long double": GOOD.astype(np.longdouble),
    "object": GOOD.astype(object),
    "fractions": np.array([[Fraction(v) for v in row] for row in GOOD.astype(int)]),
    "decimals": np.array([[Decimal(int(v)) for v in row] for row in GOOD]),
    "column major": np.asfortranarray(GOOD),
    "strided": np.repeat(GOOD, 2, axis=0)[::2],
    "read only": np.frombuffer(GOOD.tobytes()).reshape(GOOD.shape),
    "matrix": np.ma.masked_array(GOOD, mask=False),
    "pandas": FRAME,
    "pandas nullable": FRAME.convert_dtypes(),
    "pandas object": FRAME.astype(object),
    "pandas categories of numbers": FRAME.astype("category"),
    "polars": pl.DataFrame({"a": GOOD[:, 0], "b": GOOD[:, 1].astype(int)}),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_numbers_in_any_form_give_the_same_table(case):
    reference, table = make(), make(ACCEPTED[case])
    np.testing.assert_array_equal(table.columns, reference.columns)
    np.testing.assert_array_equal(table.target, reference.target)
    assert table.columns.dtype == np.float64
    assert table.columns.flags.c_contiguous


@pytest.mark.parametrize("y", [TARGET[:, None], pd.Series(TARGET), pl.Series(TARGET), TARGET.tolist()], ids=type)
def test_a_target_in_any_form_gives_the_same_table(y):
    np.testing.assert_array_equal(make(y=y).target, make().target)


def test_booleans_are_zero_and_one():
    table = make(np.array([[True, False], [False, False], [True, True], [False, True]]))
    assert set(table.columns.ravel()) == {0.0, 1.0}


def test_names_are_kept_as_text():
    assert make(pd.DataFrame(GOOD, columns=["my col %", "N"])).names == ("my col %", "N")
    assert make(pd.DataFrame(GOOD, columns=[2020, 2021])).names == ("2020", "2021")
    assert make(pd.DataFrame(GOOD)).names == ("x0", "x1")
    assert make(pl.DataFrame({"α": [1.0, 2, 3, 4], "pi_2": [4, 3, 7, 1]})).names == ("α", "pi_2")
    assert make(names=["p", "q"]).names == ("p", "q")


def test_the_target_is_named_after_its_series_or_the_first_free_name():
    assert make().target_name == "y"
    assert make(y=pd.Series(TARGET, name="force")).target_name == "force"
    assert make(y=pl.Series("force", TARGET)).target_name == "force"
    assert make(y=pd.DataFrame({"name": TARGET})).target_name == "name"
    assert make(target_name="energy").target_name == "energy"
    assert make(names=["x", "y"]).target_name == "target"


def test_constant_and_duplicated_columns_are_ignored_with_a_warning():
    X = np.column_stack([GOOD[:, 0], np.full(4, 7.0), GOOD[:, 1], GOOD[:, 0]])
    with pytest.warns(MosaicWarning) as caught:
        table = make(X, names=["a", "b", "c", "d"])
    assert table.names == ("a", "c")
    assert table.used == (0, 2)
    assert table.num_columns == 2
    assert [str(one.message) for one in caught] == [
        "column 'b' is ignored: it is 7 in every row",
        "column 'd' is ignored: it equals column 'a' in every row",
    ]
    assert table.notes[:2] == tuple(str(one.message) for one in caught)


def test_a_column_that_varies_only_in_rows_of_weight_zero_is_ignored():
    X = GOOD.copy()
    X[:3, 1] = 6.0
    with pytest.warns(MosaicWarning, match="'x1' is ignored: it is 6"):
        assert make(X, weights=[1, 1, 1, 0]).names == ("x0",)


def test_a_feature_equal_to_the_target_is_kept_with_a_warning():
    with pytest.warns(MosaicWarning, match="'x2' equals the target"):
        assert make(np.column_stack([GOOD, TARGET])).num_columns == 3


def test_fewer_rows_than_columns_are_noted():
    rng = np.random.default_rng(0)
    table = make(rng.normal(size=(5, 6)), rng.normal(size=5))
    assert any("5 rows for 6 columns" in note for note in table.notes)
