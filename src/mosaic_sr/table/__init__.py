"""The table: checks at the door, rows in one order, columns scaled near 1, training and validation rows."""

from mosaic_sr.table.door import refuse_unusable
from mosaic_sr.table.gaps import GAP_RULES, FileColumns
from mosaic_sr.table.reading import column_names, frame_of, read_columns, read_file, read_table
from mosaic_sr.table.resolution import Resolution, Rounding, derived_resolution
from mosaic_sr.table.rows import Rows, spread_over_target
from mosaic_sr.table.scaling import deviation, divided, squaring_exponent
from mosaic_sr.table.table import Table, TableConfig
from mosaic_sr.table.variants import by_content, narrowed, resampled, thinned, unscaled

__all__ = [
    "GAP_RULES",
    "FileColumns",
    "Resolution",
    "Rounding",
    "Rows",
    "Table",
    "TableConfig",
    "by_content",
    "column_names",
    "derived_resolution",
    "deviation",
    "divided",
    "frame_of",
    "narrowed",
    "read_columns",
    "read_file",
    "read_table",
    "refuse_unusable",
    "resampled",
    "spread_over_target",
    "squaring_exponent",
    "thinned",
    "unscaled",
]
