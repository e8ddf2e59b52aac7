"""Selection: which equation of the front is the law, and the law made presentable."""

from mosaic_sr.selection.choice import may_matter, select
from mosaic_sr.selection.conclusion import FIRST_SIMPLIFIED, Conclusion
from mosaic_sr.selection.repairing import Repairs
from mosaic_sr.selection.settings import SelectionConfig
from mosaic_sr.selection.settled import has_only_simple_constants
from mosaic_sr.selection.simplifying import reworded, simplified
from mosaic_sr.selection.tidying import Tidying, tidy
from mosaic_sr.selection.validation import Validator, refitted, validate
from mosaic_sr.selection.weighing import Weighed, Weighing, without_rows

__all__ = [
    "FIRST_SIMPLIFIED",
    "Conclusion",
    "Repairs",
    "SelectionConfig",
    "Tidying",
    "Validator",
    "Weighed",
    "Weighing",
    "has_only_simple_constants",
    "may_matter",
    "refitted",
    "reworded",
    "select",
    "simplified",
    "tidy",
    "validate",
    "without_rows",
]
