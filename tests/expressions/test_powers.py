"""Powers have one way of writing, and powers of products become products of powers."""

import numpy as np
import pytest

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.powers import (
    distributed,
    power,
    powers_of_columns,
    with_columns_inside,
    with_factors_inside,
    with_high_powers,
    with_named_powers,
    with_shared_roots,
)
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression

NAMES = ("x0", "x1", "x2")


@pytest.mark.parametrize(
    ("exponent", "text"),
    [(1.0, "x0"), (2.0, "x0^2"), (3.0, "x0^3"), (0.5, "sqrt(x0)"), (-1.0, "x0^-1"), (2.5, "x0^2.5")],
)
def test_a_power_is_written_in_the_shortest_words(exponent, text):
    assert to_text(power(variable(0), exponent), NAMES) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sqrt(x0^2*x1/x2^2)", "x0*sqrt(x1)/x2"),
        ("sqrt(x0/x1)^3", "x0^1.5/x1^1.5"),
        ("(4*x0)^0.5", "2*sqrt(x0)"),
        ("sqrt(x0 + x1)", "sqrt(x0 + x1)"),
        ("exp(sqrt(x0^4))", "exp(x0^2)"),
    ],
)
def test_powers_are_distributed_over_factors(text, expected):
    assert canonical(distributed(parse(text, NAMES))) == canonical(parse(expected, NAMES))


def test_only_shorter_words_are_taken_where_asked():
    longer, shorter = parse("sqrt(x0*x1*x2)", NAMES), parse("sqrt(x0^2*x1^2)", NAMES)
    assert distributed(longer, only_shorter=True) == longer
    assert canonical(distributed(shorter, only_shorter=True)) == canonical(parse("x0*x1", NAMES))


def test_a_snapped_exponent_gets_its_own_word():
    assert with_named_powers(parse("3*pow(x0, 2) + pow(x1, 0.5)", NAMES)) == parse("3*x0^2 + sqrt(x1)", NAMES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6*sqrt(x0)/sqrt(x1)", "6*sqrt(x0/x1)"),
        ("sqrt(x0)*x2*sqrt(x1)", "sqrt(x0*x1)*x2"),
        ("x2/(sqrt(x0)*sqrt(x1))", "x2/sqrt(x0*x1)"),
        ("x0^1.5*x1^1.5/x2", "(x0*x1)^1.5/x2"),
        ("exp(sqrt(x0)*sqrt(x1) + sqrt(x2))", "exp(sqrt(x0*x1) + sqrt(x2))"),
        ("x0^2*x1^2*sqrt(x2)", "x0^2*x1^2*sqrt(x2)"),
    ],
)
def test_factors_share_a_root(text, expected):
    assert with_shared_roots(parse(text, NAMES)) == parse(expected, NAMES)


@pytest.mark.parametrize("exponent", range(2, 10))
def test_a_high_power_is_one_power(exponent):
    law = canonical(parse(f"3.2*x1/(x0 + x2)^{exponent}", NAMES))
    text = to_text(with_high_powers(law), NAMES)
    assert text.count("^") == 1
    assert f"^{exponent}" in text


@pytest.mark.parametrize("rewritten", [with_high_powers, with_named_powers, with_shared_roots])
@pytest.mark.parametrize("seed", range(40))
def test_random_laws_of_positive_columns_keep_their_values(seed, rewritten):
    rng = np.random.default_rng(seed)
    law = generate(rng, GeneratorConfig(num_variables=3, min_operators=4, max_operators=9))
    columns = rng.uniform(0.5, 2.0, size=(3, 50))
    with np.errstate(all="ignore"):
        before, after = evaluate_expression(law, columns), evaluate_expression(rewritten(law), columns)
    known = np.isfinite(before)
    assert np.allclose(before[known], after[known], rtol=1e-9)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("3*x*sqrt(0.5 - x^2)", ["x*sqrt(4.5 - 9*x^2)"]),
        ("0.5/(0.5 + x)", ["1/(1 + 2*x)"]),
        ("x + 4/(y - 0.5*x)^2", ["x + 1/(0.5*y - 0.25*x)^2"]),
        ("-2/(1 - x)", ["1/(0.5*x - 0.5)"]),
        ("-2*sqrt(1 - x)", []),
        ("2*exp(x)", []),
    ],
)
def test_a_number_in_front_is_taken_into_a_power_of_a_sum(text, inside):
    law, columns = parse(text, ("x", "y")), np.random.default_rng(0).uniform(0.1, 0.6, (2, 9))
    found = list(with_factors_inside(law))
    assert [canonical(each).key for each in found] == [canonical(parse(each, ("x", "y"))).key for each in inside]
    for each, text_inside in zip(found, inside, strict=True):
        assert sorted(abs(each.constants)) == pytest.approx(
            sorted(abs(parse(text_inside, ("x", "y")).constants)), rel=1e-12
        )
        assert evaluate_expression(each, columns) == pytest.approx(evaluate_expression(law, columns), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("2.9*sqrt(x*y)*sqrt(1 - 0.12*z^2/(x*y))", ["2.9*sqrt(x*y - 0.12*z^2)"]),
        ("0.3*x/(y*(1 + 0.7*x/y))", ["0.3/(y/x + 0.7)"]),
        ("x^2*(1 - 0.5*z/x)^2", ["(x - 0.5*z)^2"]),
        ("exp(x)*sqrt(1 - z)", []),
        ("2*sqrt(1 - z)", []),
    ],
)
def test_factors_are_taken_into_a_power_of_a_sum_where_that_is_shorter(text, inside):
    names = ("x", "y", "z")
    law, columns = parse(text, names), np.random.default_rng(0).uniform(0.2, 0.9, (3, 9))
    found = list(with_columns_inside(law))
    keys = {canonical(each).structure_key for each in found}
    assert {canonical(parse(each, names)).structure_key for each in inside} <= keys
    assert bool(found) == bool(inside)
    for each in found:
        assert len(canonical(each)) < len(canonical(law))
        assert evaluate_expression(each, columns) == pytest.approx(evaluate_expression(law, columns), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "powers"),
    [
        ("x*sqrt(y)/z^3", (1.0, 0.5, -3.0)),
        ("(x/sqrt(y*z))^2", (2.0, -1.0, -1.0)),
        ("1/(x*y)", (-1.0, -1.0, 0.0)),
        ("2*x", None),
        ("x - y", None),
        ("x*exp(y)", None),
    ],
)
def test_powers_of_columns_are_read_off_a_product(text, powers):
    assert powers_of_columns(parse(text, ("x", "y", "z")), 3) == powers
