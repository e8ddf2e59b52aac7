"""The report of a search as one HTML file: the law, its front to click through, pictures, data, how to reproduce it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mosaic_sr.html_report.page import report_page, write_report
    from mosaic_sr.html_report.sections import Origin

__all__ = ["Origin", "report_page", "write_report"]


def __getattr__(name: str) -> Any:
    """Import a page when it is first written: the estimator has methods for it, and must be fast to import."""
    from mosaic_sr.html_report import page, sections

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(sections if name == "Origin" else page, name)
