"""The front of a search confirmed on all rows of a file, and its constants refitted to them, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.big_tables.blocks import BlockFile
from mosaic_sr.big_tables.pass_over import EquationSums
from mosaic_sr.big_tables.survey import Moments, Survey
from mosaic_sr.confirmation import Confirmation
from mosaic_sr.equation import UNKNOWN, Equation, Errors
from mosaic_sr.exactness import is_short
from mosaic_sr.fitting import spans_decades
from mosaic_sr.losses import SQUARED
from mosaic_sr.outcome import Outcome
from mosaic_sr.table import Rows
from mosaic_sr.table.scaling import choose_exponent

Floats = NDArray[np.float64]
Observe = Callable[[str, int], None]

# A first pass measures, a second one measures the constants that it gives; most laws need no third.
MOST_PASSES = 4
# Constants that move by less than this share of their standard error have settled.
SETTLED = 0.1
# Standard errors within which 95 % of a normal distribution lie.
NINETY_FIVE = 1.96
SHOWN_DIGITS = 6


@dataclass(frozen=True)
class RowColumn:
    """The column that says how much each row counts; is_sigma: by standard errors of the target, else by weights."""

    name: str
    is_sigma: bool


@dataclass(frozen=True)
class _Passed:
    """The equations after a pass, the spread of the target, the rows that were read, and whether these are all."""

    sums: list[EquationSums]
    moments: Moments
    num_rows: int
    is_whole: bool


def confirm(
    outcome: Outcome,
    survey: Survey,
    row_column: RowColumn | None,
    observe: Observe,
    is_time_up: Callable[[], bool] = lambda: False,
) -> Outcome:
    """The outcome with its equations measured on all rows, and with constants fitted to them where rows are noisy.

    observe: hears what is done and how many rows are through.  Ctrl-C and the clock end it with what is known by then.
    """
    equations = list({id(one): one for one in (outcome.law, *outcome.front, *outcome.law.ties)}.values())
    confirming = _Confirming(equations, outcome, survey, row_column, _keeps_form(outcome))
    try:
        for number in range(MOST_PASSES):
            passed = confirming.pass_over(partial(observe, f"pass {number + 1}"), is_time_up)
            if not confirming.take(passed) or not passed.is_whole:
                break
    except KeyboardInterrupt:
        return _with_note(confirming.outcome(), "Ctrl-C ended the passes over all rows")
    return confirming.outcome()


def _keeps_form(outcome: Outcome) -> bool:
    """Whether constants stay as they are: where more than squared errors was asked for, a fit could break it."""
    return bool(outcome.parts or outcome.constraints or outcome.loss != SQUARED)


def _with_note(outcome: Outcome, note: str) -> Outcome:
    return replace(outcome, notes=(*outcome.notes, note))


class _Confirming:
    """Equations, the best values of their constants so far, and those that are tried next."""

    def __init__(
        self,
        equations: Sequence[Equation],
        outcome: Outcome,
        survey: Survey,
        row_column: RowColumn | None,
        keeps_form: bool,
    ) -> None:
        self._equations, self._outcome, self._survey, self._row_column = equations, outcome, survey, row_column
        read = {column for one in equations for column in one.expression.columns}
        self._names = [outcome.names[column] for column in sorted(read)]
        places = np.zeros(len(outcome.names), dtype=np.int32)
        places[sorted(read)] = np.arange(len(read))
        target = survey.rows.columns[outcome.target]
        self._factor = 2.0 ** -choose_exponent(target, np.empty(0))
        sample = Rows(np.empty((0, len(target))), target, np.empty(0))
        weighting = "relative" if row_column is None and spans_decades(sample) else "uniform"
        self._trial = [
            EquationSums(one.expression.renamed(places.tolist()), _free(one, keeps_form), self._factor, weighting)
            for one in equations
        ]
        self._best: list[EquationSums] = []
        self._passed: _Passed | None = None

    def pass_over(self, observe: Callable[[int], None], is_time_up: Callable[[], bool]) -> _Passed:
        """Measure the constants that are tried on all rows."""
        moments, num_rows, is_whole = Moments(), 0, True
        for rows, places in self._blocks():
            if num_rows > 0 and is_time_up():
                is_whole = False
                break
            for sums in self._trial:
                sums.add(rows, places)
            moments.add(rows.target, rows.fit_weights if len(rows.fit_weights) else None)
            num_rows += rows.num_rows
            observe(int(places[-1]) + 1)
        return _Passed(self._trial, moments, num_rows, is_whole and self._survey.is_whole)

    def take(self, passed: _Passed) -> bool:
        """Keep what is better than before; whether another pass may be better still."""
        if self._passed is None:
            self._best, self._passed = passed.sums, passed
        elif passed.is_whole:
            pairs = zip(self._best, passed.sums, strict=True)
            self._best = [new if new.is_defined and new.fitted < old.fitted else old for old, new in pairs]
            self._passed = passed
        else:
            return False
        nexts = [sums.stepped() for sums in self._best]
        moves = [
            step is not None and _moves(old, step, passed.num_rows) for old, step in zip(self._best, nexts, strict=True)
        ]
        self._trial = [
            step if move and step is not None else old.with_constants(old.expression.constants)
            for old, step, move in zip(self._best, nexts, moves, strict=True)
        ]
        # Equations that miss the rows settle slowly; only the law and its rivals are worth a pass.
        judged = {id(one) for one in (self._outcome.law, *self._outcome.law.ties)}
        return any(move and id(one) in judged for move, one in zip(moves, self._equations, strict=True))

    def _blocks(self) -> Iterator[tuple[Rows, NDArray[np.int64]]]:
        """The rows without gaps in any column of the table, with the target scaled, and where they stand."""
        file, own = self._survey.file, self._row_column
        others = [] if own is None else [own.name]
        wanted = [*self._names, *others, file.target]
        for start, numbers in _usable_blocks(file, wanted, self._survey.has_gaps):
            columns, target = numbers[: len(self._names)], numbers[-1] * self._factor
            counts = numbers[len(self._names)] if own is not None else np.empty(0)
            if own is not None and own.is_sigma:
                counts = 1.0 / np.square(counts)
            yield Rows(np.ascontiguousarray(columns), target, counts), start

    def outcome(self) -> Outcome:
        """The outcome with what is known by now."""
        passed = self._passed
        if passed is None:
            return _with_note(self._outcome, "the law was not confirmed on all rows: the first pass was not finished")
        known = {id(one): _measured(one, sums, passed) for one, sums in zip(self._equations, self._best, strict=True)}
        outcome = self._outcome
        ties = tuple(known[id(tie)] for tie in outcome.law.ties)
        law = replace(known[id(outcome.law)], ties=ties)
        front = tuple(law if one is outcome.law else known[id(one)] for one in outcome.front)
        notes = (*outcome.notes, *_better(law, front))
        confirmation = self._confirmation(self._best[0], passed)
        return replace(outcome, law=law, front=front, notes=notes, confirmation=confirmation)

    def _confirmation(self, sums: EquationSums, passed: _Passed) -> Confirmation:
        file = self._survey.file

        def place(row: int) -> str:
            return f"{file.place_word} {file.place(row):,}"

        first = place(sums.first_undefined) if not sums.is_defined else ""
        return Confirmation(
            passed.num_rows, passed.is_whole, place(sums.worst), sums.worst_target, sums.worst_value,
            sums.num_undefined, first,
        )  # fmt: skip


def _better(law: Equation, front: Sequence[Equation]) -> list[str]:
    """A note on the best of the rivals and the simpler equations that fits all rows better than the law."""
    others = [*law.ties, *(one for one in front if one.complexity <= law.complexity and one is not law)]
    best = min(others, key=lambda one: one.validation.nmse, default=law)
    if not best.validation.nmse < law.validation.nmse:
        return []
    losses = f"loss {best.validation.nmse:.4g} against {law.validation.nmse:.4g}"
    return [f"on all rows this equation fits better than the law: {best.text(precision=SHOWN_DIGITS)}, {losses}"]


def _free(equation: Equation, keeps_form: bool) -> NDArray[np.bool_]:
    """Which constants are fitted: those of a law that agrees with its rows are known, and short numbers were set."""
    values = equation.expression.constants.tolist()
    errors = (*equation.standard_errors, *[np.nan] * len(values))[: len(values)]
    if equation.agrees or keeps_form:
        return np.zeros(len(values), dtype=np.bool_)
    named = (*equation.constant_names, *[""] * len(values))[: len(values)]
    is_free = [
        error != 0.0 and not name and not is_short(value)
        for value, error, name in zip(values, errors, named, strict=True)
    ]
    return np.array(is_free, dtype=np.bool_)


def _moves(old: EquationSums, new: EquationSums, num_rows: int) -> bool:
    """Whether a constant moves by a part of its standard error that counts."""
    covariance = old.covariance(num_rows)
    if covariance is None:
        return False
    steps = np.abs(new.expression.constants - old.expression.constants)[old.free]
    with np.errstate(all="ignore"):  # undetermined constants have NaN
        return bool(np.any(steps > SETTLED * np.sqrt(np.diag(covariance))))


def _measured(equation: Equation, sums: EquationSums, passed: _Passed) -> Equation:
    """The equation with the constants and errors that all rows give it."""
    if not sums.is_defined:
        return replace(equation, training=UNKNOWN, validation=UNKNOWN)
    errors = Errors(
        sums.squares / passed.moments.squares if passed.moments.squares > 0.0 else sums.squares,
        sums.relative_squares / max(passed.moments.weight, 1.0),
        equation.validation.own,
    )
    expression = equation.expression.with_constants(sums.expression.constants)
    measured = replace(equation, expression=expression, training=errors, validation=errors)
    covariance = sums.covariance(passed.num_rows) if sums.num_free else None
    if covariance is None:
        return measured
    count = expression.num_constants
    whole, free = np.zeros((count, count)), np.flatnonzero(sums.free)
    whole[np.ix_(free, free)] = covariance
    with np.errstate(all="ignore"):  # undetermined constants have NaN
        deviations = tuple(np.sqrt(np.diag(whole)).tolist())
    return replace(measured, standard_errors=deviations, covariance=tuple(map(tuple, whole.tolist())), intervals=())


def _usable_blocks(
    file: BlockFile, wanted: Sequence[str], has_gaps: bool
) -> Iterator[tuple[NDArray[np.int64], Floats]]:
    """Where the rows without gaps stand, and the wanted columns of them.

    Where the file has gaps all columns are read: a row is left out for a gap in any of them.
    """
    places = [file.names.index(name) for name in wanted]
    for block in file.blocks(None if has_gaps else wanted):
        rows = np.arange(block.start, block.start + block.numbers.shape[1])
        if not has_gaps:
            yield rows, block.numbers
            continue
        usable = np.isfinite(block.numbers).all(axis=0)
        if usable.any():
            yield rows[usable], block.numbers[places][:, usable]
