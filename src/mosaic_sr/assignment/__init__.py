"""Assignment fills the variable holes of sketches with columns and fits the constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import UNKNOWN, Equation, Errors
from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.fitting import QuickConfig, QuickFitter
from mosaic_sr.operators import HOLE, VARIABLE
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows


@dataclass(frozen=True)
class AssignmentConfig:
    """How holes are bound.

    max_assignments: of a sketch with more, this many are drawn by the columns' relevance.
    """

    max_assignments: int = 16
    fit: QuickConfig = field(default_factory=QuickConfig)


def assign(
    batches: Iterable[tuple[str, Sequence[Sketch]]],
    rows: Rows,
    names: tuple[str, ...],
    scores: NDArray[np.float64],
    config: AssignmentConfig,
    rng: np.random.Generator,
) -> Iterator[tuple[str, list[Equation]]]:
    """Yield the name and the fitted equations of each batch of sketches; names, scores: of the columns."""
    fitter = QuickFitter(rows, config.fit)
    seen: set[bytes] = set()
    for name, sketches in batches:
        found: list[Equation] = []
        for sketch in sketches:
            for expression in bindings(sketch.expression, scores, config.max_assignments, rng):
                if expression.key not in seen:
                    seen.add(expression.key)
                    fit = fitter.fit(expression, rng.random())
                    errors = Errors(fit.loss, fit.relative_loss)
                    found.append(Equation(fit.expression, names, errors, UNKNOWN, sketch.found_by))
        yield name, [equation for equation in found if np.isfinite(equation.training.nmse)]


def bindings(
    sketch: Expression, scores: NDArray[np.float64], limit: int, rng: np.random.Generator
) -> Iterator[Expression]:
    """All ways to fill the holes, or `limit` of them: first the greedy one, then draws that favour relevant columns."""
    holes = np.flatnonzero(sketch.codes == HOLE)
    order = np.argsort(-scores, kind="stable")
    if len(scores) ** len(holes) <= limit:
        yield from (_bound(sketch, holes, np.array(columns)) for columns in product(order, repeat=len(holes)))
        return
    yield _bound(sketch, holes, order[np.arange(len(holes)) % len(order)])
    chances = scores + scores.max() / len(scores) + 1e-9
    for _ in range(limit - 1):
        yield _bound(sketch, holes, rng.choice(len(scores), size=len(holes), p=chances / chances.sum()))


def _bound(sketch: Expression, holes: NDArray[np.int64], columns: NDArray[np.int64]) -> Expression:
    codes, slots = sketch.codes.copy(), sketch.slots.copy()
    codes[holes] = VARIABLE
    slots[holes] = columns
    return make_expression(codes, slots, sketch.constants)
