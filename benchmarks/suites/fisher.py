"""Whether rows determine the numbers of a law: an acceptance test on Fisher information, which knows no search.

With additive Gaussian noise the information of rows about the numbers is J^T J / sigma^2, J the derivatives of the law
with respect to them, and its inverse bounds the covariance of every unbiased estimate. A number matters when it is
several standard errors away from where it could be left out: 0, and for an exponent also the nearest multiple of 1/2.
"""

from __future__ import annotations

import numpy as np

from benchmarks.simple_numbers import is_simple
from benchmarks.suites.problem import Floats
from mosaic_sr import Expression, evaluate_expression, to_text

# The condition under which every law of the suites is determined.
NUM_ROWS, NOISE = 100, 0.02
# Standard errors; fewer than this and chance decides which law is nearer to the rows.
LEAST_ERRORS = 5.0
# A column that is shuffled must change the target by this many deviations of the noise.
LEAST_EFFECT = 5.0
# The share of the variance that one of 400 rows may carry; more, and the others tell nothing.
MAX_ROW_SHARE = 0.1
STEP = 1e-5


@np.errstate(all="ignore")
def is_determined(law: Expression, columns: Floats, rng: np.random.Generator) -> bool:
    """Whether 100 rows such as these with 2 % noise determine every number and show every column: (columns, rows)."""
    target = evaluate_expression(law, columns)
    if not np.isfinite(target).all() or not np.any(target):
        return False
    sigma = NOISE * float(np.sqrt(np.mean(target**2)))
    deviations = (target - target.mean()) ** 2
    if deviations.sum() == 0.0 or deviations.max() > MAX_ROW_SHARE * deviations.sum():
        return False
    if not all(_effect(law, columns, column, rng) > LEAST_EFFECT * sigma for column in law.columns):
        return False
    return bool((errors_away(law, columns, sigma) >= LEAST_ERRORS).all())


@np.errstate(all="ignore")
def errors_away(law: Expression, columns: Floats, sigma: float) -> Floats:
    """How many standard errors each free number is from where it could be left out: (free numbers,).

    A number that stands in a law twice is one number.
    columns: any number of rows; the information is that of NUM_ROWS of them.
    """
    free = list(dict.fromkeys(value for value in law.constants.tolist() if not is_simple(value)))
    slopes = np.stack([_slope(law, value, columns) for value in free], axis=1) if free else np.empty((1, 0))
    information = slopes.T @ slopes / sigma**2 * (NUM_ROWS / columns.shape[1])
    # In units of each number the matrix is of usual size, whatever the units of the law are.
    if not np.isfinite(information).all() or np.linalg.matrix_rank(information, hermitian=True) < len(free):
        return np.zeros(len(free))
    shares = np.sqrt(np.diag(np.linalg.inv(information)))
    exponents = _exponents(law)
    gaps = [_gap(value, value in exponents) for value in free]
    return np.asarray(np.array(gaps) / shares)


def _gap(value: float, is_exponent: bool) -> float:
    """The share of the number by which it would have to move to be left out."""
    return abs(value - round(2.0 * value) / 2.0) / abs(value) if is_exponent else 1.0


def _slope(law: Expression, number: float, columns: Floats) -> Floats:
    """Change of the law per relative change of a number, wherever it stands: (rows,)."""
    moves = np.where(law.constants == number, STEP, 0.0)
    ahead, behind = law.constants * (1.0 + moves), law.constants * (1.0 - moves)
    values = [evaluate_expression(law.with_constants(constants), columns) for constants in (ahead, behind)]
    return np.asarray((values[0] - values[1]) / (2.0 * STEP))


def _exponents(law: Expression) -> set[float]:
    """The numbers that are exponents."""
    names = [f"x{column}" for column in range(1 + max(law.columns, default=0))]
    found = set()
    for place in range(law.num_constants):
        # A number that is marked as a hole is printed after the sign of a power exactly when it is an exponent.
        marked = law.constants.copy()
        marked[place] = np.nan
        text = to_text(law.with_constants(marked), names)
        if "^_" in text or "^(_)" in text:
            found.add(float(law.constants[place]))
    return found


def _effect(law: Expression, columns: Floats, column: int, rng: np.random.Generator) -> float:
    """The root mean square change of the target when a column is shuffled."""
    shuffled = columns.copy()
    shuffled[column] = rng.permutation(shuffled[column])
    change = evaluate_expression(law, shuffled) - evaluate_expression(law, columns)
    return float(np.sqrt(np.mean(change[np.isfinite(change)] ** 2)))
