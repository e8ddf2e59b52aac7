"""Constants of a formula from rows of numbers: the fit, its outcome, its errors."""

from mosaic_sr.fitting.draws import draw_constants
from mosaic_sr.fitting.fit import (
    Fit,
    FitConfig,
    FitStatus,
    Weighting,
    fit_constants,
    fit_parameters,
    loss_weights,
    screening_indices,
    weights_of,
)
from mosaic_sr.fitting.improving import improve_constants
from mosaic_sr.fitting.quick import QuickConfig, QuickFit, QuickFitter, spans_decades

__all__ = [
    "Fit",
    "FitConfig",
    "FitStatus",
    "QuickConfig",
    "QuickFit",
    "QuickFitter",
    "Weighting",
    "draw_constants",
    "fit_constants",
    "fit_parameters",
    "improve_constants",
    "loss_weights",
    "screening_indices",
    "spans_decades",
    "weights_of",
]
