"""Enumeration: forms come in the order of their bits, each in one spelling."""

import math
import os
import subprocess
import sys
from itertools import islice, product

import numpy as np
import pytest

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import num_operators, operator_names
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import QuickConfig
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.enumeration.atoms import make_atoms
from mosaic_sr.proposal.enumeration.form import leaf, node
from mosaic_sr.proposal.enumeration.forms import Forms, to_expression
from mosaic_sr.proposal.enumeration.streams import all_in_order
from mosaic_sr.proposal.enumeration.terms import SumConfig, first_terms, sums_of
from mosaic_sr.proposal.trials import Trials
from mosaic_sr.table import Rows
from mosaic_sr.workers import Threads


def first_forms(count, num_columns=1, **settings):
    forms = Forms((math.log2(num_columns),) * num_columns, settings.pop("operators", NAMES), 6, **settings)
    return list(islice(forms.in_order(), count))


def texts(count, **settings):
    return [to_text(to_expression(form), ("x", "y")) for _, form in first_forms(count, **settings)]


def test_bits_never_fall():
    bits = [own for own, _ in first_forms(3000)]
    assert bits == sorted(bits)


USUAL = (
    "_*exp(_*x) | _ + _*x | _*x/(_ + x) | _*sin(_ + _*x) | _*exp(_/x) | _*x^_ | _/(1 + exp(_ - _*x)) | _/x | _/x^2 | "
    "_ + _/x | _ + _/x^2 | _/(1 + _*x) | _/(1 + _*x)^2 | _*x/(1 + _*x)^2 | _ + _/(1 + _*x)"
)


@pytest.mark.parametrize("text", USUAL.split(" | "))
def test_usual_laws_are_among_the_first_forms(text):
    known = {canonical(to_expression(form)).structure_key for _, form in first_forms(1500)}
    law = parse(text.replace("_", "0.7371"), ("x",))
    assert canonical(law.with_constants([math.nan if c == 0.7371 else c for c in law.constants])).structure_key in known


EXPONENTS = (-3.0, -2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0)


@pytest.mark.parametrize("is_scaled", [False, True])
def test_powers_of_the_same_bases_are_the_same_form_only_with_the_same_exponents(is_scaled):
    bases = node("log", (leaf(0),)), node("add", (leaf(1.0), node("mul", (leaf(None), leaf(0)))))
    powers = {own: tuple(_raised(base, own) for base in bases) for own in EXPONENTS}
    keys = {}
    for one, other in product(EXPONENTS, repeat=2):
        form = node("mul", (powers[one][0], powers[other][1]))
        keys[one, other] = (node("mul", (leaf(None), form)) if is_scaled else form).key
    assert len(set(keys.values())) == len(keys)


def _raised(base, exponent):
    """A power of a form by operators that have no free exponent."""
    names = {1.0: (), 2.0: ("sq",), 3.0: ("cube",), 0.5: ("sqrt",), 1.5: ("sqrt", "cube")}[abs(exponent)]
    for name in names:
        base = node(name, (base,))
    return node("div", (leaf(1.0), base)) if exponent < 0.0 else base


def test_forms_are_the_same_in_processes_that_hash_differently():
    program = (
        "from itertools import islice\n"
        "from mosaic_sr.operators import NAMES\n"
        "from mosaic_sr.proposal.enumeration.forms import Forms, to_expression\n"
        "for bits, form in islice(Forms((0.0,), NAMES, 6).in_order(), 400):\n"
        "    law = to_expression(form)\n"
        "    print(bits, law.codes.tolist(), law.constants.tolist())\n"
    )
    first, second = (
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("2", "3")
    )
    assert first == second


def test_no_two_forms_are_the_same_function():
    """Forms without constants too many: with the same random numbers hardly two have the same values."""
    x = np.linspace(0.3, 1.7, 9)[None]
    seen = {}
    twins = 0
    for _, form in first_forms(600):
        law = to_expression(form)
        numbers = [1.37 if math.isnan(value) else value for value in law.constants.tolist()]
        values = evaluate_expression(law.with_constants(numbers), x)
        if np.all(np.isfinite(values)):
            twins += seen.setdefault(values.round(9).tobytes(), form) is not form
    # Where all constants are equal and columns positive, a few different forms meet: c + c*x and c*(1 + x).
    assert twins < 20


