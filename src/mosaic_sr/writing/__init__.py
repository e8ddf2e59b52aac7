"""Writing: of all equivalent forms of a law the one that a scientist would write."""

from mosaic_sr.writing.numbers import printed_digits
from mosaic_sr.writing.written import BRIEF, THOROUGH, Search, printed_cost, written

__all__ = ["BRIEF", "THOROUGH", "Search", "printed_cost", "printed_digits", "written"]
