"""Run by a child process on the scratch table: the four new operators in everything that is read off the table."""

import ast
import math
import sys
from itertools import product
from xml.etree import ElementTree

import numpy as np
import sympy

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.exports import LANGUAGES, export
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import apply, constant, hole, operator_names, variable
from mosaic_sr.expressions.generator import CURVED, GeneratorConfig, generate
from mosaic_sr.expressions.latex import to_latex
from mosaic_sr.expressions.mathml import to_mathml
from mosaic_sr.expressions.printing import to_text
from mosaic_sr.expressions.rows import numpy_value
from mosaic_sr.expressions.skeleton import skeleton, skeleton_hash
from mosaic_sr.expressions.symbolic import from_sympy, to_sympy
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.tokens import from_tokens, to_tokens
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel.derivatives import BLOCK_ROWS, block_jacobian, work_size
from mosaic_sr.operators import CODES, NAMES, OPERATORS, operator_named
from mosaic_sr.proposal.prior.sketch_language import full_tokens, read_scale_free, scale_free_tokens
from mosaic_sr.proposal.prior.vocabulary import TOKENS
from mosaic_sr.refinement.chance import make_state
from mosaic_sr.refinement.edits import EDIT_CHANCES, apply_edit
from mosaic_sr.refinement.programs import find_starts, lent, to_expression, to_program
from mosaic_sr.refinement.vocabulary import make_vocabulary, words_of
from mosaic_sr.selection.description import structure_bits

NEW = OPERATORS[-4:]
XY = ("x", "y")
X, Y = variable(0), variable(1)
COLUMNS = np.random.default_rng(0).uniform(-2.0, 2.0, (2, 20))
REFERENCE = {
    "max": np.maximum,
    "sech": lambda a: 1.0 / np.cosh(a),
    "erf": np.vectorize(math.erf),
    "relu": lambda a: np.where(a > 0.0, a, 0.0),
}


def call_of(operator):
    """The operator over plain columns."""
    return apply(operator.name, *[X, Y][: operator.arity])


def values_of_new_operators():
    for operator in NEW:
        expected = REFERENCE[operator.name](*COLUMNS[: operator.arity])
        np.testing.assert_allclose(evaluate_expression(call_of(operator), COLUMNS), expected, rtol=1e-14)
    for left, right in product((X, constant(0.3)), (Y, constant(-0.4))):
        rows = [COLUMNS[0] if left is X else 0.3, COLUMNS[1] if right is Y else -0.4]
        values = evaluate_expression(apply("max", left, right), COLUMNS)
        np.testing.assert_array_equal(values, np.broadcast_to(np.maximum(*rows), 20))
    assert np.isnan(evaluate_expression(apply("max", X, Y), np.array([[1.0, np.nan], [np.nan, 1.0]]))).all()


def partials_are_differences():
    for operator in NEW:
        factors = [apply("mul", constant(1.0), each) for each in (X, Y)]
        expression = apply(operator.name, *factors[: operator.arity])
        jacobian = np.empty((operator.arity, BLOCK_ROWS))
        block_jacobian(
            expression.codes, expression.slots, expression.constants, np.ones(operator.arity, np.int64), COLUMNS, 0, 20,
            np.empty(work_size(len(expression))), np.empty(20), jacobian,
        )  # fmt: skip
        for index in range(operator.arity):
            sides = [np.ones(operator.arity), np.ones(operator.arity)]
            sides[0][index], sides[1][index] = 1.0 + 1e-6, 1.0 - 1e-6
            high, low = (evaluate_expression(expression.with_constants(side), COLUMNS) for side in sides)
            np.testing.assert_allclose(jacobian[index, :20], (high - low) / 2e-6, atol=1e-8)


def inverses_lead_back():
    for operator in NEW:
        values = REFERENCE[operator.name](COLUMNS[0]) if operator.arity == 1 else ()
        for inverse in operator.inverses:
            values = values[(values > inverse.low) & (values < inverse.high)]
            for branch in inverse.branches:
                operand = numpy_value(ast.parse(branch, mode="eval").body, {"v": values})
                np.testing.assert_allclose(REFERENCE[operator.name](operand), values, rtol=1e-9)


def random_expressions(count):
    """Random expressions in which the new operators are common."""
    config = GeneratorConfig(
        num_variables=2, max_operators=7, weights={**dict.fromkeys(NAMES, 0.2), **{each.name: 2.0 for each in NEW}}
    )
    rng = np.random.default_rng(1)
    return [generate(rng, config) for _ in range(count)]


def random_expressions_use_them():
    used = frozenset().union(*map(operator_names, random_expressions(60)))
    assert {operator.name for operator in NEW} <= used
    assert {CODES["sech"], CODES["erf"]} <= CURVED
    assert not {CODES["max"], CODES["relu"]} & CURVED


def canonical_forms_keep_the_value():
    for expression in random_expressions(150):
        form = canonical(expression)
        before, after = evaluate_expression(expression, COLUMNS), evaluate_expression(form, COLUMNS)
        usable = np.isfinite(before) & (np.abs(before) < 1e6) & np.isfinite(after)
        np.testing.assert_allclose(after[usable], before[usable], rtol=1e-6, atol=1e-6)
    assert canonical(parse("max(y, x)", XY)) == canonical(parse("max(x, y)", XY))
    assert to_text(canonical(parse("erf(-2*x)", XY)), XY) == "-erf(2*x)"
    assert to_text(canonical(parse("sech(-x) + max(1, 2) + relu(-3)", XY)), XY) == "2 + sech(x)"
    assert to_text(canonical(parse("max(_, 2)*x", XY)), XY) == "_*x"


