"""The door of formulas as text: `parse` reads this package's grammar, `to_text` writes it."""

from mosaic_sr.expressions.parser import parse, parse_whole
from mosaic_sr.expressions.printing import to_text

__all__ = ["parse", "parse_whole", "to_text"]
