"""Laws are recognised however they are written, with their constants, and nothing else is given a name."""

import math

import numpy as np
import pytest
from draws import drawn_constants, equation
from other_words import inverted_twice, reworded

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import apply, constant
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.named_laws import CATALOGUE, recognised
from mosaic_sr.named_laws.recognition import matches, with_constants


def ways_to_write(expression, rng):
    return [
        expression,
        canonical(expression),
        reworded(expression, rng),
        inverted_twice(expression),
        canonical(reworded(expression, rng, share=0.8)),
    ]


@pytest.mark.parametrize("law", CATALOGUE, ids=lambda law: law.name)
def test_a_law_is_recognised_with_its_constants_however_it_is_written(law):
    rng = np.random.default_rng(len(law.name))
    constants = drawn_constants(law, rng)
    for expression in ways_to_write(with_constants(law, constants), rng):
        found = {match.law.name: match for match in matches(expression)}
        assert law.name in found
        assert found[law.name].constants == pytest.approx(constants, rel=1e-6)
        # One with fewer constants would be named instead.
        assert found[law.name].num_constants == min(match.num_constants for match in found.values())


OFFSETS = [law for law in CATALOGUE if law.takes_offset]


@pytest.mark.parametrize("law", OFFSETS, ids=lambda law: law.name)
def test_an_added_constant_is_recognised(law):
    rng = np.random.default_rng(7)
    constants = drawn_constants(law, rng)
    expression = canonical(apply("add", with_constants(law, constants), constant(-1.83)))
    found = {match.law.name: match for match in matches(expression)}
    assert found[law.name].entry.has_offset
    assert found[law.name].constants == pytest.approx({**constants, "offset": -1.83}, rel=1e-6)


WRITTEN = {
    "3.599/(0.2929 + 1/x)": ("Michaelis-Menten kinetics", {"Vmax": 3.599 / 0.2929, "Km": 1 / 0.2929}),
    "12.3*x/(3.41 + x)": ("Michaelis-Menten kinetics", {"Vmax": 12.3, "Km": 3.41}),
    "97.1 - 97.1/(1 + exp(0.416*x - 5.2))": ("logistic growth", {"K": 97.1, "r": 0.416, "t0": 12.5}),
    "48*(1 + tanh(0.2*(x - 12)))": ("logistic growth", {"K": 96.0, "r": 0.4, "t0": 12.0}),
    "5*0.8^x": ("exponential decay", {"A": 5.0, "k": -math.log(0.8)}),
    "3*sin(2*x) + 4*cos(2*x)": ("sine wave", {"A": 5.0, "w": 2.0, "p": math.atan2(4, 3)}),
    "2.5*x^2/(9 + x^2)": ("Holling type III response", {"A": 2.5, "K": 3.0}),
    "2.5*x^3/(8 + x^3)": ("Hill equation", {"Vmax": 2.5, "K": 2.0, "n": 3.0}),
    "7*exp(-(x - 100)^2/2)": ("Gaussian peak", {"A": 7.0, "m": 100.0, "s": 1.0}),
    "7*exp(-x^2/8)": ("Gaussian peak", {"A": 7.0, "m": 0.0, "s": 2.0}),
    "1e-300*x": ("proportionality", {"c": 1e-300}),
    "1e-200*x/(1e-100 + 1e-150*x)": ("Michaelis-Menten kinetics", {"Vmax": 1e-50, "Km": 1e50}),
    "3*x^2": ("square law", {"c": 3.0}),
    "x - x + 2*x": ("proportionality", {"c": 2.0}),
}


@pytest.mark.parametrize(("text", "expected"), WRITTEN.items(), ids=list(WRITTEN))
def test_a_written_law_has_its_name_and_constants(text, expected):
    named = recognised(equation(text))
    assert named is not None
    assert named.name == expected[0]
    assert {one.symbol: one.value for one in named.constants} == pytest.approx(expected[1], rel=1e-9, abs=1e-12)


def test_columns_decide_which_of_several_names_comes_first():
    text = "8*{0}/(4 + {0})"
    names = {
        column: recognised(equation(text.format(column), (column,))).name
        for column in ("substrate", "prey", "pressure")
    }
    assert names["substrate"] == "Michaelis-Menten kinetics"
    assert names["prey"] == "Holling type II response"
    assert names["pressure"] == "Langmuir isotherm"
    also = recognised(equation("8*prey/(4 + prey)", ("prey",))).also
    assert {"Michaelis-Menten kinetics", "Monod growth", "Langmuir isotherm"} <= set(also)


def test_bare_products_are_named_only_where_the_columns_fit():
    assert recognised(equation("8.314*n*temperature/volume", ("n", "temperature", "volume"))).name == "ideal gas law"
    assert recognised(equation("8.314*a*b/c", ("a", "b", "c"))) is None


