"""The structure prior: what scientists write often takes few bits."""

import json
from importlib.resources import files

import pytest

from mosaic_sr.evidence.structure import (
    FILE,
    ROOT,
    SYMBOLS,
    Context,
    StructurePrior,
    count_symbols,
    shipped_prior,
    written,
)
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.text import parse


def is_one(value):
    return value == 1.0


def bits_of(text):
    return shipped_prior().bits_of(written(canonical(parse(text, ("x", "y"))), is_one))


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


def test_the_shares_of_the_symbols_at_a_place_add_up_to_one():
    prior = shipped_prior()
    contexts = [Context(*key) for key in (("mul", 0, ROOT), ("add", 1, "exp", "x"), ("tan", 0, "cosh"))]
    for context in (Context(), *contexts):
        # Numbers that people write have a least share beside the others.
        assert 1.0 - 1e-9 <= sum(2.0 ** -prior.bits(context, symbol) for symbol in SYMBOLS) <= 1.0 + 2.0**-4


def test_the_order_of_operands_and_the_size_of_constants_do_not_matter():
    assert bits_of("3.1*x + 2.2*exp(0.7*x)") == bits_of("512.7*exp(1e-5*x) + 0.01*x")


def test_counts_follow_the_formulas():
    counts = count_symbols([(parse("1.7*x", "x"), 2.0), (parse("1.7*exp(x)", "x"), 1.0)], is_one)
    assert counts[Context().key] == {"mul": 3.0}
    second = Context("mul", 1, ROOT, "c")
    assert counts[second.key] == {"x": 2.0, "exp": 1.0}
    prior = StructurePrior(counts)
    assert prior.bits(second, "x") < prior.bits(second, "exp")


def test_the_shipped_counts_name_their_sources():
    content = json.loads(files("mosaic_sr.evidence").joinpath(FILE).read_text())
    assert content["laws"] > 1000
    assert content["formulas"] > 100
    assert {symbol for own in content["counts"].values() for symbol in own} <= set(SYMBOLS)
