"""What the two stages optimise: contrastive alignment, then sketch generation with auxiliary heads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.operators import NAMES
from mosaic_sr.pretraining.corpus import Block
from mosaic_sr.pretraining.model import ROOT_CLASSES, ContrastiveModel, ModelConfig, SketchModel
from mosaic_sr.proposal.prior.edit_language import ACTIONS, allowed_actions, brings_operand
from mosaic_sr.proposal.prior.vocabulary import IDS, PAD_ID, SPECIAL, TOKENS, num_operands

Metrics = dict[str, float]

# A fix is told in about as many nats as three tokens of a sketch; how many are missing is a coarse question.
EDIT_WEIGHT, VALUE_WEIGHT = 0.5, 0.2
_ALLOWED = torch.from_numpy(allowed_actions(TOKENS))
_ALLOWED[: len(SPECIAL)] = False
_BRINGS_OPERAND = torch.tensor([brings_operand(action) for action in ACTIONS])
_FIRST_OPERATOR = IDS[NAMES[0]]
_ARITY = torch.tensor([num_operands(token) for token in TOKENS])
_CLASS = torch.tensor([max((c for c, group in enumerate(ROOT_CLASSES) if t in group), default=0) for t in TOKENS])


@dataclass(frozen=True)
class Batch:
    """A batch as tensors; the shapes are those of `Block`."""

    points: Tensor
    full: Tensor
    sketch: Tensor
    matters: Tensor
    residuals: Tensor
    law: Tensor
    fixes: Tensor
    missing: Tensor


def to_batch(block: Block, device: torch.device) -> Batch:
    """The arrays on the device, token sequences cut to their longest."""
    cut = {name: _trimmed(getattr(block, name)) for name in ("full", "sketch", "law")}
    arrays = {field.name: cut.get(field.name, getattr(block, field.name)) for field in fields(Batch)}
    return Batch(**{name: torch.from_numpy(array).to(device) for name, array in arrays.items()})


def _trimmed(tokens: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(tokens[..., : int((tokens != PAD_ID).sum(axis=-1).max(initial=0))])


def contrastive_loss(model: nn.Module, batch: Batch, auxiliary_weight: float) -> tuple[Tensor, Metrics]:
    """Bidirectional InfoNCE, and how often the matching law is the nearest of the batch."""
    numeric, symbolic, scale = model(batch.points, batch.full)
    similarity = scale * functional.normalize(numeric, dim=-1) @ functional.normalize(symbolic, dim=-1).T
    labels = torch.arange(len(similarity), device=similarity.device)
    loss = (functional.cross_entropy(similarity, labels) + functional.cross_entropy(similarity.T, labels)) / 2
    retrieval = (similarity.argmax(dim=1) == labels).float().mean()
    return loss, {"loss": loss.item(), "retrieval": retrieval.item()}


def sketch_loss(model: nn.Module, batch: Batch, auxiliary_weight: float) -> tuple[Tensor, Metrics]:
    """Mean cross-entropy of the sketch's tokens plus the weighted losses of the heads, and those of edits if any."""
    has_edits = batch.law.shape[-1] > 0
    told = (batch.residuals, batch.law) if has_edits else ()
    logits, heads = model(batch.points, batch.sketch[:, :-1], *told)
    targets = batch.sketch[:, 1:]
    tokens = functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=PAD_ID)
    auxiliary = _auxiliary_loss(heads, batch)
    loss = tokens + auxiliary_weight * auxiliary
    is_token = targets != PAD_ID
    correct = ((logits.argmax(dim=-1) == targets) & is_token).sum() / is_token.sum()
    metrics = {"loss": tokens.item(), "auxiliary": auxiliary.item(), "accuracy": correct.item()}
    if not has_edits:
        return loss, metrics
    of_edits, edit_metrics = edit_loss(heads, batch)
    return loss + of_edits, metrics | edit_metrics


def edit_loss(heads: dict[str, Tensor], batch: Batch) -> tuple[Tensor, Metrics]:
    """Mean cross-entropy of the fixes of each law, each as likely as the others, and of their number."""
    actions = heads["actions"].float().masked_fill(~allowed_at(batch.law[:, 0]), -torch.inf)
    scores = actions.flatten(1).log_softmax(dim=-1).view_as(actions)
    is_fix = batch.fixes[..., 0] >= 0
    node, action, leaf, inner = batch.fixes.clamp(min=0).unbind(dim=-1)
    sample = torch.arange(len(node), device=node.device)[:, None]
    nats = -scores[sample, node, action]
    brings = is_fix & _BRINGS_OPERAND.to(node.device)[action]
    of_operand = -(
        heads["leaves"].float().log_softmax(dim=-1)[sample, node, leaf]
        + heads["inner"].float().log_softmax(dim=-1)[sample, node, inner]
    )
    # Where a law has no mistake there is no fix to learn.
    per_fix = (nats + of_operand * brings)[is_fix].mean() if bool(is_fix.any()) else actions.new_zeros(())
    number = functional.cross_entropy(heads["missing"].float(), batch.missing)
    best = scores.flatten(1).argmax(dim=1)
    is_first = ((node * scores.shape[2] + action) == best[:, None]) & is_fix
    right_number = (heads["missing"].argmax(dim=1) == batch.missing).float().mean()
    first = is_first.any(dim=1).sum() / is_fix.any(dim=1).sum().clamp(min=1)
    metrics = {"edits": per_fix.item(), "first": first.item(), "value": number.item(), "number": right_number.item()}
    return per_fix * EDIT_WEIGHT + number * VALUE_WEIGHT, metrics


def allowed_at(law: Tensor) -> Tensor:
    """Which actions make sense at each node: (batch, nodes, actions); none at padding."""
    return _ALLOWED.to(law.device)[law]


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