def texts_are_read_back():
    for expression in random_expressions(150):
        assert parse(to_text(expression, XY), XY) == expression
        assert from_tokens(to_tokens(expression)).structure_key == expression.structure_key
    assert to_text(parse("maximum(x, 2) + sech(x) + erf(y) + relu(x)", XY), XY) == (
        "max(x, 2) + sech(x) + erf(y) + relu(x)"
    )


def printed_in_every_way():
    law = parse("max(x, y) + sech(x) + erf(y) + relu(x)", XY)
    assert to_latex(law, XY) == (
        r"\max\left(x, y\right) + \operatorname{sech}\left(x\right) + \operatorname{erf}\left(y\right)"
        r" + \operatorname{relu}\left(x\right)"
    )
    shown = "".join(ElementTree.fromstring(to_mathml(law, XY, "z")).itertext())
    assert shown.replace("\u2061", "") == "z=max(x,y)+sech(x)+erf(y)+relu(x)"
    source = export(law, XY, "python")
    assert "return np.maximum(x, y) + sech(x) + special.erf(y) + relu(x)" in source
    words = {}
    exec(source, words)  # our own text, as a user would paste it
    np.testing.assert_allclose(words["law"](*COLUMNS), evaluate_expression(law, COLUMNS), rtol=1e-13)


def is_exported(operator, language):
    """Whether a language can write an operator; a refusal names both."""
    try:
        return bool(export(call_of(operator), XY, language))
    except InvalidFormula as error:
        return f"the operator {operator.label} cannot be written in {language}" not in str(error)


def exported_or_refused_by_name():
    refused = {(operator.name, each) for operator in NEW for each in LANGUAGES if not is_exported(operator, each)}
    assert refused == {("erf", "javascript"), ("erf", "julia")}
    assert export(call_of(operator_named("relu")), XY, "excel") == "=MAX(x, 0)"
    assert export(call_of(operator_named("sech")), XY, "excel") == "=1/COSH(x)"


def through_sympy_and_back():
    x, y = sympy.symbols("x y")
    for operator in NEW:
        tree = to_sympy(call_of(operator), XY)
        expected = REFERENCE[operator.name](*COLUMNS[: operator.arity])
        values = [float(tree.subs({x: a, y: b})) for a, b in COLUMNS.T]
        np.testing.assert_allclose(values, expected, rtol=1e-12)
        np.testing.assert_allclose(evaluate_expression(from_sympy(tree, XY), COLUMNS), expected, rtol=1e-12)
    assert to_sympy(parse("erf(x) + max(x, y)", XY), XY) == sympy.erf(x) + sympy.Max(x, y)


def edits_are_valid_programs():
    vocabulary = make_vocabulary(NAMES, [1.0, 0.5], EDIT_CHANCES)
    state, seen = make_state(np.random.default_rng(2)), set()
    for expression in random_expressions(20):
        for number in range(len(EDIT_CHANCES)):
            source, into = to_program(expression, 200), to_program(X, 200)
            starts = np.zeros(200, np.int64)
            find_starts(lent(*source), starts)
            apply_edit(number, lent(*source), starts, words_of(*vocabulary), state, lent(*into))
            edited = to_expression(*into)
            assert parse(to_text(edited, XY), XY).structure_key == edited.structure_key
            seen |= operator_names(edited)
    assert {operator.name for operator in NEW} <= seen


def skeletons_and_sketches_keep_both_operands():
    assert skeleton_hash(parse("max(x, 2*y)", XY)) == skeleton_hash(parse("max(3*y, x)", XY))
    assert to_text(skeleton(parse("max(x, 7)", XY)), XY) in ("max(x, _)", "max(_, x)")
    tokens = scale_free_tokens(parse("3*max(x, 2*y)", XY))
    assert tokens == ("max", "?", "?")
    assert operator_names(read_scale_free(tokens)) == {"max", "mul"}
    assert read_scale_free(tokens).num_holes == 2
    assert set(full_tokens(parse("relu(erf(sech(max(x, y))))", XY))) <= set(TOKENS)
    assert hole() == from_tokens(["?"])


def bits_come_from_the_row():
    assert structure_bits(parse("sech(x)", XY)) == 13.0
    assert structure_bits(parse("max(x, erf(y))", XY)) == 9.0 + 4.0 + 4.0 + (4.0 + 9.0)


if __name__ == "__main__":
    for check in (
        values_of_new_operators, partials_are_differences, inverses_lead_back, random_expressions_use_them,
        canonical_forms_keep_the_value, texts_are_read_back, printed_in_every_way, exported_or_refused_by_name,
        through_sympy_and_back, edits_are_valid_programs, skeletons_and_sketches_keep_both_operands,
        bits_come_from_the_row,
    ):  # fmt: skip
        check()
        print(check.__name__)
    sys.exit(0)
