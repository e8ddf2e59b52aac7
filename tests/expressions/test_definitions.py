"""Operators that users define: what a definition means, which are refused, and that they are one node everywhere."""

import pickle
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.exports import export
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.complexity import complexity
from mosaic_sr.expressions.definitions import body_of, define, defined_in, parse_with, write_out, written_size
from mosaic_sr.expressions.expression import apply, constant, operator_names, variable
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.latex import to_latex
from mosaic_sr.expressions.mathml import to_mathml
from mosaic_sr.expressions.symbolic import SymbolicWorker, from_sympy, to_sympy
from mosaic_sr.expressions.text import to_text
from mosaic_sr.expressions.tokens import from_tokens, to_tokens
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES, NUM_CODES

XY = ("x", "y")
SECH, EXPIT = define("sech(x)=1/cosh(x)").name, define("expit(t) = 1/(1+exp(-t))").name
HYPOT2 = define("hypot2(x, y) = x*x + y*y").name
OWN = (SECH, HYPOT2, EXPIT)
LAW = "2.5*sech(1.3*x) + hypot2(x, expit(0.5*y)) + 0.7"
COLUMNS = np.random.default_rng(0).normal(size=(2, 40))
EXPECTED = 2.5 / np.cosh(1.3 * COLUMNS[0]) + COLUMNS[0] ** 2 + (1 / (1 + np.exp(-0.5 * COLUMNS[1]))) ** 2 + 0.7


def law():
    return parse_with(LAW, XY, OWN)


def test_the_name_of_a_defined_operator_is_its_definition():
    assert OWN == ("sech(x) = 1/cosh(x)", "hypot2(x, y) = x*x + y*y", "expit(t) = 1/(1 + exp(-t))")
    assert define(" sech( x ) =  1 / cosh(x)").name == SECH
    assert define(SECH).label == "sech"
    assert to_text(body_of(EXPIT), ("t",)) == "1/(1 + exp(-t))"


def test_one_name_may_mean_other_things_elsewhere():
    other = define("sech(x) = cosh(x)^-2").name
    values = [evaluate_expression(parse_with("sech(x)", XY, [name]), COLUMNS) for name in (SECH, other)]
    np.testing.assert_allclose(values, [1 / np.cosh(COLUMNS[0]), np.cosh(COLUMNS[0]) ** -2.0], rtol=1e-12)


def test_values_are_those_of_the_formula():
    np.testing.assert_allclose(evaluate_expression(law(), COLUMNS), EXPECTED, rtol=1e-12)


def test_it_counts_as_one_node():
    assert complexity(law()) == 15
    assert operator_names(law()) == {"add", "mul", *OWN}
    assert written_size(law()) == len(write_out(law()).expression) > 15
    assert max(write_out(law()).expression.codes) < NUM_CODES


def test_written_out_constants_know_whose_they_are():
    expression = parse_with("hypot2(3*x, 0.5) + expit(_*y)", XY, OWN)
    written = write_out(expression)
    assert written.owners.tolist() == [0, 0, 1, 1, -1, -1, 2]
    assert written.parameters(np.array([7, -1, 8], np.int32)).tolist() == [7, 7, -1, -1, -1, -1, 8]
    assert written.constants_of(np.array([1.0, 1.0, 2.0, 2.0, 9.0, 9.0, 4.0]), 3).tolist() == [1.0, 2.0, 4.0]


def test_the_canonical_form_keeps_it():
    form = canonical(parse_with("0.7 + hypot2(x, expit(y/2)) + sech(x*1.3)*2.5 + sech(0)", XY, OWN))
    assert to_text(form, XY) == "1.7 + 2.5*sech(1.3*x) + hypot2(x, expit(0.5*y))"


def test_the_order_of_operands_does_not_depend_on_what_was_defined_before():
    source = (
        "import sys; from mosaic_sr.expressions.definitions import define, parse_with\n"
        "from mosaic_sr.expressions.canonical import canonical\n"
        "from mosaic_sr.expressions.text import to_text\n"
        "names = [define(text).name for text in sys.argv[1:]]\n"
        "print(to_text(canonical(parse_with('p(x) + q(x) + r(x)', ('x',), names)), ('x',)))"
    )
    texts = ["p(x) = sin(x)/x", "q(x) = cos(x)/x", "r(x) = exp(x)/x"]
    runs = [[sys.executable, "-c", source, *order] for order in (texts, texts[::-1])]
    printed = [subprocess.run(run, capture_output=True, text=True, check=True).stdout for run in runs]
    assert printed[0] == printed[1]


def test_texts_are_read_back():
    assert to_text(law(), XY) == LAW
    config = GeneratorConfig(num_variables=2, weights={**dict.fromkeys(NAMES, 0.5), **dict.fromkeys(OWN, 5.0)})
    rng = np.random.default_rng(1)
    for _ in range(100):
        expression = generate(rng, config)
        assert parse_with(to_text(expression, XY), XY, OWN) == expression
        assert from_tokens(to_tokens(expression)).structure_key == expression.structure_key
        assert pickle.loads(pickle.dumps(expression)) == expression
        written = write_out(expression).expression
        assert len(written) == written_size(expression)
        np.testing.assert_array_equal(
            evaluate_expression(expression, COLUMNS), evaluate_expression(written, COLUMNS)
        )  # fmt: skip


