"""The choice of the law from a front, by each rule, and its ties."""

import numpy as np
import pytest

from mosaic_sr.equation import UNKNOWN, Equation, Errors
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.text import parse
from mosaic_sr.selection import SelectionConfig, may_matter, select, validate
from mosaic_sr.selection.choice import distinct
from mosaic_sr.table import Table

NAMES = ("x", "y")


def equation(text, training, validation=None, is_exact=False):
    errors = [Errors(error, error) for error in (training, training if validation is None else validation)]
    expression = parse(text, NAMES)
    closeness = Closeness.EXACT if is_exact else Closeness.OPEN
    return Equation(expression, NAMES, *errors, "test", closeness, (1e-3,) * expression.num_constants)


@pytest.fixture
def table():
    X = np.random.default_rng(0).uniform(0.5, 2.0, size=(100, 2))
    return Table.from_arrays(X, X[:, 0] * X[:, 1], rng=np.random.default_rng(0), names=NAMES)


FRONT = [
    equation("x", 0.5),
    equation("x*y", 1e-2),
    equation("x*y + 0.0123456789*x", 0.99e-2),
    equation("x*y + 0.0123456789*x*y^2 + 0.00123456789*sin(x)", 0.98e-2),
]


def chosen(equations, table, rule):
    return select(equations, table, SelectionConfig(rule)).text()


def test_the_knee_is_chosen_on_noisy_data(table):
    assert chosen(FRONT, table, "best") == "x*y"


def test_accuracy_takes_the_least_validation_error(table):
    assert chosen(FRONT, table, "accuracy") == FRONT[-1].text()


def test_score_takes_the_steepest_fall(table):
    assert chosen([*FRONT, equation("sin(x*y)", 0.9e-2)], table, "score") == "x*y"


def test_exact_laws_come_first_and_the_simplest_of_them(table):
    exact = [equation("x*y + 0*x", 1e-30, is_exact=True), equation("y*x", 1e-29, is_exact=True)]
    assert chosen([*FRONT, *exact], table, "best") == "y*x"


def test_the_published_rule_counts_operators_then_error(table):
    exact = [equation("x*y*x/x", 1e-16, is_exact=True), equation("x*y", 1e-16, is_exact=True)]
    assert chosen([*FRONT, *exact], table, "paper") == "x*y"
    assert chosen(FRONT, table, "paper") == FRONT[-1].text()


def test_the_published_rule_has_its_own_exactness(table):
    near = Equation(parse("1.00000000001*x*y", NAMES).with_constants([1.0]), NAMES, UNKNOWN, UNKNOWN, "test")
    assert validate(near, table, SelectionConfig("paper")).is_exact


def test_nothing_usable_gives_no_law(table):
    assert select([equation("x", np.inf)], table, SelectionConfig()) is None


def test_an_unknown_rule_is_refused_with_the_known_ones():
    with pytest.raises(InvalidSettings, match="best, accuracy, score, paper"):
        SelectionConfig("cheapest")


def ties_of(texts, table):
    law = select([equation(text, 1e-30, is_exact=True) for text in texts], table, SelectionConfig())
    assert law.text() == texts[0]
    return [tie.text() for tie in law.ties]


def test_another_function_at_the_floor_is_a_tie(table):
    assert ties_of(["x*y", "y*(x + 0.0001)"], table) == ["y*(x + 0.0001)"]


def test_the_same_function_in_other_words_is_none(table):
    assert ties_of(["x*y", "y*x*1", "x/(1/y)", "exp(log(x) + log(y))"], table) == []


def test_another_formula_that_agrees_far_around_is_weighed_and_is_no_tie(table):
    texts = ["x*y", "y*(x + 1e-09)"]
    assert ties_of(texts, table) == texts[1:]
    law, other = (equation(text, 1e-30, is_exact=True) for text in texts)
    assert distinct(law, [other], table.validation.columns) == ()


def test_a_detour_is_no_tie(table):
    assert ties_of(["x*y", "x*y + 0.001*(x - x^3)"], table) == []


@pytest.mark.parametrize(
    ("rule", "is_exact", "matters"), [("best", True, False), ("best", False, True), ("accuracy", True, True)]
)
def test_beside_an_exact_law_long_equations_are_of_no_use(rule, is_exact, matters):
    law = equation("x*y", 0.0, is_exact=is_exact)
    long = equation("x*y + 0.1*x^2 + 0.2*y^2 + 0.3*x^3", 1e-12)
    assert may_matter(long, law, SelectionConfig(rule)) == matters
    assert may_matter(equation("x*y + 0.1*x", 1e-12), law, SelectionConfig(rule))
    assert may_matter(long, None, SelectionConfig(rule))
