"""Sums of homogeneous parts that are the target, its square or one over these: a linear regression for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, join
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.homogeneous.parts import Angle, Part, Parts
from mosaic_sr.proposal.regression.best_subsets import find_best_subsets
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
# A law with NaN for its numbers, and where these begin.
StartedLaw = tuple[Expression, Floats]
# A term of a sum, and its nats.
Term = tuple[Expression, float]

# Terms of a sum, and sums of each number of terms that are fitted.
MOST_TERMS, NUM_SUMS = 4, 12
# Functions of a column without a unit that stand in terms, also squared.
WAVES = ("cos", "sin")
# With more angles the terms would be too many.
MOST_ANGLES = 2
# Differences of angles, and the products before them.
MOST_DIFFERENCES, MOST_BESIDE_DIFFERENCES = 3, 60
# Sums that are further behind the best, in nats, are not fitted: regression ranks them nearly as fits do.
MOST_BEHIND = 40.0
# Nats of each factor and power of a term, as of one symbol in four, and of a wave in it.
NATS_PER_LENGTH, NATS_OF_WAVE = 1.4, 3.0
# Targets nearer to 0, as a share of the usual one, are taken to be as far: a square hides their noise.
LEAST_SIZE = 0.05
# A root has one sign: with more rows of the other one it is no root.
MOST_OF_OTHER_SIGN = 0.02


@dataclass(frozen=True)
class TargetPower:
    """A power of the target that is a sum: how a law is written that way, with these operators."""

    power: int
    operators: tuple[str, ...]
    write: Callable[[Expression], Expression]

    def target(self, values: Floats) -> tuple[Floats, Floats]:
        """The power, and by how much it changes with the target."""
        sizes = np.maximum(np.abs(values), LEAST_SIZE * np.sqrt(np.mean(np.square(values))))
        held = np.copysign(sizes, values) if self.power < 0 else values
        return held**self.power, abs(self.power) * sizes ** (self.power - 1)


def _root(total: Expression) -> Expression:
    return apply("sqrt", total)


def _inverse(total: Expression) -> Expression:
    return apply("inv", total)


VIEWS = (
    TargetPower(1, (), lambda total: total),
    TargetPower(2, ("sqrt",), _root),
    TargetPower(-1, ("inv",), _inverse),
    TargetPower(-2, ("sqrt", "inv"), lambda total: _inverse(_root(total))),
)


def find_sums(parts: Parts, rows: Rows, operators: Sequence[str]) -> Iterator[StartedLaw]:
    """Sums under each view, the best of each number of terms."""
    if not {"add", "mul"} <= set(operators):
        return
    for view in VIEWS:
        if set(view.operators) <= set(operators) and not (_changes_sign(rows.target) and view.power % 2 == 0):
            yield from _sums(view, parts, rows, operators)


def _changes_sign(target: Floats) -> bool:
    return float(np.mean(target < 0.0)) > MOST_OF_OTHER_SIGN


def _sums(view: TargetPower, parts: Parts, rows: Rows, operators: Sequence[str]) -> Iterator[StartedLaw]:
    plain, differing = _plain_terms(view, parts, operators), _terms_of_differences(view, parts, operators)
    terms, costs = [one for one, _ in plain + differing], np.array([cost for _, cost in plain + differing])
    with np.errstate(all="ignore"):
        values = np.array([parts.values(term) for term in terms])
        target, slopes = view.target(rows.target)
        weights = 1.0 / slopes
        weighted, wanted = values * weights, target * weights
    usable = np.flatnonzero(np.all(np.isfinite(weighted), axis=1) & np.any(weighted != 0.0, axis=1))
    if not len(usable) or not np.all(np.isfinite(wanted)):
        return
    found: dict[tuple[int, ...], float] = {}
    # Beside differences, which can stand for many terms, sums of plain ones may be lost on the way.
    for some in (usable[usable < len(plain)], usable) if differing else (usable,):
        best = find_best_subsets(weighted[some], wanted, costs[some], MOST_TERMS, NUM_SUMS) if len(some) else {}
        found |= {tuple(some[list(places)].tolist()): nats for places, nats in best.items()}
    least = min(found.values(), default=0.0)
    for places in (places for places, nats in found.items() if nats < least + MOST_BEHIND):
        numbers = solve_least_squares(weighted[list(places)].T, wanted)
        yield _written(view, [terms[place] for place in places], numbers)


def _plain_terms(view: TargetPower, parts: Parts, operators: Sequence[str]) -> list[Term]:
    """Products, and such with a wave of a column."""
    products = parts.of_front(Fraction(view.power))
    terms = [(one.expression, NATS_PER_LENGTH * one.length) for one in products]
    for angle in parts.angles[:MOST_ANGLES]:
        terms += _with_waves(angle, products, operators)
    return terms


def _terms_of_differences(view: TargetPower, parts: Parts, operators: Sequence[str]) -> list[Term]:
    """Products with the square of a difference of like columns, or with a wave of a difference of angles."""
    squares = parts.with_squares(Fraction(view.power))
    terms = [(term, NATS_PER_LENGTH * own) for term, own in squares]
    products = parts.of_front(Fraction(view.power))[:MOST_BESIDE_DIFFERENCES]
    for angle in parts.differences_of_angles[:MOST_DIFFERENCES]:
        terms += _with_waves(angle, products, operators)
    return terms


def _with_waves(angle: Angle, products: Sequence[Part], operators: Sequence[str]) -> Iterator[Term]:
    """Products without the angle times a wave of it, or its square."""
    without = [one for one in products if not any(one.exponents[place] for place in angle.places)]
    for wave in WAVES:
        if wave not in operators:
            continue
        own = apply(wave, angle.expression)
        cost = NATS_OF_WAVE + NATS_PER_LENGTH * (len(angle.places) - 1)
        for factor, more in ((own, cost), (apply("sq", own), cost + NATS_PER_LENGTH)):
            for one in without:
                yield apply("mul", one.expression, factor), NATS_PER_LENGTH * one.length + more


def _written(view: TargetPower, terms: Sequence[Expression], numbers: Floats) -> StartedLaw:
    """The law with holes for its coefficients; numbers of the terms themselves stay."""
    scaled = [apply("mul", constant(np.nan), term) for term in terms]
    form = view.write(join("add", scaled))
    start = form.constants.copy()
    start[np.isnan(start)] = numbers
    return form, start
