"""Tidying: the law in the user's units, simplified, without negligible parts, and its constants snapped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mosaic_sr.budget import never
from mosaic_sr.equation import Equation, in_column_units, over_user_columns
from mosaic_sr.evidence import Pool
from mosaic_sr.exactness import CLOSE
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.powers import with_named_powers, with_shared_roots
from mosaic_sr.expressions.simple_numbers import closed_form
from mosaic_sr.fitting import FitConfig, fit_constants
from mosaic_sr.operators import Operator
from mosaic_sr.selection.choice import distinct
from mosaic_sr.selection.codata import name_of
from mosaic_sr.selection.conclusion import Conclusion, Told, as_conclusion, conclude
from mosaic_sr.selection.description import is_simple, law_bits
from mosaic_sr.selection.rewording import rewordings
from mosaic_sr.selection.settings import SelectionConfig
from mosaic_sr.selection.simplifying import prunings, simplified
from mosaic_sr.selection.snapping import MARGIN_BITS, asking_order, exponents_of, simple_values
from mosaic_sr.selection.validation import BRIEF_ITERATIONS, refitted
from mosaic_sr.selection.weighing import Weighing
from mosaic_sr.table import Table, thinned, unscaled

# Trials are fitted to at most so many rows; the outcome is fitted to all and must hold there.
TRIAL_ROWS = 1000
# A part whose loss multiplies the error on a few rows needs no look at more of them.
FEW_ROWS = 200
# Simple numbers tried for a constant; the true one is among the simplest.
MOST_TRIES = 6
PASSES = 3


@dataclass(frozen=True)
class _Judge:
    """Fits trials to a table and says whether one may take the place of the law.

    may_prune: whether parts of the law may go. Those of a tie may not, or mostly the law would be left.
    is_interrupted: once it says yes, no more trials are made.
    """

    table: Table
    config: SelectionConfig
    may_prune: bool = True
    is_interrupted: Callable[[], bool] = never

    def fitted(self, law: Equation, expression: Expression, keeps_simple: bool) -> Equation:
        """The law with another expression, fitted; simple numbers stay as they are if asked."""
        fixed = np.array([keeps_simple and is_simple(value) for value in expression.constants.tolist()])
        return refitted(law, expression, self.table, self.config, fixed.astype(np.bool_))

    def prefers(self, trial: Equation, law: Equation) -> bool:
        """Whether a trial agrees as closely as the law and says so in fewer bits."""
        return self.keeps(trial, law) and law_bits(trial) <= law_bits(law) and not self._leaves_limits(trial, law)

    def drops(self, trial: Equation, law: Equation) -> bool:
        """Whether a trial without a part of the law agrees as closely.

        Its bits would not tell: without a part that is rounding, the rows determine the other constants better.
        """
        is_shorter = _extent(trial.expression) < _extent(law.expression)
        return self.keeps(trial, law) and is_shorter and not self._leaves_limits(trial, law)

    def keeps(self, trial: Equation, law: Equation) -> bool:
        """Whether a trial agrees as closely as the law."""
        return trial.agrees and trial.closeness >= law.closeness

    def _leaves_limits(self, trial: Equation, law: Equation) -> bool:
        limits = self.config.limits
        return limits.allow(law.expression) and not limits.allow(trial.expression)


class Tidying:
    """Laws of one search as a person would write them, in the user's units over the columns of the table.

    The search asks what it would tell of a law that agrees before it ends with it: no claim is withdrawn afterwards.
    """

    def __init__(self, table: Table, config: SelectionConfig) -> None:
        self._table, self._config, self._unscaled = table, config, unscaled(table)
        self.weighing = Weighing(table, config.limits)
        self._known: dict[bytes, Equation] = {}

    def tidied(self, law: Equation, is_interrupted: Callable[[], bool] = never) -> Equation:
        """The law tidied, without ties.

        is_interrupted: asked before each trial; once it says yes, the law stays as far as it has come.
        """
        key = law.expression.key
        if key in self._known:
            return self._known[key]
        tidied = self._written(law, self._judge(is_interrupted))
        if not is_interrupted():
            self._known[key] = tidied
        return tidied

    def finished(self, law: Equation, names: Sequence[str], is_interrupted: Callable[[], bool] = never) -> Equation:
        """The law that a search ends with, over the user's columns called `names`."""
        if not law.agrees:
            return self._simplified(law, names, is_interrupted)
        judge = self._judge(is_interrupted)
        tidied = self.tidied(law, is_interrupted)
        ties = [self._written(tie, replace(judge, may_prune=False)) for tie in law.ties]
        ties = [tie for tie in ties if self._config.limits.allow(tie.expression)]
        if self._config.model_selection == "best":
            # Of laws that explain the rows alike, the one that takes fewest bits once its numbers are simple.
            shortest, *ties = sorted((tidied, *ties), key=lambda one: (-one.closeness, law_bits(one)))
            tidied = shortest if shortest is tidied else _written(shortest, judge)
        others = distinct(tidied, ties, judge.table.validation.columns)
        named, *named_others = (_named(one, self._table, names) for one in (tidied, *others))
        return replace(named, ties=tuple(named_others))

    def _simplified(self, law: Equation, names: Sequence[str], is_interrupted: Callable[[], bool]) -> Equation:
        """A law of noisy rows that another rule than its probability has chosen, without superfluous parts."""
        limits, weighed = self._config.limits, self.weighing.weighed([law])
        if not weighed:
            return _named(in_column_units(law, self._table), self._table, names)
        simple = simplified(weighed[0].judged, self.weighing, limits, is_interrupted)
        told = [Told(simple, law.found_by, 1.0)]
        return replace(as_conclusion(told, self._unscaled, names).law, probability=None)

    def concluded(
        self, pool: Pool, covered_bits: float, names: Sequence[str], is_interrupted: Callable[[], bool] = never
    ) -> Conclusion | None:
        """What a search on noisy rows ends with; None where no law has values.

        covered_bits: the enumeration has tried all forms of up to so many bits.
        """
        told = conclude(pool, covered_bits, self.weighing, self._config.limits, is_interrupted)
        return as_conclusion(told, self._unscaled, names) if told else None

    def _judge(self, is_interrupted: Callable[[], bool]) -> _Judge:
        return _Judge(self._unscaled, self._config, is_interrupted=is_interrupted)

    def _written(self, law: Equation, judge: _Judge) -> Equation:
        return replace(_written(in_column_units(law, self._table), judge), ties=())


