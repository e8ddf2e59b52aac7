"""Folds: sums whose link takes several arguments to one value, and nothing found where there is none."""

from functools import partial

import numpy as np
import pytest
from questions import all_sketches, first_law, question_about, question_of

from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.sums.basis_search import LinearConfig
from mosaic_sr.proposal.sums.linear import propose_folded
from mosaic_sr.proposal.views.folds import FOLDS, folded_targets
from mosaic_sr.proposal.views.steps import wrapped
from mosaic_sr.table.resolution import Resolution, Rounding

FOLDED = partial(propose_folded, LinearConfig())

TARGET = np.linspace(0.1, 0.9, 40)


@pytest.mark.parametrize("fold", FOLDS, ids=lambda fold: fold.outer[0])
def test_every_branch_leads_to_the_value(fold):
    for branch in fold.branches:
        values = np.linspace(max(branch.low, 0.0) + 0.1, min(branch.high, 3.0) - 0.1, 20)
        law = wrapped(variable(0), fold.outer)
        np.testing.assert_allclose(evaluate_expression(law, branch.undo(values)[None, :]), values, rtol=1e-12)


def test_folded_targets_lead_back_to_the_target():
    found = folded_targets(TARGET, Resolution(Rounding.FLOAT64), NAMES)
    assert len(found) > 50
    for folded in found:
        for branch in folded.branches:
            returned = evaluate_expression(wrapped(variable(0), folded.outer), branch[None, :])
            is_reached = np.isfinite(branch)
            np.testing.assert_allclose(returned[is_reached], TARGET[is_reached], rtol=1e-6)


def test_folds_need_their_operators():
    found = folded_targets(TARGET, Resolution(Rounding.FLOAT64), ("add", "mul", "sin", "exp"))
    used = {operator if isinstance(operator, str) else operator[0] for folded in found for operator in folded.outer}
    assert used == {"sin", "exp", "sq", "cube", "add"}


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("tanh(sin(2.3*x0 - x1))", 2),
        ("sin(log(2*x0 + x1))", 2),
        ("log(cosh(1.7*x0 - 3))", 3),
        ("exp(cos(0.8*x0*x1))", 2),
        ("(1 - exp(x0*(x1 - x2)))^2", 3),
    ],
)
def test_folded_laws_are_recovered(text, columns):
    assert first_law(FOLDED, question_about(text, columns))[0] is not None


def test_few_rows_and_constant_columns_are_survived():
    X = np.column_stack([np.ones(80), np.linspace(0.0, 1.0, 80)])
    all_sketches(FOLDED, question_of(X, np.sin(9.0 * X[:, 1] ** 3)))
    all_sketches(FOLDED, question_of(X[::9], np.sin(9.0 * X[::9, 1])))
