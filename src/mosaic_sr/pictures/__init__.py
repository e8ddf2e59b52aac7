"""Pictures of laws: the rows that they show, the numbers behind them; drawn as SVG, by matplotlib and as text."""

from mosaic_sr.pictures.examined import Examined, candidates, examine
from mosaic_sr.pictures.observed import ColumnFacts, Observed, observe, observe_arrays, observe_file

__all__ = [
    "ColumnFacts",
    "Examined",
    "Observed",
    "candidates",
    "examine",
    "observe",
    "observe_arrays",
    "observe_file",
]
