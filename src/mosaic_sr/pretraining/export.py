"""Export of a trained prior as two or three ONNX graphs and a card: what `proposal.prior.session` reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from mosaic_sr.files import write_atomically
from mosaic_sr.pretraining.checkpoint import load_checkpoint
from mosaic_sr.pretraining.export_edits import EDIT_CARD, edits_graph
from mosaic_sr.pretraining.graph_parts import heads_of, memory_of
from mosaic_sr.pretraining.model import ModelConfig
from mosaic_sr.pretraining.onnx_graph import FLOAT, INT64, GraphBuilder
from mosaic_sr.pretraining.presets import Preset
from mosaic_sr.proposal.prior.card import CARD, CARD_FORMAT
from mosaic_sr.proposal.prior.encoding import num_inputs
from mosaic_sr.proposal.prior.session import EDITS
from mosaic_sr.proposal.prior.vocabulary import MAX_VARIABLES, TOKENS

Weights = Mapping[str, Tensor]


def export(preset: Preset, folder: Path, destination: Path) -> Path:
    """Write graphs and card of the checkpoint of stage 2 in `folder`, from the running mean of its weights."""
    checkpoint = load_checkpoint(folder, 2, preset.name)
    training = {
        "steps": checkpoint.progress.step,
        "samples": checkpoint.progress.samples,
        "hours": round(checkpoint.progress.seconds / 3600.0, 2),
        "processor_hours": round(checkpoint.progress.processor_seconds / 3600.0, 2),
    }
    return write_prior(preset, checkpoint.average, training, destination)


def write_prior(preset: Preset, weights: Weights, training: Mapping[str, float], destination: Path) -> Path:
    """Write the graphs of these weights and the card that names what they speak."""
    graphs = {"encoder.onnx": encoder_graph(preset.model, weights), "step.onnx": step_graph(preset.model, weights)}
    if preset.model.edit_layers:
        graphs[EDITS] = edits_graph(preset.model, weights)
    card = _card(preset, training) | {"sha256": {name: _digest(graph) for name, graph in graphs.items()}}
    destination.mkdir(parents=True, exist_ok=True)
    for name, graph in graphs.items():
        write_atomically(destination / name, graph)
    write_atomically(destination / CARD, json.dumps(card, indent=1) + "\n")
    return destination


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _card(preset: Preset, training: Mapping[str, float]) -> dict[str, Any]:
    model = preset.model
    return {
        "format": CARD_FORMAT,
        "preset": preset.name,
        "tokens": list(TOKENS),
        "encoding": model.encoding,
        "sketch_form": preset.corpus.sketch_form,
        "max_tokens": preset.corpus.max_sketch_tokens,
        "layers": model.decoder_layers,
        "heads": model.heads,
        "head_width": model.width // model.heads,
        "training": dict(training),
        **({"edits": EDIT_CARD} if model.edit_layers else {}),
    }


def encoder_graph(config: ModelConfig, weights: Weights) -> bytes:
    """From points (sets, rows, inputs) to keys and values of every decoder layer and logits of the heads in use."""
    graph = GraphBuilder(weights)
    memory = memory_of(graph, config)
    keys, values = _cross_memory(graph, config, memory)
    mean = graph.op("ReduceMean", memory, graph.constant([1]), keepdims=0)
    head_width = config.width // config.heads
    return graph.build(
        "encoder",
        {"points": (FLOAT, ("sets", "rows", num_inputs(config.encoding)))},
        {
            "cross_keys": (keys, (config.decoder_layers, "sets", config.heads, head_width, "memory")),
            "cross_values": (values, (config.decoder_layers, "sets", config.heads, "memory", head_width)),
            "matters": (graph.linear(mean, "heads.matters"), ("sets", MAX_VARIABLES)),
            "operators": (graph.linear(mean, "heads.operators"), ("sets", "operators")),
        },
    )


def _cross_memory(graph: GraphBuilder, config: ModelConfig, memory: str) -> tuple[str, str]:
    """Keys (transposed) and values that the decoder's layers attend to, stacked over the layers."""
    keys, values = [], []
    for index in range(config.decoder_layers):
        name = f"decoder.blocks.{index}.cross"
        keys.append(graph.op("Transpose", heads_of(graph, config, memory, f"{name}.key"), perm=[0, 1, 3, 2]))
        values.append(heads_of(graph, config, memory, f"{name}.value"))
    return graph.stack(keys), graph.stack(values)


