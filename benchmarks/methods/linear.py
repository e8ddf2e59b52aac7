"""Ordinary least squares on the columns: the floor that every other method must beat."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.methods import Budget, Outcome, Settings
from benchmarks.suites import Sample
from mosaic_sr.errors import InvalidSettings


def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """The intercept and one slope per column, with nothing to choose by validation and nothing drawn at random."""
    if settings.preset or settings.without:
        raise InvalidSettings("method 'linear' has no presets and no proposers to switch off")
    start = time.perf_counter()
    # Columns reach from 1e-33 to 1e33: the system is solved for columns scaled to their largest magnitude.
    scales = np.max(np.abs(train.columns), axis=1)
    scales[scales == 0.0] = 1.0
    design = np.column_stack([np.ones(train.target.size), (train.columns / scales[:, None]).T])
    height = np.max(np.abs(train.target)) or 1.0
    solution = np.linalg.lstsq(design, train.target / height, rcond=None)[0] * height
    slopes = solution[1:] / scales
    terms = [f"{float(slope)!r} * x{index}" for index, slope in enumerate(slopes)]
    return Outcome(
        " + ".join([repr(float(solution[0])), *terms]),
        evaluations=1,
        stage_seconds={"solve": time.perf_counter() - start},
        found_by="least squares",
    )
