"""The exported prior in onnxruntime: the only importer of onnxruntime."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFile
from mosaic_sr.proposal.prior.encoding import EncodingName
from mosaic_sr.proposal.prior.vocabulary import Tokens, check_tokens

if TYPE_CHECKING:
    import onnxruntime

Floats32 = NDArray[np.float32]

CARD_FORMAT = "mosaic-sr prior 1"
GRAPHS = ("encoder.onnx", "step.onnx")
SHIPPED = Path(__file__).parent / "weights"
_CARD_KEYS = ("tokens", "encoding", "sketch_form", "max_tokens", "layers", "heads", "head_width", "sha256")


@dataclass(frozen=True)
class Card:
    """What a stored model speaks and how it is shaped."""

    tokens: Tokens
    encoding: EncodingName
    is_scale_free: bool
    max_tokens: int
    layers: int
    heads: int
    head_width: int


@dataclass(frozen=True)
class EncodedSet:
    """What the decoder attends to, and two heads.

    cross_keys: (layers, 1, heads, head width, memory); cross_values: (layers, 1, heads, memory, head width).
    matters: (10,) probability that each fed column is in the law; operators: probability that each operator occurs.
    """

    cross_keys: Floats32
    cross_values: Floats32
    matters: Floats32
    operators: Floats32


class PriorSession:
    """Both graphs, ready to run. One thread, so that results do not depend on the machine's load or cores."""

    def __init__(self, card: Card, encoder: bytes, step: bytes) -> None:
        self.card = card
        self._encoder = _runtime(encoder)
        self._step = _runtime(step)

    def encode(self, points: Floats32) -> EncodedSet:
        """Read one set of points: (rows, inputs)."""
        keys, values, matters, operators = self._encoder.run(None, {"points": points[None]})
        return EncodedSet(keys, values, _sigmoid(matters[0]), _sigmoid(operators[0]))

    def cache(self, num_sequences: int) -> tuple[Floats32, Floats32]:
        """Empty keys and values of all positions: (layers, sequences, heads, positions, head width)."""
        card = self.card
        shape = (card.layers, num_sequences, card.heads, card.max_tokens + 1, card.head_width)
        return np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)

    def step(
        self, tokens: NDArray[np.int64], position: int, past: tuple[Floats32, Floats32], encoded: EncodedSet
    ) -> Floats32:
        """Logits after these tokens at this position, (sequences, tokens); their keys and values enter the cache."""
        logits, keys, values = self._step.run(
            None,
            {
                "tokens": tokens,
                "position": np.array([position]),
                "cache_keys": past[0],
                "cache_values": past[1],
                "cross_keys": encoded.cross_keys,
                "cross_values": encoded.cross_values,
            },
        )
        past[0][:, :, :, position] = keys[:, :, :, 0]
        past[1][:, :, :, position] = values[:, :, :, 0]
        return cast(Floats32, logits)


@cache
def load_session(folder: Path = SHIPPED) -> PriorSession:
    """The model stored in a folder; missing, damaged and foreign files raise `InvalidFile`."""
    content = _read_card(folder)
    graphs = [_read_graph(folder / name, content["sha256"]) for name in GRAPHS]
    return PriorSession(_card(content, folder), *graphs)


def read_digests(folder: Path) -> dict[str, str]:
    """What tells the model stored in a folder from others, wherever it is stored: the sha256 of its graphs."""
    return dict(_read_card(folder)["sha256"])


def _read_card(folder: Path) -> dict[str, Any]:
    path = folder / "card.json"
    try:
        content = json.loads(path.read_text())
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidFile(f"cannot read the model card {path}: {error}") from error
    if not isinstance(content, dict) or content.get("format") != CARD_FORMAT:
        raise InvalidFile(f"{path} is not a card of format {CARD_FORMAT!r}")
    missing = [key for key in _CARD_KEYS if key not in content]
    if missing:
        raise InvalidFile(f"{path} lacks {', '.join(missing)}")
    return content


def _card(content: Mapping[str, Any], folder: Path) -> Card:
    if content["encoding"] not in get_args(EncodingName):
        raise InvalidFile(f"the model in {folder} reads encoding {content['encoding']!r}, which is unknown here")
    return Card(
        tokens=check_tokens(content["tokens"]),
        encoding=content["encoding"],
        is_scale_free=content["sketch_form"] == "scale-free",
        max_tokens=int(content["max_tokens"]),
        layers=int(content["layers"]),
        heads=int(content["heads"]),
        head_width=int(content["head_width"]),
    )


def _read_graph(path: Path, digests: Mapping[str, str]) -> bytes:
    try:
        graph = path.read_bytes()
    except OSError as error:
        raise InvalidFile(f"cannot read the model {path}: {error}") from error
    if hashlib.sha256(graph).hexdigest() != digests.get(path.name):
        raise InvalidFile(f"{path} is damaged or does not belong to its card: its sha256 differs")
    return graph


def _runtime(graph: bytes) -> onnxruntime.InferenceSession:
    import onnxruntime  # takes a third of a second, which a search without the prior need not pay

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _sigmoid(logits: Floats32) -> Floats32:
    return cast(Floats32, 1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0))))
