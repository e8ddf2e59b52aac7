"""The blocks that every part of the model is made of: attention, feed-forward, pre-normalised residuals."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class Attention(nn.Module):
    """Multi-head attention of queries over memory."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def split(self, x: Tensor) -> Tensor:
        """(batch, length, width) -> (batch, heads, length, width / heads)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, queries: Tensor, memory: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
        query, key, value = (
            self.split(self.query(queries)),
            self.split(self.key(memory)),
            self.split(self.value(memory)),
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=causal)
        out: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return out


class FeedForward(nn.Module):
    """Two layers with GELU between them."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.down(functional.gelu(self.up(x)))
        return out


class AttentionBlock(nn.Module):
    """Attention over memory (or over itself) and a feed-forward, each added to its normalised input."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float, reads_memory: bool = False) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.norm_attention = nn.LayerNorm(width)
        self.norm_memory = nn.LayerNorm(width) if reads_memory else None
        self.norm_feed_forward = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, memory: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        queries = self.norm_attention(x)
        normed = queries if memory is None or self.norm_memory is None else self.norm_memory(memory)
        x = x + self.dropout(self.attention(queries, normed, mask))
        out: Tensor = x + self.dropout(self.feed_forward(self.norm_feed_forward(x)))
        return out


class DecoderBlock(nn.Module):
    """Attention over the tokens so far, or over those that a mask names; over the encoded set; feed-forward."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.cross = Attention(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.norm_attention = nn.LayerNorm(width)
        self.norm_cross = nn.LayerNorm(width)
        self.norm_feed_forward = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        queries = self.norm_attention(x)
        x = x + self.dropout(self.attention(queries, queries, mask, causal=mask is None))
        x = x + self.dropout(self.cross(self.norm_cross(x), memory))
        out: Tensor = x + self.dropout(self.feed_forward(self.norm_feed_forward(x)))
        return out


def learned_rows(count: int, width: int) -> nn.Parameter:
    """A learned matrix of small random rows: seeds, inducing points, positions."""
    return nn.Parameter(torch.randn(count, width) * width**-0.5)
