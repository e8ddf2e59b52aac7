"""The named errors that misuse raises at the door; each message says what was expected and what came."""

from mosaic_sr.visible import visible_lines


class _Message(Exception):
    """Shows names and paths of others without the characters that a terminal would obey."""

    def __str__(self) -> str:
        return visible_lines(super().__str__())


class MosaicError(_Message):
    """Base of every error that this package raises on purpose."""


class InvalidTable(MosaicError, ValueError):
    """The numbers handed in cannot be fitted as they are."""


class InvalidCell(InvalidTable, TypeError):
    """A cell of a table holds something that is not a number, such as a dictionary."""


class InvalidFormula(MosaicError, ValueError):
    """The text is not a formula of this grammar."""


class InvalidSettings(MosaicError, ValueError):
    """A setting has a value outside its range."""


class InvalidFile(MosaicError, ValueError):
    """A file is missing, damaged, or of another kind than expected."""


class MosaicWarning(_Message, UserWarning):
    """The table was accepted, but something in it was set aside or looks like a mistake."""


class FileWarning(_Message, UserWarning):
    """The file was read, but a column of it was left out."""
