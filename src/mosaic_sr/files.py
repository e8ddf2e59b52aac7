"""Files that this package writes: whole or not at all, so that a killed process leaves the one before."""

from __future__ import annotations

import os
from pathlib import Path

from mosaic_sr.errors import InvalidFile


def refuse_missing_folder(path: Path | None) -> None:
    """Refuse a file to be written, if any, that is a folder or whose folder is missing: before the work, not after."""
    if path is not None and not path.absolute().parent.is_dir():
        raise InvalidFile(f"the folder of {path} does not exist; create it first")
    if path is not None and path.is_dir():
        raise InvalidFile(f"{path} is a folder; name a file in it")


def refuse_overwriting(path: Path | None, *inputs: Path) -> None:
    """Refuse a file to be written, if any, that is one of those to be read."""
    for file in inputs:
        if path is not None and path.exists() and file.exists() and path.samefile(file):
            raise InvalidFile(f"{path} is read and would be overwritten; write to another file")


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write the whole file or nothing."""
    # The process's own name for the part, because two processes may write the same file.
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error
