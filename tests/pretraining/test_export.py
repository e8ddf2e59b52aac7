"""Torch and the exported graphs say the same; evaluation runs on the exported folder."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import TINY, TINY_SET

from mosaic_sr.pretraining.evaluation import EvaluationConfig, evaluate, summarise
from mosaic_sr.pretraining.export import write_prior
from mosaic_sr.pretraining.model import SketchModel
from mosaic_sr.pretraining.presets import Preset
from mosaic_sr.proposal.prior.encoding import num_inputs
from mosaic_sr.proposal.prior.session import load_session


def exported(preset: Preset, folder: Path) -> SketchModel:
    """A random model and its export; its weights are rounded as the file rounds them."""
    torch.manual_seed(0)
    model = SketchModel(preset.model).eval()
    model.load_state_dict({name: tensor.half().float() for name, tensor in model.state_dict().items()})
    write_prior(preset, model.state_dict(), {}, folder)
    return model


@pytest.mark.parametrize("preset", [TINY, TINY_SET], ids=["latents", "set"])
def test_torch_and_onnxruntime_agree(preset: Preset, tmp_path: Path) -> None:
    model, session = exported(preset, tmp_path), load_session(tmp_path)
    points = np.random.default_rng(0).normal(size=(40, num_inputs("scaled"))).astype(np.float32)
    tokens = torch.randint(4, 40, (3, 9), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        logits, heads = model(torch.from_numpy(points).expand(3, -1, -1), tokens)
    encoded, past = session.encode(points), session.cache(3)
    for position in range(9):
        step = session.step(tokens[:, position].numpy(), position, past, encoded)
        np.testing.assert_allclose(step, logits[:, position].numpy(), atol=2e-5)
    np.testing.assert_allclose(encoded.matters, torch.sigmoid(heads["matters"][0]).numpy(), atol=1e-5)
    np.testing.assert_allclose(encoded.operators, torch.sigmoid(heads["operators"][0]).numpy(), atol=1e-5)


def test_evaluation_counts_every_problem_and_has_a_control(tmp_path: Path) -> None:
    exported(TINY, tmp_path)
    config = EvaluationConfig(num_problems=3, num_points=20, frequency_draws=50)
    rows = summarise(evaluate(tmp_path, TINY.corpus, config, lambda done: None))
    assert rows[0].name == "all"
    assert rows[0].problems == 3
    assert rows[0].nats < 0.0
    assert rows[0].control_nats != rows[0].nats
