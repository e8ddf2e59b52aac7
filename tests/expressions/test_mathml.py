"""MathML is well formed and says what the formula says."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from mosaic_sr import GeneratorConfig, generate, parse
from mosaic_sr.expressions.mathml import to_mathml


def shown(text, names):
    """What a reader sees, from left to right."""
    markup = to_mathml(parse(text, names), names, "y")
    tree = ElementTree.fromstring(markup)
    return re.sub("[\u2061\u2062]", "", "".join(tree.itertext()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + -2*b", "y=a−2b"),
        ("a - (b - c)", "y=a−(b−c)"),
        ("-(a + b)", "y=−(a+b)"),
        ("(-a + b)*c", "y=(−a+b)c"),
        ("2*3*a", "y=2·3a"),
        ("(a*b)^2", "y=(ab)2"),
        ("sin(a)^2", "y=(sin(a))2"),
        ("abs(a - b)", "y=|a−b|"),
        ("1.5e-30*a", "y=1.5·10−30a"),
        ("(-2)^a", "y=(−2)a"),
        ("a*(-b)", "y=a(−b)"),
        ("2*pi*a", "y=2πa"),
        ("-2*pi + a", "y=−2π+a"),
        ("a - pi/2", "y=a−π2"),
        ("sqrt(2)*a", "y=2a"),
        ("pi^2*a", "y=π2a"),
        ("a^(1/3)", "y=a13"),
    ],
)
def test_signs_and_parentheses(text, expected):
    assert shown(text, ["a", "b", "c"]) == expected


def test_fractions_and_roots_are_elements():
    markup = to_mathml(parse("sqrt(a/b)", ["a", "b"]), ["a", "b"], "y")
    assert "<msqrt>" in markup
    assert "<mfrac>" in markup


def test_names_are_escaped_and_indexed():
    names = ["<script>", "theta", "x_12", "Omega", "pi"]
    markup = to_mathml(parse("`<script>` + theta + x_12 + Omega + `pi`", names), names, "my target & co")
    assert "<script>" not in markup
    assert "<mtext>my target &amp; co</mtext>" in markup
    assert "<mi>θ</mi>" in markup
    assert "<mi>Ω</mi>" in markup
    assert "<mi>pi</mi>" in markup  # π is the number
    assert "<msub><mi>x</mi><mi>12</mi></msub>" in markup


def test_any_formula_is_well_formed():
    rng = np.random.default_rng(0)
    for _ in range(200):
        expression = generate(rng, GeneratorConfig(num_variables=3, max_operators=8))
        ElementTree.fromstring(to_mathml(expression, ["a", "b_1", "speed of x"], "y"))