def test_it_is_printed_as_one_operator():
    assert to_latex(parse_with("2*sech(x) + my_f(y)", XY, [SECH, define("my_f(x) = x*sin(x)").name]), XY) == (
        r"2 \operatorname{sech}\left(x\right) + \operatorname{my\_f}\left(y\right)"
    )
    shown = "".join(ElementTree.fromstring(to_mathml(law(), XY, "z")).itertext())
    assert "sech\u2061(1.3" in shown.replace("\u2062", "")
    assert str(to_sympy(law(), XY)) == "hypot2(x, expit(0.5*y)) + 2.5*sech(1.3*x) + 0.7"


def test_python_source_defines_it(tmp_path):
    source = export(law(), XY, "python")
    assert "def hypot2(x, y):\n    return x * x + y * y" in source
    words = {}
    exec(source, words)  # our own text, as a user would paste it
    np.testing.assert_allclose(words["law"](*COLUMNS), EXPECTED, rtol=1e-12)


def test_sympy_can_compute_with_it():
    tree, (x, y) = to_sympy(law(), XY), sympy.symbols("x y")
    point = dict(zip((x, y), COLUMNS[:, 0], strict=True))
    assert float(tree.subs(point)) == pytest.approx(EXPECTED[0])
    written_out = sympy.expand_func(tree)
    assert float(written_out.subs(point)) == pytest.approx(EXPECTED[0])
    assert not {"sech", "hypot2", "expit"} & {type(part).__name__ for part in sympy.preorder_traversal(written_out)}
    step = 1e-6
    moved = [float(tree.subs({**point, x: point[x] + side})) for side in (step, -step)]
    assert float(tree.diff(x).subs(point)) == pytest.approx((moved[0] - moved[1]) / (2 * step), rel=1e-6)
    np.testing.assert_allclose(sympy.lambdify((x, y), tree)(*COLUMNS), EXPECTED, rtol=1e-12)
    assert canonical(from_sympy(tree, XY)) == canonical(law())


def test_the_process_of_sympy_knows_it():
    with SymbolicWorker() as worker:
        simpler = worker.simplify(parse_with("sech(x)*2 + sech(x)*3", XY, OWN), timeout=60.0)
    assert to_text(simpler, XY) == "5*sech(x)"


def test_definitions_go_along_to_other_processes(tmp_path):
    (tmp_path / "law").write_bytes(pickle.dumps(law()))
    source = (
        "import pickle, sys; from mosaic_sr.expressions.definitions import define\n"
        "define('other(x) = x*x*x')\n"
        "from mosaic_sr.expressions.text import to_text\n"
        f"print(to_text(pickle.load(open({str(tmp_path / 'law')!r}, 'rb')), ('x', 'y')))"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == LAW


def test_definitions_in_use_are_listed():
    assert defined_in([law(), parse_with("sin(x)", XY, OWN)]) == sorted(OWN)
    assert defined_in([parse_with("sin(x)", XY, OWN)]) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sech(x)", "as in 'sech(x) = 1/cosh(x)'"),
        ("sech = 1/cosh(x)", "as in 'sech(x) = 1/cosh(x)'"),
        ("3(x) = x*x", "as in"),
        ("sech(x) =  ", "the formula after the equals sign is missing"),
        ("f(x) = x = 2", "two equals signs"),
        ("f() = 2", "has 0 argument(s) and needs one or two"),
        ("f(x, y, z) = x*y*z", "has 3 argument(s) and needs one or two"),
        ("f(x, x) = x*x", "same name"),
        ("f(x y) = x", "not a name for an argument"),
        ("sin(x) = x*x", "'sin' is a built-in operator"),
        ("arcsin(x) = x*x", "'arcsin' is a built-in operator"),
        ("pi(x) = x*x", "'pi' is the name of a number"),
        ("f(pi) = pi*2", "'pi' is the name of a number"),
        ("_(x) = x*x", "'_' is a constant to fit"),
        ("f(x) = f(x - 1) + 1", "uses 'f' itself"),
        ("f(x) = gg(x)", "unknown function 'gg'"),
        ("f(x) = a*x", "'a' is not an argument; the arguments are: x"),
        ("f(x, y) = x*x", "does not use the argument 'y'"),
        ("f(x) = 2 + 3", "does not use the argument 'x'"),
        ("f(x) = _*x", "no constants to fit"),
        ("f(x) = ?*x", "no constants to fit"),
        ("f(x) = sin(x, x)", "takes 1 argument"),
        ("f(x) = x +", "the formula ends"),
        ("f(x) = x $ 2", "unexpected character"),
        ("f(x) = " + "+".join(["x"] * 40), "64 are allowed"),
    ],
)
def test_bad_definitions_are_refused_with_the_reason(text, words):
    with pytest.raises(InvalidFormula) as refused:
        define(text)
    assert words in str(refused.value)
    assert str(refused.value).startswith("the operator '")


def test_nesting_does_not_fill_the_memory():
    twice = define("twice(x) = x*x + x").name
    with pytest.raises(InvalidFormula, match="more than 10000 nodes once its operators are written out"):
        parse_with("twice(" * 40 + "x" + ")" * 40, XY, [twice])


@pytest.mark.parametrize(
    ("text", "parity"),
    [
        ("sech(x) = 1/cosh(x)", 1),
        ("bump(x) = exp(-x*x)", 1),
        ("langevin(x) = 1/tanh(x) - 1/x", -1),
        ("expit(x) = 1/(1+exp(-x))", 0),
        ("half(x) = x/2 + 1", 0),
        ("lift(x) = sin(x)^2 + x*x", 1),
    ],
)
def test_a_definition_that_is_even_or_odd_by_its_form_is_known_to_be(text, parity):
    operator = define(text)
    assert operator.parity == parity
    argument = apply(operator.name, apply("mul", constant(-1.3), variable(0)))
    if parity:
        assert "-1.3" not in to_text(canonical(argument), ["x"])
