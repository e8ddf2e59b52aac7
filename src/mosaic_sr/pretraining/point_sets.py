"""Tables of the corpus: a law observed somewhere, exactly or as it is measured, as the encoder reads it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.pretraining.families import Span
from mosaic_sr.pretraining.inputs import draw_columns
from mosaic_sr.pretraining.laws import CorpusConfig, CorpusLaw, draw_law
from mosaic_sr.pretraining.measurement import (
    MeasurementConfig,
    draw_digits,
    rounded,
    trajectory,
    with_foreign_columns,
    with_noise,
)
from mosaic_sr.pretraining.mistakes import Mistakes, draw_mistakes
from mosaic_sr.proposal.prior.encoding import MAX_POINTS, encode
from mosaic_sr.proposal.prior.vocabulary import MAX_VARIABLES

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PointSet:
    """points: (rows, inputs) as the encoder reads them; matters: (10,) whether each fed column is in the law.

    mistakes: the law as a search might have it, where the corpus has them.
    """

    points: NDArray[np.float32]
    matters: NDArray[np.float32]
    mistakes: Mistakes | None = None


def draw_point_set(
    equation: CorpusLaw, num_points: int, rng: np.random.Generator, config: CorpusConfig
) -> PointSet | None:
    """The law observed somewhere, or None where no draw gives usable values."""
    num_dummies = int(rng.integers(1, 4)) if rng.random() < config.dummy_share else 0
    num_columns = min(equation.num_variables + num_dummies, MAX_VARIABLES)
    for attempt in range(6):
        columns, digits = _draw_columns(equation, num_columns, num_points, attempt, rng, config.measured)
        with np.errstate(all="ignore"):
            target = evaluate_expression(equation.expression, columns)
            usable = is_informative(equation.expression, columns, target)
        if usable and config.measured is not None:
            noisy = rounded(with_noise(target, config.measured, rng), digits)
            return _encoded(equation, *_some_rows(columns, target, noisy, rng), rng, config)
        if usable:
            return _encoded(equation, columns, target, target, rng, config)
    return None


def _draw_columns(
    law: CorpusLaw, num_columns: int, num_rows: int, attempt: int, rng: np.random.Generator,
    measured: MeasurementConfig | None,
) -> tuple[Floats, int]:  # fmt: skip
    """Columns of one table and the digits of its numbers; later attempts have positive columns for logs and roots."""
    columns = draw_columns(rng, num_columns, num_rows, positive=attempt >= 3)
    if law.spans and attempt < 5:
        columns = _within_spans(law.spans, columns, rng)
    if measured is None:
        return columns, 0
    if rng.random() < measured.trajectory_share:
        shares = trajectory(num_columns, num_rows, rng)
        spans = [Span(float(column.min()), float(column.max())) for column in columns]
        columns = np.stack([span.scaled(share) for span, share in zip(spans, shares, strict=True)])
    digits = draw_digits(measured, rng)
    return rounded(with_foreign_columns(columns, measured, MAX_VARIABLES, rng), digits), digits


def _within_spans(spans: tuple[Span | None, ...], columns: Floats, rng: np.random.Generator) -> Floats:
    """The columns, those that a family has placed in their places."""
    placed = columns.copy()
    for index, span in enumerate(spans):
        if span is not None:
            placed[index] = span.draw(rng, columns.shape[1])
    return placed


def _some_rows(
    columns: Floats, target: Floats, noisy: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """As many rows as the encoder reads."""
    if len(target) <= MAX_POINTS:
        return columns, target, noisy
    rows = rng.choice(len(target), MAX_POINTS, replace=False)
    return columns[:, rows], target[rows], noisy[rows]


def _encoded(
    equation: CorpusLaw, columns: Floats, exact: Floats, target: Floats, rng: np.random.Generator, config: CorpusConfig
) -> PointSet:
    order = rng.permutation(len(columns))
    encoded = encode(columns[order], target, config.encoding, rng)
    fed = order[list(encoded.columns)]
    matters = np.zeros(MAX_VARIABLES, dtype=np.float32)
    matters[: len(fed)] = fed < equation.num_variables
    mistakes = draw_mistakes(equation.expression, columns, fed, exact, target, rng) if config.has_mistakes else None
    return PointSet(encoded.points, matters, mistakes)


def is_informative(expression: Expression, columns: Floats, target: Floats) -> bool:
    """Whether the values are finite, vary, span a sane range, and change with every column of the law."""
    if not np.isfinite(target).all():
        return False
    magnitude = np.abs(target)
    spread = float(target.std())
    if magnitude.max() > 1e12 or spread <= 1e-4 * magnitude.max() or magnitude.max() > 1e7 * np.median(magnitude):
        return False
    for column in expression.columns:
        shuffled = columns.copy()
        shuffled[column] = np.roll(columns[column], 1)
        changed = evaluate_expression(expression, shuffled)
        if np.isfinite(changed).all() and float(np.abs(changed - target).max()) < 1e-2 * spread:
            return False
    return True


def draw_samples(
    rng: np.random.Generator, config: CorpusConfig, num_points: int, num_sets: int
) -> tuple[CorpusLaw, list[PointSet]]:
    """A law together with `num_sets` point sets; laws without usable points are redrawn."""
    while True:
        equation = draw_law(rng, config)
        point_sets: list[PointSet] = []
        while len(point_sets) < num_sets:
            point_set = draw_point_set(equation, num_points, rng, config)
            if point_set is None:
                break
            point_sets.append(point_set)
        if len(point_sets) == num_sets:
            return equation, point_sets
