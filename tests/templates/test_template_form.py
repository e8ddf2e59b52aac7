"""Templates as text: how they are read, and what is refused."""

import numpy as np
import pytest

from mosaic_sr import InvalidFormula
from mosaic_sr.expressions.parser import parse
from mosaic_sr.expressions.text import to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.template_form import parse_template, unknowns_in
from mosaic_sr.templates.filling import Filled, compose

NAMES = ["S", "I", "T"]
REFUSED = {
    "f(Q)": "unknown column 'Q'",
    "f()": "needs arguments, e.g. f(S)",
    "f(S,)": "needs arguments",
    "S(I)": "'S' is a column and cannot be an unknown function",
    "f(S) + f(S, I)": "has 1 argument(s) at first and 2 here",
    "f(g(S))": "stands inside 'f'; an argument has only columns",
    "D(f, 1)": "derivatives of unknown functions",
    "df = D(f, 1); df(S)": "derivatives of unknown functions",
    "p[1]*f(S)": "name each constant",
    "y = f(S)": "give only the right-hand side",
    "v = f(S); v + 1": "it must be one formula",
    "f(S) + f": "with and without arguments",
    "f(2)": "must be a column or a formula of columns and numbers",
    "f(a*S)": "unknown column 'a'",
    "f(S, S)": "two arguments of f(S, S) are the same",
    "f(S": "never closed",
    "sin(f(S), I)": "takes 1 argument(s), got 2",
    "e(S)": "the name of a number",
    "a(S)+b(S)+c(S)+d(S)+g(S)+h(S)": "more than 5 unknown functions",
    "rate*f(S)": "'rate' is the target",
    "": "template must be a formula",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_template_is_refused_with_the_reason(text):
    with pytest.raises(InvalidFormula) as refusal:
        parse_template(text, NAMES, "rate")
    assert REFUSED[text] in str(refusal.value)


def test_names_that_are_neither_columns_nor_called_are_constants():
    template = parse_template("f(S)/(1 + g(I))*T^a + b", NAMES)
    assert template.unknowns == ("f", "g")
    assert template.constants == ("a", "b")
    assert template.columns == (0, 1, 2)
    assert unknowns_in("f(S)/(1 + g(I))*T^a") == ("f", "g")


def test_an_unknown_with_the_same_arguments_stands_in_one_slot_and_with_others_in_several():
    template = parse_template("f(S) - f(I) + f( S )^2 + f(S + I)", NAMES)
    assert [slot.label for slot in template.slots] == ["f(S)", "f(I)", "f(S + I)"]
    assert template.slots_of(0) == [0, 1, 2]


def test_a_filled_template_keeps_its_form_and_ties_the_constants_of_an_unknown():
    template = parse_template("a*f(S) - f(I + 2*T)", NAMES)
    composed = compose(template, Filled((parse("3*u/(2 + u)", ["u"]),), (0.5,)))
    assert to_text(composed.expression, NAMES) == "0.5*(3*S/(2 + S)) - 3*(I + 2*T)/(2 + (I + 2*T))"
    assert composed.parameters.tolist() == [0, 1, 2, 1, -1, 2, -1]
    assert composed.tied(np.array([True, False, True])).tolist() == [0, -1, 1, -1, -1, 1, -1]


def test_a_filled_template_has_the_values_of_its_parts():
    columns = np.random.default_rng(0).uniform(1.0, 3.0, (3, 20))
    S, I, T = columns  # noqa: E741
    template = parse_template("f(S, I)/(1 + g(I/T))*T^a", NAMES)
    parts = parse("u*exp(-v)", ["u", "v"]), parse("2*u^2", ["u"])
    law = compose(template, Filled(parts, (1.5,))).expression
    expected = S * np.exp(-I) / (1.0 + 2.0 * (I / T) ** 2) * T**1.5
    np.testing.assert_allclose(evaluate_expression(law, columns), expected, rtol=1e-12)
