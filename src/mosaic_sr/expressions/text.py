"""The door of formulas as text: `parse` reads this package's grammar, the printers write expressions."""

from mosaic_sr.expressions.latex import to_latex
from mosaic_sr.expressions.parser import parse
from mosaic_sr.expressions.printing import to_text
from mosaic_sr.expressions.python_source import python_names, to_python

__all__ = ["parse", "python_names", "to_latex", "to_python", "to_text"]