def test_variables_are_bound_to_the_columns_that_play_their_part():
    named = recognised(equation("5*b/(2*(1 + a/3) + b)", ("a", "unused", "b")[::2]))
    assert named.name == "competitive inhibition"
    assert {one.symbol: one.value for one in named.constants} == pytest.approx({"Vmax": 5.0, "Km": 2.0, "Ki": 3.0})
    assert named.form == "5*b/(2*(1 + a/3) + b)"


NAMELESS = [
    "3", "x^2 + sin(x)", "exp(x)*log(x) + 2", "x/(1 + sqrt(x)) + x^3", "abs(x)", "sqrt((x - 4.53)^2)", "log(log(x))",
    "1e-300*x + 1e300*sin(x^2)", "log(-x) + exp(exp(exp(x)))", "x^x", "sin(cos(x))",
]  # fmt: skip


@pytest.mark.parametrize("text", NAMELESS)
def test_other_laws_have_no_name(text):
    assert recognised(equation(text)) is None


def test_long_laws_are_answered_without_a_name():
    terms = " + ".join(f"{0.1 + place}*sin({place + 1.3}*x)" for place in range(15))
    assert len(equation(terms).expression) > 60
    assert recognised(equation(terms)) is None
    assert recognised(equation("*".join(f"(x + {place}.5)" for place in range(25)))) is None


def test_a_law_of_many_columns_has_no_name():
    names = tuple(f"x{place}" for place in range(8))
    assert recognised(equation(" + ".join(names), names)) is None


@pytest.mark.parametrize("column", ["S (mM)", "Ω²", "<b>", "e", "pi", "a b c", "log", "offset", "Vmax"])
def test_columns_may_have_any_name(column):
    named = recognised(equation(f"8*`{column}`/(4 + `{column}`)", (column,)))
    assert named.constants[0].value == pytest.approx(8.0)


def test_random_expressions_have_no_name_or_one_with_the_same_values():
    rng, num_named = np.random.default_rng(11), 0
    for _ in range(300):
        config = GeneratorConfig(num_variables=int(rng.integers(1, 4)))
        expression = generate(rng, config)
        for match in matches(expression):
            num_named += 1
            points = np.exp(rng.normal(size=(len(match.columns), 60)))
            columns = np.ones((3, 60))
            columns[list(match.columns)] = points[list(match.places)]
            values = evaluate_expression(expression, columns)
            form = evaluate_expression(with_constants(match.law, match.constants), points)
            is_known = np.isfinite(values)
            assert np.allclose(
                form[is_known], values[is_known], rtol=1e-6, atol=1e-9 * np.abs(values[is_known]).max(initial=0.0)
            )
    assert num_named > 0


def test_errors_are_carried_over_with_their_covariance():
    # f = a*x/(1 + b*x): Vmax = a/b, Km = 1/b
    a, b, covariance = 2.0, 0.25, ((0.0004, 0.0, 0.00006), (0.0, 0.0, 0.0), (0.00006, 0.0, 0.00001))
    errors = tuple(math.sqrt(covariance[place][place]) for place in range(3))
    law = equation(f"{a}*x/(1 + {b}*x)", standard_errors=errors, covariance=covariance)
    vmax, km = recognised(law).constants
    slopes = np.array([1 / b, -a / b**2])
    own = np.array(covariance)[np.ix_([0, 2], [0, 2])]
    assert vmax.standard_error == pytest.approx(math.sqrt(slopes @ own @ slopes), rel=1e-5)
    assert km.standard_error == pytest.approx(errors[2] / b**2, rel=1e-5)


def test_without_covariance_only_constants_that_depend_on_one_number_have_an_error():
    law = equation("2*x/(1 + 0.25*x)", standard_errors=(0.02, 0.0, 0.003))
    vmax, km = recognised(law).constants
    assert math.isnan(vmax.standard_error)
    assert km.standard_error == pytest.approx(0.003 / 0.25**2, rel=1e-5)


@pytest.mark.parametrize("errors", [(), (math.nan, 0.1, 0.1)])
def test_unknown_errors_stay_unknown(errors):
    named = recognised(equation("2*x/(1 + 0.25*x)", standard_errors=errors))
    assert all(math.isnan(one.standard_error) for one in named.constants)
    assert "±" not in named.sentence()


def test_a_number_that_the_law_fixes_has_no_error():
    law = equation("2*x^3/(8 + x^3)", standard_errors=(0.1, 0.2), covariance=((0.01, 0.0), (0.0, 0.04)))
    exponent = recognised(law).constants[2]
    assert (exponent.symbol, exponent.value, exponent.standard_error) == ("n", 3.0, 0.0)


def test_derived_numbers_have_errors_too():
    law = equation("5*exp(-0.2*x)", standard_errors=(0.1, 0.01), covariance=((0.01, 0.0), (0.0, 1e-4)))
    [half_life] = recognised(law).derived
    assert half_life.meaning == "half-life"
    assert half_life.value == pytest.approx(math.log(2) / 0.2)
    assert half_life.standard_error == pytest.approx(math.log(2) / 0.04 * 0.01, rel=1e-5)
