"""The report of a search as one HTML file: the law, its front to click through, pictures, data, how to reproduce it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mosaic_sr.html_report.page import report_page, write_report
    from mosaic_sr.html_report.sections import Origin

# Where each name lives; the estimator has methods for reports, and imports what writes them when they are called.
_HOMES = {"Origin": "sections", "report_page": "page", "write_report": "page"}

__all__ = ["Origin", "report_page", "write_report"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
