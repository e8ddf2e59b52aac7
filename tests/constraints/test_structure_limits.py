"""Limits on the form of a law: columns that must occur, nesting, sizes of operands, depth, and costs of nodes."""

import pytest

from mosaic_sr import InvalidSettings
from mosaic_sr.constraints.structure import Costs, StructureLimits, depth, nestedness
from mosaic_sr.expressions.parser import parse
from mosaic_sr.settings import SearchOptions

NAMES = ("x", "z")


def limits(**settings):
    return SearchOptions(**settings).config().selection.limits


def allows(law, **settings):
    return limits(**settings).allow(parse(law, NAMES))


@pytest.mark.parametrize(
    ("law", "most", "is_allowed"),
    [
        # PySR: cos may be nested up to 2 times within a cos.
        ("cos(cos(cos(x)))", 2, True),
        ("cos(cos(cos(cos(x))))", 2, False),
        ("cos(x) + cos(z)", 0, True),
        ("cos(cos(x) + z)", 0, False),
        ("cos(x)*cos(cos(z))", 0, False),
        ("cos(sin(cos(x)))", 0, False),
    ],
)
def test_nesting_has_the_meaning_that_it_has_in_pysr(law, most, is_allowed):
    assert allows(law, nested_constraints={"cos": {"cos": most}}) is is_allowed


def test_nesting_counts_the_longest_chain_and_not_all_operators():
    assert nestedness(parse("sin(exp(x) + exp(z) + exp(exp(x)))", NAMES), ("sin",), ("exp",)) == 2
    assert allows("sin(exp(x) + exp(z))", nested_constraints={"sin": {"exp": 1}})


def test_a_symbol_stands_for_all_words_of_its_operator():
    assert not allows("1/(1 + 1/x)", nested_constraints={"/": {"/": 0}})
    assert not allows("(x^2 + z)^3", nested_constraints={"^": {"^": 0}})


@pytest.mark.parametrize(
    ("law", "sizes", "is_allowed"),
    [
        ("x^z", {"pow": (-1, 1)}, True),
        ("x^(z + 1)", {"pow": (-1, 1)}, False),
        ("(x + 1)^2", {"^": (1, 1)}, False),
        ("sin(x + z)", {"sin": 3}, True),
        ("sin(x + 2*z)", {"sin": 3}, False),
        ("x/(1 + z)", {"/": [1, -1]}, True),
        ("(1 + z)/x", {"/": [1, -1]}, False),
    ],
)
def test_a_dictionary_limits_the_sizes_of_operands_as_in_pysr(law, sizes, is_allowed):
    assert allows(law, constraints=sizes) is is_allowed
    assert allows(law, constraints=["y > 0", sizes]) is is_allowed


def test_depth_counts_nodes_down_to_a_leaf():
    assert [depth(parse(law, NAMES)) for law in ("x", "sin(x)", "x + sin(z)", "exp(-x)*z")] == [1, 2, 3, 4]
    assert allows("x + sin(z)", maxdepth=3)
    assert not allows("exp(sin(x) + z)", maxdepth=3)


def test_columns_that_must_occur_are_asked_for_once_they_have_a_place():
    needed = StructureLimits(must_use=("z",), needed=(1,))
    assert needed.allow(parse("x + z", NAMES), Costs())
    assert not needed.allow(parse("x", NAMES), Costs())
    # A hole may become the column.
    assert needed.may_allow(parse("x + ?", NAMES))


def test_costs_are_the_complexity_and_bits():
    own = limits(complexity_of_operators={"sin": 3, "/": 2.5}, complexity_of_constants=2, maxsize=9)
    assert own.costs.of(parse("sin(x) + 2", NAMES)) == 1 + 3 + 1 + 2
    assert own.costs.extra_bits(parse("sin(x)", NAMES)) == 8.0
    assert own.allow(parse("sin(x) + 2", NAMES))
    assert not own.allow(parse("sin(x) + sin(z) + 2", NAMES))


def test_without_wishes_everything_is_open():
    assert limits().are_open
    assert limits().costs.are_plain


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"constraints": "y > 0"}, "must be a list"),
        ({"constraints": 3}, "must be a list of texts"),
        ({"constraints": [3]}, "must be a text"),
        ({"constraints": ["y > 0", "y < 0"]}, "no law can keep both"),
        ({"constraints": {"sin": (1, 2)}}, "1 size"),
        ({"constraints": {"wave": 1}}, "unknown operator 'wave'"),
        ({"must_use": "x"}, "must be a list of columns"),
        ({"nested_constraints": {"sin": 0}}, "must be a dictionary"),
        ({"nested_constraints": {"sin": {"sin": -1}}}, "at least 0"),
        ({"nested_constraints": {"sinus": {"sin": 1}}}, "unknown operator 'sinus'"),
        ({"complexity_of_operators": {"sin": -3}}, "from 0 to 1000"),
        ({"complexity_of_operators": ["sin"]}, "must be a dictionary"),
        ({"complexity_of_constants": "two"}, "from 0 to 1000"),
        ({"maxdepth": 0}, "at least 1"),
    ],
)
def test_bad_requirements_fail_at_the_door(settings, words):
    with pytest.raises(InvalidSettings, match=words):
        SearchOptions(**settings).config()
