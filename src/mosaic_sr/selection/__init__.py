"""Selection: which equation of the front is the law, and the law made presentable."""

from mosaic_sr.selection.choice import may_matter, select
from mosaic_sr.selection.settings import SelectionConfig
from mosaic_sr.selection.settled import is_settled
from mosaic_sr.selection.tidying import Tidying, tidy
from mosaic_sr.selection.validation import Validator, refitted, validate

__all__ = [
    "SelectionConfig",
    "Tidying",
    "Validator",
    "is_settled",
    "may_matter",
    "refitted",
    "select",
    "tidy",
    "validate",
]
