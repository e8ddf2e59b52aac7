"""The reader of edits as an ONNX graph: from rows, laws and their residuals to edits and their number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from mosaic_sr.pretraining.graph_parts import heads_of, memory_of
from mosaic_sr.pretraining.mistakes import MAX_FIXES, MAX_LAW_TOKENS
from mosaic_sr.pretraining.model import ModelConfig
from mosaic_sr.pretraining.onnx_graph import FLOAT, INT64, GraphBuilder
from mosaic_sr.proposal.prior.edit_language import ACTIONS, INNER, LEAVES
from mosaic_sr.proposal.prior.encoding import num_inputs
from mosaic_sr.proposal.prior.residuals import NUM_RESIDUAL_FEATURES
from mosaic_sr.proposal.prior.vocabulary import PAD_ID

# What the card says of this graph, so that operators may be added to the package without touching stored models.
EDIT_CARD = {
    "actions": list(ACTIONS),
    "leaves": list(LEAVES),
    "inner": list(INNER),
    "max_law_tokens": MAX_LAW_TOKENS,
    "max_missing": MAX_FIXES,
}


def edits_graph(config: ModelConfig, weights: Mapping[str, Tensor]) -> bytes:
    """From one table's points (1, rows, inputs), residuals of its laws and their tokens to logits of edits."""
    graph = GraphBuilder(weights)
    memory = memory_of(graph, config, reads_residuals=True)
    tokens, above = (graph.op("Gather", "law", graph.constant(row), axis=1) for row in (0, 1))
    is_token = graph.op("Not", graph.op("Equal", tokens, graph.constant(PAD_ID)))
    x = _read(graph, config, _embedded(graph, tokens, above), memory, is_token)
    size = ("laws", "nodes")
    return graph.build(
        "edits",
        {
            "points": (FLOAT, (1, "rows", num_inputs(config.encoding))),
            "residuals": (FLOAT, ("laws", "rows", NUM_RESIDUAL_FEATURES)),
            "law": (INT64, ("laws", 2, "nodes")),
        },
        {
            "actions": (graph.linear(x, "edits.actions"), (*size, len(ACTIONS))),
            "leaves": (graph.linear(x, "edits.leaves"), (*size, len(LEAVES))),
            "inner": (graph.linear(x, "edits.inner"), (*size, len(INNER))),
            "missing": (graph.linear(_mean(graph, x, is_token), "edits.missing"), ("laws", MAX_FIXES + 1)),
        },
    )


def _embedded(graph: GraphBuilder, tokens: str, above: str) -> str:
    """Tokens, what is above them and where they stand: (laws, nodes, width)."""
    length = graph.op("Squeeze", graph.op("Shape", "law", start=2, end=3))
    places = graph.op("Range", graph.constant(0), length, graph.constant(1))
    own = graph.op("Gather", graph.weight("edits.embed.weight"), tokens)
    upper = graph.op("Gather", graph.weight("edits.above.weight"), above)
    return graph.op("Add", graph.op("Add", own, upper), graph.op("Gather", graph.weight("edits.positions"), places))


def _read(graph: GraphBuilder, config: ModelConfig, x: str, memory: str, is_token: str) -> str:
    """The nodes of the laws after all blocks: (laws, nodes, width)."""
    nothing, hidden = graph.constant(0.0, np.float32), graph.constant(-1e30, np.float32)
    mask = graph.op("Unsqueeze", graph.op("Where", is_token, nothing, hidden), graph.constant([1, 2]))
    for index in range(config.edit_layers):
        x = _layer(graph, config, x, memory, mask, f"edits.blocks.{index}")
    return graph.layer_norm(x, "edits.norm")


def _layer(graph: GraphBuilder, config: ModelConfig, x: str, memory: str, mask: str, name: str) -> str:
    """A `DecoderBlock` that sees all tokens."""
    queries = graph.layer_norm(x, f"{name}.norm_attention")
    x = graph.op("Add", x, _attention(graph, config, queries, queries, f"{name}.attention", mask))
    crossing = graph.layer_norm(x, f"{name}.norm_cross")
    x = graph.op("Add", x, _attention(graph, config, crossing, memory, f"{name}.cross"))
    return graph.feed_forward(x, name)


def _attention(
    graph: GraphBuilder, config: ModelConfig, queries: str, memory: str, name: str, mask: str | None = None
) -> str:
    query, values = heads_of(graph, config, queries, f"{name}.query"), heads_of(graph, config, memory, f"{name}.value")
    keys = graph.op("Transpose", heads_of(graph, config, memory, f"{name}.key"), perm=[0, 1, 3, 2])
    mixed = graph.attend(query, keys, values, config.width // config.heads, mask)
    return graph.linear(graph.merge_heads(mixed, config.width), f"{name}.out")


def _mean(graph: GraphBuilder, x: str, is_token: str) -> str:
    """The mean over the tokens of each law: (laws, width)."""
    weight = graph.op("Unsqueeze", graph.op("Cast", is_token, to=FLOAT), graph.constant([2]))
    total = graph.op("ReduceSum", graph.op("Mul", x, weight), graph.constant([1]), keepdims=0)
    return graph.op("Div", total, graph.op("ReduceSum", weight, graph.constant([1]), keepdims=0))
