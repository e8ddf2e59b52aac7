"""Files that this package writes: whole or not at all, so that a killed process leaves the one before."""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from mosaic_sr.errors import InvalidFile
from mosaic_sr.file_locks import lock

# The name of a file while it is written, beside its place; no other program's files are called so.
_PART = re.compile(r"\.mosaic-[0-9a-f]{16}\.part")
# Windows neither renames nor removes a file that is open.
_IS_FIXED_WHILE_OPEN = os.name == "nt"
_ANY_WRITER = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def refuse_unwritable(path: Path | None) -> None:
    """Refuse an output, if any, that is no plain file or cannot be written: before the work, not after."""
    if path is None:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InvalidFile(f"the folder of {path} does not exist; create it first")
    _refuse_special(path)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidFile(f"cannot write {path}: its folder is read-only; choose another folder")


def refuse_overwriting(path: Path | None, *inputs: Path) -> None:
    """Refuse a file to be written, if any, that is one of those to be read."""
    for file in inputs:
        if path is not None and path.exists() and file.exists() and path.samefile(file):
            raise InvalidFile(f"{path} is an input and would be overwritten; write to another file")


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write the whole file or nothing; only a plain file is replaced, and it keeps its permissions."""
    try:
        permissions = _refuse_special(path)
        folder = path.absolute().parent
        _remove_stale_parts(folder)
        with _new_part(folder) as (part, stream):
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())  # some disks tell only now that they are full
            if permissions is not None:
                part.chmod(permissions)
            if _IS_FIXED_WHILE_OPEN:
                stream.close()
            part.replace(path)
    except OSError as error:
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error


def _refuse_special(path: Path) -> int | None:
    """The permissions of the file to be replaced, None where there is none.

    A link is refused and not followed: in a shared folder it may lead to a file that nobody meant.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error
    if stat.S_ISDIR(mode):
        raise InvalidFile(f"{path} is a folder; give a file")
    if stat.S_ISLNK(mode):
        raise InvalidFile(f"{path} is a symbolic link and would be replaced; give the file that it points to")
    if not stat.S_ISREG(mode):
        raise InvalidFile(f"{path} is a device, pipe or socket and would be replaced; give a plain file")
    # The superuser may write any file; one without a writer is protected all the same.
    if not mode & _ANY_WRITER or not os.access(path, os.W_OK):
        raise InvalidFile(f"{path} is read-only; choose another file, or make it writable")
    return stat.S_IMODE(mode)


@contextmanager
def _new_part(folder: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file in the folder, locked while it is open, and gone at the end unless it was renamed."""
    while True:
        part = folder / f".mosaic-{secrets.token_hex(8)}.part"
        with part.open("xb") as stream:
            lock(stream.fileno(), waits=True)
            # Another process may have taken it for a stale one between the two lines above.
            if os.fstat(stream.fileno()).st_nlink == 0:
                continue
            try:
                yield part, stream
            finally:
                with suppress(OSError):  # it was renamed, or the folder is gone or read-only
                    part.unlink()
            return


def _remove_stale_parts(folder: Path) -> None:
    """Remove what killed processes left of their files: our parts that no process holds locked."""
    for part in [entry for entry in folder.iterdir() if _PART.fullmatch(entry.name)]:
        with suppress(OSError):
            _remove_unless_locked(part)


def _remove_unless_locked(part: Path) -> None:
    if _IS_FIXED_WHILE_OPEN:  # the system refuses while its writer lives
        part.unlink()
        return
    descriptor = os.open(part, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        if lock(descriptor, waits=False) and stat.S_ISREG(os.fstat(descriptor).st_mode):
            part.unlink()
    finally:
        os.close(descriptor)
