"""Names of columns as identifiers of Python: valid, distinct, and never one of Python's own."""

import ast
import builtins
import keyword

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_sr.expressions.python_source import python_names

AWKWARD = [
    "__debug__", "None", "True", "if", "match", "type", "_", "np", "special", "ｉｆ", "x y", "x_y", "x-y", "x_y_2",
    "1st", "a\u200bb", "\u3164", "\ud800", "größe", "π", "x²", "__class__", "", " ",
]  # fmt: skip


def compiled(names, taken=()):
    identifiers = python_names(names, taken)
    source = f"def f({', '.join(identifiers)}):\n    return [{', '.join(identifiers)}]"
    space = {}
    exec(compile(ast.parse(source), "law", "exec"), space)
    return identifiers, space["f"]


def test_awkward_names_become_arguments():
    identifiers, function = compiled(AWKWARD, taken=["x_y_3"])
    assert function(*range(len(AWKWARD))) == list(range(len(AWKWARD)))
    assert not {"np", "special", "__debug__", "x_y_3"} & set(identifiers)


@pytest.mark.parametrize("name", [*keyword.kwlist, *keyword.softkwlist, *dir(builtins)])
def test_words_of_python_can_be_columns(name):
    compiled([name, name, f"{name}_"])


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(st.one_of(st.text(max_size=6), st.sampled_from(AWKWARD)), max_size=8))
def test_any_names_become_distinct_arguments(names):
    identifiers, function = compiled(names)
    assert len(set(identifiers)) == len(names)
    assert function(*range(len(names))) == list(range(len(names)))


def test_many_columns_that_are_alike_take_linear_time():
    names = [" " * count for count in range(1, 400)] * 500  # 200,000 names, cleaned to four hundred
    identifiers = python_names(names)
    assert len(set(identifiers)) == len(names)
