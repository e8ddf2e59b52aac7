"""Which of many columns a law may read: those that act alone, and those that act only together with others."""

from mosaic_sr.screening.alternatives import notes_on_columns
from mosaic_sr.screening.forward import MANY_COLUMNS, Screened, screen_columns

__all__ = ["MANY_COLUMNS", "Screened", "notes_on_columns", "screen_columns"]
