"""The learned prior: numeric encoder, symbolic encoder, sketch decoder and auxiliary heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from mosaic_sr.operators import NAMES
from mosaic_sr.pretraining.layers import AttentionBlock, DecoderBlock, learned_rows
from mosaic_sr.pretraining.mistakes import MAX_FIXES, MAX_LAW_TOKENS
from mosaic_sr.proposal.prior.edit_language import ACTIONS, INNER, LEAVES
from mosaic_sr.proposal.prior.encoding import EncodingName, num_inputs
from mosaic_sr.proposal.prior.residuals import NUM_RESIDUAL_FEATURES
from mosaic_sr.proposal.prior.vocabulary import MAX_VARIABLES, PAD_ID, TOKENS

NUM_ARITIES = 3
# Classes of root operators, coarse enough to be read off the data.
ROOT_CLASSES: tuple[tuple[str, ...], ...] = (
    ("?", "C", *(f"x{index}" for index in range(MAX_VARIABLES))),
    ("add", "sub", "neg"),
    ("mul", "div", "inv"),
    ("pow", "sq", "cube", "sqrt", "abs"),
    ("exp", "log", "sinh", "cosh"),
    ("sin", "cos", "tan", "asin", "acos"),
    ("tanh", "atan"),
)


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the model.

    encoder: "set" contextualises every point (induced attention, as published); "latents" reads the points into a few
    latent vectors and works on those alone, which costs a fraction on CPU.
    edit_layers: of the part that reads a law with its residuals and proposes edits; without it where 0.
    """

    encoder: Literal["set", "latents"] = "set"
    encoding: EncodingName = "signed-log"
    width: int = 256
    heads: int = 8
    hidden: int = 1024
    encoder_layers: int = 4
    inducing_points: int = 32
    pool_seeds: int = 16
    symbolic_layers: int = 6
    decoder_layers: int = 4
    dropout: float = 0.1
    max_full_tokens: int = 128
    max_sketch_tokens: int = 128
    edit_layers: int = 0

    def block(self, reads_memory: bool = False) -> AttentionBlock:
        return AttentionBlock(self.width, self.heads, self.hidden, self.dropout, reads_memory)


class InducedBlock(nn.Module):
    """Points attend to each other through a few inducing points, in time linear in their number."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.inducing = learned_rows(config.inducing_points, config.width)
        self.gather = config.block(reads_memory=True)
        self.scatter = config.block(reads_memory=True)

    def forward(self, points: Tensor) -> Tensor:
        summary = self.gather(self.inducing.expand(len(points), -1, -1), points)
        out: Tensor = self.scatter(points, summary)
        return out


def residual_layer(config: ModelConfig) -> nn.Linear | None:
    """What lets the encoder read the residuals of a law beside the rows, where the model proposes edits."""
    return nn.Linear(NUM_RESIDUAL_FEATURES, config.width) if config.edit_layers else None


class SetEncoder(nn.Module):
    """The published encoder: memory is the contextualised set, (batch, points, width)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embed = nn.Linear(num_inputs(config.encoding), config.width)
        self.residual = residual_layer(config)
        self.blocks = nn.ModuleList(InducedBlock(config) for _ in range(config.encoder_layers))
        self.norm = nn.LayerNorm(config.width)

    def forward(self, points: Tensor, residuals: Tensor | None = None) -> Tensor:
        x = self.embed(points)
        if residuals is not None and self.residual is not None:
            x = x + self.residual(residuals)
        for block in self.blocks:
            x = block(x)
        out: Tensor = self.norm(x)
        return out


class LatentEncoder(nn.Module):
    """Latent vectors read the points twice and exchange what they read; memory is (batch, latents, width)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embed = nn.Linear(num_inputs(config.encoding), config.width)
        self.residual = residual_layer(config)
        self.widen = nn.Linear(config.width, config.width)
        self.latents = learned_rows(config.inducing_points, config.width)
        self.reads = nn.ModuleList(config.block(reads_memory=True) for _ in range(2))
        self.blocks = nn.ModuleList(config.block() for _ in range(config.encoder_layers))
        self.norm = nn.LayerNorm(config.width)

    def forward(self, points: Tensor, residuals: Tensor | None = None) -> Tensor:
        inputs = self.embed(points)
        if residuals is not None and self.residual is not None:
            inputs = inputs + self.residual(residuals)
        rows = self.widen(nn.functional.gelu(inputs))
        x = self.reads[0](self.latents.expand(len(points), -1, -1), rows)
        for index, block in enumerate(self.blocks):
            x = block(x)
            if index == 0:
                x = self.reads[1](x, rows)
        out: Tensor = self.norm(x)
        return out


class Pooling(nn.Module):
    """One vector per set: learned seeds attend to the memory and are projected together."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.seeds = learned_rows(config.pool_seeds, config.width)
        self.block = config.block(reads_memory=True)
        self.project = nn.Linear(config.pool_seeds * config.width, config.width)

    def forward(self, memory: Tensor) -> Tensor:
        pooled = self.block(self.seeds.expand(len(memory), -1, -1), memory)
        out: Tensor = self.project(pooled.flatten(1))
        return out


