"""Ordinary least squares on the columns: the floor that every other method must beat."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.methods import Budget, Outcome, Settings, refuse_own_settings
from benchmarks.suites import Sample

# A term that moves the target by less than this share of it is what rounding left behind.
NEGLIGIBLE = 1e-13


def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """The intercept and one slope per column, with nothing to choose by validation and nothing drawn at random."""
    refuse_own_settings("linear", settings)
    start = time.perf_counter()
    # Columns reach from 1e-33 to 1e33: the system is solved with everything scaled to its largest magnitude.
    scales = np.max(np.abs(train.columns), axis=1, initial=np.finfo(np.float64).tiny)
    height = np.max(np.abs(train.target), initial=np.finfo(np.float64).tiny)
    design = np.vstack([np.ones(train.num_rows), train.columns / scales[:, None]]).T
    effects = np.linalg.lstsq(design, train.target / height, rcond=None)[0]
    return Outcome(
        _print(effects, height, scales),
        evaluations=1,
        stage_seconds={"solve": time.perf_counter() - start},
        found_by="least squares",
    )


def _print(effects: np.ndarray, height: float, scales: np.ndarray) -> str:
    """The sum of the terms that matter; effects: (1 + columns,) in units of the target's height."""
    slopes = zip(effects[1:].tolist(), scales.tolist(), strict=True)
    terms = [(effects[0], repr(float(effects[0] * height)))]
    terms += [(effect, f"{float(effect * height / scale)!r}*x{index}") for index, (effect, scale) in enumerate(slopes)]
    return " + ".join(text for effect, text in terms if abs(effect) > NEGLIGIBLE) or "0"
