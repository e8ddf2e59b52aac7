"""The errors that misuse raises before any work starts; each message states what was expected and what was found."""

from mosaic_sr.visible import visible_lines


class _Message(Exception):
    """Shows names and paths of others without the characters that a terminal would obey."""

    def __str__(self) -> str:
        return visible_lines(super().__str__())


class MosaicError(_Message):
    """Base of every error that this package raises on purpose."""


class InvalidTable(MosaicError, ValueError):
    """The table cannot be fitted as given."""


class InvalidCell(InvalidTable, TypeError):
    """A cell of a table is not a number, for example a dictionary."""


class InvalidFormula(MosaicError, ValueError):
    """The text is not a valid formula."""


class InvalidSettings(MosaicError, ValueError):
    """A setting has an invalid value."""


class InvalidFile(MosaicError, ValueError):
    """A file is missing, damaged or of the wrong kind."""


class MosaicWarning(_Message, UserWarning):
    """The table was accepted, but a column was ignored or something looks like a mistake."""


class FileWarning(_Message, UserWarning):
    """The file was read, but a column was left out."""
