"""The model: sizes and symmetries."""

import pytest
import torch
from tiny import TINY, TINY_SET

from mosaic_sr.pretraining.model import ContrastiveModel, SketchModel, num_parameters
from mosaic_sr.pretraining.presets import PAPER, SMALL, Preset
from mosaic_sr.proposal.prior.encoding import num_inputs

TOKENS = torch.tensor([[1, 4, 35, 36, 2]])


def test_the_published_architecture_has_its_published_size() -> None:
    assert num_parameters(PAPER.model) == pytest.approx(17.4e6, rel=0.03)


def test_the_small_preset_fits_into_the_package() -> None:
    assert sum(p.numel() for p in SketchModel(SMALL.model).parameters()) * 2 < 20e6


@pytest.mark.parametrize("preset", [TINY, TINY_SET], ids=["latents", "set"])
def test_permuting_rows_changes_neither_pooled_vector_nor_logits(preset: Preset) -> None:
    torch.manual_seed(0)
    points = torch.randn(1, 30, num_inputs(preset.model.encoding))
    permuted = points[:, torch.randperm(30)]
    pair, model = ContrastiveModel(preset.model).eval(), SketchModel(preset.model).eval()
    with torch.no_grad():
        torch.testing.assert_close(pair(points, TOKENS)[0], pair(permuted, TOKENS)[0], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(model(points, TOKENS)[0], model(permuted, TOKENS)[0], atol=1e-5, rtol=1e-5)


def test_a_later_token_does_not_change_earlier_logits() -> None:
    torch.manual_seed(0)
    model = SketchModel(TINY.model).eval()
    points = torch.randn(1, 10, num_inputs("scaled"))
    changed = TOKENS.clone()
    changed[0, -1] = 7
    with torch.no_grad():
        torch.testing.assert_close(model(points, TOKENS)[0][:, :-1], model(points, changed)[0][:, :-1])


def test_padding_does_not_change_the_symbolic_vector() -> None:
    torch.manual_seed(0)
    symbolic = ContrastiveModel(TINY.model).eval().symbolic
    padded = torch.cat([TOKENS, torch.zeros(1, 3, dtype=torch.long)], dim=1)
    with torch.no_grad():
        torch.testing.assert_close(symbolic(TOKENS), symbolic(padded))
