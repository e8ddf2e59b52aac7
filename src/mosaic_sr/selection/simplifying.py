"""Laws of noisy rows made simple: parts are dropped and constants snapped where the law becomes more probable."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations, islice, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence import Judged
from mosaic_sr.evidence.judge import is_number, num_fitted
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.digits import ALL_DIGITS, digits_left
from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.expressions.powers import operands_of, root_of, with_columns_inside, with_factors_inside
from mosaic_sr.expressions.simple_numbers import closed_form, is_fraction
from mosaic_sr.limits import Limits
from mosaic_sr.operators import ARITY, CODES, CONSTANT
from mosaic_sr.selection.description import known_bits, simple_bits
from mosaic_sr.selection.snapping import exponents_of, simple_values
from mosaic_sr.selection.weighing import Weighing
from mosaic_sr.writing.written import BRIEF, written

Floats = NDArray[np.float64]

# Simple numbers tried for a constant; the true one is among the simplest.
MOST_TRIES = 4
# Where all constants are set together: simple numbers tried for each, trials in all, and by how much the law must be
# more probable, because near constants that few rows determine there is always some simple number.
MOST_TOGETHER, MOST_TRIALS, MARGIN = 3, 12, 2.0
# Decimals of two digits and more are simple where they have so many bits less than the rows determine: over a digit.
BITS_TO_SAVE = 4.0
# Parts that are dropped one after the other; the longest laws have hardly more.
MOST_DROPS = 6
# What the first pass has made simple may leave a part superfluous.
PASSES = 2
# Two constants may be equal where they differ by at most so many standard errors.
TIED_WITHIN = 2.0
# Nodes of laws whose forms are looked at: longer ones take longer than a tenth of a second.
MOST_NODES = 40
# Of a constant, to see how others follow it.
SMALL_CHANGE = 1e-6
# No law has a higher power: a fit that ends there looked for an exponential.
LARGE_POWER = 20.0
# What is left of a difference or a quotient when its first operand goes.
LEFTOVERS = {CODES["sub"]: "neg", CODES["div"]: "inv"}
# What a wave becomes where its phase is a quarter of a turn.
QUARTER_TURNS = {CODES["sin"]: "cos", CODES["cos"]: "sin"}


def simplified(law: Judged, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]) -> Judged:
    """The law without the parts, and with the simple numbers, that make it more probable."""
    if not law.expression.columns:
        # Where no column matters, a mean that may be 0 is 0: else a column of tiny values stands for it.
        nothing = weighing.judged(constant(0.0), law.evidence.noise)
        is_better = nothing is not None and nothing.score > law.score and limits.keep_wishes(nothing.expression)
        return nothing if nothing is not None and is_better else law
    # Few trials tell whether constants are simple, and a factor of 1 is gone with them.
    law = _snapped(_with_columns_inside(law, weighing, limits, is_interrupted), weighing, limits, is_interrupted)
    for _ in range(PASSES):
        pruned = _pruned(law, weighing, limits, is_interrupted)
        tied = _with_simple_inside(_tied(pruned, weighing, limits, is_interrupted), weighing, limits, is_interrupted)
        law = _snapped(tied, weighing, limits, is_interrupted)
        law = _snapped_together(law, weighing, limits, is_interrupted, may_keep=True)
        if law is pruned:
            break
    return law


def _pruned(law: Judged, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]) -> Judged:
    """The law without the parts that make it no more probable, the worst first."""
    for _ in range(MOST_DROPS):
        trials = (
            weighing.judged(part, law.evidence.noise) for part in prunings(law.expression) if not is_interrupted()
        )
        better = [trial for trial in trials if trial is not None and trial.score >= law.score and _may(trial, limits)]
        if not better:
            break
        law = max(better, key=lambda trial: trial.score)
    return law


def reworded(law: Judged, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]) -> Judged:
    """The law in the form that a person would write, where it is more probable: its constants may be simple there.

    Numbers that are as good as simple ones may make a form that has far fewer bits, and other parts of such a form may
    be superfluous, or other numbers simple.
    """
    if is_interrupted() or len(law.expression) > MOST_NODES:
        return law
    together = max(_trials_together(law, weighing, limits, is_interrupted), key=lambda one: one.score, default=None)
    found = [law, _in_other_words(law, law.score, weighing, limits, is_interrupted)]
    if together is not None and together.score > law.score - MARGIN:
        found.append(_in_other_words(together, law.score + MARGIN, weighing, limits, is_interrupted))
    best = max((one for one in found if one is not None), key=lambda one: one.score)
    again = law if best is law else simplified(best, weighing, limits, is_interrupted)
    return best if again is law or again is best else reworded(again, weighing, limits, is_interrupted)


def _in_other_words(
    law: Judged, least: float, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]
) -> Judged | None:
    """The law in the form that a person would write; None unless its score is above the least."""
    constants = zip(law.expression.constants.tolist(), standard_errors(law), strict=True)
    digits = max((digits_left(value, error) for value, error in constants if error != 0.0), default=ALL_DIGITS)
    words = written(law.expression, weighing.measured.rows.columns, digits, search=BRIEF)
    if num_fitted(words) > num_fitted(law.expression):
        return None
    trial = weighing.judged(words, law.evidence.noise)
    if trial is None:
        return None
    trial = _snapped(trial, weighing, limits, is_interrupted)
    return trial if trial.score > least and _may(trial, limits) else None


def _tied(law: Judged, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]) -> Judged:
    """The law with one number where two of its constants may be equal: a*(x - x^3) for a*x - b*x^3."""
    for words in _with_one_constant_less(law):
        trial = None if is_interrupted() else weighing.judged(words, law.evidence.noise)
        if trial is not None and trial.score >= law.score and _may(trial, limits):
            return _tied(trial, weighing, limits, is_interrupted)
    return law


def _with_one_constant_less(law: Judged) -> Iterator[Expression]:
    """The law with two constants of equal size, where their errors allow it and a sum can then share the number."""
    values, errors = law.expression.constants, covariance(law)
    for one, other in combinations(np.flatnonzero(~law.evidence.is_fixed).tolist(), 2):
        sign = math.copysign(1.0, values[one] * values[other])
        variance = errors[one, one] + errors[other, other] - 2.0 * sign * errors[one, other]
        if not np.square(values[one] - sign * values[other]) <= np.square(TIED_WITHIN) * variance:
            continue
        constants = values.copy()
        constants[other] = sign * values[one]
        words = canonical(law.expression.with_constants(constants))
        if words.num_constants < law.expression.num_constants:
            yield words


def _with_columns_inside(law: Judged, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]) -> Judged:
    """The law with factors taken into a power of a sum where it has fewer bits there: sqrt(a*x - b*z)."""
    trials = (
        weighing.judged(words, law.evidence.noise)
        for words in with_columns_inside(law.expression)
        if not is_interrupted()
    )
    return max([law, *(one for one in trials if one is not None and _may(one, limits))], key=lambda one: one.score)


def _with_simple_inside(law: Judged, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]) -> Judged:
    """The law with a simple number where the one in front is taken into a power: 1/(1 + c*x) for a/(b + x)."""
    found, least = law, num_fitted(law.expression)
    for words, errors in _taken_inside(law):
        for place, error in enumerate(errors):
            for simple in textbook_values(float(words.constants[place]), error)[:MOST_TRIES] if error > 0.0 else ():
                if is_interrupted():
                    return found
                constants = words.constants.copy()
                constants[place] = simple
                trial = weighing.judged(words.with_constants(constants), law.evidence.noise)
                if trial is None or num_fitted(trial.expression) >= least:
                    continue
                if trial.score > found.score and _may(trial, limits):
                    found = trial
    return found


def _taken_inside(law: Judged) -> Iterator[tuple[Expression, list[float]]]:
    """Forms of a law in which the number before a product is taken into a power, and the errors of their constants."""
    values, errors = law.expression.constants, covariance(law)
    forms = list(with_factors_inside(law.expression))
    slopes = np.zeros((len(forms), max((form.num_constants for form in forms), default=0), len(values)))
    for place in np.flatnonzero(~law.evidence.is_fixed).tolist():
        moved = values.copy()
        moved[place] += values[place] * SMALL_CHANGE
        for number, other in enumerate(with_factors_inside(law.expression.with_constants(moved))):
            change = other.constants - forms[number].constants
            slopes[number, : len(change), place] = change / (moved[place] - values[place])
    for form, slope in zip(forms, slopes, strict=True):
        with np.errstate(invalid="ignore"):
            yield form, np.sqrt(np.einsum("ci,ij,cj->c", slope, errors, slope))[: form.num_constants].tolist()


def _may(trial: Judged, limits: Limits) -> bool:
    return limits.allow(trial.expression)


def _snapped(law: Judged, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]) -> Judged:
    """The law with free constants at simple numbers where that is more probable: all together, then one by one,
    exponents first.
    """
    noise = law.evidence.noise
    law = _snapped_together(law, weighing, limits, is_interrupted)
    order = sorted(range(law.expression.num_constants), key=lambda place: place not in exponents_of(law.expression))
    for place in order:
        if place >= law.expression.num_constants:
            break
        value = float(law.expression.constants[place])
        if is_number(value):
            continue
        error = standard_errors(law)[place]
        for simple in textbook_values(value, error)[:MOST_TRIES]:
            if is_interrupted():
                return law
            constants = law.expression.constants.copy()
            constants[place] = simple
            trial = weighing.judged(law.expression.with_constants(constants), noise)
            if trial is not None and trial.score > law.score and limits.keep_wishes(trial.expression):
                law = trial
                break
    return law


def textbook_values(value: float, error: float) -> list[float]:
    """Simple numbers near a constant; decimals with about the digits that the rows determine say nothing."""
    return [
        simple
        for simple in simple_values(value, error, is_exact=False, margin=0.0)
        if _saves_bits(simple, value, error) or _has_few_digits(simple)
    ]


def _has_few_digits(simple: float) -> bool:
    """Whether a number is written with other signs than its decimals, or has one digit."""
    return closed_form(simple) is not None or is_fraction(simple) or float(f"{simple:.1g}") == simple


def _saves_bits(simple: float, value: float, error: float) -> bool:
    """Whether a simple number has so many bits less than the rows determine of the constant that it is no chance."""
    bits = simple_bits(simple)
    return bits is None or bits + BITS_TO_SAVE <= known_bits(value, error)


def _snapped_together(
    law: Judged, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool], may_keep: bool = False
) -> Judged:
    """The law with its free constants at simple numbers, where that is more probable.

    Textbooks have such numbers in twos and threes: each alone may cost more than it saves.
    may_keep: whether those that have none near may stay as they are. A part too many makes all constants uncertain, so
    that before it is gone many have.
    """
    trials = _trials_together(law, weighing, limits, is_interrupted, may_keep)
    return max([law, *(one for one in trials if one.score > law.score + MARGIN)], key=lambda one: one.score)


def _trials_together(
    law: Judged, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool], may_keep: bool = False
) -> Iterator[Judged]:
    """The law with two and more free constants at simple numbers, whatever it is worth."""
    fitted, values, errors = law.expression, law.expression.constants.tolist(), standard_errors(law)
    is_free = [not is_number(value) for value in values]
    near = [
        textbook_values(value, error)[:MOST_TOGETHER] if free else []
        for value, error, free in zip(values, errors, is_free, strict=True)
    ]
    if sum(map(bool, near)) < 2 or (not may_keep and sum(map(bool, near)) < sum(is_free)):
        return
    choices = [simple or [value] for simple, value in zip(near, values, strict=True)]
    for chosen in islice(product(*choices), MOST_TRIALS):
        if is_interrupted():
            return
        trial = weighing.judged(fitted.with_constants(chosen), law.evidence.noise)
        if trial is not None and limits.keep_wishes(trial.expression):
            yield trial


def covariance(law: Judged) -> Floats:
    """Of all constants: (constants, constants); 0 for numbers that a person wrote, NaN where one is not determined."""
    # A fit may end at a number that a person could have written, which was fitted all the same.
    places = np.flatnonzero(~law.evidence.is_fixed)
    whole = np.zeros((law.expression.num_constants,) * 2)
    whole[np.ix_(places, places)] = law.evidence.covariance
    return whole


def standard_errors(law: Judged) -> tuple[float, ...]:
    """One per constant: 0 for numbers that a person wrote, NaN where the rows do not determine it."""
    with np.errstate(invalid="ignore"):
        return tuple(np.sqrt(np.diag(covariance(law))).tolist())


def prunings(expression: Expression) -> Iterator[Expression]:
    """The expression with one operator replaced by one of its operands, or a wave by one without a phase."""
    for node in np.flatnonzero(ARITY[expression.codes] > 0).tolist():
        right = node - 1
        operand = expression.subtree(right)
        yield expression.replaced(node, operand)
        if ARITY[expression.codes[node]] == 2:
            left = expression.subtree(int(expression.starts[right]) - 1)
            yield expression.replaced(node, left)
            if expression.codes[node] == CODES["pow"]:
                yield from (expression.replaced(node, limit) for limit in _limits(left, operand))
        if expression.codes[node] in LEFTOVERS:
            yield expression.replaced(node, apply(LEFTOVERS[int(expression.codes[node])], operand))
        if expression.codes[node] in QUARTER_TURNS:
            swapped = QUARTER_TURNS[int(expression.codes[node])]
            yield from (expression.replaced(node, apply(swapped, rest)) for rest in _without_offset(operand))


def _limits(base: Expression, exponent: Expression) -> Iterator[Expression]:
    """The exponential that (a + u)^n is for large n and small u, a^n*exp(n*u/a)."""
    if exponent.codes[0] != CONSTANT or abs(exponent.constants[0]) < LARGE_POWER or root_of(base) not in ("add", "sub"):
        return
    number, rest = operands_of(base)
    if number.codes[-1] != CONSTANT or number.constants[0] <= 0.0:
        return
    sign, size, power = (
        (1.0 if root_of(base) == "add" else -1.0),
        float(number.constants[0]),
        float(exponent.constants[0]),
    )
    with np.errstate(over="ignore"):
        factor = float(np.power(size, power))
    if 0.0 < factor < math.inf:
        yield apply("mul", constant(factor), apply("exp", apply("mul", constant(sign * power / size), rest)))


def _without_offset(argument: Expression) -> Iterator[Expression]:
    """The argument of a wave without the phase that is added to it."""
    if argument.codes[-1] in (CODES["add"], CODES["sub"]):
        right = argument.subtree(len(argument) - 2)
        left = argument.subtree(len(argument) - 2 - len(right))
        yield from (rest for rest, phase in ((left, right), (right, left)) if not phase.columns)
