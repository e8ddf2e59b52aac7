"""Machine code on disk: folders that only their owner can write, because their files are executed, and whole files."""

from __future__ import annotations

import atexit
import functools
import getpass
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mosaic_sr.errors import InvalidFile
from mosaic_sr.file_locks import lock
from mosaic_sr.files import write_atomically

CHECKSUM_BYTES = hashlib.sha256().digest_size
SUPERUSER = 0
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
# Below it, opening a file fails: a cache that keeps nothing.
NOWHERE = Path(os.devnull)


@dataclass(frozen=True)
class CodeCache:
    """The folders of one key: files are written to the first one and read from each in turn."""

    folders: tuple[Path, ...]

    def has(self, name: str) -> bool:
        """Whether a file of this name is there; only reading it tells whether it is whole."""
        return any((folder / name).is_file() for folder in self.folders)

    def read(self, name: str, maker: str) -> bytes | None:
        """The content of a file that `maker` wrote; None when there is none that is whole."""
        for folder in self.folders:
            with suppress(OSError):
                written = (folder / name).read_bytes()
                checksum, content = written[:CHECKSUM_BYTES], written[CHECKSUM_BYTES:]
                if checksum == _checksum(content, maker):
                    return content
        return None

    def write(self, name: str, content: bytes, maker: str) -> str:
        """Write a file as a whole; returns why nothing can be written to the folder, or nothing."""
        try:
            write_atomically(self.folders[0] / name, _checksum(content, maker) + content)
        except (InvalidFile, OSError) as error:
            cause = error.__cause__ or error
            reason = cause.strerror if isinstance(cause, OSError) else cause
            return f"cannot write to {self.folders[0].parent}: {reason}"
        return ""

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Hold a lock that other processes wait for, where the system can; it ends with the process, too."""
        try:
            held = (self.folders[0] / f"{name}.lock").open("wb")
        except OSError:  # nothing can be written, so nobody else can profit from waiting
            yield
            return
        with held:
            lock(held.fileno(), waits=True)
            yield


def _checksum(content: bytes, maker: str) -> bytes:
    return hashlib.sha256(maker.encode() + content).digest()


def open_cache(key: str, note: Callable[[str], None]) -> CodeCache:
    """The folders for machine code of this key, made if need be; `note` hears why the user's own cannot be used."""
    root, wanted = _wanted_root(), _wanted_root() / key
    made = _make_folder(root) and _make_folder(wanted)
    if made and _is_closed(root, _user()) and _is_closed(wanted, _user()) and os.access(wanted, os.W_OK):
        return CodeCache((wanted,))
    own = _temporary_root(note) / key
    _make_folder(own)
    # Filled by the superuser, as in a read-only image.
    if _is_closed(root, _user(), SUPERUSER) and _is_closed(wanted, _user(), SUPERUSER):
        return CodeCache((own, wanted))
    if root.is_dir():
        note(
            f"{root} is not used for machine code, because others can write to it; "
            f"let only yourself write there (chmod -R go-w) or set MOSAIC_CACHE_DIR to a folder of your own"
        )
    return CodeCache((own,))


def cache_root(note: Callable[[str], None]) -> Path:
    """The folder that this process writes machine code below; named to its helpers, so that they share it."""
    return open_cache("", note).folders[0]


def _wanted_root() -> Path:
    return Path(os.environ.get("MOSAIC_CACHE_DIR") or Path.home() / ".cache" / "mosaic-sr")


@functools.cache
def _temporary_root(note: Callable[[str], None]) -> Path:
    """A folder of the temporary directory that is ours alone; else a fresh one that lives as long as this process.

    Anybody may have made a folder of that name before us, or a link to another one.
    """
    try:
        shared = Path(tempfile.gettempdir()) / f"mosaic-sr-{_user()}"
        _make_folder(shared)
        if _is_closed(shared, _user()) and not shared.is_symlink():
            shared.chmod(0o700)
            return shared
        fresh = Path(tempfile.mkdtemp(prefix="mosaic-sr-"))
    except OSError:  # no directory that can be written at all
        return NOWHERE
    atexit.register(_remove, fresh, os.getpid())
    note(
        f"{shared} belongs to somebody else or can be written by others, so machine code cannot be kept and every "
        f"process compiles again; set MOSAIC_CACHE_DIR to a folder of your own"
    )
    return fresh


def _remove(folder: Path, process: int) -> None:
    """Remove the folder unless this is a fork of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _make_folder(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return True


def _user() -> int | str:
    return getpass.getuser() if os.name == "nt" else os.getuid()


def _is_closed(folder: Path, *owners: int | str) -> bool:
    """Whether only the owners and the superuser can change what is in the folder, or put another one in its place.

    Folders above may be writable for a group: in many homes they are, for a group of one.
    """
    if os.name == "nt":  # folders of a profile are closed to other users
        return folder.is_dir()
    try:
        facts = folder.stat()
        above = [parent.stat().st_mode for parent in folder.resolve().parents]
    except OSError:
        return False
    is_replaceable = any(mode & stat.S_IWOTH and not mode & stat.S_ISVTX for mode in above)
    is_own = stat.S_ISDIR(facts.st_mode) and facts.st_uid in owners and not facts.st_mode & WRITABLE_BY_OTHERS
    return is_own and not is_replaceable
