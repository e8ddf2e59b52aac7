"""The prior as a proposer, on weights that a test exports."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mosaic_sr.errors import InvalidFile, InvalidTable
from mosaic_sr.pretraining.corpus import CorpusConfig
from mosaic_sr.pretraining.export import write_prior
from mosaic_sr.pretraining.model import ModelConfig, SketchModel
from mosaic_sr.pretraining.presets import Preset
from mosaic_sr.proposal.decoding import DecodingConfig
from mosaic_sr.proposal.prior import PriorConfig, ask_prior, propose_prior


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
    sketches = propose_prior(*table(num_columns, num_rows), config, np.random.default_rng(1))
    assert len({sketch.key for sketch, _ in sketches}) == len(sketches) == 16
    scores = [score for _, score in sketches]
    assert scores == sorted(scores, reverse=True)
    assert all(sketch.num_holes >= 1 and not sketch.columns for sketch, _ in sketches)
    assert all(np.isnan(sketch.constants).all() for sketch, _ in sketches)


def test_the_same_seed_gives_the_same_sketches(config: PriorConfig) -> None:
    first, second = (propose_prior(*table(3, 50), config, np.random.default_rng(4)) for _ in range(2))
    assert first == second


def test_the_fed_columns_and_the_heads_are_reported(config: PriorConfig) -> None:
    answer = ask_prior(*table(14, 50), config, np.random.default_rng(0))
    assert len(answer.fed_columns) == len(answer.matters) == 10
    assert 0 in answer.fed_columns
    assert all(0.0 <= probability <= 1.0 for probability in (*answer.matters, *answer.operators.values()))


def test_missing_weights_and_bad_rows_have_names(config: PriorConfig, tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="model card"):
        propose_prior(*table(1, 5), PriorConfig(tmp_path), np.random.default_rng(0))
    with pytest.raises(InvalidTable, match="NaN"):
        propose_prior(np.full((1, 4), np.nan), np.ones(4), config, np.random.default_rng(0))
