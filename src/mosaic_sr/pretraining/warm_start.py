"""Starts a training from weights that were exported: the graphs keep each weight under its name in the model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from mosaic_sr.errors import InvalidFile
from mosaic_sr.proposal.prior.card import read_card
from mosaic_sr.proposal.prior.session import read_graph
from mosaic_sr.proposal.prior.vocabulary import TOKENS


def take_weights(model: nn.Module, folder: Path) -> int:
    """Copy the weights of an exported prior into a model, as far as it has them; returns how many arrays were taken.

    Parts that the export does not have, such as heads that only training uses, stay as they are.
    """
    stored, own = exported_weights(folder), model.state_dict()
    taken = {name: tensor for name, tensor in stored.items() if name in own}
    for name, tensor in taken.items():
        if tensor.shape != own[name].shape:
            raise InvalidFile(
                f"{folder} has {name} of shape {tuple(tensor.shape)}, the preset {tuple(own[name].shape)}; "
                "use the preset that the weights were trained with"
            )
    if not taken:
        raise InvalidFile(f"{folder} has no weights of this model; expected a folder written by mosaic pretrain export")
    model.load_state_dict(own | taken)
    return len(taken)


def exported_weights(folder: Path) -> dict[str, Tensor]:
    """All weights of the graphs in a folder by name, in single precision."""
    card = read_card(folder)
    if card.tokens != TOKENS:
        raise InvalidFile(f"{folder} was trained with other operators; train from the start with this version")
    found: dict[str, Tensor] = {}
    for name in card.digests:
        found |= _weights_of(read_graph(folder / Path(name).name, card.digests))
    return found


def _weights_of(graph: bytes) -> Mapping[str, Tensor]:
    stored = onnx.load_from_string(graph).graph.initializer
    halves = (array for array in stored if array.data_type == onnx.TensorProto.FLOAT16)
    return {array.name: torch.from_numpy(numpy_helper.to_array(array).astype(np.float32)) for array in halves}
