"""Links: the law of the inner formula is the law of the target."""

import numpy as np
import pytest

from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.views.links import LINKS, undo_links
from mosaic_sr.table.resolution import Resolution, Rounding

DOUBLE = Resolution(Rounding.FLOAT64)
TARGET = np.linspace(0.1, 0.9, 40)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_every_link_gives_the_target_back(sign):
    found = list(undo_links(sign * TARGET, DOUBLE, NAMES))
    assert {linked.outer for linked in found} == set(LINKS)
    for linked in found:
        law = linked.law(variable(0))
        np.testing.assert_allclose(evaluate_expression(law, linked.target[None, :]), sign * TARGET, rtol=1e-9)


def test_targets_of_both_signs_have_no_roots_and_no_logarithms():
    outers = {linked.outer for linked in undo_links(np.linspace(-3.0, 5.0, 40), DOUBLE, NAMES)}
    assert {(), ("log",), ("cube",)} <= outers
    assert not {("exp",), ("sq",), ("sqrt",), ("sin",), ("atan",), ("asin",)} & outers


def test_links_need_their_operators():
    outers = {linked.outer for linked in undo_links(TARGET, DOUBLE, ("add", "mul", "exp"))}
    assert outers == {(), ("exp",), ("sq",), ("cube",)}


def test_the_floor_follows_the_rounding_of_the_target():
    rounded = Resolution(Rounding.DECIMALS, 3)
    linked = next(one for one in undo_links(TARGET, rounded, NAMES) if one.outer == ("exp",))
    np.testing.assert_allclose(linked.floor, 0.0005 / TARGET, rtol=0.01)


def test_values_out_of_range_are_refused():
    outers = {linked.outer for linked in undo_links(np.linspace(-300.0, 300.0, 40), DOUBLE, NAMES)}
    assert ("log",) not in outers