def tidy(
    law: Equation,
    table: Table,
    config: SelectionConfig,
    names: Sequence[str],
    is_interrupted: Callable[[], bool] = never,
) -> Equation:
    """The law of a search that tidies nothing else."""
    return Tidying(table, config).finished(law, names, is_interrupted)


def _named(law: Equation, table: Table, names: Sequence[str]) -> Equation:
    """The law over the user's columns, with their names and those of its constants."""
    constant_names = tuple(name_of(value) for value in law.expression.constants.tolist())
    named = constant_names if any(constant_names) else ()
    return over_user_columns(replace(law, constant_names=named), table, names)


def _written(law: Equation, every: _Judge) -> Equation:
    """The law of an unscaled table, tidied on some of its rows and fitted to all."""
    table = every.table
    some = replace(every, table=thinned(table, TRIAL_ROWS))
    tidied = _tidied(some.fitted(law, law.expression, keeps_simple=False), some)
    snapped = every.fitted(law, tidied.expression, keeps_simple=True)
    if snapped.closeness < law.closeness:
        # Some rows were too few to tell; all of them take longer.
        return _tidied(every.fitted(law, law.expression, keeps_simple=False), every)
    return snapped


def _tidied(law: Equation, judge: _Judge) -> Equation:
    # What one pass has made simple lets the next one drop more.
    for _ in range(PASSES):
        before, law = law, _tidied_once(law, judge)
        if law.expression == before.expression:
            break
    law = _replaced(law, with_shared_roots(with_named_powers(law.expression)), judge)
    return _replaced(law, _with_quotients(with_named_powers(law.expression)), judge)


def _tidied_once(law: Equation, judge: _Judge) -> Equation:
    law = _replaced(law, canonical(law.expression), judge)
    for expression in rewordings(law.expression):
        law = _replaced(law, canonical(expression), judge)
    law = _snapped(_pruned(law, judge), judge)
    return _replaced(law, canonical(law.expression), judge)


def _replaced(law: Equation, expression: Expression, judge: _Judge) -> Equation:
    """The law in other words, where these are as good."""
    if judge.is_interrupted():
        return law
    trial = judge.fitted(law, expression, keeps_simple=True)
    return trial if judge.prefers(trial, law) else law


def _pruned(law: Equation, judge: _Judge) -> Equation:
    """The law without parts that can go, the largest first."""
    if not judge.may_prune:
        return law
    few = replace(judge, table=thinned(judge.table, FEW_ROWS))
    for expression in sorted(prunings(law.expression), key=len):
        if judge.is_interrupted():
            break
        if _is_hopeless(expression, few):
            continue
        # Numbers that were simple beside the part are so without it, or have made up for it; and in its canonical form
        # a law may be longer than in the words it has found.
        for words, keeps_simple in ((canonical(expression), True), (canonical(expression), False), (expression, False)):
            trial = judge.fitted(law, words, keeps_simple)
            if judge.drops(trial, law):
                return _pruned(trial, judge)
    return law


def _is_hopeless(expression: Expression, few: _Judge) -> bool:
    rough = FitConfig(starts=1, max_iterations=BRIEF_ITERATIONS, is_polished=False)
    error = fit_constants(expression, few.table.training, rough).loss
    return not error <= CLOSE**2


def _snapped(law: Equation, judge: _Judge) -> Equation:
    """The law with each constant at the simplest number that is as good, the others refitted after each."""
    exponents = exponents_of(law.expression)
    for index in asking_order(law):
        value, error = float(law.expression.constants[index]), law.standard_errors[index]
        if error == 0.0 and is_simple(value):
            continue
        margin = 0.0 if index in exponents else MARGIN_BITS
        for simple in simple_values(value, error, law.agrees, margin)[:MOST_TRIES]:
            if judge.is_interrupted():
                return law
            constants = law.expression.constants.copy()
            constants[index] = simple
            trial = judge.fitted(law, law.expression.with_constants(constants), keeps_simple=True)
            if judge.keeps(trial, law):
                law = trial
                break
    return law


def _with_quotients(expression: Expression) -> Expression:
    """A factor 1/3 becomes a division by 3."""

    def node(operator: Operator, operands: list[Expression]) -> Expression:
        if operator.name == "mul":
            for factor, other in (operands, operands[::-1]):
                denominator = _denominator(factor)
                if denominator:
                    return apply("div", other, constant(denominator))
        return apply(operator.name, *operands)

    return expression.fold(node, variable, constant)


def _denominator(factor: Expression) -> float:
    """The whole number whose inverse the factor is, where its decimals do not end; else 0."""
    if len(factor) != 1 or factor.num_constants != 1:
        return 0.0
    form = closed_form(float(factor.constants[0]))
    is_inverse = form is not None and form.text.startswith("1/") and form.text[2:].isdigit()
    return float(round(1.0 / factor.constants[0])) if is_inverse else 0.0


def _extent(expression: Expression) -> tuple[int, int]:
    """Nodes, and constants that only a fit could have found."""
    return len(expression), sum(not is_simple(value) for value in expression.constants.tolist())
