"""Tables longer than memory: read in blocks, searched on rows drawn from them, confirmed and refitted on all rows."""

from mosaic_sr.big_tables.blocks import BlockFile, open_blocks
from mosaic_sr.big_tables.confirming import RowColumn, confirm
from mosaic_sr.big_tables.long_fit import FileOptions, LongTable, read_to_fit
from mosaic_sr.big_tables.survey import Survey, survey_file

__all__ = [
    "BlockFile",
    "FileOptions",
    "LongTable",
    "RowColumn",
    "Survey",
    "confirm",
    "open_blocks",
    "read_to_fit",
    "survey_file",
]
