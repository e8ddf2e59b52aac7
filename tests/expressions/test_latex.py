"""LaTeX of expressions."""

import pytest
from hypothesis import given, settings
from strategies import NAMES, expressions

from mosaic_sr.expressions.expression import apply, variable
from mosaic_sr.expressions.latex import FUNCTIONS, latex_name, to_latex
from mosaic_sr.expressions.rows import CALLS, SYMBOLIC
from mosaic_sr.expressions.text import parse
from mosaic_sr.operators import OPERATORS

XY = ("x", "y")


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("3*x + sin(x*y)", r"3 x + \sin\left(x y\right)"),
        ("x + -3.14159*y", r"x - 3.14 y"),
        ("x - -3", r"x - \left(-3\right)"),
        ("x - (y - x)", r"x - \left(y - x\right)"),
        ("x + (y - x)", r"x + y - x"),
        ("(x/y)^2", r"\left(\frac{x}{y}\right)^{2}"),
        ("(x + y)/x", r"\frac{x + y}{x}"),
        ("x^-1", r"\frac{1}{x}"),
        ("2*(1/x)", r"2 \cdot \frac{1}{x}"),
        ("2*3*x", r"2 \cdot 3 x"),
        ("1.5e-7*x", r"1.5 \cdot 10^{-7} x"),
        ("(1.5e-7)^x", r"\left(1.5 \cdot 10^{-7}\right)^{x}"),
        ("(-2)^x", r"\left(-2\right)^{x}"),
        ("-x^2", r"-x^{2}"),
        ("-(x + y)", r"-\left(x + y\right)"),
        ("x*-y", r"x \left(-y\right)"),
        ("x*(x + y)", r"x \left(x + y\right)"),
        ("(x^y)^2", r"\left(x^{y}\right)^{2}"),
        ("x^(y + 1)", r"x^{y + 1}"),
        ("sin(x)^2", r"\left(\sin\left(x\right)\right)^{2}"),
        ("abs(x)^3 + sqrt(y)", r"\left|x\right|^{3} + \sqrt{y}"),
        ("atan(x)", r"\arctan\left(x\right)"),
        ("1e999", r"\infty"),
        ("_*?", r"c \square"),
    ],
)
def test_latex_reads_as_written(text, latex):
    assert to_latex(parse(text, XY), XY) == latex


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("x", "x"),
        ("x0", "x_{0}"),
        ("beta", r"\beta"),
        ("pi_2", r"\pi_{2}"),
        ("pi", r"\mathrm{pi}"),
        ("sin", r"\mathrm{sin}"),
        ("ν", r"\nu"),
        ("θ_0", r"\theta_{0}"),
        ("λ1", r"\lambda_{1}"),
        ("µ", r"\mu"),
        ("Δt", r"\Delta t"),
        ("v_max", r"v_{\mathrm{max}}"),
        ("mass", r"\mathrm{mass}"),
        ("Omega", r"\Omega"),
        ("my col %", r"\text{my col \%}"),
        ("a_b_c", r"\text{a\_b\_c}"),
        ("a\\b", r"\text{a\textbackslash{}b}"),
    ],
)
def test_names_become_symbols(name, latex):
    assert latex_name(name) == latex


def test_precision_none_keeps_every_digit():
    assert to_latex(parse("3.14159265358979*x", XY), XY, precision=None) == "3.14159265358979 x"


# Operators that are neither symbols nor functions with a command of LaTeX's own, and so stand by their names.
WITHOUT_COMMAND = {
    operator.name
    for operator in OPERATORS
    if operator.name not in {*SYMBOLIC, "abs"}
    and not any(FUNCTIONS.fullmatch(word) for word in (operator.name, CALLS.get(operator.name, "")))
}


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_every_operator_has_latex(operator):
    latex = to_latex(apply(operator.name, *[variable(0), variable(1)][: operator.arity]), XY)
    assert "x" in latex
    assert ("operatorname" in latex) == (operator.name in WITHOUT_COMMAND)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(expressions)
def test_braces_and_parentheses_balance(expression):
    latex = to_latex(expression, NAMES)
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\left") == latex.count(r"\right")
    assert "--" not in latex
    assert "+ -" not in latex
