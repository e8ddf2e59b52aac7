"""The structure prior: what scientists write often takes few bits."""

import json
import math
from importlib.resources import files

import numpy as np
import pytest

from benchmarks.skeletons import KEPT_OUT
from benchmarks.structure_prior import read_formulas
from mosaic_sr.evidence import Measured, Noise
from mosaic_sr.evidence.judge import BITS_OF_SHORT_WAVE, BITS_OF_TIE, judge, structure_bits
from mosaic_sr.evidence.structure import FILE, FRESH, Counted, StructurePrior, count_symbols, shipped_prior
from mosaic_sr.evidence.written import ROOT, SYMBOLS, Context, read_fragment, written
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.skeleton import skeleton_hash
from mosaic_sr.expressions.text import parse
from mosaic_sr.table import Rows


def bits_of(text):
    return shipped_prior().bits_of(written(canonical(parse(text, ("x", "y")))), (1.0, 1.0))


@pytest.mark.parametrize(
    ("usual", "odd"),
    [
        ("2.7*exp(-0.31*x)", "2.7*exp(sin(0.31*x))"),
        ("2.7*x/(0.31 + x)", "2.7*tanh(x)/(0.31 + x)"),
        ("2.7*x*y", "2.7*atan(x)*cosh(y)"),
        ("2.7*sin(0.31*x)", "2.7*asin(0.31*x)"),
    ],
)
def test_what_scientists_write_takes_fewer_bits(usual, odd):
    assert bits_of(usual) + 4.0 < bits_of(odd)


@pytest.mark.parametrize(
    ("seen", "with_other_signs"),
    [
        ("2.7/sqrt(1 + 0.31*x^2)", "2.7/sqrt(1 - 0.31*x^2)"),
        ("2.7*exp(-0.31*x)", "2.7*exp(0.31*x)"),
    ],
)
def test_a_part_that_was_seen_with_other_signs_takes_a_few_bits_more(seen, with_other_signs):
    assert bits_of(seen) < bits_of(with_other_signs) < bits_of(seen) + 8.0


def test_the_shares_of_the_symbols_at_a_place_add_up_to_one():
    prior = shipped_prior()
    contexts = [Context(*key) for key in (("mul", 0, ROOT), ("add", 1, "exp", "x"), ("tan", 0, "cosh"))]
    for context in (Context(), *contexts):
        # Numbers that people write have a least share beside the others.
        assert 1.0 - 1e-9 <= sum(2.0 ** -prior.bits(context, symbol) for symbol in SYMBOLS) <= 1.0 + 2.0**-4


def test_the_order_of_operands_and_the_size_of_constants_do_not_matter():
    assert bits_of("3.1*x + 2.2*exp(0.7*x)") == bits_of("512.7*exp(1e-5*x) + 0.01*x")


@pytest.mark.parametrize(
    "law",
    [
        "0.512*x*(1.234*y^2 + x^2)",
        "x^2 + 1.234*y^2",
        "x*y^2 + exp(-y/1.7)",
        "2.3*x^2*y/(1.7 + sqrt(y))",
        "y - x*sin(y)",
    ],
)
def test_exchanged_columns_do_not_change_the_bits(law):
    expression = parse(law, ("x", "y"))
    assert structure_bits(canonical(expression), 2) == structure_bits(canonical(expression.renamed((1, 0))), 2)


def test_a_factor_of_one_beside_a_one_takes_hardly_more_bits_than_a_fitted_factor():
    names = ("x", "y")
    plain, fitted = (parse(text, names) for text in ("x*y/(1 + x) - 0.0751*y^2", "x*y/(1 + 0.99871*x) - 0.0751*y^2"))
    assert structure_bits(canonical(plain), 2) <= structure_bits(canonical(fitted), 2) + 3.0


@pytest.mark.parametrize("exponent", range(4, 10))
def test_a_whole_exponent_takes_fewer_bits_than_one_with_decimals(exponent):
    whole, near = (canonical(parse(f"2.345*x/y^{each}", ("x", "y"))) for each in (exponent, exponent + 0.5))
    assert structure_bits(whole, 2) < structure_bits(near, 2)


def test_a_sum_of_squares_takes_no_more_bits_than_one_with_a_constant_before_one_of_them():
    names = ("x", "y", "z")
    plain, scaled = (parse(text, names) for text in ("x^2 + y^2 + z^2", "1.234*x^2 + y^2 + z^2"))
    assert structure_bits(canonical(plain), 3) <= structure_bits(canonical(scaled), 3) + 2.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("7.123*x/(2.712 + x)", "7.123*x/(0.02712 + x)"),
        ("3.317/(1 + (1.731/x)^2.313)", "3.317/(1 + (0.0731/x)^2.313)"),
        ("1.234*sqrt(1 + 12.01*x)", "1.234*sqrt(1 + 0.01201*x)"),
        ("0.123/(1 + 0.0123*x + 41.23*x^2)", "0.123/(1 + 41.23*x + 0.0123*x^2)"),
        ("3.123 - 7.123*x", "7.123*x - 3.123"),
        ("3.123 - x", "x - 3.123"),
    ],
)
def test_neither_the_units_nor_the_sign_of_the_whole_change_the_bits(one, other):
    assert bits_of(one) == bits_of(other)


