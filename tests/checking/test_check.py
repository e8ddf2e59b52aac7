"""What a look at a table finds, one trait of a table at a time."""

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import InvalidTable, check
from mosaic_sr.checking import Importance

RNG = np.random.default_rng(0)
A, B, C = RNG.uniform(1.0, 5.0, 60), RNG.uniform(2.0, 9.0, 60), RNG.uniform(0.3, 40.0, 60)
TARGET = 3.0 * A * np.sqrt(B)
NOISY = TARGET + 0.2 * RNG.normal(size=60)


def found(X, y=TARGET, topic=None, **options):
    """The findings of one topic, or all."""
    checked = check(pd.DataFrame(X) if isinstance(X, dict) else X, y, **options)
    return [finding for finding in checked.findings if topic is None or finding.topic == topic]


def only(X, y=TARGET, topic=None):
    (finding,) = found(X, y, topic)
    return finding


def test_a_clean_table_has_only_notes():
    checked = check(pd.DataFrame({"a": A, "b": B, "c": C}), TARGET)
    assert checked.problems == ()
    assert checked.warnings == ()
    assert any("no noise beyond" in finding.text for finding in checked.findings)
    assert (checked.num_rows, checked.num_complete, checked.target) == (60, 60, "y")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.round(A, 2), "steps of 0.01"),
        (A.astype(np.float32).astype(float), "float32"),
        (np.arange(60.0), "whole numbers"),
        (A, "all digits"),
        (np.array([float(f"{value:.3g}") for value in C]), "3 digits"),
    ],
)
def test_the_precision_of_a_column_is_stated(values, words):
    assert check(pd.DataFrame({"a": values, "b": B}), TARGET).table.loc["a", "precision"] == words


DERIVED = {
    "a multiple of 'a'^2 in every row": lambda: {"a": A, "d": 2.5 * A**2},
    "1.8*'a' + 32 in every row": lambda: {"a": A, "d": 1.8 * A + 32.0},
    "is log('a') in every row": lambda: {"a": A, "d": np.log(A)},
    "a multiple of exp(0.3*'a')": lambda: {"a": A, "d": 5.0 * np.exp(0.3 * A)},
    "is 'a' + 'b' in every row": lambda: {"a": A, "b": B, "d": A + B},
    "is 'a' times 'b' in every row": lambda: {"a": A, "b": B, "d": A * B},
    "is 'b' times 'd' in every row": lambda: {"a": A, "b": B, "d": A / B},
    "a multiple of 'a' times 'b'^0.5": lambda: {"a": A, "b": B, "d": 7.0 * A * np.sqrt(B)},
    "add up to 1 in every row": lambda: dict(zip("abc", RNG.dirichlet([1, 2, 3], 60).T, strict=True)),
    "add up to 100 in": lambda: dict(zip("abcde", 100.0 * RNG.dirichlet([1, 2, 3, 1, 2], 60).T, strict=True)),
}


@pytest.mark.parametrize("words", DERIVED)
def test_derived_columns_are_named_as_alternatives(words):
    finding = only(DERIVED[words](), C, "derived")
    assert words in finding.text
    assert finding.importance is Importance.WARNING
    assert "leave one" in finding.remedy


def test_relations_survive_rounding():
    assert "1.8*" in only({"a": np.round(A, 4), "d": np.round(1.8 * A + 32.0, 4)}, C, "derived").text


def test_columns_that_go_together_are_named():
    finding = only({"a": A, "d": A + 0.05 * RNG.normal(size=60)}, C, "collinear")
    assert finding.columns == ("a", "d")


def test_unrelated_columns_are_not_called_derived():
    assert not found({"a": A, "b": B, "c": C}, TARGET, "derived")
    assert not found(RNG.normal(size=(40, 30)), RNG.normal(size=40), "derived")


def test_columns_that_say_nothing_are_named_as_the_search_names_them():
    texts = [finding.text for finding in found({"a": A, "b": A, "c": np.ones(60), "d": TARGET}, TARGET, "constant")]
    assert [text.split(";")[0] for text in texts] == [
        "column 'b' is ignored: it equals column 'a' in every row",
        "column 'c' is ignored: it is 1 in every row",
        "column 'd' equals the target in every row",
    ]


