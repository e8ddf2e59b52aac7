"""The choice: which equation of the front is the law, and which others explain the rows as well."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation
from mosaic_sr.evidence.pool import rough_score
from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import spans_decades
from mosaic_sr.front import badness, nmse
from mosaic_sr.selection.description import law_bits
from mosaic_sr.selection.settings import SelectionConfig
from mosaic_sr.table import Table

# Two laws differ when they part by more than this share somewhere outside the rows.
SAME = 1e-6
# A law with more nodes than this beyond the simplest is a detour, not a rival.
MOST_NODES_BEYOND = 4
# Two laws leave the choice open already; a reader wants few.
MOST_TIES = 3
# Laws that are tidied to see which is the shortest; the truth in other words may be among them.
MOST_RIVALS = 8

Rule = Callable[[Sequence[Equation], Table], Equation]


def select(equations: Sequence[Equation], table: Table, config: SelectionConfig) -> Equation | None:
    """The law of the front, its rivals as ties; None when no equation has finite errors."""
    usable = [equation for equation in equations if math.isfinite(equation.validation.nmse)]
    if not usable:
        return None
    law = RULES[config.model_selection](usable, table)
    return replace(law, ties=_rivals(law, usable)) if law.agrees else law


def best(equations: Sequence[Equation], table: Table) -> Equation:
    """The simplest exact equation, else the simplest that agrees, else the most probable one, roughly."""
    highest = max(equation.closeness for equation in equations)
    if highest >= Closeness.AGREES:
        closest = [equation for equation in equations if equation.closeness == highest]
        return min(closest, key=lambda law: (law.complexity, law.expression.num_constants, badness(law.validation)))
    return max(equations, key=lambda equation: rough_score(equation, table.training))


def most_accurate(equations: Sequence[Equation], table: Table) -> Equation:
    """The least validation error."""
    error = badness if spans_decades(table.training) else nmse
    return min(equations, key=lambda equation: error(equation.validation))


def best_score(equations: Sequence[Equation], _: Table) -> Equation:
    """The largest fall of the log training error per node, seen from the next simpler equation."""
    law, highest = equations[0], 0.0
    ordered = sorted(equations, key=lambda equation: equation.complexity)
    for before, equation in pairwise(ordered):
        grown = equation.complexity - before.complexity
        score = (_log_error(before) - _log_error(equation)) / grown if grown else 0.0
        if score > highest:
            law, highest = equation, score
    return law


def published(equations: Sequence[Equation], table: Table) -> Equation:
    """The fewest operators among those that count as exact, else the least validation error."""
    exact = [equation for equation in equations if equation.is_exact]
    if exact:
        return min(exact, key=lambda equation: (equation.num_operators, equation.complexity))
    return min(equations, key=lambda equation: equation.validation.nmse)


RULES: dict[str, Rule] = {
    "best": best,
    "accuracy": most_accurate,
    "score": best_score,
    "paper": published,
}


def _log_error(equation: Equation) -> float:
    return math.log(max(equation.training.nmse, 1e-300))


def may_matter(equation: Equation, law: Equation | None, config: SelectionConfig) -> bool:
    """Whether an equation, once it is fitted and in canonical form, may become the law or a rival of the present one.

    Beside an exact law, a longer equation is of no use; its canonical form may be some nodes shorter.
    """
    if law is None or not law.is_exact or config.model_selection != "best":
        return True
    return equation.complexity <= law.complexity + 2 * MOST_NODES_BEYOND


def _rivals(law: Equation, equations: Sequence[Equation]) -> tuple[Equation, ...]:
    """Equations as close and about as simple as the law in other words, those of fewest bits first."""
    rivals = {canonical(law.expression).structure_key: law}
    for equation in sorted(equations, key=law_bits):
        if equation.closeness >= law.closeness and equation.complexity <= law.complexity + MOST_NODES_BEYOND:
            rivals.setdefault(canonical(equation.expression).structure_key, equation)
    return tuple(rivals.values())[1 : 1 + MOST_RIVALS]


def distinct(law: Equation, others: Sequence[Equation], columns: NDArray[np.float64]) -> tuple[Equation, ...]:
    """The equations that are other functions than the law and each other, also where they agree on the rows."""
    elsewhere, known = _elsewhere(columns), [law]
    for equation in others:
        if not any(_are_same(equation.expression, other.expression, elsewhere) for other in known):
            known.append(equation)
    return tuple(known[1 : 1 + MOST_TIES])


def _elsewhere(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points outside the rows: columns smaller and larger than they are, in other combinations."""
    shifted = np.array([np.roll(column, place) for place, column in enumerate(columns)])
    return np.concatenate([0.25 * shifted, 4.0 * shifted], axis=1)


def _are_same(one: Expression, other: Expression, columns: NDArray[np.float64]) -> bool:
    if canonical(one).structure_key == canonical(other).structure_key:
        return True
    first, second = evaluate_expression(one, columns), evaluate_expression(other, columns)
    is_known = np.isfinite(first) & np.isfinite(second)
    gap = np.abs(first[is_known] - second[is_known])
    return bool(np.all(gap <= SAME * np.abs(first[is_known])))
