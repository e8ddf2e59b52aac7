"""Smaller tables: what is left of a target, its errors, and the way back."""

import numpy as np
import pytest

from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.reductions.splits import LINKS
from mosaic_sr.proposal.smaller_tables import Number, SmallerTable, TakenPart
from mosaic_sr.proposal.views.steps import IDENTITY
from mosaic_sr.table import Rows


@pytest.mark.parametrize("link", [IDENTITY, *LINKS], ids=lambda link: " ".join(link.outer))
def test_standard_errors_follow_the_target_through_the_steps(link):
    columns = np.random.default_rng(0).uniform(1.0, 2.0, size=(1, 30))
    part = Number(parse("x + 1", ("x",)))
    smaller = SmallerTable((part,), (TakenPart(part), TakenPart(part, link)))
    target, sigma = 3.0 * columns[0], np.linspace(0.1, 0.2, 30)
    found = smaller.compute(Rows(columns, target, np.empty(0), sigma)).sigma
    ends = [smaller.compute(Rows(columns, target + side * 1e-6 * sigma, np.empty(0))).target for side in (-1.0, 1.0)]
    np.testing.assert_allclose(found, np.abs(ends[1] - ends[0]) / 2e-6, rtol=1e-5)
    assert not smaller.compute(Rows(columns, target, np.empty(0))).has_sigma


@pytest.mark.parametrize("link", [IDENTITY, *LINKS], ids=lambda link: " ".join(link.outer))
def test_a_law_of_what_is_left_leads_back_to_the_target(link):
    columns = np.random.default_rng(0).uniform(1.0, 2.0, size=(1, 30))
    part = Number(parse("x + 1", ("x",)))
    smaller = SmallerTable((part,), (TakenPart(part), TakenPart(part, link)))
    left = smaller.compute(Rows(columns, 30.0 * columns[0], np.empty(0))).target
    # The values of what is left take the place of a second column.
    law = smaller.put_back(parse("y", ("x", "y")))
    np.testing.assert_allclose(evaluate_expression(law, np.array([columns[0], left])), 30.0 * columns[0], rtol=1e-12)
