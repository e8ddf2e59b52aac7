"""Tables with groups for tests: one law, constants that differ from group to group."""

import numpy as np

from mosaic_sr.expressions.text import parse
from mosaic_sr.grouped.forms import forms_of
from mosaic_sr.grouped.rows import GroupedRows


def grouped_rows(law, sizes, noise=0.0, seed=0, low=0.3, high=5.0):
    """Rows of groups of these sizes; law: (x, group, rng) -> y."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(low, high, sum(sizes))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
    group_of_row = np.repeat(np.arange(len(sizes)), sizes)
    y = law(x, group_of_row) + noise * rng.normal(size=len(x))
    return GroupedRows(x[None], y, np.ones(len(x)), 1e-17 * np.ones(len(x)), None, starts)


def form(text):
    """The form of a law of x, all of whose odd numbers are fitted."""
    return forms_of(parse(text, ["x"]), "")[-1]
