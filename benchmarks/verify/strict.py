"""The strict verdict: prediction and truth are one function once constants equal to four digits are made equal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.parser import parse

from benchmarks.verify.agreement import Matched
from benchmarks.verify.constants import allowance, are_close, fixed_constants, fold_numbers
from benchmarks.verify.matching import SPARE_POINTS, Match, Point, Side, match_constants
from benchmarks.verify.points import Columns, choose_rows, stretch, to_points, widen
from benchmarks.verify.precise import CONTEXT, Precise, to_number

# A verdict must not depend on chance, so the points are always drawn from the same stream.
SEED = 20_000
# A truth's constants move only as far as their own digits are inconsistent (c and 1/c^2 rounded apart).
ALLOWANCE_OF_TRUTH = 1e-6
UNIT_OF_TRUTH = 1e-5
# Below this difference the truth's own digits may be what keeps both sides apart.
WITHIN_DIGITS_OF_TRUTH = 1e-6
MAX_BATCHES = 16
DEFAULT_TIMEOUT = 60.0


@dataclass(frozen=True)
class Verdict:
    """Whether the prediction is the law, and how that was decided."""

    accepted: bool
    how: str


def verify_strict(
    truth: str, prediction: str, names: Sequence[str], sample_columns: Columns, timeout: float = DEFAULT_TIMEOUT
) -> Verdict:
    """Whether both texts mean the same law on the sampling distribution, its magnitudes widened and its signs kept.

    sample_columns: (columns, rows) values from which the data were computed.
    Neither a free factor nor a free additive constant is forgiven.
    """
    deadline = time.monotonic() + timeout
    try:
        guess = fold_numbers(parse(prediction, names))
    except InvalidFormula as error:
        return Verdict(False, f"the prediction cannot be read: {error}")
    if guess.num_holes or not np.all(np.isfinite(guess.constants)):
        return Verdict(False, "the prediction has open or infinite constants")
    law = fold_numbers(parse(truth, names))
    if have_equal_forms(law, guess):
        return Verdict(True, "canonical forms")
    try:
        return _verify_by_values(law, guess, np.asarray(sample_columns, dtype=np.float64), deadline)
    except TimeoutError:
        return Verdict(False, "no verdict within the time limit")


def have_equal_forms(law: Expression, guess: Expression) -> bool:
    """Whether the canonical forms differ in nothing but constants that agree to four digits."""
    true_form, form = canonical(law), canonical(guess)
    if true_form.structure_key != form.structure_key:
        return False
    pairs = zip(true_form.constants.tolist(), form.constants.tolist(), strict=True)
    return all(are_close(true_value, value) for true_value, value in pairs)


def _verify_by_values(law: Expression, guess: Expression, sample: Columns, deadline: float) -> Verdict:
    """The verdict in many digits: match the constants, then compare near, wide and far."""
    rng = np.random.default_rng(SEED)
    true_side, side = _side(law, 0.0), _side(guess, 1.0)
    points = _defined_points(true_side, side, sample, rng)
    if len(points) < SPARE_POINTS:
        return Verdict(False, f"both sides are defined in {len(points)} points only")
    match = match_constants(true_side, side, points, deadline)
    if not match.is_identity and match.difference < WITHIN_DIGITS_OF_TRUTH:
        match = match_constants(_side(law, UNIT_OF_TRUTH), side, points, deadline)
    objection = _objection_to_match(match, law, guess) or _objection_to_values(match, law, guess, sample, rng)
    return Verdict(not objection, objection or "equal values in many digits")


def _side(expression: Expression, unit: float) -> Side:
    """The expression with its constants open; each moves in units of so many of its allowances."""
    fixed = fixed_constants(expression)
    values = expression.constants.tolist()
    units = [0.0 if place in fixed else unit * allowance(value) for place, value in enumerate(values)]
    formula = Precise(expression)
    return Side(formula, tuple(formula.constants), tuple(to_number(value) for value in units))


def _defined_points(truth: Side, prediction: Side, sample: Columns, rng: np.random.Generator) -> list[Point]:
    """Points of the sample and of its tenfold widening in which both sides have a value."""
    wanted = 3 * (2 * len(prediction.free) + 2 * len(truth.constants) + SPARE_POINTS)
    points: list[Point] = []
    for batch in range(MAX_BATCHES):
        rows = choose_rows(sample, wanted // 2, rng)
        candidates = to_points(rows if batch % 2 == 0 else widen(rows, 1.0, rng))
        points += [point for point in candidates if _is_defined(truth, point) and _is_defined(prediction, point)]
        if batch % 2 == 1 and len(points) >= wanted:
            break
    return points


def _is_defined(side: Side, point: Point) -> bool:
    return bool(CONTEXT.isfinite(side(point)))


def _objection_to_match(match: Match, law: Expression, guess: Expression) -> str:
    """Why the matched constants do not make both sides one law, or an empty text."""
    if not match.is_identity:
        return f"the laws differ by {match.difference:.1e} with the best constants"
    for matched, value in zip(match.prediction.constants, guess.constants.tolist(), strict=True):
        if not are_close(float(matched), value):
            return f"the constant {value:g} would have to be {float(matched):g}"
    for matched, value in zip(match.truth.constants, law.constants.tolist(), strict=True):
        if abs(float(matched) - value) > ALLOWANCE_OF_TRUTH * abs(value):
            return f"the truth's constant {value:g} would have to be {float(matched):g}"
    return ""


def _objection_to_values(
    match: Match, law: Expression, guess: Expression, sample: Columns, rng: np.random.Generator
) -> str:
    """Where the matched sides still differ, or an empty text."""
    matched = Matched(match, law, guess)
    if matched.differs_somewhere(sample, must_be_defined=True):
        return "the laws differ on the sample"
    if matched.differs_somewhere(widen(sample, 1.0, rng), must_be_defined=False):
        return "the laws differ on the widened sample"
    variables = tuple(sorted({*law.columns, *guess.columns}))
    if matched.differs_far_away(stretch(sample, variables, rng)):
        return "the laws differ far from the sample"
    return ""
