"""What the encoder sees of a table: the same rows, columns and features in training and in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable
from mosaic_sr.proposal.prior.vocabulary import MAX_VARIABLES

Floats = NDArray[np.float64]
Points = NDArray[np.float32]
EncodingName = Literal["signed-log", "scaled"]

MAX_POINTS = 200  # rows that training draws per equation; more rows are subsampled
NUM_FEATURES = {"signed-log": 1, "scaled": 3}
_NUM_BINS = 8


@dataclass(frozen=True)
class EncodedTable:
    """points: (rows, features) for the encoder; columns: which columns stand there, in feeding order."""

    points: Points
    columns: tuple[int, ...]


def num_inputs(encoding: EncodingName) -> int:
    """Width of a row for the encoder: ten columns and the target, each with its features."""
    return (MAX_VARIABLES + 1) * NUM_FEATURES[encoding]


def encode(
    columns: Floats, target: Floats, encoding: EncodingName, rng: np.random.Generator, max_points: int = MAX_POINTS
) -> EncodedTable:
    """Encoder input of a table; columns: (columns, rows), target: (rows,).

    Rows beyond `max_points` are subsampled. Of more than ten columns the most relevant are fed.
    """
    if columns.ndim != 2 or target.shape != (columns.shape[1],) or target.size == 0:
        raise InvalidTable(f"expected columns (d, n) and target (n,), got {columns.shape} and {target.shape}")
    if target.size > max_points:
        rows = np.sort(rng.choice(target.size, size=max_points, replace=False))
        columns, target = columns[:, rows], target[rows]
    if not (np.isfinite(columns).all() and np.isfinite(target).all()):
        raise InvalidTable("the rows contain NaN or infinite values; drop or impute them first")
    order = _feeding_order(columns, target, encoding)
    rows_first = np.zeros((target.size, MAX_VARIABLES + 1, NUM_FEATURES[encoding]), dtype=np.float32)
    rows_first[:, : len(order)] = _features(columns[order], encoding).transpose(1, 0, 2)
    rows_first[:, -1] = _features(target[None], encoding)[0]
    return EncodedTable(rows_first.reshape(target.size, -1), tuple(order.tolist()))


def _feeding_order(columns: Floats, target: Floats, encoding: EncodingName) -> NDArray[np.int64]:
    """Columns in the order in which they are fed: by relevance, or as they came where the paper keeps them."""
    if encoding == "signed-log" and len(columns) <= MAX_VARIABLES:
        return np.arange(len(columns))
    relevance = column_relevance(columns, target)
    order: NDArray[np.int64] = np.argsort(-relevance, kind="stable")[:MAX_VARIABLES]
    return np.sort(order) if encoding == "signed-log" else order


def column_relevance(columns: Floats, target: Floats) -> Floats:
    """How much of the target's ranking each column explains alone, in 0..1: (columns,).

    The largest of the squared rank correlation and the share of variance between bins of the column, over signed values
    and over magnitudes, so that neither monotone nor symmetric dependence is missed.
    """
    if columns.shape[1] < 3:
        return np.zeros(len(columns))
    signed = _rank_relevance(columns, target)
    if columns.min(initial=0.0) >= 0.0 and target.min() >= 0.0:
        return signed
    return np.maximum(signed, _rank_relevance(np.abs(columns), np.abs(target)))


def _rank_relevance(columns: Floats, target: Floats) -> Floats:
    target_ranks = _standard_ranks(target[None])[0]
    column_ranks = _standard_ranks(columns)
    correlation = (column_ranks @ target_ranks / len(target)) ** 2
    return np.asarray(np.maximum(correlation, _between_bins(column_ranks, target_ranks)))


def _standard_ranks(values: Floats) -> Floats:
    """Ranks along the rows with mean 0 and variance 1; constant rows give zeros."""
    ranks = np.argsort(np.argsort(values, axis=1, kind="stable"), axis=1, kind="stable").astype(np.float64)
    ranks[values.max(axis=1) == values.min(axis=1)] = 0.0
    ranks -= ranks.mean(axis=1, keepdims=True)
    deviation = ranks.std(axis=1, keepdims=True)
    return np.asarray(np.divide(ranks, deviation, out=ranks, where=deviation > 0))


def _between_bins(column_ranks: Floats, target_ranks: Floats) -> Floats:
    """Variance of the target's mean over equally filled bins of each column, less what chance gives: (columns,)."""
    num_rows = len(target_ranks)
    num_bins = max(2, min(_NUM_BINS, num_rows // 5))
    sorted_target = target_ranks[np.argsort(column_ranks, axis=1, kind="stable")]
    edges = np.linspace(0, num_rows, num_bins + 1).astype(np.int64)
    means = np.add.reduceat(sorted_target, edges[:-1], axis=1) / np.diff(edges)
    between = means**2 @ np.diff(edges) / num_rows - (num_bins - 1) / num_rows
    return np.asarray(np.clip(between, 0.0, 1.0))


def _features(columns: Floats, encoding: EncodingName) -> Points:
    """Features of each value: (columns, rows, features)."""
    if encoding == "signed-log":
        return (np.sign(columns) * np.log1p(np.abs(columns)))[..., None].astype(np.float32)
    return _scaled_features(columns)


def _scaled_features(columns: Floats) -> Points:
    """Three views that no scale and no sign of a column can change.

    The value over the largest magnitude; the value over the median magnitude, squashed; the logarithm of the magnitude
    about its mean.
    """
    magnitude = np.abs(columns)
    largest = magnitude.max(axis=1, keepdims=True)
    largest[largest == 0.0] = 1.0
    sign = np.where(np.median(columns, axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    value = sign * (columns / largest)
    relative = np.abs(value)
    middle = np.maximum(np.median(relative, axis=1, keepdims=True), 1e-30)
    logarithm = np.log(np.maximum(relative, 1e-30))
    logarithm -= logarithm.mean(axis=1, keepdims=True)
    squashed = np.arcsinh(np.clip(value / middle, -1e6, 1e6))
    return np.stack([value, squashed / 2.0, np.clip(logarithm / 2.0, -8.0, 8.0)], axis=-1).astype(np.float32)
