"""A factor that is a sum: what the other factors leave of the target is linear in functions of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression, apply, constant, scaled, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.products.log_regression import LEAST_APART
from mosaic_sr.proposal.regression.best_subsets import make_pairs
from mosaic_sr.proposal.regression.projection import make_background, scale_to_unit, solve_scaled
from mosaic_sr.proposal.regression.systems import weigh_by_size
from mosaic_sr.proposal.terms.families import ALWAYS
from mosaic_sr.proposal.terms.writing import write_sum
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Functions of single columns that a sum is made of, beside the column itself.
SUMMANDS = ("sq", "cube", "inv", "sin", "cos", "tan", "exp", "tanh", "log", "sqrt")
# Columns whose products and ratios join them.
MOST_PAIRED = 6
# Rows that choose the two terms of a sum.
SCREENING_ROWS = 160
# A sum that leaves less than this was not chosen by chance; a law that does is worth a look.
MOST_LEFT = 1e-6
LARGEST = 1e50  # beyond, squares of products leave the range of floats
# Rows that stray this many times the median are left out; fits of exact data settle in so many turns.
STRAY, MOST_TURNS = 6.0, 3


@dataclass(frozen=True, eq=False)
class SumFit:
    """a + b f + d g for the two functions at `places`.

    numbers: a, b and d.  error: the share that is left, root of weighted squares.  step: what the centre lacks.
    """

    places: tuple[int, ...]
    numbers: Floats
    error: float
    step: float


class SumFactor:
    """Functions of columns that a sum may be made of, and their values: (functions, rows)."""

    def __init__(self, rows: Rows, exponents: Sequence[int], operators: Sequence[str]) -> None:
        functions = _functions(exponents, operators)
        values = np.array([evaluate_expression(each, rows.columns) for each in functions])
        with np.errstate(invalid="ignore"):
            usable = np.all(np.abs(values) < LARGEST, axis=1) & (np.ptp(values, axis=1) > 0)
        self.functions = [each for each, is_usable in zip(functions, usable, strict=True) if is_usable]
        self.rows, self.values = rows, values[usable]

    def fit(self, product: Floats, values: Floats, clear: Indices) -> SumFit | None:
        """The sum of two functions that explains best what a product leaves of values, both (rows,).

        values: the target less its centre, which may lack its last digits.  clear: rows in which that is no matter.
        """
        chosen = clear[np.rint(np.linspace(0, len(clear) - 1, min(SCREENING_ROWS, len(clear)))).astype(np.intp)]
        with np.errstate(all="ignore"):
            rest = values[chosen] / product[chosen]
            weights = weigh_by_size(rest)
            slope = weights / product[chosen]
        if not (np.all(np.isfinite(rest)) and np.all(np.isfinite(slope)) and np.all(np.isfinite(weights))):
            return None
        # An error of the centre is a multiple of 1/P in what is left.
        beside = make_background(np.array([weights, slope]))
        terms = self.values[:, chosen] * weights
        bare = beside.without(rest * weights)
        places = _best_pair(beside.without(terms), bare)
        columns = np.column_stack([weights, *terms[list(places)], slope])
        numbers = solve_scaled(columns, rest * weights)
        left = rest * weights - columns @ numbers
        error = float(np.linalg.norm(left) / np.linalg.norm(bare))
        return SumFit(places, numbers[:-1], error, float(numbers[-1])) if np.isfinite(error) else None

    def law(self, shape: Expression, fit: SumFit, centre: float) -> Expression | None:
        """The law c + P (a + b f + d g), its numbers fitted to the target; those that it can spare are left out."""
        partial = evaluate_expression(shape, self.rows.columns)
        one = np.ones(len(partial))
        for has_offset, has_number, places in _choices(fit.places):
            columns = [partial] * has_number + [partial * self.values[place] for place in places]
            numbers = fit_numbers([*columns, *[one] * has_offset], self.rows.target, centre + fit.step)
            if numbers is not None:
                inner = np.concatenate([[0.0] * (not has_number), numbers[: len(columns)]])
                law = apply("mul", shape, write_sum(inner, [[self.functions[place]] for place in places]))
                return apply("add", law, constant(float(numbers[-1]))) if has_offset else law
        return None


def _choices(places: tuple[int, ...]) -> list[tuple[bool, bool, tuple[int, ...]]]:
    """Whether there is c, whether there is a, and which functions there are; short laws first."""
    kept = [some for size in (1, 2) for some in combinations(places, size)]
    return sorted(product((False, True), (False, True), kept), key=lambda choice: sum(choice[:2]) + len(choice[2]))


def _functions(exponents: Sequence[int], operators: Sequence[str]) -> list[Expression]:
    """Columns, functions of them in the user's units (2**exponent times the table's), products and ratios of two."""
    found: list[Expression] = []
    for column, exponent in enumerate(exponents):
        leaf = scaled(variable(column), 2.0**exponent)
        inside = {"log": apply("abs", leaf), "sqrt": apply("abs", leaf)} if "abs" in operators else {}
        found.append(variable(column))
        found += [apply(name, inside.get(name, leaf)) for name in SUMMANDS if name in operators or name in ALWAYS]
    for one, other in combinations(map(variable, range(min(len(exponents), MOST_PAIRED))), 2):
        found += [apply("mul", one, other), apply("div", one, other), apply("div", other, one)]
    return found


def _best_pair(terms: Floats, target: Floats) -> tuple[int, ...]:
    """The two terms that explain most of the target: (rows,)."""
    heed_stop()
    directions = scale_to_unit(terms.T).T
    explained = make_pairs(directions, LEAST_APART).explain(directions @ target)
    first, second = np.unravel_index(int(np.argmax(explained)), explained.shape)
    return tuple(sorted({int(first), int(second)}))


def fit_numbers(columns: Sequence[Floats], target: Floats, centre: float) -> Floats | None:
    """The factors of columns (rows,) each, whose sum is the target in half of the rows, each as exact as its size."""
    weights = 1.0 / np.maximum(np.abs(target) + abs(centre), np.finfo(np.float64).tiny)
    weighted = np.stack(columns, axis=1) * weights[:, None]
    if not np.all(np.isfinite(weighted)):
        return None
    numbers, left = np.zeros(len(columns)), target * weights
    kept = np.ones(len(target), dtype=bool)
    for _ in range(MOST_TURNS):  # again for the last digits, without rows in which the product lost its own
        numbers = numbers + solve_scaled(weighted[kept], left[kept])
        left = target * weights - weighted @ numbers
        middle = float(np.median(np.abs(left)))
        if not middle <= MOST_LEFT:
            return None
        kept = np.abs(left) <= STRAY * max(middle, np.finfo(np.float64).eps)
    return numbers if np.all(numbers != 0) else None
