"""The table: checks at the door, rows in one order, columns scaled near 1, training, validation and screening rows."""

from mosaic_sr.table.reading import read_table
from mosaic_sr.table.resolution import Resolution, Rounding
from mosaic_sr.table.rows import Rows
from mosaic_sr.table.table import Table, TableConfig

__all__ = ["Resolution", "Rounding", "Rows", "Table", "TableConfig", "read_table"]
