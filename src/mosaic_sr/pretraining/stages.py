"""What the two stages optimise: contrastive alignment, then sketch generation with auxiliary heads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.operators import NAMES
from mosaic_sr.pretraining.corpus import Block
from mosaic_sr.pretraining.model import ROOT_CLASSES, ContrastiveModel, ModelConfig, SketchModel
from mosaic_sr.proposal.prior.vocabulary import IDS, PAD_ID, TOKENS, num_operands

Metrics = dict[str, float]

_FIRST_OPERATOR = IDS[NAMES[0]]
_ARITY = torch.tensor([num_operands(token) for token in TOKENS])
_CLASS = torch.tensor([max((c for c, group in enumerate(ROOT_CLASSES) if t in group), default=0) for t in TOKENS])


@dataclass(frozen=True)
class Batch:
    """A batch as tensors: points (batch, rows, inputs), full and sketch ids (batch, tokens), matters (batch, 10)."""

    points: Tensor
    full: Tensor
    sketch: Tensor
    matters: Tensor


def to_batch(block: Block, device: torch.device) -> Batch:
    """The arrays on the device, token sequences cut to their longest."""
    return Batch(
        torch.from_numpy(block.points).to(device),
        torch.from_numpy(_trimmed(block.full)).to(device),
        torch.from_numpy(_trimmed(block.sketch)).to(device),
        torch.from_numpy(block.matters).to(device),
    )


def _trimmed(tokens: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(tokens[:, : int((tokens != PAD_ID).sum(axis=1).max())])


def contrastive_loss(model: nn.Module, batch: Batch, auxiliary_weight: float) -> tuple[Tensor, Metrics]:
    """Bidirectional InfoNCE, and how often the matching law is the nearest of the batch."""
    numeric, symbolic, scale = model(batch.points, batch.full)
    similarity = scale * functional.normalize(numeric, dim=-1) @ functional.normalize(symbolic, dim=-1).T
    labels = torch.arange(len(similarity), device=similarity.device)
    loss = (functional.cross_entropy(similarity, labels) + functional.cross_entropy(similarity.T, labels)) / 2
    retrieval = (similarity.argmax(dim=1) == labels).float().mean()
    return loss, {"loss": loss.item(), "retrieval": retrieval.item()}


def sketch_loss(model: nn.Module, batch: Batch, auxiliary_weight: float) -> tuple[Tensor, Metrics]:
    """Mean cross-entropy of the sketch's tokens plus the weighted losses of the heads."""
    logits, heads = model(batch.points, batch.sketch[:, :-1])
    targets = batch.sketch[:, 1:]
    tokens = functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=PAD_ID)
    auxiliary = _auxiliary_loss(heads, batch)
    loss = tokens + auxiliary_weight * auxiliary
    is_token = targets != PAD_ID
    correct = ((logits.argmax(dim=-1) == targets) & is_token).sum() / is_token.sum()
    metrics = {"loss": tokens.item(), "auxiliary": auxiliary.item(), "accuracy": correct.item()}
    return loss, metrics


def _auxiliary_loss(heads: dict[str, Tensor], batch: Batch) -> Tensor:
    roots = batch.sketch[:, 1]
    device = roots.device
    return (
        functional.cross_entropy(heads["root_arity"].float(), _ARITY.to(device)[roots])
        + functional.cross_entropy(heads["root_class"].float(), _CLASS.to(device)[roots])
        + functional.binary_cross_entropy_with_logits(heads["matters"].float(), batch.matters)
        + functional.binary_cross_entropy_with_logits(heads["operators"].float(), operators_present(batch.sketch))
    )


def operators_present(sketch: Tensor) -> Tensor:
    """Which operators occur in each sketch: (batch, operators) of 0 and 1."""
    present = torch.zeros(len(sketch), len(TOKENS), device=sketch.device)
    present.scatter_(1, sketch, 1.0)
    return present[:, _FIRST_OPERATOR : _FIRST_OPERATOR + len(NAMES)]


@dataclass(frozen=True)
class Stage:
    """A stage is a model and its loss."""

    make_model: Callable[[ModelConfig], nn.Module]
    loss: Callable[[nn.Module, Batch, float], tuple[Tensor, Metrics]]


STAGES = {1: Stage(ContrastiveModel, contrastive_loss), 2: Stage(SketchModel, sketch_loss)}


def stage_numbered(number: int) -> Stage:
    """Stage 1 (alignment) or stage 2 (sketches)."""
    if number not in STAGES:
        raise InvalidSettings(f"stage must be 1 or 2, got {number}")
    return STAGES[number]
