"""The exported prior in onnxruntime: the only importer of onnxruntime."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFile
from mosaic_sr.inputs import find_input
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.prior.card import Card, read_card
from mosaic_sr.proposal.prior.encoding import num_inputs
from mosaic_sr.proposal.prior.residuals import NUM_RESIDUAL_FEATURES
from mosaic_sr.proposal.prior.vocabulary import MAX_VARIABLES

if TYPE_CHECKING:
    import onnxruntime

Floats32 = NDArray[np.float32]

ANY = -1  # any length of an axis

GRAPHS = ("encoder.onnx", "step.onnx")
EDITS = "edits.onnx"  # of models that propose edits
SHIPPED = Path(__file__).parent / "weights"
# A hundred times the graphs that ship with the package, and twenty times the rows that the decoder attends to.
MOST_GRAPH_BYTES = 1 << 28
MOST_MEMORY = 4096
# The rows of a table in the trial run of a model.
TRIAL_ROWS = 3


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


@dataclass(frozen=True)
class ReadLaws:
    """Logits of the edits of some laws, and how many edits each lacks.

    actions: (laws, nodes, actions); leaves: (laws, nodes, leaves); inner: (laws, nodes, functions); missing: (laws,
    numbers), of 0, 1, ... missing edits.
    """

    actions: Floats32
    leaves: Floats32
    inner: Floats32
    missing: Floats32


class PriorSession:
    """The graphs, ready to run. One thread, so that results do not depend on the machine's load or cores."""

    def __init__(self, card: Card, encoder: bytes, step: bytes, edits: bytes | None = None) -> None:
        self.card = card
        self._encoder = _runtime(encoder)
        self._step = _runtime(step)
        self._edits = None if edits is None else _runtime(edits)

    def read_laws(self, points: Floats32, residuals: Floats32, laws: NDArray[np.int64]) -> ReadLaws:
        """What is wrong with laws of one table; only of models whose card has edits.

        points: (rows, inputs); residuals: (laws, rows, features); laws: (laws, 2, nodes), as `law_ids`
        has them, 0 behind the last.
        """
        card = self.card.edits
        if card is None or self._edits is None:
            raise InvalidFile("the prior proposes no edits; train it with the preset guided")
        size = (len(laws), laws.shape[2])
        inputs: dict[str, NDArray[Any]] = {"points": points[None], "residuals": residuals, "law": laws}
        shapes = [(*size, len(words)) for words in (card.actions, card.leaves, card.inner)]
        return ReadLaws(*_run(self._edits, inputs, [*shapes, (len(laws), card.max_missing + 1)]))

    def encode(self, points: Floats32) -> EncodedSet:
        """Read one set of points: (rows, inputs)."""
        card = self.card
        num_operators = sum(name in NAMES for name in card.tokens)
        keys, values, matters, operators = _run(
            self._encoder,
            {"points": points[None]},
            [
                (card.layers, 1, card.heads, card.head_width, ANY),
                (card.layers, 1, card.heads, ANY, card.head_width),
                (1, MAX_VARIABLES),
                (1, num_operators),
            ],
        )
        if keys.shape[-1] != values.shape[-2] or keys.shape[-1] > MOST_MEMORY:
            raise InvalidFile(f"the prior cached {keys.shape[-1]} keys but {values.shape[-2]} values")
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
        card = self.card
        fresh = (card.layers, len(tokens), card.heads, 1, card.head_width)
        logits, keys, values = _run(
            self._step,
            {
                "tokens": tokens,
                "position": np.array([position]),
                "cache_keys": past[0],
                "cache_values": past[1],
                "cross_keys": encoded.cross_keys,
                "cross_values": encoded.cross_values,
            },
            [(len(tokens), len(card.tokens)), fresh, fresh],
        )
        past[0][:, :, :, position] = keys[:, :, :, 0]
        past[1][:, :, :, position] = values[:, :, :, 0]
        return logits


@cache
def load_session(folder: Path = SHIPPED) -> PriorSession:
    """The model stored in a folder; missing, damaged and foreign files raise `InvalidFile`."""
    card = read_card(folder)
    names = GRAPHS if card.edits is None else (*GRAPHS, EDITS)
    graphs = [read_graph(folder / name, card.digests) for name in names]
    try:
        session = PriorSession(card, *graphs)
        _try(session)
    except InvalidFile as error:
        raise InvalidFile(f"the model in {folder} cannot be used: {error}") from error
    return session


def _try(session: PriorSession) -> None:
    """Run all graphs once, at the first and the last position: a model that fails does so before the search."""
    points = np.zeros((TRIAL_ROWS, num_inputs(session.card.encoding)), np.float32)
    encoded = session.encode(points)
    if session.card.edits is not None:
        law = np.full((2, 2, session.card.edits.max_law_tokens), len(session.card.tokens) - 1)
        session.read_laws(points, np.zeros((2, TRIAL_ROWS, NUM_RESIDUAL_FEATURES), np.float32), law)
    past = session.cache(2)
    for position in (0, session.card.max_tokens - 1):
        session.step(np.array([0, len(session.card.tokens) - 1]), position, past, encoded)


def read_graph(path: Path, digests: Mapping[str, str]) -> bytes:
    """The content of a graph, refused where it is not the one that its card names."""
    graph = find_input(path).read_at_most(MOST_GRAPH_BYTES)
    if hashlib.sha256(graph).hexdigest() != digests.get(path.name):
        raise InvalidFile(f"{path} is damaged or does not match its card: the sha256 differs")
    return graph


def _runtime(graph: bytes) -> onnxruntime.InferenceSession:
    import onnxruntime  # takes a third of a second, which a search without the prior need not pay

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what is wrong with a graph is told by its error
    with _named_errors():
        # Without the second try, which would print its reason.
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"], enable_fallback=0)


def _run(
    graph: onnxruntime.InferenceSession, inputs: Mapping[str, NDArray[Any]], shapes: Sequence[tuple[int, ...]]
) -> list[Floats32]:
    """What a graph makes of its inputs, as many arrays of such shapes; ANY length is allowed where it stands."""
    with _named_errors():
        results = graph.run(None, dict(inputs))
    found = [getattr(result, "shape", None) for result in results]
    if len(found) != len(shapes) or not all(map(_is_like, results, shapes)):
        raise InvalidFile(f"a graph returns arrays of shapes {found!s:.200}, its card states {shapes}")
    return cast(list[Floats32], results)


def _is_like(array: Any, shape: tuple[int, ...]) -> bool:
    return (
        isinstance(array, np.ndarray)
        and array.dtype == np.float32
        and array.ndim == len(shape)
        and all(length == own or (length == ANY and own > 0) for length, own in zip(shape, array.shape, strict=True))
    )


@contextmanager
def _named_errors() -> Iterator[None]:
    """What onnxruntime raises on a graph or on inputs that it cannot use, as `InvalidFile`."""
    from onnxruntime.capi import onnxruntime_pybind11_state as native

    own = (error for error in vars(native).values() if isinstance(error, type) and issubclass(error, Exception))
    refusals: tuple[type[Exception], ...] = (RuntimeError, ValueError, TypeError, MemoryError, *own)
    try:
        yield
    except refusals as error:
        raise InvalidFile(f"onnxruntime cannot load a graph: {' '.join(str(error).split()):.300}") from error


def _sigmoid(logits: Floats32) -> Floats32:
    known = np.nan_to_num(logits, nan=0.0)
    return cast(Floats32, 1.0 / (1.0 + np.exp(-np.clip(known, -30.0, 30.0))))
