"""One search path: edits, a refit, acceptance. A path reads nothing shared and owns all that it writes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from mosaic_sr.equation import UNKNOWN, Equation, Errors
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import QuickConfig, QuickFitter
from mosaic_sr.front import Front, badness
from mosaic_sr.refinement.edits import Vocabulary, edit, num_free, reads_variable
from mosaic_sr.table import Rows


@dataclass(frozen=True)
class PathConfig:
    """How a path moves.

    temperature: a candidate is accepted though its log error is this much worse, on average; 0 climbs strictly.
    parsimony: log error that one node must save to be worth it.
    """

    edits_per_round: int = 30
    edits_per_fit: int = 2  # one edit alone cannot cross from one good structure to the next
    maxsize: int = 32
    max_constants: int = 8
    temperature: float = 0.3
    parsimony: float = 0.1
    fit: QuickConfig = field(default_factory=QuickConfig)


@dataclass(frozen=True)
class Path:
    """Where a path stands: its present equation, the best it has seen, the structures it has tried."""

    current: Equation
    front: Front
    tried: frozenset[bytes]
    evaluations: int


def start_path(equation: Equation) -> Path:
    """A path that begins at an equation."""
    return Path(equation, Front((equation,)), frozenset((equation.expression.structure_key,)), 0)


def advance(path: Path, rows: Rows, vocabulary: Vocabulary, config: PathConfig, rng: np.random.Generator) -> Path:
    """The path after one round of edits."""
    fitter = QuickFitter(rows, config.fit)
    current, tried, found, evaluations = path.current, set(path.tried), list[Equation](), path.evaluations
    for _ in range(config.edits_per_round):
        expression = current.expression
        for _ in range(int(rng.integers(1, config.edits_per_fit + 1))):
            expression = edit(expression, vocabulary, rng)
        if expression.structure_key in tried or not _is_allowed(expression, config):
            continue
        tried.add(expression.structure_key)
        fit = fitter.fit(expression, rng.random())
        evaluations += 1
        candidate = replace(
            current, expression=fit.expression, training=Errors(fit.loss, fit.relative_loss), validation=UNKNOWN
        )
        if not math.isfinite(fit.loss):
            continue
        found.append(candidate)
        if _energy(candidate, config) < _energy(current, config) + config.temperature * rng.exponential():
            current = candidate
    return Path(current, path.front.merged(found), frozenset(tried), evaluations)


def _is_allowed(expression: Expression, config: PathConfig) -> bool:
    return (
        len(expression) <= config.maxsize
        and num_free(expression) <= config.max_constants
        and reads_variable(expression)
    )


def _energy(equation: Equation, config: PathConfig) -> float:
    """What a path lowers: half the log of both errors, and the size."""
    return 0.5 * math.log(badness(equation.training) + 1e-60) + config.parsimony * equation.complexity