class SymbolicEncoder(nn.Module):
    """One vector per full token sequence: a Transformer encoder and the mean over its tokens."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(TOKENS), config.width)
        self.positions = learned_rows(config.max_full_tokens, config.width)
        self.blocks = nn.ModuleList(config.block() for _ in range(config.symbolic_layers))
        self.norm = nn.LayerNorm(config.width)

    def forward(self, tokens: Tensor) -> Tensor:
        is_token = tokens != PAD_ID
        x = self.embed(tokens) + self.positions[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x, mask=is_token[:, None, None, :])
        x = self.norm(x) * is_token[..., None]
        out: Tensor = x.sum(dim=1) / is_token.sum(dim=1, keepdim=True)
        return out


class Decoder(nn.Module):
    """Logits of each next sketch token given the tokens before it and the memory."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(TOKENS), config.width)
        self.positions = learned_rows(config.max_sketch_tokens, config.width)
        self.blocks = nn.ModuleList(
            DecoderBlock(config.width, config.heads, config.hidden, config.dropout)
            for _ in range(config.decoder_layers)
        )
        self.norm = nn.LayerNorm(config.width)
        self.out = nn.Linear(config.width, len(TOKENS))

    def forward(self, tokens: Tensor, memory: Tensor) -> Tensor:
        x = self.embed(tokens) + self.positions[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x, memory)
        out: Tensor = self.out(self.norm(x))
        return out


class Heads(nn.Module):
    """Coarse facts about the law, read off the mean of the memory: each value is the logits of one head."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.root_arity = nn.Linear(config.width, NUM_ARITIES)
        self.root_class = nn.Linear(config.width, len(ROOT_CLASSES))
        self.matters = nn.Linear(config.width, MAX_VARIABLES)
        self.operators = nn.Linear(config.width, len(NAMES))

    def forward(self, memory: Tensor) -> dict[str, Tensor]:
        pooled = memory.mean(dim=1)
        return {name: head(pooled) for name, head in self.named_children()}


class EditReader(nn.Module):
    """Reads a law with its rows and residuals: logits of edits at each of its nodes, and of how many are missing.

    law: (batch, 2, nodes), tokens and the operators above them.  actions: (batch, nodes, actions).
    leaves, inner: (batch, nodes, ...), of the operand that an action brings.  missing: (batch, 5).
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(TOKENS), config.width)
        self.above = nn.Embedding(len(TOKENS), config.width)
        self.positions = learned_rows(MAX_LAW_TOKENS, config.width)
        self.blocks = nn.ModuleList(
            DecoderBlock(config.width, config.heads, config.hidden, config.dropout) for _ in range(config.edit_layers)
        )
        self.norm = nn.LayerNorm(config.width)
        self.actions = nn.Linear(config.width, len(ACTIONS))
        self.leaves = nn.Linear(config.width, len(LEAVES))
        self.inner = nn.Linear(config.width, len(INNER))
        self.missing = nn.Linear(config.width, MAX_FIXES + 1)

    def forward(self, law: Tensor, memory: Tensor) -> dict[str, Tensor]:
        tokens, above = law.unbind(dim=1)
        is_token = tokens != PAD_ID
        x = self.embed(tokens) + self.above(above) + self.positions[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x, memory, is_token[:, None, None, :])
        x = self.norm(x)
        pooled = (x * is_token[..., None]).sum(dim=1) / is_token.sum(dim=1, keepdim=True)
        return {
            "actions": self.actions(x),
            "leaves": self.leaves(x),
            "inner": self.inner(x),
            "missing": self.missing(pooled),
        }


def numeric_encoder(config: ModelConfig) -> nn.Module:
    """The encoder of point sets that the sizes ask for."""
    return SetEncoder(config) if config.encoder == "set" else LatentEncoder(config)


class ContrastiveModel(nn.Module):
    """Stage 1: both encoders; gives the pooled vectors of point sets and of token sequences, and the temperature."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.encoder = numeric_encoder(config)
        self.pooling = Pooling(config)
        self.symbolic = SymbolicEncoder(config)
        self.log_scale = nn.Parameter(torch.tensor(14.0).log())  # 1 / 0.07, where contrastive models usually start

    def forward(self, points: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.pooling(self.encoder(points)), self.symbolic(tokens), self.log_scale.exp().clamp(max=100.0)


class SketchModel(nn.Module):
    """Stage 2: the numeric encoder with decoder and heads, and the reader of edits where the sizes have one."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.encoder = numeric_encoder(config)
        self.decoder = Decoder(config)
        self.heads = Heads(config)
        self.edits = EditReader(config) if config.edit_layers else None

    def forward(
        self, points: Tensor, tokens: Tensor, residuals: Tensor | None = None, law: Tensor | None = None
    ) -> tuple[Tensor, dict[str, Tensor]]:
        memory = self.encoder(points)
        heads = self.heads(memory)
        if self.edits is not None and residuals is not None and law is not None:
            heads = heads | self.edits(law, self.encoder(points[: len(law)], residuals))
        return self.decoder(tokens, memory), heads


def num_parameters(config: ModelConfig) -> int:
    """Parameters of the complete architecture: both stages, their common encoder counted once."""
    with torch.device("meta"):
        stages = ContrastiveModel(config), SketchModel(config)
        shared = numeric_encoder(config)
    total = sum(parameter.numel() for stage in stages for parameter in stage.parameters())
    return total - sum(parameter.numel() for parameter in shared.parameters())
