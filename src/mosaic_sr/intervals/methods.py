"""The methods of intervals: from the profile of the fit, from standard errors, and from bootstrap samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.fitting import fit_parameters
from mosaic_sr.intervals.form import LEVELS, NEAR, FittedForm, values_of
from mosaic_sr.intervals.profile import profile_bounds

Floats = NDArray[np.float64]
Method = Callable[[FittedForm, np.random.Generator], tuple[FittedForm, Floats]]

# The ends of a 95 % interval lie between the 10 lowest and highest of these.
NUM_SAMPLES = 400


def _by_profile(form: FittedForm, rng: np.random.Generator) -> tuple[FittedForm, Floats]:
    return profile_bounds(form)


def _by_errors(form: FittedForm, rng: np.random.Generator) -> tuple[FittedForm, Floats]:
    """Value plus and minus standard errors: the same as the profile where constants enter the law linearly."""
    reach = np.array([form.quantile(level) for level in LEVELS])[None, :, None] * np.array([-1.0, 1.0])
    return form, form.values[:, None, None] + reach * form.errors[:, None, None]


def _by_samples(form: FittedForm, rng: np.random.Generator) -> tuple[FittedForm, Floats]:
    """The middle of constants fitted to the rows with random weights (Rubin's bootstrap).

    No sample loses rows altogether, so that every one determines the constants. It assumes only that rows are
    independent, and needs some twenty of them.
    """
    rows, count = form.rows, form.rows.num_rows
    weights = rows.weights if len(rows.weights) else np.ones(count)
    found = np.empty((NUM_SAMPLES, form.num_parameters))
    for sample in range(NUM_SAMPLES):
        drawn = rng.exponential(size=count)
        own = replace(rows, weights=weights * drawn * (count / drawn.sum()))
        fit = fit_parameters(form.expression, form.parameters, own, NEAR)
        found[sample] = values_of(fit.expression, form.parameters)
    ends = [(0.5 - 0.5 * level, 0.5 + 0.5 * level) for level in LEVELS]
    return form, np.array([np.quantile(found, pair, axis=0).T for pair in ends]).transpose(1, 0, 2)


METHODS: Mapping[str, Method] = {"profile": _by_profile, "delta": _by_errors, "bootstrap": _by_samples}
