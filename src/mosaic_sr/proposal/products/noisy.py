"""Scaling laws in noisy rows: starts from a smooth function through the rows, decisions by fits to the rows themselves.

Logarithms of noisy targets are biased, and those of small ones say nothing. The values of a smooth function have a
fraction of the noise, so descents on their logarithms come near. From there all exponents are fitted to the rows, and
the most credible simple ones near them are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.powers import monomial, power
from mosaic_sr.fitting import FitConfig, fit_parameters
from mosaic_sr.proposal.products.descent import Descent, DescentConfig, descend, find_front
from mosaic_sr.proposal.products.functions import GroupFactor, ScalingForm, write_linear
from mosaic_sr.proposal.products.scaling_rows import ScalingRows, make_scaling_rows
from mosaic_sr.proposal.simple_exponents import count_nats, find_exponents
from mosaic_sr.proposal.smoothing import SmoothedRows
from mosaic_sr.table import Rows
from mosaic_sr.table.rows import spread_over_target

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Smooth values with a relative error below this have a logarithm that says something.
MOST_RELATIVE_ERROR = 0.5
# The smooth rows on which descents start: as many as those of exact rows.
NUM_ROWS = 120
# Fewer smooth rows for each exponent and number tell nothing: in pure noise no value is known.
ROWS_PER_UNKNOWN = 2
# Powers of a factor that are tried; of an exponential they only change the number before its group.
POWERS = (1.0, -1.0, 0.5, -0.5, 2.0, -2.0)
# Forms whose n log(loss) is further above the least are of the wrong kind; of the others so many go on.
MOST_BEHIND, MOST_FORMS = 60.0, 8
# Choices of simple exponents that are fitted for each form and power.
NUM_CHOICES = 4
# Fits start where the last one ended.
WARM = FitConfig(starts=1, draws_per_start=1, max_iterations=30, is_polished=False)


@dataclass(frozen=True, eq=False)
class NoisyTrial:
    """A law of a form of one factor: number * x^front * f(inner * x^exponents)^power.

    numbers: the number, the exponents in front (columns), the inner number, its exponents or coefficients (columns),
    the power.  is_free: those that are fitted.  loss: as in `Fit`.  covariance: of the free numbers, as the rows tell.
    """

    form: ScalingForm
    numbers: Floats
    is_free: NDArray[np.bool_]
    loss: float = np.inf
    covariance: Floats | None = None

    @property
    def num_columns(self) -> int:
        return len(self.numbers) // 2 - 1

    @property
    def factor(self) -> GroupFactor:
        return self.form.factors[0]

    @property
    def front(self) -> Floats:
        return self.numbers[1 : 1 + self.num_columns]

    @property
    def inner(self) -> Floats:
        """The number and the exponents of the group."""
        return self.numbers[1 + self.num_columns : -1]

    @property
    def exponents(self) -> Indices:
        """Where the exponents stand that are to be simple: in front, and in a group that is a product."""
        places = np.arange(1, 1 + self.num_columns)
        return places if self.factor.is_linear else np.append(places, places + 1 + self.num_columns)

    def held(self, places: Sequence[int] | Indices, values: Floats | float) -> NoisyTrial:
        """The trial with some numbers held at values."""
        numbers, is_free = self.numbers.copy(), self.is_free.copy()
        numbers[places], is_free[places] = values, False
        return replace(self, numbers=numbers, is_free=is_free)

    def nats(self, num_rows: int) -> float:
        """What it takes to tell the rows by the law, up to a constant: residuals, numbers, exponents."""
        held = self.exponents[~self.is_free[self.exponents]]
        numbers = 0.5 * np.log(num_rows) * np.count_nonzero(self.is_free)
        return float(0.5 * num_rows * np.log(self.loss) + numbers + count_nats(self.numbers[held]))


@dataclass(frozen=True, eq=False)
class NoisyLaw:
    """A law of one group.

    front, group: the product before the function and the one inside, without numbers; no group where it is a sum.
    """

    law: Expression
    front: Expression
    group: Expression | None


def find_noisy_laws(
    rows: SmoothedRows,
    columns: Sequence[int],
    forms: Sequence[ScalingForm],
    effort: DescentConfig,
    rng: np.random.Generator,
) -> Iterator[NoisyLaw | None]:
    """Laws of forms of one group over positive columns, the most credible first; before them None for each step."""
    fitter = Fitter(rows.measured, columns)
    smooth = _telling(rows)
    if smooth.num_rows < ROWS_PER_UNKNOWN * (2 * len(columns) + 3):
        return
    scaling_rows = make_scaling_rows(smooth.columns[list(columns)] / fitter.middles[:, None], smooth.target)
    num_rows, trials = rows.measured.num_rows, []
    for form in forms:
        trials += [fitter.fitted(_start(descend(scaling_rows, form, effort, rng), scaling_rows))]
        yield None
    least = min((trial.loss for trial in trials), default=np.inf)
    near = [trial for trial in trials if trial.loss <= least * np.exp(MOST_BEHIND / num_rows)]
    made: list[NoisyTrial] = []
    for trial in sorted(near, key=lambda trial: trial.loss)[:MOST_FORMS]:
        made += fitter.with_simple_exponents(trial)
        yield None
    for trial in sorted(made, key=lambda trial: trial.nats(num_rows)):
        yield fitter.written(trial)


def _telling(rows: SmoothedRows) -> Rows:
    """Smooth rows of the sign that most have and of which the logarithm is known."""
    target = rows.smooth.target
    kept = np.flatnonzero(np.sign(np.sum(target)) * target > rows.error / MOST_RELATIVE_ERROR)
    telling = rows.smooth.take(kept)
    return spread_over_target(telling, NUM_ROWS) if len(kept) else telling


def _start(descent: Descent, scaling_rows: ScalingRows) -> NoisyTrial:
    """The numbers of a descent as they stand before the columns themselves."""
    (inner, *exponents), front = descent.groups[0], find_front(descent, scaling_rows)
    factor, exponents, end = descent.form.factors[0], np.array(exponents), descent.powers[0]
    if factor.is_linear:
        exponents = exponents / scaling_rows.spreads
        inner -= exponents @ scaling_rows.middles
    else:
        inner = np.exp(np.clip(inner - exponents @ scaling_rows.means, -300.0, 300.0))  # beyond, it overflows
    if factor.is_exponential:  # exp(z)^p = exp(p z)
        inner, end = inner * end, 1.0
    numbers = np.concatenate([[1.0], front, [inner], exponents, [end]])
    trial = NoisyTrial(descent.form, numbers, np.ones(len(numbers), dtype=np.bool_))
    return trial.held([-1], 1.0) if factor.is_exponential else trial


class Fitter:
    """Fits trials to the rows, their columns divided by their usual sizes so that numbers hardly follow exponents."""

    def __init__(self, rows: Rows, columns: Sequence[int]) -> None:
        self._variables = [variable(column) for column in columns]
        chosen = rows.columns[list(columns)]
        self.middles = np.exp(np.mean(np.log(chosen), axis=1))
        self._rows = replace(rows, columns=np.ascontiguousarray(chosen / self.middles[:, None]))

    def fitted(self, trial: NoisyTrial) -> NoisyTrial:
        """The trial with its free numbers fitted, from where they are."""
        heed_stop()
        law, places = _with_places(trial)
        free = np.flatnonzero(trial.is_free)
        owners = np.full(law.num_constants, -1, dtype=np.int32)
        owners[places[free]] = np.arange(len(free))
        fit = fit_parameters(law, owners, self._rows, WARM)
        return replace(trial, numbers=fit.expression.constants[places], loss=fit.loss, covariance=fit.covariance)

    def with_simple_exponents(self, trial: NoisyTrial) -> list[NoisyTrial]:
        """The trial with simple exponents of several kinds, for each of the powers near its own."""
        powers = (1.0,) if trial.factor.is_exponential else POWERS
        signed = [each for each in powers if each * trial.numbers[-1] > 0.0]
        found = []
        for each in signed:
            raised = self.fitted(trial.held([-1], each))
            found += [self.fitted(choice) for choice in _choices(raised)]
        return found

    def written(self, trial: NoisyTrial) -> NoisyLaw:
        """The law over the columns themselves, without what is raised to 0."""
        number, front = trial.numbers[0] / np.prod(self.middles**trial.front), monomial(self._variables, trial.front)
        factor = power(trial.factor.write(self._group(trial)), float(trial.numbers[-1]))
        law = apply("mul", apply("mul", constant(float(number)), front), factor)
        return NoisyLaw(law, front, None if trial.factor.is_linear else self._plain_group(trial))

    def _plain_group(self, trial: NoisyTrial) -> Expression | None:
        """The group with the least of its exponents at 1 and the first one positive: of all its powers one stands."""
        exponents = trial.inner[1:]
        used = exponents[exponents != 0.0]
        return monomial(self._variables, exponents / np.copysign(np.abs(used).min(), used[0])) if len(used) else None

    def _group(self, trial: NoisyTrial) -> Expression:
        number, exponents = trial.inner[0], trial.inner[1:]
        if not trial.factor.is_linear:
            inner = float(number / np.prod(self.middles**exponents))
            return apply("mul", constant(inner), monomial(self._variables, exponents))
        return write_linear(float(number), exponents / self.middles, self._variables)


def _choices(trial: NoisyTrial) -> Iterator[NoisyTrial]:
    """The trial with simple exponents that are credible near its own."""
    if trial.covariance is None:
        return
    free = np.flatnonzero(trial.is_free)
    own = np.searchsorted(free, trial.exponents)
    covariance = trial.covariance[np.ix_(own, own)]
    for chosen in find_exponents(trial.numbers[trial.exponents], covariance, NUM_CHOICES):
        yield trial.held(trial.exponents, chosen)


def _with_places(trial: NoisyTrial) -> tuple[Expression, Indices]:
    """The law over columns 0, 1, .. with every number in it, and where each stands among its constants."""
    marks: Floats = (
        np.arange(len(trial.numbers), dtype=np.float64) + 0.25
    )  # no number that a factor brings along is such a fraction
    marked = replace(trial, numbers=marks)
    columns = [variable(column) for column in range(trial.num_columns)]
    law = constant(marks[0])
    for column, exponent in zip(columns, marked.front.tolist(), strict=True):
        law = apply("mul", law, apply("pow", column, constant(exponent)))
    inner = constant(float(marked.inner[0]))
    for column, each in zip(columns, marked.inner[1:].tolist(), strict=True):
        if trial.factor.is_linear:
            inner = apply("add", inner, apply("mul", constant(each), column))
        else:
            inner = apply("mul", inner, apply("pow", column, constant(each)))
    law = apply("mul", law, apply("pow", trial.factor.write(inner), constant(marks[-1])))
    order = np.argsort(law.constants, kind="stable")
    places = order[np.searchsorted(law.constants[order], marks)]
    constants = law.constants.copy()
    constants[places] = trial.numbers
    return law.with_constants(constants), places