def test_columns_that_hardly_vary_are_named():
    mostly = np.where(np.arange(60) < 2, A, 7.0)
    still = 300.0 + 0.01 * RNG.normal(size=60)
    names = [finding.columns for finding in found({"a": A, "m": mostly, "s": still}, NOISY, "almost-constant")]
    assert names == [("m",), ("s",)]


def test_a_narrow_range_matters_only_where_the_target_is_noisy():
    narrow = 4.0 + 0.1 * A
    assert only({"n": narrow, "c": C}, narrow**2 + 0.2 * RNG.normal(size=60), "narrow").columns == ("n",)
    assert not found({"n": narrow, "c": C}, narrow**2, "narrow")


def test_a_column_that_counts_the_rows_is_named_also_beside_gaps():
    gaps = np.where(np.arange(60) == 5, np.nan, A)
    assert only({"id": np.arange(1.0, 61.0), "a": gaps}, TARGET, "index").columns == ("id",)


def test_repeated_rows_and_repeated_measurements_are_told_apart():
    X = np.repeat(np.linspace(1.0, 5.0, 20), 3)[:, None]
    y = X[:, 0] ** 2 + 0.3 * np.random.default_rng(1).normal(size=60)
    finding = only(X, y, "replicates")
    assert "60 rows share their columns with others but not the target, in 20 groups" in finding.text
    deviation = float(finding.text.split("standard deviation ")[1].split()[0])
    assert deviation == pytest.approx(0.3, rel=0.4)
    assert not found(X, y, "duplicates")
    twice = only(np.tile(A[:10], 2)[:, None], np.tile(TARGET[:10], 2), "duplicates")
    assert twice.text == "10 of 20 rows repeat earlier rows"


def test_missing_cells_are_counted_by_column():
    X = np.column_stack([A, B])
    X[[3, 4], 0] = np.nan
    X[[4], 1] = np.nan
    checked = check(X, TARGET)
    assert checked.num_complete == 58
    assert "2 of 60 rows have empty cells and are left out: 'x0' (2), 'x1' (1)" in checked.warnings[0]
    assert "column 'x1' is empty" in found(np.column_stack([A, np.full(60, np.nan)]), TARGET, "missing")[0].text


@pytest.mark.parametrize("sentinel", [-999.0, 9999.0, 1e20])
def test_numbers_that_stand_for_a_missing_value_are_found(sentinel):
    values = A.copy()
    values[[7, 30]] = sentinel
    finding = only({"a": values, "b": B}, TARGET, "sentinel")
    assert finding.rows == (7, 30)
    assert finding.columns == ("a",)


def test_ordinary_numbers_are_no_sentinels():
    assert not found({"a": np.linspace(0.0, 999.0, 60), "b": B}, TARGET, "sentinel")


def test_a_target_that_stands_out_is_found_and_edges_do_not():
    y, inside = NOISY.copy(), np.flatnonzero((abs(A - 3.0) < 1.0) & (abs(B - 5.5) < 1.5))
    y[inside[[0, -1]]] += 12.0
    assert set(only({"a": A, "b": B}, y, "outliers").rows) == set(inside[[0, -1]].tolist())
    assert not found({"a": A, "b": B}, NOISY, "outliers")
    assert not found({"a": A, "b": B}, TARGET, "outliers")
    assert not found({"c": C}, 1.0 / C**2, "outliers")


def test_counts_proportions_and_rounded_targets_are_named():
    rng = np.random.default_rng(0)
    assert "looks like counts" in only({"a": A}, rng.poisson(6.0 * A), "target").text
    assert not found({"a": A}, rng.poisson(6.0 * A), "target", has_sigma=True)
    assert "looks like proportions" in only({"a": A}, 1.0 / (1.0 + np.exp(-4.0 * (A - 3.0))), "target").text
    assert "different values in 60 rows" in only({"a": A}, np.round(0.4 * A), "precision").text
    assert "rounded to steps of 0.1" in only({"a": A}, np.round(np.log(A) + 0.001 * C, 1) + 0.0, "precision").text


def test_a_column_that_explains_nothing_is_noted():
    X = np.random.default_rng(4).uniform(1.0, 3.0, (400, 3))
    assert only(X, X[:, 0] * X[:, 2], "dependence").columns == ("x1",)


def test_a_target_that_no_column_explains_is_told():
    rng = np.random.default_rng(3)
    assert "no smooth function" in only(rng.normal(size=(80, 2)), rng.normal(size=80), "dependence").text