@pytest.mark.parametrize(
    ("usual", "odd"),
    [
        ("2.7*exp(-0.31*(x - 1.7)^2)", "2.7*exp(0.31*(x - 1.7)^2)"),
        ("2.7/(1 + 0.31*x^2)", "2.7/(1 - 0.31*x^2)"),
        ("2.7*exp(-0.31/x)", "2.7*exp(0.31/x)"),
    ],
)
def test_signs_tell_peaks_from_what_nobody_writes(usual, odd):
    assert bits_of(usual) + 2.0 < bits_of(odd)


def test_a_column_that_a_fragment_repeats_is_named_once():
    repeated, mixed = bits_of("2.7*x/(0.31 + x)"), bits_of("2.7*x/(0.31 + y)")
    assert repeated + 0.5 < mixed


def test_fragments_are_read_as_they_are_written():
    part = written(canonical(parse("2.7*y*exp(-0.31*x)/(1 + y)", ("x", "y"))))
    assert read_fragment(part.fragment).fragment == part.fragment
    with pytest.raises(ValueError, match="left over"):
        read_fragment("exp x0 x1")


def test_counts_follow_the_formulas():
    counted = count_symbols([(parse("1.7*x", "x"), 2.0), (parse("1.7*exp(x)", "x"), 1.0)])
    assert counted.symbols[Context().key] == {"mul": 3.0}
    second = Context("mul", 1, ROOT, "c")
    assert counted.symbols[second.key] == {"x": 2.0, "exp": 1.0}
    prior = StructurePrior(counted)
    assert prior.bits(second, "x") < prior.bits(second, "exp")


def test_what_was_seen_often_takes_fewer_bits_than_its_symbols():
    often = [(parse("1.7*x/(0.3 + x)", "x"), 1.0)] * 200
    once = [(parse(text, "x"), 1.0) for text in ("1.7*x/(0.3 + exp(x))", "1.7*exp(x)/(0.3 + x)")]
    counted = count_symbols([*often, *once])
    with_fragments = StructurePrior(counted)
    without = StructurePrior(Counted(counted.symbols, {}))
    usual = written(canonical(parse("1.7*x/(0.3 + x)", "x")))
    assert with_fragments.bits_of(usual, (0.0,)) < without.bits_of(usual, (0.0,))
    assert math.isfinite(with_fragments.bits_of(written(parse("tan(cosh(x))", "x")), (0.0,)))


def test_a_law_of_any_length_has_finite_bits():
    long = "+".join(f"{place}.7*tan(cosh(sin({place}.3*x)))^1.3" for place in range(1, 60))
    assert 500.0 < bits_of(long) < 1e5


def test_the_shipped_counts_name_their_sources():
    content = json.loads(files("mosaic_sr.evidence").joinpath(FILE).read_text())
    assert content["laws"] > 1000
    assert content["formulas"] > 100
    assert {symbol for own in content["counts"].values() for symbol in own} <= set(SYMBOLS)
    assert all(own[FRESH] > 0.0 for own in content["fragments"].values())
    texts = [text for own in content["fragments"].values() for text in own if text != FRESH]
    assert all(read_fragment(text).fragment == text for text in texts)


def test_no_formula_of_the_corpus_is_a_problem_of_a_benchmark():
    kept_out = set(json.loads(KEPT_OUT.read_text())["skeletons"])
    assert not {skeleton_hash(formula) for formula in read_formulas()} & kept_out


@pytest.mark.parametrize(
    ("tied", "free"),
    [("3.37*(x - x^3) + 10.09*y", "3.37*x - 3.41*x^3 + 10.09*y"), ("2.31*(x*y - y)", "2.31*x*y - 2.37*y")],
)
def test_equal_constants_cost_no_more_than_the_free_ones_and_a_word(tied, free):
    bits = [structure_bits(canonical(parse(text, ("x", "y"))), 2) for text in (tied, free)]
    assert bits[0] <= bits[1] + BITS_OF_TIE + 1e-9


def test_a_column_alone_is_hardly_a_law():
    alone, scaled = (structure_bits(canonical(parse(text, ("x", "y"))), 2) for text in ("x", "2.1234*x"))
    assert alone > scaled


def test_a_bend_is_no_wave_because_its_frequency_has_few_digits():
    x = np.linspace(1.0, 7.0, 40)
    measured = Measured(Rows(x[None], 37.0 - 30.0 * np.cos(0.4 * x), np.empty(0)), None, np.zeros(40))
    bend, angle = (judge(parse(f"37 - 30*cos({number}*x)", "x"), measured, Noise()) for number in (0.37, 0.5))
    assert bend.bits - structure_bits(bend.expression, 1) == pytest.approx(BITS_OF_SHORT_WAVE)
    assert angle.bits == pytest.approx(structure_bits(angle.expression, 1))
