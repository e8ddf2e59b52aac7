"""The same seed gives the same law for any number of workers, with weights of either kind and without."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import TINY_GUIDED

from mosaic_sr import SearchConfig, Table, discover
from mosaic_sr.pretraining.export import write_prior
from mosaic_sr.pretraining.model import SketchModel
from mosaic_sr.proposal import PROPOSERS, DecodingConfig, GrammarConfig, PriorConfig, ProposalConfig, prior
from mosaic_sr.proposal.prior.session import SHIPPED
from mosaic_sr.refinement import RefinementConfig
from mosaic_sr.refinement.settings import PathConfig

Course = list[tuple[str, int, str]]


@pytest.fixture(scope="module")
def guided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights with all heads."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("guided")
    write_prior(TINY_GUIDED, SketchModel(TINY_GUIDED.model).state_dict(), {}, folder)
    return folder


def course(weights: Path | None, n_jobs: int) -> Course:
    """What is known after each step of a short search on noisy rows, by the prior or by random structures."""
    only = "grammar" if weights is None else "prior"
    proposal = ProposalConfig(
        without=tuple(name for name in PROPOSERS if name not in ("guesses", only)),
        prior=PriorConfig(weights or SHIPPED, DecodingConfig(8, 16, 2), sketches_per_turn=4, edit_turns=1),
        grammar=GrammarConfig(num_sketches=20, max_operators=3),
    )
    path = PathConfig(trials_per_round=30)
    config = SearchConfig(proposal=proposal, refinement=RefinementConfig(2, 2, rounds_per_turn=1, path=path))
    rng = np.random.default_rng(1)
    X = rng.uniform(0.5, 3.0, (40, 2))
    y = 2.5 * X[:, 0] ** 1.3 / (1 + X[:, 1]) + 0.05 * rng.normal(size=40)
    table = Table.from_arrays(X, y, rng=np.random.default_rng(0))
    snapshots = discover(table, config, np.random.default_rng(0), n_jobs)
    return [(one.stage, one.evaluations, one.law.text() if one.law else "") for one in snapshots]


@pytest.mark.parametrize("kind", ["all heads", "shipped", "none"])
def test_any_number_of_workers_finds_the_same_law(kind: str, guided: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    propose = prior.propose_edits
    monkeypatch.setattr(prior, "propose_edits", lambda *told: asked.append(0) or propose(*told))
    weights = {"all heads": guided, "shipped": SHIPPED, "none": None}[kind]
    one, two = (course(weights, n_jobs) for n_jobs in (1, 2))
    assert one == two
    assert len(one) > 3
    assert ("prior" in {stage for stage, *_ in one}) == (kind != "none")
    # One turn in each search, with weights that have the head.
    assert len(asked) == (2 if kind == "all heads" else 0)
