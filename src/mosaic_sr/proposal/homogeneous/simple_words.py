"""Laws of homogeneous parts as a person would write them: with simple numbers where these do, and in the shortest form.

Constants without a unit are mostly simple numbers, and then such a law is far more probable than the fitted one, which
may be so far behind others that nobody asks whether its numbers are simple.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.equation import in_table_units
from mosaic_sr.evidence.judge import structure_bits
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, scaled, substituted, variable
from mosaic_sr.proposal.trials import Trials, Tried
from mosaic_sr.table import Table
from mosaic_sr.writing import BRIEF, written

Floats = NDArray[np.float64]

# Numbers that most laws without fitted constants have in front of their parts.
SIMPLE = np.array([0.25, 1.0 / 3.0, 0.5, 2.0 / 3.0, 0.75, 1.0, 4.0 / 3.0, 1.5, 2.0, 3.0, 4.0])
# Numbers below this are nearer to 0 than to any of these.
LEAST = 1e-300
# A few hundred noisy rows tell a number to some percent; the score of the law decides.
NEAR = 0.1
# Digits of fitted numbers that matter to how a law is written.
DIGITS = 4


def write_simply(law: Tried, trials: Trials, table: Table) -> Expression:
    """The law with those simple numbers that make it more probable, and without others in the shortest form."""
    simple = with_simple_numbers(law.form, law.expression.constants, trials, table)
    best = max(chain([law], simple), key=lambda one: one.score)
    if best.num_free:
        return best.expression
    columns = np.ldexp(trials.rows.columns, np.array(table.column_exponents)[:, None])
    words = written(_in_user_numbers(best.expression, table), columns, DIGITS, search=BRIEF)
    return in_table_units(words.renamed(table.used), table)


def with_simple_numbers(form: Expression, values: Floats, trials: Trials, table: Table) -> Iterator[Tried]:
    """The law with simple numbers in place of those near them: all first, then some.  values: of all its numbers."""
    nearest = SIMPLE[np.argmin(np.abs(np.log(np.maximum(np.abs(values), LEAST)[:, None] / SIMPLE)), axis=1)]
    simple = np.copysign(nearest, values)
    is_near = np.isnan(form.constants) & (np.abs(values - simple) <= NEAR * nearest)
    places = np.flatnonzero(is_near).tolist()
    for chosen in (list(some) for count in range(len(places), 0, -1) for some in combinations(places, count)):
        constants = form.constants.copy()
        constants[chosen] = simple[chosen]
        start = np.where(np.isnan(constants), values, constants)
        yield tried_from_start(form.with_constants(constants), start, trials, table)


def tried_from_start(form: Expression, start: Floats, trials: Trials, table: Table) -> Tried:
    """A law, its numbers NaN where they are estimates, fitted from these."""
    heed_stop()
    bits = structure_bits(canonical(_in_user_numbers(form.with_constants(start), table)), table.num_columns)
    fits = [trials.tried_from(form, bits, start, weighting) for weighting in trials.weightings]
    return max(fits, key=lambda one: one.score)


def _in_user_numbers(law: Expression, table: Table) -> Expression:
    """The law of a table's scaled columns over the same columns in the user's numbers."""
    columns = [scaled(variable(place), math.ldexp(1.0, -own)) for place, own in enumerate(table.column_exponents)]
    return canonical(scaled(substituted(law, columns), math.ldexp(1.0, table.target_exponent)))
