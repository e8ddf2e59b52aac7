"""What users name to be read: files, and streams such as pipes and standard input, which are read once and kept."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import select
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mosaic_sr.errors import InvalidFile

STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
# A stream is kept in memory; a table of more text than this belongs into a file.
MOST_STREAMED = 2**30
# A named pipe that nobody opens for writing so long has probably been forgotten.
SECONDS_FOR_WRITER = 10.0
CHUNK = 2**20
COMPRESSED = ".gz"


@dataclass(frozen=True)
class Input:
    """A file, or the content of a stream: both can be opened as often as needed.  label: what messages call it."""

    label: str
    path: Path | None
    content: bytes = b""

    @property
    def ending(self) -> str:
        """The ending of its name in small letters, as .csv, also where .gz follows."""
        return Path(self.label.lower().removesuffix(COMPRESSED)).suffix

    @property
    def is_compressed(self) -> bool:
        """Whether its name says that it was compressed by gzip."""
        return self.label.lower().endswith(COMPRESSED)

    def open(self) -> BinaryIO:
        """The bytes from the beginning, decompressed."""
        if not self.is_compressed:
            return self._open_stored()
        source = io.BytesIO(self.content) if self.path is None else self.path
        return gzip.open(source, "rb")  # type: ignore[return-value]

    def _open_stored(self) -> BinaryIO:
        """The bytes as they are stored."""
        return io.BytesIO(self.content) if self.path is None else self.path.open("rb")

    def read_at_most(self, num_bytes: int) -> bytes:
        """All its bytes; InvalidFile where there are more."""
        try:
            with self.open() as opened:
                content = opened.read(num_bytes + 1)
        except OSError as error:
            raise InvalidFile(f"{self}: cannot be read: {error.strerror or error}") from error
        if len(content) > num_bytes:
            raise InvalidFile(f"{self}: too large; at most {num_bytes:,} bytes are allowed")
        return content

    def digest(self) -> str:
        """SHA-256 of all its bytes."""
        try:
            with self._open_stored() as opened:
                digest = hashlib.sha256()
                while chunk := opened.read(CHUNK):
                    digest.update(chunk)
                return digest.hexdigest()
        except OSError as error:
            raise InvalidFile(f"{self}: cannot be read: {error.strerror or error}") from error

    def __str__(self) -> str:
        return self.label


def find_input(path: str | Path, most_streamed: int = MOST_STREAMED) -> Input:
    """The file or the stream of that name; `-` is standard input. InvalidFile says why there is none."""
    if "\0" in str(path):
        raise InvalidFile(f"{str(path)!r} is not a file name")
    try:
        if str(path) in STANDARD_INPUT:
            return Input("standard input", None, _read_standard_input(most_streamed))
        mode = Path(path).stat().st_mode
        if stat.S_ISREG(mode):
            return Input(str(path), Path(path))
        _refuse_other_kinds(path, mode)
        return Input(str(path), None, _read_pipe(path, most_streamed))
    except FileNotFoundError as error:
        raise InvalidFile(f"{path}: no such file") from error
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read: {error.strerror or error}") from error


def _refuse_other_kinds(path: str | Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise InvalidFile(f"{path}: this is a folder; give a file")
    if not stat.S_ISFIFO(mode):
        raise InvalidFile(f"{path}: this is a device; give a file, a pipe, or - for standard input")


def _read_standard_input(most: int) -> bytes:
    if sys.stdin is None:  # and its number may belong to another file by now
        raise InvalidFile("standard input is closed; pipe the file into it, or give a file")
    if sys.stdin.isatty():
        raise InvalidFile("standard input is a terminal; pipe the file into it, or give a file")
    return _read_all("standard input", 0, most)


def _read_pipe(path: str | Path, most: int) -> bytes:
    """All that is written into a pipe; opened without waiting, because nobody may ever write into it."""
    if sys.platform == "win32":
        raise InvalidFile(f"{path}: named pipes cannot be read on Windows; pipe into standard input and give -")
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        is_ready, _, _ = select.select([pipe], [], [], SECONDS_FOR_WRITER)
        first = None if is_ready else _read_at_once(pipe)
        if first == b"":
            raise InvalidFile(f"{path}: no program wrote to this pipe within {SECONDS_FOR_WRITER:g} seconds")
        os.set_blocking(pipe, True)
        return (first or b"") + _read_all(str(path), pipe, most)
    finally:
        os.close(pipe)


def _read_at_once(pipe: int) -> bytes | None:
    """What can be read without waiting: nothing from a pipe without a writer, None where the writer takes its time."""
    try:
        return os.read(pipe, CHUNK)
    except BlockingIOError:
        return None


def _read_all(label: str, source: int, most: int) -> bytes:
    chunks, size = [], 0
    while chunk := os.read(source, CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > most:
            raise InvalidFile(f"{label}: the stream is longer than {most:,} bytes; save it as a file first")
    return b"".join(chunks)
