"""The prior as a proposer, on weights that a test exports."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch

from mosaic_sr.errors import InvalidFile, InvalidTable
from mosaic_sr.operators import ARITY, CODES, NAMES
from mosaic_sr.pipeline import SearchConfig, discover
from mosaic_sr.pretraining.export import write_prior
from mosaic_sr.pretraining.laws import CorpusConfig
from mosaic_sr.pretraining.model import ModelConfig, SketchModel
from mosaic_sr.pretraining.presets import Preset
from mosaic_sr.proposal import PROPOSERS, ProposalConfig, ProposalContext
from mosaic_sr.proposal.context import Signal
from mosaic_sr.proposal.prior import LEAST_CHANCE, PriorAnswer, PriorConfig, ask_prior, log_weight, propose_prior
from mosaic_sr.proposal.prior.decoding import DecodedSketch, DecodingConfig
from mosaic_sr.table import Table


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> PriorConfig:
    """A random tiny model: what it says is noise, but it says it in the right form."""
    folder = tmp_path_factory.mktemp("weights")
    sizes = ModelConfig(encoder="latents", encoding="scaled", width=16, heads=2, hidden=16, max_sketch_tokens=14)
    torch.manual_seed(0)
    preset = Preset("tiny", sizes, CorpusConfig(max_sketch_tokens=12))
    write_prior(preset, SketchModel(sizes).state_dict(), {}, folder)
    return PriorConfig(folder, DecodingConfig(num_sketches=16, draws_per_pass=24))


def table(num_columns: int, num_rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(num_columns, num_rows)) * 10.0 ** rng.uniform(-30, 30, size=(num_columns, 1))
    return columns, columns[0]


@pytest.mark.parametrize(("num_columns", "num_rows"), [(1, 1), (2, 5), (3, 200), (14, 50), (2, 100_000)])
def test_any_table_gets_distinct_sketches(config: PriorConfig, num_columns: int, num_rows: int) -> None:
    sketches = ask_prior(*table(num_columns, num_rows), config, np.random.default_rng(1)).sketches
    assert len({sketch.key for sketch, _ in sketches}) == len(sketches) == 16
    weights = [weight for _, weight in sketches]
    assert weights == sorted(weights, reverse=True)
    assert all(sketch.num_holes >= 1 and not sketch.columns for sketch, _ in sketches)
    assert all(np.isnan(sketch.constants).all() for sketch, _ in sketches)


def test_the_same_seed_gives_the_same_sketches(config: PriorConfig) -> None:
    first, second = (ask_prior(*table(3, 50), config, np.random.default_rng(4)) for _ in range(2))
    assert first == second


def test_the_heads_are_reported(config: PriorConfig) -> None:
    answer = ask_prior(*table(14, 50), config, np.random.default_rng(0))
    assert len(answer.fed_columns) == len(answer.matters) == 10
    assert 0 in answer.fed_columns
    assert all(0.0 <= probability <= 1.0 for probability in (*answer.matters, *answer.operators.values()))


def test_columns_that_were_not_fed_get_the_least_weight() -> None:
    answer = PriorAnswer((), fed_columns=(2, 0), matters=(0.9, 0.001), operators={})
    assert answer.column_weights(4) == (LEAST_CHANCE, LEAST_CHANCE, 0.9, LEAST_CHANCE)


def test_a_sketch_of_likely_operators_weighs_more() -> None:
    chances = {"sin": 0.9, "exp": 0.1}
    wave, growth = (log_weight(DecodedSketch((name, "?"), -2.0), chances) for name in ("sin", "exp"))
    assert wave == pytest.approx(0.5 * (-2.0 + 2 * np.log(0.9)))
    assert growth == pytest.approx(0.5 * (-2.0 + 2 * np.log(0.1)))


def test_only_the_operators_of_the_question_are_decoded(config: PriorConfig) -> None:
    answer = ask_prior(*table(2, 30), config, np.random.default_rng(0), ("sub", "mul", "sin"))
    codes = {int(code) for sketch, _ in answer.sketches for code in sketch.codes if ARITY[code]}
    assert CODES["sin"] in codes
    assert codes <= {CODES[name] for name in ("add", "mul", "sin")}


def question_of(num_columns: int) -> ProposalContext:
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 2.0, size=(60, num_columns))
    made = Table.from_arrays(X, X[:, 0] * X[:, 1], rng=rng)
    return ProposalContext(made, made.training, np.ones(num_columns), NAMES, lambda table: None)


def test_the_proposer_yields_weighted_sketches_and_says_which_columns_it_read(config: PriorConfig) -> None:
    context = question_of(12)
    first, pause, second = propose_prior(config, context, np.random.default_rng(0))
    assert pause is Signal.PAUSE
    assert (len(first), len(second)) == (12, 4)
    sketches = [*first, *second]
    weights = [sketch.log_weight for sketch in sketches]
    assert weights == sorted(weights, reverse=True)
    assert {sketch.found_by for sketch in sketches} == {"prior"}
    assert all(len(sketch.column_weights) == 12 for sketch in sketches)
    assert len(context.notes) == 1
    assert context.notes[0].startswith("the learned prior read 10 of 12 columns: ")


def test_few_columns_need_no_note(config: PriorConfig) -> None:
    context = question_of(3)
    list(propose_prior(config, context, np.random.default_rng(0)))
    assert context.notes == []


def test_without_shipped_weights_the_prior_is_silent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("mosaic_sr.proposal.prior.SHIPPED", tmp_path / "none")
    assert list(propose_prior(PriorConfig(tmp_path / "none"), question_of(2), np.random.default_rng(0))) == []


def test_missing_weights_and_bad_rows_have_names(config: PriorConfig, tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="model card"):
        list(propose_prior(PriorConfig(tmp_path), question_of(2), np.random.default_rng(0)))
    with pytest.raises(InvalidTable, match="NaN"):
        ask_prior(np.full((1, 4), np.nan), np.ones(4), config, np.random.default_rng(0))


def test_the_search_asks_the_prior_and_tells_its_notes(config: PriorConfig) -> None:
    without = tuple(name for name in PROPOSERS if name != "prior")
    search = SearchConfig(proposal=ProposalConfig(prior=config, without=without))
    _, second, *_ = islice(discover(question_of(12).table, search, np.random.default_rng(0)), 2)
    assert second.stage == "prior"
    assert "10 of 12" in second.notes[0]
