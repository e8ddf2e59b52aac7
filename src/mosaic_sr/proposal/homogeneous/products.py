"""Products of homogeneous factors, some of them sums or functions of groups, found in the logarithm of the target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, substituted
from mosaic_sr.expressions.powers import power
from mosaic_sr.proposal.homogeneous.parts import Parts
from mosaic_sr.proposal.homogeneous.sums import WAVES, StartedLaw
from mosaic_sr.proposal.regression.best_subsets import find_best_subsets
from mosaic_sr.proposal.regression.projection import make_background
from mosaic_sr.proposal.simple_exponents import count_nats, find_exponents
from mosaic_sr.proposal.terms.factors import make_factors
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

# Factors beside plain powers, and sets of so many factors of which the exponents are made simple.
MOST_FACTORS, NUM_SETS = 2, 150
# Choices of simple exponents for each set; products that are fitted.
NUM_CHOICES, NUM_PRODUCTS = 4, 40
# Sets that are further behind the best, in nats, are left out, whatever their exponents.
MOST_BEHIND = 60.0
# Nats of choosing a factor among a thousand.
NATS_OF_FACTOR = 7.0
# Targets that are not so many times their noise have no logarithm that says something. The noise is what the best
# factor leaves of the rows whose target is more than this share of the usual one; few tables have more noise.
TIMES_NOISE, FIRST_SHARE = 5.0, 0.3


@dataclass(frozen=True)
class HomogeneousFactor:
    """A function of groups that is raised to a power, or stands under an exponential behind a number."""

    expression: Expression
    is_exponent: bool = False


@dataclass(frozen=True, eq=False)
class ChosenFactors:
    """Factors with simple exponents; numbers: those of the powers, a number first, and of the factors."""

    factors: tuple[HomogeneousFactor, ...]
    numbers: Floats
    nats: float


def find_products(parts: Parts, rows: Rows, operators: Sequence[str]) -> Iterator[StartedLaw]:
    """Products with simple exponents, those that tell the rows in the fewest nats first."""
    logarithms = _choose_rows(parts, rows, operators) if {"mul", "div"} <= set(operators) else None
    if logarithms is None:
        return
    costs = np.full(len(logarithms.factors), NATS_OF_FACTOR)
    beside = logarithms.beside_powers(logarithms.terms), logarithms.beside_powers(logarithms.logs)
    sets = find_best_subsets(*beside, costs, MOST_FACTORS, NUM_SETS)
    least = min(sets.values(), default=0.0)
    near = [places for places, nats in sets.items() if nats < least + MOST_BEHIND]
    choices = [choice for places in ((), *near) for choice in logarithms.choices(places)]
    for choice in sorted(choices, key=lambda choice: choice.nats)[:NUM_PRODUCTS]:
        yield logarithms.written(choice)


@dataclass(frozen=True, eq=False)
class _Logarithms:
    """Logarithms on the rows that have some, each row weighted by its target so that its errors are those of the rows.

    powers: (1 + groups, rows) a number and the groups.  terms: (factors, rows).  logs: (rows,) of the target over the
    product in front.
    """

    parts: Parts
    factors: tuple[HomogeneousFactor, ...]
    powers: Floats
    terms: Floats
    logs: Floats

    def beside_powers(self, values: Floats) -> Floats:
        """What plain powers leave of some logarithms: (.., rows)."""
        return make_background(self.powers).without(values)

    def choices(self, places: Sequence[int]) -> Iterator[ChosenFactors]:
        """Some factors with the most credible simple exponents."""
        regressors = np.concatenate([self.powers, self.terms[list(places)]])
        numbers, covariance = _regression(regressors, self.logs)
        factors = tuple(self.factors[place] for place in places)
        is_simple = np.array([False, *(True,) * (len(self.powers) - 1), *(not one.is_exponent for one in factors)])
        simple, free = np.flatnonzero(is_simple), np.flatnonzero(~is_simple)
        for chosen in find_exponents(numbers[simple], covariance[np.ix_(simple, simple)], NUM_CHOICES):
            left = self.logs - chosen @ regressors[simple]
            own = numbers.copy()
            own[simple], own[free] = chosen, _regression(regressors[free], left)[0]
            left = left - own[free] @ regressors[free]
            nats = 0.5 * len(left) * np.log(max(float(left @ left), 1e-300)) + count_nats(chosen)
            yield ChosenFactors(
                factors, own, nats + NATS_OF_FACTOR * len(factors) + 0.5 * len(free) * np.log(len(left))
            )

    def written(self, choice: ChosenFactors) -> StartedLaw:
        """The product as a law."""
        num_powers = len(self.powers)
        vector = tuple(map(Fraction, choice.numbers[1:num_powers].tolist()))
        law = apply("mul", constant(np.nan), self.parts.of_target(vector).expression)
        start = [float(np.exp(np.clip(choice.numbers[0], -300.0, 300.0)))]
        for factor, each in zip(choice.factors, choice.numbers[num_powers:].tolist(), strict=True):
            if factor.is_exponent:
                law = apply("mul", law, apply("exp", apply("mul", constant(np.nan), factor.expression)))
                start.append(each)
            elif each:
                law = apply("mul", law, power(factor.expression, each))
        constants = law.constants.copy()
        constants[np.isnan(constants)] = start
        return law, constants


def _regression(regressors: Floats, target: Floats) -> tuple[Floats, Floats]:
    """The coefficients of least squares and their covariance, as what they leave tells it."""
    inverse = np.linalg.pinv(regressors @ regressors.T)
    numbers = inverse @ (regressors @ target)
    left = target - numbers @ regressors
    return numbers, inverse * float(left @ left) / max(len(left) - len(numbers), 1)


def _choose_rows(parts: Parts, rows: Rows, operators: Sequence[str]) -> _Logarithms | None:
    """The rows that say something of a product."""
    first = _take_logarithms(parts, rows, operators, FIRST_SHARE)
    if first is None:
        return None
    terms, logs = first.beside_powers(first.terms), first.beside_powers(first.logs)
    best = find_best_subsets(terms, logs, np.zeros(len(terms)), 1, 1)
    own = terms[[place for places in best for place in places]]
    left = logs - _regression(own, logs)[0] @ own
    share = TIMES_NOISE * float(np.sqrt(np.mean(np.square(left))))
    return first if share >= FIRST_SHARE else _take_logarithms(parts, rows, operators, share)


def _take_logarithms(parts: Parts, rows: Rows, operators: Sequence[str], least_share: float) -> _Logarithms | None:
    """The logarithms of targets above a share of the usual one; None where these are too few."""
    with np.errstate(all="ignore"):
        front = parts.values(parts.of_target(()).expression)
        logs = np.log(np.abs(rows.target / front))
        groups = np.array([parts.values(group.expression) for group in parts.groups])
        usual = np.sqrt(np.mean(np.square(rows.target)))
        is_telling = (np.abs(rows.target) > least_share * usual) & np.isfinite(logs)
        is_telling &= np.all(np.isfinite(groups) & (groups != 0.0), axis=0)
        kept = np.flatnonzero(is_telling)
        powers = np.concatenate([np.ones((1, len(kept))), np.log(np.abs(groups[: parts.num_independent, kept]))])
        factors, terms = _factors(parts, groups[:, kept], kept, operators)
    weights = np.abs(rows.target[kept]) / usual
    if len(kept) < 3 * len(powers) or not factors:
        return None
    return _Logarithms(parts, factors, powers * weights, terms * weights, logs[kept] * weights)


def _factors(
    parts: Parts, groups: Floats, kept: NDArray[np.intp], operators: Sequence[str]
) -> tuple[tuple[HomogeneousFactor, ...], Floats]:
    """Functions of groups that are no plain powers, and what a logarithm sees of them: (factors, rows)."""
    found = make_factors(groups, np.ones(len(groups)), operators)
    chosen = np.flatnonzero(~found.is_monomial)
    quantities = [group.expression for group in parts.groups]
    factors, terms = [], []
    for place in chosen.tolist():
        one = found.factors[place]
        own = substituted(one.form.expression, [quantities[column] for column in one.columns])
        factors.append(HomogeneousFactor(own, True) if one.is_exponent else _positive(own, parts, kept))
        terms.append(found.terms[place])
    for own in _with_waves(parts, operators):
        logs = np.log(np.abs(parts.values(own)[kept]))
        if np.all(np.isfinite(logs)):
            factors.append(_positive(own, parts, kept))
            terms.append(logs)
    return tuple(factors), np.array(terms).reshape(len(terms), len(kept))


def _positive(factor: Expression, parts: Parts, kept: NDArray[np.intp]) -> HomogeneousFactor:
    """The factor, or its negative where only that has roots."""
    return HomogeneousFactor(apply("neg", factor) if np.all(parts.values(factor)[kept] < 0.0) else factor)


def _with_waves(parts: Parts, operators: Sequence[str]) -> Iterator[Expression]:
    """Sums of 1 and a group, or one over it, times a wave, as 1 + e*cos(angle)."""
    for angle in (*parts.angles, *parts.differences_of_angles):
        for wave in (apply(name, angle.expression) for name in WAVES if name in operators):
            for group in (
                own.expression for own in parts.groups if not any(own.exponents[one] for one in angle.places)
            ):
                for sign in ("add", "sub"):
                    yield apply(sign, constant(1.0), apply("mul", group, wave))
                    yield apply(sign, group, wave)
