"""Checking: a look at a table before any search, what is wrong with it and what its rows can show."""

from mosaic_sr.checking.checks import check, check_loose
from mosaic_sr.checking.finding import Finding, Importance
from mosaic_sr.checking.result import Checked

__all__ = ["Checked", "Finding", "Importance", "check", "check_loose"]