def step_graph(config: ModelConfig, weights: Weights) -> bytes:
    """One decoding step: logits of the next token, and this position's keys and values for the caller's cache."""
    graph = GraphBuilder(weights)
    layers, heads, head_width = config.decoder_layers, config.heads, config.width // config.heads
    token = graph.op("Gather", graph.weight("decoder.embed.weight"), "tokens")
    place = graph.op("Gather", graph.weight("decoder.positions"), "position")
    x = graph.op("Unsqueeze", graph.op("Add", token, place), graph.constant([1]))
    is_past = _past_mask(graph)
    new_keys, new_values = [], []
    for index in range(layers):
        x, key, value = _decoder_layer(graph, config, x, index, is_past)
        new_keys.append(key)
        new_values.append(value)
    last = graph.op("Squeeze", graph.layer_norm(x, "decoder.norm"), graph.constant([1]))
    cache = (layers, "sequences", heads, "positions", head_width)
    fresh = (layers, "sequences", heads, 1, head_width)
    return graph.build(
        "step",
        {
            "tokens": (INT64, ("sequences",)),
            "position": (INT64, (1,)),
            "cache_keys": (FLOAT, cache),
            "cache_values": (FLOAT, cache),
            "cross_keys": (FLOAT, (layers, 1, heads, head_width, "memory")),
            "cross_values": (FLOAT, (layers, 1, heads, "memory", head_width)),
        },
        {
            "logits": (graph.linear(last, "decoder.out"), ("sequences", len(TOKENS))),
            "keys": (graph.stack(new_keys), fresh),
            "values": (graph.stack(new_values), fresh),
        },
    )


def _past_mask(graph: GraphBuilder) -> str:
    """0 for the cached positions that are filled, a very negative number for the others: (positions, 1)."""
    size = graph.op("Shape", "cache_keys", start=3, end=4)
    zero, one = graph.constant(0), graph.constant(1)
    places = graph.op("Range", zero, graph.op("Squeeze", size), one)
    filled = graph.op("Less", places, "position")
    mask = graph.op("Where", filled, graph.constant(0.0, np.float32), graph.constant(-1e30, np.float32))
    return graph.op("Unsqueeze", mask, graph.constant([1]))


def _decoder_layer(graph: GraphBuilder, config: ModelConfig, x: str, index: int, is_past: str) -> tuple[str, str, str]:
    """A `DecoderBlock` at one position; also its new key and value: (sequences, heads, 1, head width)."""
    name = f"decoder.blocks.{index}"
    queries = graph.layer_norm(x, f"{name}.norm_attention")
    query, key, value = (heads_of(graph, config, queries, f"{name}.attention.{part}") for part in _PARTS)
    mixed = _attend_past(graph, config, query, key, value, index, is_past)
    x = graph.op("Add", x, graph.linear(graph.merge_heads(mixed, config.width), f"{name}.attention.out"))
    crossing = heads_of(graph, config, graph.layer_norm(x, f"{name}.norm_cross"), f"{name}.cross.query")
    cross_keys, cross_values = (_layer(graph, f"cross_{kind}", index) for kind in ("keys", "values"))
    mixed = graph.attend(crossing, cross_keys, cross_values, config.width // config.heads)
    x = graph.op("Add", x, graph.linear(graph.merge_heads(mixed, config.width), f"{name}.cross.out"))
    return graph.feed_forward(x, name), key, value


_PARTS = ("query", "key", "value")


def _layer(graph: GraphBuilder, name: str, index: int) -> str:
    return graph.op("Gather", name, graph.constant(index), axis=0)


def _attend_past(
    graph: GraphBuilder, config: ModelConfig, query: str, key: str, value: str, index: int, is_past: str
) -> str:
    """Attention of one position over the filled part of the cache and itself."""
    scale = graph.constant((config.width // config.heads) ** -0.5, np.float32)
    column = graph.op("Mul", graph.op("Transpose", query, perm=[0, 1, 3, 2]), scale)
    past = graph.op("Add", graph.op("MatMul", _layer(graph, "cache_keys", index), column), is_past)
    scores = graph.op("Concat", past, graph.op("MatMul", key, column), axis=2)
    shares = graph.op("Transpose", graph.op("Softmax", scores, axis=2), perm=[0, 1, 3, 2])
    values = graph.op("Concat", _layer(graph, "cache_values", index), value, axis=2)
    return graph.op("MatMul", shares, values)
