"""Products of homogeneous factors, some of them sums or functions of groups, found in the logarithm of the target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, substituted
from mosaic_sr.expressions.powers import power
from mosaic_sr.proposal.homogeneous.parts import Parts
from mosaic_sr.proposal.homogeneous.sums import WAVES, StartedLaw
from mosaic_sr.proposal.regression.best_subsets import LEAST_APART, find_best_subsets
from mosaic_sr.proposal.regression.projection import make_background, scale_to_unit
from mosaic_sr.proposal.simple_exponents import count_nats, find_exponents
from mosaic_sr.proposal.terms.factors import FORMS, make_factors
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

# Factors beside plain powers, and sets of so many factors of which the exponents are made simple.
MOST_FACTORS, NUM_SETS = 2, 150
# Choices of simple exponents for each set; products that are fitted.
NUM_CHOICES, NUM_PRODUCTS = 4, 80
# Sets that are further behind the best, in nats, are left out, whatever their exponents.
MOST_BEHIND = 60.0
# Nats of choosing a factor among a thousand.
NATS_OF_FACTOR = 7.0
# Targets that are not so many times their noise have no logarithm that says something. The noise is what the best
# factor leaves of the rows whose target is more than this share of the usual one; few tables have more noise.
TIMES_NOISE, FIRST_SHARE = 5.0, 0.3
# The second pass chooses rows by what the first has told.
NUM_PASSES = 2


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
    logarithms = choose_rows(parts, rows, operators) if {"mul", "div"} <= set(operators) else None
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

    def without_twins(self) -> _Logarithms:
        """Without factors that powers make of shorter ones, as 1 + b/a of 1 + a/b, or functions of equal groups."""
        directions = scale_to_unit(self.beside_powers(self.terms).T).T
        order = np.argsort([len(one.expression) for one in self.factors], kind="stable")
        common = np.tril(np.abs(directions[order] @ directions[order].T), -1)
        kept = np.sort(order[np.all(np.square(common) < 1.0 - LEAST_APART, axis=1)])
        return replace(self, factors=tuple(self.factors[place] for place in kept), terms=self.terms[kept])

    def choices(self, places: Sequence[int]) -> Iterator[ChosenFactors]:
        """Some factors with the most credible simple exponents."""
        regressors = np.concatenate([self.powers, self.terms[list(places)]])
        numbers, covariance = _regression(regressors, self.logs)
        factors = tuple(self.factors[place] for place in places)
        is_simple = np.array([False, *(True,) * (len(self.powers) - 1), *(not one.is_exponent for one in factors)])
        simple, free = np.flatnonzero(is_simple), np.flatnonzero(~is_simple)
        for chosen in find_exponents(numbers[simple], covariance[np.ix_(simple, simple)], NUM_CHOICES):
            # A factor to the power 0 is none: fewer factors make the same product.
            if np.any(chosen[len(self.powers) - 1 :] == 0.0):
                continue
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
            else:
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


@dataclass(frozen=True, eq=False)
class _AllRows:
    """Logarithms on all rows that have some, without weights, as `_Logarithms` names them.

    target: (rows,) its sizes.  front: (rows,) those of the product in front.
    """

    target: Floats
    front: Floats
    logarithms: _Logarithms

    def weighted(self, sizes: Floats, least: float, noise: float) -> _Logarithms | None:
        """Those of rows whose target has more than a least size, weighted by it; None where these are too few.

        sizes: (rows,) of the targets without their noise, as far as they are known.
        """
        own, kept = self.logarithms, np.flatnonzero(sizes > least)
        if len(kept) < 3 * len(own.powers):
            return None
        weights = sizes[kept] / self.usual
        # Noise makes a logarithm smaller: by half its square on average, as a share of the target.
        logs = own.logs[kept] + 0.5 * np.square(noise / sizes[kept])
        return replace(
            own, powers=own.powers[:, kept] * weights, terms=own.terms[:, kept] * weights, logs=logs * weights
        )

    def tell_sizes(self, first: _Logarithms) -> tuple[Floats, float]:
        """The sizes of all targets by the best factor beside powers, and the noise, which is what it leaves."""
        terms, logs = first.beside_powers(first.terms), first.beside_powers(first.logs)
        best = find_best_subsets(terms, logs, np.zeros(len(terms)), 1, 1)
        own = [place for places in best for place in places]
        regressors = np.concatenate([first.powers, first.terms[own]])
        numbers = _regression(regressors, first.logs)[0]
        left = first.logs - numbers @ regressors
        told = numbers @ np.concatenate([self.logarithms.powers, self.logarithms.terms[own]])
        sizes = self.front * np.exp(np.clip(told, -300.0, 300.0))
        return sizes, float(np.sqrt(np.mean(np.square(left)))) * self.usual

    @property
    def usual(self) -> float:
        """Root mean square of the targets."""
        return float(np.sqrt(np.mean(np.square(self.target))))


def choose_rows(parts: Parts, rows: Rows, operators: Sequence[str]) -> _Logarithms | None:
    """The rows that say something of a product.

    A first law tells how large targets are: of rows chosen by their own size, more have noise that enlarges it.
    """
    everything = _take_logarithms(parts, rows, operators)
    if everything is None:
        return None
    largest = FIRST_SHARE * everything.usual
    chosen = everything.weighted(everything.target, largest, 0.0)
    for _ in range(NUM_PASSES):
        if chosen is None:
            return None
        sizes, noise = everything.tell_sizes(chosen)
        chosen = everything.weighted(sizes, min(TIMES_NOISE * noise, largest), noise)
    return None if chosen is None else chosen.without_twins()


def _take_logarithms(parts: Parts, rows: Rows, operators: Sequence[str]) -> _AllRows | None:
    """The logarithms of all rows that have some; None where no factor has."""
    with np.errstate(all="ignore"):
        front = np.abs(parts.values(parts.of_target(()).expression))
        logs = np.log(np.abs(rows.target) / front)
        groups = np.array([parts.values(group.expression) for group in parts.groups])
        is_finite = np.isfinite(logs) & np.all(np.isfinite(groups) & (groups != 0.0), axis=0)
        kept = np.flatnonzero(is_finite)
        powers = np.concatenate([np.ones((1, len(kept))), np.log(np.abs(groups[: parts.num_independent, kept]))])
        factors, terms = _factors(parts, groups[:, kept], kept, operators)
    if not factors:
        return None
    own = _Logarithms(parts, factors, powers, terms, logs[kept])
    return _AllRows(np.abs(rows.target[kept]), front[kept], own)


def _factors(
    parts: Parts, groups: Floats, kept: NDArray[np.intp], operators: Sequence[str]
) -> tuple[tuple[HomogeneousFactor, ...], Floats]:
    """Functions of groups that are no plain powers, and what a logarithm sees of them: (factors, rows).

    Those of one group are also functions of one over it: 1 - b/a says the same as a/b - 1, but only one has roots.
    """
    of_one = [form for form in FORMS if form.arity == 1]
    found = [make_factors(groups, np.ones(len(groups)), operators)]
    found.append(make_factors(1.0 / groups, np.ones(len(groups)), operators, of_one))
    factors, terms = [], []
    for table, of_groups in zip(found, (parts.groups, parts.inverse_groups), strict=True):
        for place in np.flatnonzero(~table.is_monomial).tolist():
            one = table.factors[place]
            own = substituted(one.form.expression, [of_groups[column].expression for column in one.columns])
            factors.append(HomogeneousFactor(own, True) if one.is_exponent else _positive(own, parts, kept))
            terms.append(table.terms[place])
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