def test_only_allowed_operators_and_needed_columns_occur():
    forms = first_forms(300, num_columns=2, operators=("add", "mul", "exp"), needed=frozenset((0, 1)))
    for _, form in forms:
        law = to_expression(form)
        assert operator_names(law) <= {"add", "mul", "exp"}
        assert law.columns == (0, 1)


def test_a_form_has_at_most_so_many_constants():
    assert all(form.num_constants <= 6 for _, form in first_forms(4000))


def test_what_two_columns_make_together_is_one_quantity():
    laws = [law for _, law in islice(all_in_order([0, 1], [1.0, 1.0], [0, 1], NAMES, 6), 2500)]
    wanted = parse("1.37*exp(1.37*(x/y))*cos(1.37*(x/y))", ("x", "y"))
    columns = np.random.default_rng(0).uniform(0.5, 2.0, (2, 7))
    expected = evaluate_expression(wanted, columns)
    filled = [law.with_constants(np.where(np.isnan(law.constants), 1.37, law.constants)) for law in laws]
    with np.errstate(all="ignore"):
        assert any(np.allclose(evaluate_expression(law, columns), expected) for law in filled)


def test_streams_come_in_the_order_of_their_bits():
    bits = [own for own, _ in islice(all_in_order([0, 1, 2], [1.5, 1.5, 1.5], [], NAMES, 5), 2000)]
    assert bits == sorted(bits)


BRIEF = SumConfig(num_terms=120, num_pairs=150, num_extended=4)


@pytest.mark.parametrize(
    "law",
    [
        lambda x, y: 2.3 * np.exp(-0.9 * x) + 1.4 * np.sin(2.1 * y),
        lambda x, y: 2.3 * np.exp(-0.9 * x) + 1.4 * np.sin(2.1 * x + 0.7),
        lambda x, y: 1.7 + 2.3 * np.exp(-0.9 * x) + 0.4 * y**2,
        lambda x, y: 2.3 * np.exp(-0.9 * y) + 0.4 * x**2 + 1.9 * np.sin(1.7 * y),
    ],
)
def test_sums_of_terms_are_found(law):
    x = np.random.default_rng(1).uniform(0.2, 4.0, (2, 80))
    target = law(*x)
    trials = Trials(Rows(x, target, np.empty(0)), QuickConfig(6, 16, 30))
    terms = first_terms([0, 1], [1.0, 1.0], NAMES, 6, BRIEF.num_terms)
    found = [tried for tries in sums_of(terms, trials, BRIEF, 6, Threads()) for tried in tries]
    best = max(found, key=lambda tried: tried.score)
    assert evaluate_expression(best.expression, x) == pytest.approx(target, abs=1e-6)
    assert num_operators(best.expression) <= 12
    assert all(tried.num_free <= 6 for tried in found)


def test_terms_without_finite_values_are_no_atoms():
    x = np.random.default_rng(1).uniform(-2.0, 2.0, (1, 40))
    terms = [(1.0, parse(text, ("x",))) for text in ("_*log(x)", "_*exp(_*x)", "_*x^0.5")]
    atoms = make_atoms(terms, Rows(x, x[0] ** 2, np.empty(0)), "uniform")
    assert [to_text(form, ("x",)) for _, form in atoms.terms] == ["_*exp(_*x)"]
    assert make_atoms(terms[:1], Rows(x, x[0] ** 2, np.empty(0)), "uniform") is None


@pytest.mark.parametrize("operators", [("add", "mul"), ("add", "sub", "sin"), ("add",)])
def test_few_operators_have_few_terms_and_end(operators):
    terms = first_terms([0], [0.0], operators, 6, 1500)
    assert len(terms) < 1500
    trials = Trials(
        Rows(np.linspace(0.5, 2.0, 30)[None], np.linspace(1.0, 3.0, 30), np.empty(0)), QuickConfig(2, 4, 10)
    )
    assert all(tried.num_free <= 6 for tries in sums_of(terms, trials, BRIEF, 6, Threads()) for tried in tries)


@pytest.mark.parametrize("operators", [("add",), ("sub",), ("add", "neg"), ("mul",), ("sin",)])
def test_the_forms_of_few_operators_run_out(operators):
    assert len(list(islice(all_in_order([0], [0.0], [0], operators, 3), 100_000))) < 100_000
