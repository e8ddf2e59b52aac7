"""The bridge to sympy and the child process that works with it."""

import json
import math
import subprocess
import sys
import threading

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from strategies import bound_expressions, reference_values

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.expression import apply, variable
from mosaic_sr.expressions.symbolic import SymbolicWorker, from_sympy, shared_worker, to_sympy
from mosaic_sr.expressions.symbolic_worker import answer
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.operators import OPERATORS

XYZ = ("x", "y", "z")
x, y, z = sympy.symbols(XYZ)
POINTS = np.random.default_rng(3).uniform(0.1, 0.9, size=(3, 5))
HANGS = "(sin(x)+cos(y)*exp(x))^30/(sin(x+y)+tan(x)^17*log(x))^21+sqrt(sin(x)+z)^15"

BAD_EXPRESSIONS = (
    3,
    {},
    {"tokens": ["sin"], "constants": []},
    {"tokens": ["C"], "constants": []},
    {"tokens": ["C"], "constants": ["one"]},
    {"tokens": ["__import__"], "constants": []},
)


def read(text):
    return parse(text, XYZ)


@pytest.fixture(scope="module")
def worker():
    with SymbolicWorker() as worker:
        yield worker


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_every_operator_keeps_its_values_through_sympy(operator):
    expression = apply(operator.name, *[variable(0), variable(1)][: operator.arity])
    tree = to_sympy(expression, XYZ)
    expected = reference_values(expression, POINTS)
    values = [float(tree.subs(dict(zip((x, y, z), point, strict=True)))) for point in POINTS.T]
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    np.testing.assert_allclose(reference_values(from_sympy(tree, XYZ), POINTS), expected, rtol=1e-12)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(bound_expressions)
def test_any_expression_becomes_a_tree_or_a_named_error(expression):
    names = ("x", "y", "z", "w")
    try:
        again = from_sympy(to_sympy(expression, names), names)
    except InvalidFormula:
        return
    assert set(again.columns) <= set(expression.columns)


def test_symbols_have_exactly_the_columns_names():
    names = ["N", "I", "lambda", "my col %", "E", "pi"]
    tree = to_sympy(parse("N*I*lambda*`my col %`*E*pi", names), names)
    assert {symbol.name for symbol in tree.free_symbols} == set(names)


def test_whole_numbers_are_integers_and_others_keep_their_bits():
    tree = to_sympy(read("3*x + 0.1"), XYZ)
    assert tree == 3 * x + sympy.Float(0.1)
    assert tree.coeff(x).is_Integer


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "text",
    ["9^9^9^9", "(2*x)^1e15", "exp(exp(exp(1000.5)))*x", "(1000000000000001/1e15)^1e15", "9^-(9^300)", "x/0^-(9^9)"],
)
def test_huge_numbers_do_not_hang(text):
    try:
        to_sympy(read(text), XYZ)
    except InvalidFormula as error:
        assert "powers too large" in str(error)  # noqa: PT017


# How deep sympy can go differs by version of Python; 1,000 calls inside each other are too many for all of them.
@pytest.mark.parametrize("text", ["?*x", "_*x", "sin(" * 1200 + "x" + ")" * 1200])
def test_expressions_that_sympy_cannot_hold_are_refused(text):
    with pytest.raises(InvalidFormula):
        to_sympy(read(text), XYZ)


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (x**2 + 3 * x, "x^2 + 3*x"),
        (-x, "-x"),
        (-x - y, "-x - y"),
        (y - x, "y - x"),
        (x / 3, "x/3"),
        (-2 * x / (3 * y), "-2*x/(3*y)"),
        (sympy.sqrt(x), "sqrt(x)"),
        (1 / sympy.sqrt(x), "sqrt(x)^-1"),
        (x**-2, "(x^2)^-1"),
        (x ** sympy.Rational(3, 2), "x^1.5"),
        (x**y, "x^y"),
        (x**-y, "x^-y"),
        (x * sympy.Float(2.5) / y, "2.5*x/y"),
        (sympy.cot(x) + sympy.sec(y), "tan(x)^-1 + cos(y)^-1"),
        (sympy.acot(x), "atan(x^-1)"),
        (sympy.coth(x), "tanh(x)^-1"),
        (sympy.sign(x), "x/abs(x)"),
        (sympy.log(x, 10), "log(x)/log(10)"),
        (sympy.pi + 0 * x, str(math.pi)),
        (sympy.E, str(math.e)),
        (sympy.Rational(1, 3), "0.3333333333333333"),
        (sympy.oo, "1e999"),
    ],
)
def test_sympy_trees_are_read(tree, text):
    assert to_text(from_sympy(tree, XYZ), XYZ) == text


@pytest.mark.parametrize(
    "tree",
    [
        *[sympy.I * x, sympy.nan, sympy.zoo, sympy.Symbol("q"), sympy.gamma(x), sympy.zeta(x), x < y],
        *[sympy.Integer(10) ** 400, sympy.Piecewise((x, x > 0), (y, True)), sympy.Integral(x, x), sympy.true],
        *[sympy.Matrix([x]), 3, "x"],
    ],
    ids=str,
)
def test_sympy_trees_without_counterpart_are_refused(tree):
    with pytest.raises(InvalidFormula):
        from_sympy(tree, XYZ)


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("sin(x)^2 + cos(x)^2", "1"),
        ("(x^2 - y^2)/(x - y)", "x + y"),
        ("sqrt(x^2)", "abs(x)"),
        ("x + x", "2*x"),
        ("0.25*x + 0.5*x", "0.75*x"),
    ],
)
def test_the_worker_simplifies(worker, text, simple):
    assert worker.simplify(read(text), timeout=30.0) == read(simple)


def test_the_worker_answers_none_when_it_takes_too_long_and_goes_on(worker):
    assert worker.simplify(read("x + x"), timeout=30.0) is not None
    assert worker.simplify(read(HANGS), timeout=0.5) is None  # sympy alone would take longer than a test may
    assert worker.simplify(read("x + x"), timeout=30.0) == read("2*x")


def test_the_worker_answers_none_for_what_sympy_cannot_hold(worker):
    assert worker.simplify(read("?*x"), timeout=30.0) is None
    assert worker.simplify(read("(2*x)^1e15"), timeout=30.0) is None


def test_a_killed_child_is_replaced(worker):
    assert worker.simplify(read("x + x"), timeout=30.0) is not None
    worker._child.kill()
    worker._child.wait()
    assert worker.simplify(read("x + x"), timeout=30.0) == read("2*x")


def test_one_worker_serves_several_threads(worker):
    answers = {}

    def ask(n):
        answers[n] = worker.simplify(read(f"x + {n}*x"), timeout=30.0)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(2, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {n: read(f"{n + 1}*x") for n in range(2, 8)}


def test_a_process_has_one_shared_worker():
    assert shared_worker() is shared_worker()


@pytest.mark.parametrize(
    "line",
    ["", "rubbish", "[1]", "{}", '{"task": "nope", "timeout": 1}', '{"task": "simplify", "timeout": 1}', "[" * 100_000]
    + [json.dumps({"task": "simplify", "timeout": 1, "expression": e}) for e in BAD_EXPRESSIONS],
)
def test_bad_requests_get_an_error_reply(line):
    assert set(answer(line)) == {"error"}


def test_sympy_is_imported_only_when_used():
    source = "import sys, mosaic_sr, mosaic_sr.expressions.symbolic; print('sympy' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "False"
