"""Intervals: 68 and 95 % intervals of constants, from the profile of the fit, standard errors or bootstrap samples."""

from mosaic_sr.intervals.form import FittedForm, fitted_form
from mosaic_sr.intervals.of_law import law_intervals, with_intervals
from mosaic_sr.intervals.result import Intervals, check_method, measured_intervals

__all__ = [
    "FittedForm",
    "Intervals",
    "check_method",
    "fitted_form",
    "law_intervals",
    "measured_intervals",
    "with_intervals",
]
