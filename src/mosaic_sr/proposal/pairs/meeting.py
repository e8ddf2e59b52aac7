"""Which entries of the library, alone or two together, make up a target, in machine code.

Two columns a and b explain a target g as p*a + q*b + r exactly when they are parallel once everything along g and along
the constant is taken out of both. So all pairs are tested at the cost of one pass: functionals that vanish on g and on
the constant are applied to every entry, and entries that meet have equal ratios of them. The same with g*a and g/a
among the columns finds quotients and products with free constants.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import COLUMNS, FLOATS, OUT, OUT_ROWS, compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

# A column of the meeting is an entry itself, the target times it, or the target over it.
PLAIN, TIMES, OVER = 0, 1, 2
NUM_KINDS = 3
# Rows of `functionals`: four that vanish on all that is free, then one for each kind that tells whether a relation has
# the target in it (PLAIN) or anything beside multiples of the target (TIMES, OVER).
NUM_SHARED = 4
WITNESS_PLAIN, WITNESS_TIMES = 4, 5
NUM_FUNCTIONALS = 6
# Columns of `keys`: three ratios and the ratio of the witness.
NUM_KEYS = 4
# In `slacks`: the column alone explains the target; the column is of no use.
ALONE, USELESS = -1.0, -2.0
# Rounding errors of the sums add up to a few times one.
SLACK = 8.0
# What differs by so many times its uncertainty differs.
DISTINCT = 100.0
# Comparisons of two columns: a quarter of a second, and a hundred times those that spread over the bins take.
MOST_COMPARED = 200_000_000


@compiled(
    f"void({COLUMNS}, boolean[::1], int64, {FLOATS}, {COLUMNS}, float64, float64, {OUT_ROWS}, {OUT})", reassociate=True
)
def project(
    values: Floats,
    is_first: NDArray[np.bool_],
    count: int,
    target: Floats,
    functionals: Floats,
    noise: float,
    most_slack: float,
    keys: Floats,
    slacks: Floats,
) -> None:
    """Write ratios and their uncertainty of the first `count` entries, in three kinds one after the other.

    values: (entries, rows).  target: (rows,).  functionals: (NUM_FUNCTIONALS, rows).
    noise: relative to a column's size.  keys: (3 * count, NUM_KEYS).  slacks: (3 * count,).
    """
    column = np.empty(len(target))
    for kind in range(NUM_KINDS):
        for entry in range(count):
            place = kind * count + entry
            slacks[place] = USELESS
            # Affine copies differ only as divisors.
            if kind == OVER or is_first[entry]:
                mean = fill(values[entry], target, kind, column)
                slacks[place] = reduce(column, mean, functionals, kind, noise, most_slack, keys[place])


@compiled(inline="always", reassociate=True)
def fill(values: Floats, target: Floats, kind: int, column: Floats) -> float:
    """Write the column of an entry; returns its mean."""
    total = 0.0
    if kind == PLAIN:
        for row in range(len(column)):
            column[row] = values[row]
            total += column[row]
    elif kind == TIMES:
        for row in range(len(column)):
            column[row] = target[row] * values[row]
            total += column[row]
    else:
        for row in range(len(column)):
            column[row] = target[row] / values[row]
            total += column[row]
    return total / len(column)


@compiled(inline="always", reassociate=True)
def reduce(
    column: Floats, mean: float, functionals: Floats, kind: int, noise: float, most_slack: float, keys: Floats
) -> float:
    """Write the ratios of one column; returns their uncertainty, ALONE or USELESS."""
    size = s0 = s1 = s2 = s3 = plain = times = 0.0
    for row in range(len(column)):
        # All functionals but the last vanish on constants, so that centring costs nothing and saves digits.
        value = column[row] - mean
        size += abs(value)
        s0 += functionals[0, row] * value
        s1 += functionals[1, row] * value
        s2 += functionals[2, row] * value
        s3 += functionals[3, row] * value
        plain += functionals[WITNESS_PLAIN, row] * value
        times += functionals[WITNESS_TIMES, row] * column[row]
    error = noise * size + 1e-15 * abs(mean)
    witness = plain if kind == PLAIN else times
    if not max(abs(s0), abs(s1), abs(s2), abs(s3)) > SLACK * error:
        return ALONE if abs(witness) > DISTINCT * error else USELESS
    if not error < most_slack * abs(s0):
        return USELESS
    keys[0], keys[1], keys[2] = bounded(s1 / s0), bounded(s2 / s0), bounded(s3 / s0)
    keys[3] = bounded(witness / s0)
    # Sums beyond the largest float leave no ratio, and a bin is chosen by this one.
    return error / abs(s0) if abs(keys[0]) < 1.0 else USELESS


@compiled(inline="always")
def bounded(ratio: float) -> float:
    """A ratio mapped to -1 .. 1; its uncertainty does not grow."""
    return ratio / (1.0 + abs(ratio))


@compiled(f"int64({COLUMNS}, {FLOATS}, int64, int32[::1], int32[::1], {OUT_ROWS}, int32[:, ::1])")
def find_pairs(
    keys: Floats, slacks: Floats, count: int, starts: Ints, order: Ints, ordered: Floats, pairs: Ints
) -> int:
    """Write the pairs of columns that meet, at most as many as `pairs` (most, 2) holds; returns how many.

    count: entries of each kind.  starts, order, ordered (columns, 3): work; the first keys are sorted into
    len(starts) - 1 bins.
    """
    sort_into_bins(keys, slacks, starts, order, ordered)
    found, begin, num_compared = 0, 0, 0
    for bin_ in range(len(starts) - 1):
        # A partner is in the same bin or in the next.
        end, last = starts[bin_], starts[min(bin_ + 1, len(starts) - 2)]
        for i in range(begin, end):
            num_compared += last - i
            if num_compared > MOST_COMPARED:  # one row that outweighs all others puts every column into one bin
                return found
            for j in range(i + 1, last):
                slack = SLACK * (ordered[i, 2] + ordered[j, 2])
                is_near = abs(ordered[i, 0] - ordered[j, 0]) <= slack and abs(ordered[i, 1] - ordered[j, 1]) <= slack
                if is_near and meets(keys, count, order[i], order[j], slack):
                    pairs[found, 0], pairs[found, 1] = order[i], order[j]
                    found += 1
                    if found == len(pairs):  # where everything meets, the rest of the bins would take minutes
                        return found
        begin = end
    return found


@compiled(inline="always")
def sort_into_bins(keys: Floats, slacks: Floats, starts: Ints, order: Ints, ordered: Floats) -> None:
    """Write the usable columns and their first keys bin by bin; `starts` becomes the ends of the bins."""
    half = 0.5 * (len(starts) - 1)
    starts[:] = 0
    for column in range(len(slacks)):
        if slacks[column] > 0.0:
            starts[int((keys[column, 0] + 1.0) * half) + 1] += 1
    for bin_ in range(len(starts) - 1):
        starts[bin_ + 1] += starts[bin_]
    for column in range(len(slacks)):
        if slacks[column] > 0.0:
            bin_ = int((keys[column, 0] + 1.0) * half)
            place = starts[bin_]
            starts[bin_] += 1
            order[place] = column
            ordered[place, 0], ordered[place, 1] = keys[column, 0], keys[column, 1]
            ordered[place, 2] = slacks[column]


@compiled(inline="always")
def meets(keys: Floats, count: int, one: int, other: int, slack: float) -> bool:
    """Whether two columns agree in the third ratio too and their relation has the target in it."""
    if not abs(keys[one, 2] - keys[other, 2]) <= slack:
        return False
    if (one < count) != (other < count):
        return True
    return bool(abs(keys[one, 3] - keys[other, 3]) > DISTINCT * slack)
