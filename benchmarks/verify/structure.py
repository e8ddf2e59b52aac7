"""The verdict on structure: the printed law is the truth once its free numbers are refitted to rows without noise.

Noise puts the digits of a law's numbers out of reach, so `strict` says little there. Here every number that is not
printed as a simple one may move. Simple numbers stay as printed, so that x^2 is not x^2.1. A law must not have more
numbers than the truth: small fractions such as 2 and 1/3 do not count, and 2.0003 in place of 2 is one number too many.
A law that spells the truth with more numbers, all of them right, is the truth: x^2 + 1.4*x + 0.49 is (x + 0.7)^2.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from benchmarks.simple_numbers import is_fraction, is_simple
from benchmarks.verify.arithmetic import DOUBLES, MANY_DIGITS, relative_difference, to_number
from benchmarks.verify.formula import Formula, to_formula
from benchmarks.verify.points import Columns, choose_rows, to_points, widen
from benchmarks.verify.strict import DEFAULT_TIMEOUT, OUT_OF_TIME, SEED, Verdict, verify_strict
from mosaic_sr import InvalidFormula, parse

Floats = NDArray[np.float64]

AGREEMENT = 1e-6
NUM_ROWS = 300
# The numbers are refitted on the sampled box, where the printed ones are near, then on wider and wider ones.
DECADES = (0.0, 0.3, 1.0)
# Factors by which the starts after the first leave the printed values: few rows and 10 % noise leave some far off.
SPREADS = (0.1, 0.1, 0.1, 0.3, 0.3, 0.3, 0.3, 1.0, 1.0, 1.0, 1.0, 1.0)
# A fit that has come no nearer on the sampled box than this has another form, and wider boxes will not help it.
NEAR = 1e-3
MAX_EVALUATIONS = 60
# Residuals beyond this say no more; they also stand for values that are not finite.
LARGEST_RESIDUAL = 1e6
# Rows near a zero of the law count as if they were at this share of its usual size, or they alone would decide a fit.
LEAST_SIZE = 0.1
# What digits of refitted numbers may still be wrong, which shows beside zeros of a law.
KNOWN_TO = 1e-9
# Relative: truncation and rounding of such central differences are both near 1e-10.
DIFFERENCE = 1e-5
# Directions of numbers that change less than this share are errors of the differences: such numbers act as one.
DEPENDENT = 1e-6
# No printed form has more numbers than this that only act together with others.
MOST_DEPENDENT = 3
MAX_PRECISE_ROWS = 40


@dataclass(frozen=True)
class Law:
    """A formula with the values of its numbers.

    free: the places of those that may move.  sizes: what a small change of each is measured by, its printed size.
    """

    formula: Formula
    numbers: Floats
    free: tuple[int, ...]
    sizes: Floats

    def values(self, columns: Columns, moved: Floats | None = None) -> Floats:
        """The values in the rows, the free numbers replaced by `moved`: (rows,)."""
        numbers = self.numbers if moved is None else self.with_free(moved).numbers
        return np.broadcast_to(self.formula.evaluate(numbers.tolist(), columns, DOUBLES), columns.shape[1])

    def with_free(self, moved: Floats) -> Law:
        numbers = self.numbers.copy()
        numbers[list(self.free)] = moved
        return replace(self, numbers=numbers)

    def slopes(self, columns: Columns) -> Floats:
        """Change of the values when each free number changes by its size: (rows, free numbers)."""
        start = self.numbers[list(self.free)]
        steps = np.eye(len(start)) * DIFFERENCE * self.sizes[list(self.free)]
        changes = [self.values(columns, start + step) - self.values(columns, start - step) for step in steps]
        return np.array(changes).reshape(len(start), columns.shape[1]).T / (2.0 * DIFFERENCE)


def verify_structure(
    truth: str, prediction: str, names: Sequence[str], sample_columns: Columns, timeout: float = DEFAULT_TIMEOUT
) -> Verdict:
    """Whether the prediction is the truth but for the values of its free numbers, of which it has no more.

    sample_columns: (columns, rows) values of the sampled box.
    """
    true_law = _law(to_formula(parse(truth, names)), is_fraction)
    try:
        guess = parse(prediction, names)
    except InvalidFormula as error:
        return Verdict(False, f"the prediction cannot be read: {error}")
    if guess.num_holes or not np.all(np.isfinite(guess.constants)):
        return Verdict(False, "the prediction has open or infinite constants")
    deadline = time.monotonic() + timeout
    sample = np.asarray(sample_columns, dtype=np.float64)
    with np.errstate(all="ignore"):
        try:
            verdict = _verify(true_law, to_formula(guess), sample, deadline)
        except TimeoutError:
            return Verdict(False, OUT_OF_TIME)
        if verdict.accepted or _differ(true_law, _law(to_formula(guess), _is_any), _boxes(true_law, sample)[-1]):
            return verdict
    # Equal as printed, but with too many numbers: either these are the truth's own or terms that do nothing.
    return verify_strict(truth, prediction, names, sample, timeout)


def _is_any(_: float) -> bool:
    return True


def _law(formula: Formula, is_fixed: Callable[[float], bool]) -> Law:
    numbers = np.array(formula.constants)
    free = tuple(place for place, value in enumerate(numbers) if not is_fixed(value))
    return Law(formula, numbers, free, np.abs(numbers))


def _verify(truth: Law, formula: Formula, sample: Columns, deadline: float) -> Verdict:
    boxes = _boxes(truth, sample)
    wide = boxes[-1]
    if wide.shape[1] == 0:
        return Verdict(False, "the true law has no finite value in the sampled box")
    printed, num_true = _law(formula, is_simple), _num_independent(truth, wide)
    if len(printed.free) > num_true + MOST_DEPENDENT:
        return _too_many(len(printed.free), num_true)
    fitted = next((law for law in _refits(truth, printed, boxes, deadline) if not _differ(truth, law, wide)), None)
    if fitted is None:
        return Verdict(False, "the laws differ on the widened box with the best constants")
    # Refitting leaves numbers such as pi as they are printed, but they are numbers that the law has.
    counted = replace(_law(formula, is_fraction), numbers=fitted.numbers)
    num_printed = _num_independent(counted, wide)
    if num_printed > num_true:
        return _too_many(num_printed, num_true)
    return Verdict(True, f"the true law with {num_printed} of its {num_true} constants")


def _too_many(num_printed: int, num_true: int) -> Verdict:
    return Verdict(False, f"the law has {num_printed} constants, the true law has {num_true}")


def _boxes(truth: Law, sample: Columns) -> list[Columns]:
    """Rows of the sample and of its widenings in which the truth has a finite value; each box holds those before."""
    rng = np.random.default_rng(SEED)
    rows = [widen(choose_rows(sample, NUM_ROWS, rng), decades, rng) for decades in DECADES]
    boxes = [np.concatenate(rows[: count + 1], axis=1) for count in range(len(rows))]
    return [box[:, np.isfinite(truth.values(box))] for box in boxes]


def _refits(truth: Law, printed: Law, boxes: Sequence[Columns], deadline: float) -> Iterator[Law]:
    """The printed law refitted from its printed values, then from values around them."""
    if not printed.free:
        yield printed
        return
    rng = np.random.default_rng(SEED)
    start = printed.numbers[list(printed.free)]
    for spread in (0.0, *SPREADS):
        law = printed.with_free(start * np.exp(spread * rng.standard_normal(len(start))))
        for box in boxes:
            law, error = _refitted(truth, law, box, deadline)
            if error > NEAR:
                break
        yield law


def _refitted(truth: Law, law: Law, columns: Columns, deadline: float) -> tuple[Law, float]:
    """The law with the best free numbers near its own, and the median error of its values."""
    target = truth.values(columns)
    scales = _usual_sizes(target)

    sizes = law.sizes[list(law.free)]

    def residuals(shares: Floats) -> Floats:
        if time.monotonic() > deadline:
            raise TimeoutError
        ratios = np.nan_to_num((law.values(columns, shares * sizes) - target) / scales, nan=LARGEST_RESIDUAL)
        return np.clip(ratios, -LARGEST_RESIDUAL, LARGEST_RESIDUAL)

    # To the last digit: tolerances of 1e-15 are below rounding, so that a fit ends where it stands still.
    closely = dict.fromkeys(("xtol", "ftol", "gtol"), 1e-15)
    start = law.numbers[list(law.free)] / sizes
    fit = least_squares(residuals, start, jac="3-point", x_scale="jac", max_nfev=MAX_EVALUATIONS, **closely)
    return law.with_free(fit.x * sizes), float(np.median(np.abs(fit.fun)))


def _usual_sizes(values: Floats) -> Floats:
    """The size of each value, and not much less than is usual: (rows,)."""
    sizes = np.abs(values)
    return np.asarray(sizes + LEAST_SIZE * np.median(sizes) + np.finfo(float).tiny)


def _differ(truth: Law, law: Law, columns: Columns) -> bool:
    """Whether the values differ in a row by more than the agreement asked for, confirmed in many digits."""
    target, values = truth.values(columns), law.values(columns)
    doubt = KNOWN_TO * np.abs(law.slopes(columns)).sum(axis=1)
    agree = (values == target) | (np.abs(values - target) <= AGREEMENT * np.abs(target) + np.nan_to_num(doubt))
    rows = np.flatnonzero(~agree)
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), MAX_PRECISE_ROWS)).astype(int)]
    return any(_differ_precisely(truth, law, point) for point in to_points(columns[:, some]))


def _differ_precisely(truth: Law, law: Law, point: list) -> bool:  # type: ignore[type-arg]
    value, true_value = (
        each.formula.evaluate(map(to_number, each.numbers.tolist()), point, MANY_DIGITS) for each in (law, truth)
    )
    return not relative_difference(value, true_value) <= AGREEMENT


def _num_independent(law: Law, columns: Columns) -> int:
    """How many free numbers the law has; numbers that only act together, as in a*x/b, count once."""
    slopes = law.slopes(columns) / _usual_sizes(law.values(columns))[:, None]
    slopes = slopes[np.isfinite(slopes).all(axis=1)]
    lengths = np.linalg.norm(slopes, axis=0)
    if not slopes.size or not np.isfinite(lengths).all():
        return len(law.free)
    seen = slopes[:, lengths > 0.0] / lengths[lengths > 0.0]
    return int((np.linalg.svd(seen, compute_uv=False) > DEPENDENT).sum())