def test_rows_of_a_path_are_named_and_sorted_rows_of_one_column_are_not():
    t = np.linspace(0.0, 6.0, 100)
    assert "follow one path" in only(np.column_stack([np.sin(t), np.cos(t)]), np.sin(t), "path").text
    assert not found(t[:, None], np.sin(t), "path")
    assert not found({"a": A, "b": B}, TARGET, "path")


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1.0], [2.0]], [1.0, 3.0], "there are 2 distinct rows"),
        ([[1.0]], [1.0], "there is 1 row"),
        (np.ones((10, 2)), np.ones(10), "all rows are the same"),
        (np.column_stack([A, B]), np.ones(60), "there is no law to find"),
        (np.ones((60, 2)), TARGET, "every column of X is constant"),
        (pd.DataFrame({"a": ["red"] * 60}), TARGET, "no row holds a number in every column"),
        (np.where(A > 4.9, np.inf, A)[:, None], TARGET, "infinite numbers"),
    ],
)
def test_what_a_search_would_refuse_is_a_problem(X, y, words):
    assert any(words in problem for problem in check(X, y).problems)


def test_text_is_a_problem_and_the_rest_is_still_looked_at():
    X = pd.DataFrame({"a": A, "colour": ["red"] * 60, "day": pd.date_range("2020-01-01", periods=60), "d": 2.0 * A})
    checked = check(X, TARGET)
    assert "column 'colour' has 60 cells of text, first 'red' in row 0" in checked.problems[0]
    assert "a date or a time" in checked.problems[1]
    assert "--ignore" not in str(checked)
    assert any("is 2*'a' in every row" in warning for warning in checked.warnings)
    assert any("the target 'y' has 60 cells of text" in text for text in check(X[["a"]], ["u"] * 60).problems)


def test_a_table_without_a_target_is_checked_by_its_columns():
    checked = check(pd.DataFrame({"a": A, "d": A**2}))
    assert checked.target is None
    assert any("'a'^2" in warning for warning in checked.warnings)


def test_units_in_names_are_noted():
    names = ["length [m]", "mass (kg)", "time / s", "ratio"]
    noted = only(pd.DataFrame(np.column_stack([A, B, C, A * C]), columns=names), TARGET, "units")
    assert noted.columns == tuple(names[:3])


@pytest.mark.parametrize("factor", [1e-250, 1e250])
def test_numbers_of_any_size_are_looked_at(factor):
    checked = check(np.column_stack([A, B]) * factor, TARGET * factor)
    assert checked.problems == checked.warnings == ()


def test_two_thousand_columns_are_looked_at():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2000))
    X[:, -1] = 2.0 * X[:, 0] + 1.0
    checked = check(X, X[:, 1] ** 2 + 0.1 * rng.normal(size=500))
    assert any("'x1999' is 2*'x0' + 1" in warning for warning in checked.warnings)
    assert "and 1,981 more columns" in str(checked)
    assert max(map(len, checked.lines())) < 400


def test_a_million_rows_are_looked_at():
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 2.0, (1_000_000, 2))
    checked = check(X, X[:, 0] * X[:, 1])
    assert checked.num_complete == 1_000_000
    assert checked.warnings == ()


def test_findings_are_ordered_by_importance_and_plain_for_programs():
    X = pd.DataFrame({"a": A, "t": ["u"] * 60, "d": 2.0 * A})
    checked = check(X, TARGET)
    importances = [finding.importance for finding in checked.findings]
    assert importances == sorted(importances)
    plain = checked.described()
    assert plain["columns"][1] == {
        "name": "t", "smallest": None, "largest": None, "distinct": 0, "missing": 60, "precision": "no numbers",
    }  # fmt: skip
    assert plain["findings"][0]["importance"] == "problem"


def test_misuse_is_refused():
    with pytest.raises(InvalidTable, match="rows"):
        check(np.ones((5, 2)), np.ones(4))
    with pytest.raises(InvalidTable, match="reshape"):
        check(A, TARGET)
    with pytest.raises(InvalidTable, match="empty"):
        check(np.empty((0, 2)), np.empty(0))
    with pytest.raises(InvalidTable, match="named"):
        check(pd.DataFrame(np.ones((3, 2)), columns=["a", "a"]), np.ones(3))
