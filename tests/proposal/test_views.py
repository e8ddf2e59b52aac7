"""Views of the target: each is readable or left out, and a law of the view becomes the law of the table."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mosaic_sr.equation import UNKNOWN, Equation, measure
from mosaic_sr.expressions.parser import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.pipeline import SearchConfig, discover
from mosaic_sr.pretraining.export import write_prior
from mosaic_sr.pretraining.laws import CorpusConfig
from mosaic_sr.pretraining.model import ModelConfig, SketchModel
from mosaic_sr.pretraining.presets import Preset
from mosaic_sr.proposal import PROPOSERS, ProposalConfig
from mosaic_sr.proposal.context import ProposalContext, Signal
from mosaic_sr.proposal.prior import PriorConfig, propose_prior
from mosaic_sr.proposal.prior.decoding import DecodingConfig
from mosaic_sr.proposal.prior.views import views_beyond, views_of_target
from mosaic_sr.table import Rows, Table

X = np.random.default_rng(0).uniform(1.0, 3.0, size=(60, 2))
Y = X[:, 0] * X[:, 1] + np.exp(X[:, 0])


def law_of(text: str, rows: Rows) -> Equation:
    expression = parse(text, ["x0", "x1"])
    return Equation(expression, ("x0", "x1"), measure(expression, rows), UNKNOWN, "test")


def test_the_true_law_of_a_view_is_the_law_of_the_table() -> None:
    rows = Rows(X.T, Y, np.empty(0))
    laws = {
        "logarithm": "log(x0*x1 + exp(x0))",
        "inverse": "1/(x0*x1 + exp(x0))",
        "residual": "exp(x0)",
        "quotient": "1 + exp(x0)/(x0*x1)",
    }
    views = [*views_of_target(Y), *views_beyond(law_of("x0*x1", rows), rows)]
    assert {view.name for view in views} == set(laws)
    for view in views:
        expression = parse(laws[view.name], ["x0", "x1"])
        np.testing.assert_allclose(evaluate_expression(expression, rows.columns), view.target, rtol=1e-9)
        back = view.back(expression)
        filled = back.with_constants(np.where(np.isnan(back.constants), 1.0, back.constants))
        np.testing.assert_allclose(evaluate_expression(filled, rows.columns), Y, rtol=1e-9)


def test_targets_of_both_signs_have_no_logarithm_and_what_is_explained_is_not_read() -> None:
    assert list(views_of_target(np.array([-1.0, 2.0, 3.0]))) == []
    rows = Rows(X.T, Y, np.empty(0))
    assert not any(view.is_readable for view in views_beyond(law_of("x0*x1 + exp(x0)", rows), rows))
    assert not any(view.is_readable for view in views_beyond(law_of("log(x0 - 3)", rows), rows))


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    sizes = ModelConfig(
        encoder="latents", encoding="scaled", width=16, heads=2, hidden=16, max_sketch_tokens=14, edit_layers=1
    )
    torch.manual_seed(0)
    write_prior(Preset("tiny", sizes, CorpusConfig(max_sketch_tokens=12)), SketchModel(sizes).state_dict(), {}, folder)
    return folder


def asked(weights: Path, view_turns: int, edit_turns: int) -> list[object]:
    table = Table.from_arrays(X, Y, rng=np.random.default_rng(0))
    best = [law_of("x0*x1", table.training), law_of("exp(x0)", table.training)]
    context = ProposalContext(table, table.training, np.ones(2), NAMES, lambda table: None, best=lambda: best)
    decoding = DecodingConfig(num_sketches=8, draws_per_pass=16)
    config = PriorConfig(weights, decoding, view_turns=view_turns, edit_turns=edit_turns)
    return list(propose_prior(config, context, np.random.default_rng(0)))


def test_later_turns_come_after_a_pause_and_hold_views_and_edits(weights: Path) -> None:
    assert len(asked(weights, 0, 0)) == 1
    _, pause, *views = asked(weights, 1, 0)
    assert pause is Signal.PAUSE
    assert len(views) == 6  # logarithm, inverse, and two of each of the two laws
    _, pause, edits, *rest = asked(weights, 0, 2)
    assert pause is Signal.PAUSE
    assert isinstance(edits, list)
    assert len(edits) > 50
    assert all(sketch.expression.num_holes == 0 for sketch in edits)
    assert rest[0] is Signal.PAUSE


def test_the_same_seed_gives_the_same_views_and_edits(weights: Path) -> None:
    assert asked(weights, 2, 2) == asked(weights, 2, 2)


def test_a_search_with_edits_finds_the_same_law_with_any_number_of_workers(weights: Path) -> None:
    without = tuple(name for name in PROPOSERS if name != "prior")
    prior = PriorConfig(weights, DecodingConfig(num_sketches=8, draws_per_pass=16), edit_turns=2)
    config = SearchConfig(proposal=ProposalConfig(prior=prior, without=without), max_evaluations=8_000)
    table = Table.from_arrays(X, Y + 0.1 * np.sin(40.0 * X[:, 1]), rng=np.random.default_rng(0))
    one, two = (list(discover(table, config, np.random.default_rng(0), n_jobs))[-1] for n_jobs in (1, 2))
    assert one.evaluations == two.evaluations
    assert one.law == two.law
