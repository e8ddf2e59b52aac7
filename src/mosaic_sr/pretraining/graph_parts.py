"""Parts that the exported graphs share: the numeric encoder and its attention blocks."""

from __future__ import annotations

from mosaic_sr.pretraining.model import ModelConfig
from mosaic_sr.pretraining.onnx_graph import GraphBuilder


def memory_of(graph: GraphBuilder, config: ModelConfig, reads_residuals: bool = False) -> str:
    """The encoder's memory of the input `points`, and of `residuals` beside them."""
    inputs = graph.linear("points", "encoder.embed")
    if reads_residuals:
        inputs = graph.op("Add", inputs, graph.linear("residuals", "encoder.residual"))
    encode = _set_memory if config.encoder == "set" else _latent_memory
    return graph.layer_norm(encode(graph, config, inputs), "encoder.norm")


def _set_memory(graph: GraphBuilder, config: ModelConfig, inputs: str) -> str:
    x = inputs
    for index in range(config.encoder_layers):
        name = f"encoder.blocks.{index}"
        summary = _block(graph, config, _rows(graph, f"{name}.inducing"), f"{name}.gather", x)
        x = _block(graph, config, x, f"{name}.scatter", summary)
    return x


def _latent_memory(graph: GraphBuilder, config: ModelConfig, inputs: str) -> str:
    rows = graph.linear(graph.op("Gelu", inputs), "encoder.widen")
    x = _block(graph, config, _rows(graph, "encoder.latents"), "encoder.reads.0", rows)
    for index in range(config.encoder_layers):
        x = _block(graph, config, x, f"encoder.blocks.{index}")
        if index == 0:
            x = _block(graph, config, x, "encoder.reads.1", rows)
    return x


def _rows(graph: GraphBuilder, name: str) -> str:
    """Learned rows as one set, which broadcasts over the sets."""
    return graph.op("Unsqueeze", graph.weight(name), graph.constant([0]))


def _block(graph: GraphBuilder, config: ModelConfig, x: str, name: str, memory: str | None = None) -> str:
    """An `AttentionBlock`."""
    queries = graph.layer_norm(x, f"{name}.norm_attention")
    normed = queries if memory is None else graph.layer_norm(memory, f"{name}.norm_memory")
    query = heads_of(graph, config, queries, f"{name}.attention.query")
    keys = graph.op("Transpose", heads_of(graph, config, normed, f"{name}.attention.key"), perm=[0, 1, 3, 2])
    values = heads_of(graph, config, normed, f"{name}.attention.value")
    mixed = graph.attend(query, keys, values, config.width // config.heads)
    out = graph.linear(graph.merge_heads(mixed, config.width), f"{name}.attention.out")
    return graph.feed_forward(graph.op("Add", x, out), name)


def heads_of(graph: GraphBuilder, config: ModelConfig, x: str, name: str) -> str:
    """A linear layer, split into heads."""
    return graph.split_heads(graph.linear(x, name), config.heads, config.width // config.heads)
