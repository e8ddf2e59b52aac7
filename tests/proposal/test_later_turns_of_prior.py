"""Later turns of the prior: edits of the best laws so far."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mosaic_sr.equation import UNKNOWN, Equation, measure
from mosaic_sr.expressions.parser import parse
from mosaic_sr.operators import NAMES
from mosaic_sr.pretraining.export import write_prior
from mosaic_sr.pretraining.laws import CorpusConfig
from mosaic_sr.pretraining.model import ModelConfig, SketchModel
from mosaic_sr.pretraining.presets import Preset
from mosaic_sr.proposal.context import ProposalContext, Signal
from mosaic_sr.proposal.prior import PriorConfig, propose_prior
from mosaic_sr.proposal.prior.decoding import DecodingConfig
from mosaic_sr.table import Rows, Table

X = np.random.default_rng(0).uniform(1.0, 3.0, size=(60, 2))
Y = X[:, 0] * X[:, 1] + np.exp(X[:, 0])


def law_of(text: str, rows: Rows) -> Equation:
    expression = parse(text, ["x0", "x1"])
    return Equation(expression, ("x0", "x1"), measure(expression, rows), UNKNOWN, "test")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    sizes = ModelConfig(
        encoder="latents", encoding="scaled", width=16, heads=2, hidden=16, max_sketch_tokens=14, edit_layers=1
    )
    torch.manual_seed(0)
    write_prior(Preset("tiny", sizes, CorpusConfig(max_sketch_tokens=12)), SketchModel(sizes).state_dict(), {}, folder)
    return folder


def asked(weights: Path, edit_turns: int) -> list[object]:
    table = Table.from_arrays(X, Y, rng=np.random.default_rng(0))
    best = [law_of("x0*x1", table.training), law_of("exp(x0)", table.training)]
    context = ProposalContext(table, table.training, np.ones(2), NAMES, lambda table: None, best=lambda: best)
    decoding = DecodingConfig(num_sketches=8, draws_per_pass=16)
    config = PriorConfig(weights, decoding, edit_turns=edit_turns)
    return list(propose_prior(config, context, np.random.default_rng(0)))


def test_later_turns_come_after_a_pause_and_hold_edits(weights: Path) -> None:
    assert len(asked(weights, 0)) == 1
    _, pause, edits, *rest = asked(weights, 2)
    assert pause is Signal.PAUSE
    assert isinstance(edits, list)
    assert len(edits) > 50
    assert all(sketch.expression.num_holes == 0 for sketch in edits)
    assert rest[0] is Signal.PAUSE


def test_the_same_seed_gives_the_same_edits(weights: Path) -> None:
    assert asked(weights, 2) == asked(weights, 2)
