"""Comparing: laws that the user gives are fitted to the same rows and weighed against each other."""

from mosaic_sr.comparing.comparison import compare
from mosaic_sr.comparing.result import ComparedLaw, Comparison

__all__ = ["ComparedLaw", "Comparison", "compare"]
