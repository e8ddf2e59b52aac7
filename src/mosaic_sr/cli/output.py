"""Files that commands write: whole or not at all."""

from __future__ import annotations

from pathlib import Path

from mosaic_sr.errors import InvalidFile


def write_atomically(path: Path, text: str) -> None:
    """Write the whole file or nothing."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error
