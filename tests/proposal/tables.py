"""Questions about tables of known laws, for the tests of proposers that read the table."""

import numpy as np
from questions import question_of

from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES


def columns_between(low, high, num_rows=200, seed=0):
    """Columns drawn evenly, one per entry of `low` and `high`: (columns, rows)."""
    low, high = np.array(low, dtype=float)[:, None], np.array(high, dtype=float)[:, None]
    return np.random.default_rng(seed).uniform(low, high, (len(low), num_rows))


def values_of(law, columns):
    return evaluate_expression(parse(law, [f"x{index}" for index in range(len(columns))]), columns)


def question_about(columns, target, operators=NAMES):
    """The context about columns (columns, rows) and a target."""
    return question_of(columns.T, target, operators)
