"""The strict verdict: prediction and truth are one function once constants equal to four digits are made equal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.verify.agreement import depends_on_change, is_undefined_in_rows, to_matched
from benchmarks.verify.arithmetic import is_real, to_number
from benchmarks.verify.formula import Formula, allowance, are_close, to_formula
from benchmarks.verify.matching import SPARE_POINTS, Match, Point, Side, match_constants
from benchmarks.verify.points import Columns, choose_rows, stretch, to_points, widen
from benchmarks.verify.rough import is_hopeless
from mosaic_sr import Expression, InvalidFormula, canonical, parse

# A verdict must not depend on chance, so the points are always drawn from the same stream.
SEED = 20_000
# A truth's constants move only as far as their own digits are inconsistent (c and 1/c^2 rounded apart).
ALLOWANCE_OF_TRUTH = 1e-6
UNIT_OF_TRUTH = 1e-5
# Below this difference the truth's own digits may be what keeps both sides apart.
WITHIN_DIGITS_OF_TRUTH = 1e-6
NUM_ROUGH_ROWS = 300
MAX_BATCHES = 16
DEFAULT_TIMEOUT = 60.0
OUT_OF_TIME = "no verdict within the time limit"


@dataclass(frozen=True)
class Verdict:
    """Whether the prediction is the law, and how that was decided."""

    accepted: bool
    how: str

    @property
    def is_decided(self) -> bool:
        """Whether the verifier came to an end."""
        return self.how != OUT_OF_TIME


def verify_strict(
    truth: str, prediction: str, names: Sequence[str], sample_columns: Columns, timeout: float = DEFAULT_TIMEOUT
) -> Verdict:
    """Whether both texts mean the same law on the sampling distribution, its magnitudes widened and its signs kept.

    sample_columns: (columns, rows) values from which the data were computed.
    Neither a free factor nor a free additive constant is forgiven, nor a term too small to be seen in the sample;
    only an extra term that merely shifts a constant within its four digits is that constant.
    """
    deadline = time.monotonic() + timeout
    law = parse(truth, names)
    try:
        guess = parse(prediction, names)
    except InvalidFormula as error:
        return Verdict(False, f"the prediction cannot be read: {error}")
    if guess.num_holes or not np.all(np.isfinite(guess.constants)):
        return Verdict(False, "the prediction has open or infinite constants")
    true_formula, formula = to_formula(law), to_formula(guess)
    sample = np.asarray(sample_columns, dtype=np.float64)
    if have_equal_forms(law, guess) and not is_undefined_in_rows(_side(true_formula, 0.0), _side(formula, 0.0), sample):
        return Verdict(True, "canonical forms")
    try:
        return _verify_by_values(true_formula, formula, sample, deadline)
    except TimeoutError:
        return Verdict(False, OUT_OF_TIME)


def have_equal_forms(law: Expression, guess: Expression) -> bool:
    """Whether the canonical forms differ in nothing but constants that agree to four digits."""
    true_form, form = canonical(law), canonical(guess)
    if true_form.structure_key != form.structure_key:
        return False
    pairs = zip(true_form.constants.tolist(), form.constants.tolist(), strict=True)
    return all(are_close(true_value, value) for true_value, value in pairs)


def _verify_by_values(law: Formula, guess: Formula, sample: Columns, deadline: float) -> Verdict:
    """The verdict in many digits: match the constants, then compare near, wide and far."""
    rng = np.random.default_rng(SEED)
    side = _side(guess, 1.0)
    if is_hopeless(_side(law, 0.0), side, choose_rows(sample, NUM_ROUGH_ROWS, rng)):
        return Verdict(False, "the laws differ in double precision")
    points = _defined_points(_side(law, UNIT_OF_TRUTH), side, sample, rng)
    if len(points) < SPARE_POINTS:
        return Verdict(False, f"both laws are defined in only {len(points)} points")
    match = match_constants(_side(law, 0.0), side, points, deadline)
    if not match.is_identity and match.difference < WITHIN_DIGITS_OF_TRUTH:
        match = match_constants(_side(law, UNIT_OF_TRUTH), side, points, deadline)
    objection = _objection_to_match(match) or _objection_to_values(match, points, sample, rng)
    return Verdict(not objection, objection or "equal values in many digits")


def _side(formula: Formula, unit: float) -> Side:
    """The formula with its constants open; each moves in units of so many of its allowances."""
    fixed = formula.fixed
    units = [0.0 if place in fixed else unit * allowance(value) for place, value in enumerate(formula.constants)]
    return Side(formula, tuple(map(to_number, formula.constants)), tuple(map(to_number, units)))


def _defined_points(truth: Side, prediction: Side, sample: Columns, rng: np.random.Generator) -> list[Point]:
    """Points of the sample and of its tenfold widening in which both sides have a value."""
    wanted = 3 * (2 * len(truth.free) + 2 * len(prediction.free) + SPARE_POINTS)
    points: list[Point] = []
    for _ in range(MAX_BATCHES):
        rows = choose_rows(sample, wanted // 2, rng)
        candidates = to_points(rows) + to_points(widen(rows, 1.0, rng))
        points += [point for point in candidates if is_real(truth(point)) and is_real(prediction(point))]
        if len(points) >= wanted - 1:
            break
    return points


def _objection_to_match(match: Match) -> str:
    """Why the matched constants do not make both sides one law, or an empty text."""
    if not match.is_identity:
        return f"the laws differ by {match.difference:.1e} with the best constants"
    for matched, value in zip(match.prediction.constants, match.prediction.formula.constants, strict=True):
        if not are_close(float(matched), value):
            return f"the constant {value:g} would have to be {float(matched):g}"
    for matched, value in zip(match.truth.constants, match.truth.formula.constants, strict=True):
        if abs(float(matched) - value) > ALLOWANCE_OF_TRUTH * abs(value):
            return f"the true constant {value:g} would have to be {float(matched):g}"
    return ""


def _objection_to_values(match: Match, points: list[Point], sample: Columns, rng: np.random.Generator) -> str:
    """Where the matched sides still differ, or an empty text."""
    matched = to_matched(match)
    if is_undefined_in_rows(match.truth, match.prediction, sample):
        return "the prediction has no value on a row of the sample"
    if matched.differ_in_points(points) or matched.differ_in_rows(sample):
        return "the laws differ on the sample"
    if matched.differ_in_rows(widen(sample, 1.0, rng)):
        return "the laws differ on the widened sample"
    for variable in sorted(match.truth.formula.columns | match.prediction.formula.columns):
        near, far = map(to_points, stretch(sample, variable, rng))
        if depends_on_change(match.truth, near, far) != depends_on_change(match.prediction, near, far):
            return f"only one of the laws depends on column {variable}"
        if matched.differ_far_away(far):
            return "the laws differ far from the sample"
    return ""
