"""Skeletons ignore numbers, scales, offsets, the order of operands and the names of columns, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.skeleton import skeleton, skeleton_hash
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.operators import Operator

NAMES = tuple(f"x{index}" for index in range(8))

SAME = [
    ("x0*x1", "3*x1*x0"),
    ("x0 + x1", "2*x1 - 0.5*x0 + 7"),
    ("sin(x0)", "4 - 3*sin(2*x1 + 1)"),
    ("x0*exp(-x1/x2)", "5*exp(3*x0/x1)*x2 + 1"),
    ("x0/sqrt(1 - x1^2)", "3*x1/sqrt(2 + 5*x0^2)"),
    ("x0^4", "x1^1.7"),
    ("x0*x0*x0*x0*x0", "x0^5"),
    ("x0^2*x0^2", "x0^4"),
    ("sqrt(x0)*x0", "x0^1.5"),
    ("1/x0^5", "x0^5"),
    ("2^x0", "exp(x0)"),
    ("(x0 - 1)*(x1 - 2)", "x0*x1"),
    ("exp(x0) - exp(-x0)", "exp(2*x0) + exp(3*x0)"),
    ("x0/x1 + x1/x2 + x2/x0", "x1/x0 + x0/x2 + x2/x1"),
    ("x0*x1 + x2*x3 + x4*x5", "x5*x0 + x1*x4 + x3*x2"),
    ("x0/x1 + x1/x0 + x2/x3 + x3/x4 + x4/x2", "x3/x1 + x1/x3 + x0/x4 + x4/x2 + x2/x0"),
    ("_*x0 + _", "x0"),
    ("log(x0)", "log(5*x0) - 2"),
]
DIFFERENT = [
    ("x0*x1", "x0/x1"),
    ("x0*x1", "x0 + x1"),
    ("x0^2", "x0^3"),
    ("x0^2", "x0"),
    ("x0*x1 + x0", "x0*x1 + x2"),
    ("x0/sqrt(1 - x1^2)", "x0/x1"),
    ("(x0 - 1)/(x0 - 10)", "x0"),
    ("(x0 - 1)/(x0 - 10)", "1/x0"),
    ("sin(x0)*cos(x0)", "sin(x0)*cos(x1)"),
    ("x0^x1", "x1^x0*x0"),
    ("exp(x0) + exp(-x0)", "exp(x0)"),
    ("x0/x1 + x1/x2 + x2/x0", "x0/x1 + x1/x0 + x2/x1"),
    ("x0*x1 + x1*x2 + x2*x0", "x0*x1 + x1*x2 + x2*x3"),
    ("x0 - log(x1)", "x0*log(x1)"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_laws_that_share_a_skeleton(left: str, right: str):
    assert skeleton_hash(parse(left, NAMES)) == skeleton_hash(parse(right, NAMES))
    assert skeleton(parse(left, NAMES)) == skeleton(parse(right, NAMES))


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_laws_that_do_not_share_a_skeleton(left: str, right: str):
    assert skeleton_hash(parse(left, NAMES)) != skeleton_hash(parse(right, NAMES))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 + 2*x4", "x0"),
        ("7", "_"),
        ("sin(3)", "_"),
        ("2*x3^2.5", "x0^_"),
        ("? * sin(?)", "?*sin(?)"),
        ("6*sin(x0)*cos(x1) - 4", "cos(x0)*sin(x1)"),
    ],
)
def test_a_skeleton_is_an_expression(text: str, expected: str):
    assert to_text(skeleton(parse(text, NAMES)), NAMES) == expected


def shuffled(expression: Expression, rng: np.random.Generator) -> Expression:
    """The same law with other column names, other numbers and operands of sums and products exchanged."""

    def call(operator: Operator, children: list[str]) -> str:
        is_turned = operator.commutes and rng.random() < 0.5
        return f"{operator.name}({', '.join(children[::-1] if is_turned else children)})"

    text = expression.fold(call, lambda column: f"x{column}", lambda value: repr(float(rng.uniform(1.1, 1.9))))
    return parse(text, NAMES).renamed(rng.permutation(8))


def test_random_laws_keep_their_hash_under_shuffling():
    rng = np.random.default_rng(11)
    config = GeneratorConfig(num_variables=5, min_operators=1, max_operators=12)
    for _ in range(300):
        law = generate(rng, config)
        assert skeleton_hash(shuffled(law, rng)) == skeleton_hash(law), to_text(law, NAMES)


def test_columns_are_renumbered_without_gaps():
    rng = np.random.default_rng(12)
    config = GeneratorConfig(num_variables=5, max_operators=10)
    for _ in range(100):
        columns = skeleton(generate(rng, config)).columns
        assert columns == tuple(range(len(columns)))


def test_hashes_do_not_change_between_runs():
    assert skeleton_hash(parse("x0*x1", NAMES)) == "61eacd560c2ad149"
    assert skeleton_hash(parse("x0*(exp(x1*x2/x3) - 1)", NAMES)) == "addd4b9a0d6696d3"
