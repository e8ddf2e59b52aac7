"""Scaling laws: y = c x^a f(k x^b)^p, a product in front of a function of one group of columns.

Much of physics has this form, because units must agree: decay, relaxation, saturation, relativistic and thermal
factors, and with f = 1 + z every sum of two products under any power. The exponents need not be known: all of them
are descended to at once, and rounded to simple ones where the rows allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import operator_names
from mosaic_sr.proposal.question import Question
from mosaic_sr.proposal.scaling_laws.descent import Descent, DescentConfig, Scene, descend, make_scene
from mosaic_sr.proposal.scaling_laws.rounding import simplest
from mosaic_sr.proposal.scaling_laws.shapes import SHAPES, Shape
from mosaic_sr.proposal.scaling_laws.writing import written
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows

# Deviations of log|y|: below the first a law may be exact, below the second it is worth handing on.
NEARLY_EXACT, WORTH_A_LOOK = 1e-6, 0.05


@dataclass(frozen=True)
class ScalingConfig:
    """How far scaling laws are looked for."""

    most_columns: int = 7  # beyond, random starts rarely come near
    rows_per_unknown: float = 2.0
    num_rows: int = 120  # four for each unknown of five columns; the time grows with them
    num_sketches: int = 3  # handed on where none is exact
    descent: DescentConfig = field(default_factory=DescentConfig)


def propose_scaling_laws(config: ScalingConfig, question: Question, rng: np.random.Generator) -> Iterator[list[Sketch]]:
    """The law of the first shape that explains the rows, else at last the best approximations."""
    columns = np.sort(np.argsort(-question.scores, kind="stable")[: config.most_columns])
    rows = question.table.some_training(config.num_rows)
    rows = rows.take(np.flatnonzero((rows.target != 0) & np.all(rows.columns[columns] != 0, axis=0)))
    if rows.num_rows < config.rows_per_unknown * (2 * len(columns) + 3) or rows.has_constant_target:
        return
    scene = make_scene(rows.columns[columns], rows.target)
    rough: list[Descent] = []
    for shape in _usable_shapes(question, scene):
        descent = descend(scene, shape, config.descent, rng)
        if descent.error <= NEARLY_EXACT:
            yield _sketches([descent], scene, rows, columns, question)
        elif descent.error <= WORTH_A_LOOK:
            rough.append(descent)
    best = simplest(rough, scene)[: config.num_sketches]
    yield _sketches(best, scene, rows, columns, question)


def _sketches(
    descents: list[Descent], scene: Scene, rows: Rows, columns: NDArray[np.intp], question: Question
) -> list[Sketch]:
    """The laws that the allowed operators can write."""
    known = set(question.operators)
    laws = [written(descent, scene, rows, columns) for descent in descents]
    usable = [law for law in laws if law is not None and operator_names(law) <= known]
    return [Sketch(law, -float(rank), "scaling_laws") for rank, law in enumerate(usable)]


def _usable_shapes(question: Question, scene: Scene) -> list[Shape]:
    """Those that the allowed operators can write; where y crosses 0 those that can."""
    known = set(question.operators)
    return [shape for shape in SHAPES if shape.operators <= known and (shape.crosses or not scene.crosses)]
