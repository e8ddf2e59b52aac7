"""Smaller tables: what is left of a target, its errors, and the way back."""

import numpy as np
import pytest

from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.smaller_tables import FACTOR, LINKS, Number, SmallerTable, TakenPart
from mosaic_sr.table import Rows


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
def test_links_are_undone_and_know_their_slopes(link):
    y = np.linspace(0.2, 0.8, 7)
    undone = evaluate_expression(link.undo(parse("x0", ("x0",))), link.value(y)[None])
    np.testing.assert_allclose(undone, y, rtol=1e-12)
    np.testing.assert_allclose(link.slope(y), (link.value(y + 1e-6) - link.value(y - 1e-6)) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
def test_standard_errors_follow_the_target_through_the_steps(link):
    columns = np.random.default_rng(0).uniform(1.0, 2.0, size=(1, 30))
    part = Number(parse("x + 1", ("x",)))
    smaller = SmallerTable((part,), (TakenPart(FACTOR, part), TakenPart(link, part)))
    target, sigma = 3.0 * columns[0], np.linspace(0.1, 0.2, 30)
    found = smaller.compute(Rows(columns, target, np.empty(0), sigma)).sigma
    ends = [smaller.compute(Rows(columns, target + side * 1e-6 * sigma, np.empty(0))).target for side in (-1.0, 1.0)]
    np.testing.assert_allclose(found, np.abs(ends[1] - ends[0]) / 2e-6, rtol=1e-5)
    assert not smaller.compute(Rows(columns, target, np.empty(0))).has_sigma
