"""The report of a search as one HTML file: the law, its front to click through, pictures, data, how to reproduce it."""

from mosaic_sr.html_report.page import report_page, write_report
from mosaic_sr.html_report.sections import Origin

__all__ = ["Origin", "report_page", "write_report"]
