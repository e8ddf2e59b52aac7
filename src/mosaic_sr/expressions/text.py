"""The door of formulas as text: `parse` reads this package's grammar, `to_text` writes it."""

from mosaic_sr.expressions.parser import parse
from mosaic_sr.expressions.printing import to_text

__all__ = ["parse", "to_text"]
