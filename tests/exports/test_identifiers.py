"""Names of columns as names of variables: valid, distinct, and never one of the language's own words."""

import ast
import builtins
import keyword

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_sr.exports import PROGRAMS
from mosaic_sr.exports.identifiers import identifiers
from mosaic_sr.exports.python import python_names

AWKWARD = [
    "__debug__", "None", "True", "if", "match", "type", "_", "np", "special", "ｉｆ", "x y", "x_y", "x-y", "x_y_2",
    "1st", "a\u200bb", "\u3164", "\ud800", "größe", "π", "x²", "__class__", "", " ",
]  # fmt: skip


def compiled(names, taken=()):
    found = python_names(names, taken)
    source = f"def f({', '.join(found)}):\n    return [{', '.join(found)}]"
    space = {}
    exec(compile(ast.parse(source), "law", "exec"), space)
    return found, space["f"]


def test_awkward_names_become_arguments():
    found, function = compiled(AWKWARD, taken=["x_y_3"])
    assert function(*range(len(AWKWARD))) == list(range(len(AWKWARD)))
    assert not {"np", "special", "__debug__", "x_y_3"} & set(found)


def test_python_names_are_distinct_identifiers():
    names = python_names(["x", "lambda", "my col", "my_col", "2x", "", "np", "x²", "x2"])
    assert names == ["x", "lambda_", "my_col", "my_col_2", "x_2x", "x_", "np_", "x2", "x2_2"]


@pytest.mark.parametrize("name", [*keyword.kwlist, *keyword.softkwlist, *dir(builtins)])
def test_words_of_python_can_be_columns(name):
    compiled([name, name, f"{name}_"])


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(st.one_of(st.text(max_size=6), st.sampled_from(AWKWARD)), max_size=8))
def test_any_names_become_distinct_arguments(names):
    found, function = compiled(names)
    assert len(set(found)) == len(names)
    assert function(*range(len(names))) == list(range(len(names)))


def test_many_columns_that_are_alike_take_linear_time():
    names = [" " * count for count in range(1, 400)] * 500  # 200,000 names, cleaned to four hundred
    assert len(set(python_names(names))) == len(names)


@pytest.mark.parametrize(
    ("language", "name", "expected"),
    [
        ("c", "θ", "theta"),
        ("c", "Ω_max", "Omega_max"),
        ("c", "größe", "grosse"),
        ("c", "été", "ete"),
        ("c", "温度", "u6e29u5ea6"),
        ("c", "température (°C)", "temperature_C"),
        ("python", "température (°C)", "température_C"),
        ("python", "a - b", "a_b"),
        ("c", "double", "double_"),
        ("c", "__LINE__", "x___LINE__"),
        ("c", "unix", "unix_"),
        ("c", "gamma", "gamma"),
        ("c", "x" * 200, "x" * 56),
        ("matlab", "_a", "x__a"),
        ("matlab", "end", "end_"),
        ("matlab", "µ", "mu"),
        ("javascript", "function", "function_"),
        ("javascript", "温度", "温度"),
        ("julia", "end", "end_"),
        ("julia", "a·b", "a_b"),
        ("julia", "length", "length"),
        ("excel", "x1", "x1_"),
        ("excel", "XFD1048576", "XFD1048576_"),
        ("excel", "R1C1", "R1C1_"),
        ("excel", "r", "r_"),
        ("excel", "C", "C_"),
        ("excel", "c2", "c2_"),
        ("excel", "True", "True_"),
        ("excel", "rate", "rate"),
        ("excel", "x_1", "x_1"),
        ("excel", "größe 2", "größe_2"),
        ("excel", "température", "température"),
    ],
)
def test_names_are_kept_as_far_as_the_language_takes_them(language, name, expected):
    assert identifiers([name], PROGRAMS[language].words) == [expected]


@pytest.mark.parametrize("language", PROGRAMS)
def test_names_that_become_the_same_are_told_apart(language):
    found = identifiers(["a b", "a_b", "a-b", "ａ b", "a_b_2"], PROGRAMS[language].words)
    assert len(set(found)) == 5


def test_excel_takes_capitals_for_small_letters():
    assert identifiers(["t", "T", "Sqrt"], PROGRAMS["excel"].words, ["SQRT"]) == ["t", "T_2", "Sqrt_2"]


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.lists(st.text(max_size=8), max_size=8), st.sampled_from(sorted(PROGRAMS)))
def test_any_names_become_distinct_in_every_language(names, language):
    words = PROGRAMS[language].words
    found = identifiers(names, words)
    assert len({words.folded(word) for word in found}) == len(names)
    assert all(word.isidentifier() and not words.is_taken(word) for word in found)
    assert not words.is_ascii or all(word.isascii() for word in found)
