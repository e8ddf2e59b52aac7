"""Constants of a named form from numbers that are formulas over them.

Most forms are solved by undoing one step after another; where two constants occur in every equation that is left, a
few starts of a least-squares search find them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from mosaic_sr.named_laws.matching import Pair
from mosaic_sr.named_laws.scalars import LARGEST_LOG, Part

# Equations that were not needed hold to this, relative to the logarithm of the number; digits of constants that were
# rounded to ten places are still the same.
AGREES = 1e-8
# Branches such as the two roots of a square; forms have at most three of them.
MOST_SOLUTIONS = 16
# Logarithms of sizes at which the search begins: constants of a few orders of magnitude.
STARTS = (0.0, 1.5, -1.5, 4.0, -4.0)

# number of a constant -> logarithm of its size
Sizes = dict[int, float]


def solutions(pairs: Sequence[Pair], unknowns: Sequence[int]) -> Iterator[Sizes]:
    """Sizes of the constants for which every number of the form equals the law's."""
    equations = [(form.of, law.log) for form, law in pairs if form.of is not None]
    for count, sizes in enumerate(_solved(equations, {}, frozenset(unknowns))):
        if count == MOST_SOLUTIONS:
            return
        yield sizes


Equation = tuple[Part, float]


def _solved(equations: Sequence[Equation], known: Sizes, unknowns: frozenset[int]) -> Iterator[Sizes]:
    left = unknowns - known.keys()
    if not left:
        if all(_holds(part, target, known) for part, target in equations):
            yield known
        return
    for part, target in equations:
        open_here = [number for number in _occurring(part) if number not in known]
        if len(open_here) == 1:
            for size in _undone(part, target, open_here[0], known):
                yield from _solved(equations, {**known, open_here[0]: size}, unknowns)
            return
    yield from _searched(equations, known, sorted(left), unknowns)


def _holds(part: Part, target: float, known: Sizes) -> bool:
    return abs(value_of(part, known) - target) <= AGREES * max(1.0, abs(target))


def _occurring(part: Part) -> list[int]:
    """The constants in a formula, one entry for each occurrence."""
    if part[0] == "L":
        return [part[1]]  # type: ignore[list-item]
    return [number for child in part[1:] if isinstance(child, tuple) for number in _occurring(child)]


def value_of(part: Part, known: Sizes) -> float:
    """The value of a formula; NaN where it has none."""
    kind, *rest = part
    if kind == "L":
        return known[rest[0]]  # type: ignore[index]
    if kind == "c":
        return rest[0]  # type: ignore[return-value]
    values = [value_of(child, known) for child in rest]  # type: ignore[arg-type]
    if kind == "+":
        return values[0] + values[1]
    if kind == "*":
        return values[0] * values[1]
    if kind == "exp":
        return math.exp(values[0]) if values[0] < LARGEST_LOG else math.nan
    return math.log(abs(values[0])) if values[0] else math.nan


def _undone(part: Part, target: float, number: int, known: Sizes) -> list[float]:
    """The sizes of one constant, which occurs once, for which a formula has the target as its value."""
    if not math.isfinite(target):
        return []
    kind = part[0]
    if kind == "L":
        return [target]
    if kind == "exp":
        return _undone(part[1], math.log(target), number, known) if target > 0.0 else []  # type: ignore[arg-type]
    if kind == "log":
        size = math.exp(min(target, LARGEST_LOG))
        branches = (size, -size)
        return [found for value in branches for found in _undone(part[1], value, number, known)]  # type: ignore[arg-type]
    left, right = part[1:]
    inner, other = (left, right) if number in _occurring(left) else (right, left)  # type: ignore[arg-type]
    value = value_of(other, known)  # type: ignore[arg-type]
    if kind == "+":
        return _undone(inner, target - value, number, known)  # type: ignore[arg-type]
    return _undone(inner, target / value, number, known) if value else []  # type: ignore[arg-type]


def _searched(
    equations: Sequence[Equation], known: Sizes, left: Sequence[int], unknowns: frozenset[int]
) -> Iterator[Sizes]:
    """Solutions for constants that no equation has alone."""
    from scipy.optimize import least_squares

    needed = [equation for equation in equations if any(number in left for number in _occurring(equation[0]))]
    if len(needed) < len(left):
        return

    def residuals(sizes: np.ndarray) -> np.ndarray:
        trial = {**known, **dict(zip(left, sizes.tolist(), strict=True))}
        values = [value_of(part, trial) - target for part, target in needed]
        return np.asarray(np.nan_to_num(np.array(values), nan=1e3, posinf=1e3, neginf=-1e3))

    found: list[np.ndarray] = []
    for start in _starts(len(left)):
        result = least_squares(residuals, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=60)
        is_new = all(np.max(np.abs(result.x - other)) > AGREES for other in found)
        if result.cost < AGREES * AGREES and is_new:
            found.append(result.x)
            sizes = {**known, **dict(zip(left, result.x.tolist(), strict=True))}
            yield from _solved(equations, sizes, unknowns)


def _starts(count: int) -> Iterator[np.ndarray]:
    """Each start has its constants apart, because equal ones often make the equations singular."""
    for start in STARTS:
        yield start + np.linspace(-0.5, 0.7, count)
        yield start + np.linspace(0.6, -0.4, count)
