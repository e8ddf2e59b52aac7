"""The file of a search's state: a text and named arrays as numpy's `savez` writes them, read without trust."""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

HEAD = "head"
# 24 paths of at most 1,000 nodes take half as much.
MOST_BYTES = 1 << 31
MOST_ARRAYS = 100
# What a damaged zip file makes of Python's reader, which promises no single error.
_DAMAGES = (zipfile.BadZipFile, RuntimeError, EOFError, OSError, struct.error, KeyError, IndexError, OverflowError)
# An array in a file of version 1.0: numbers or text, the last axis the fastest.
_ARRAY = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)"
    rb"\{'descr': '(?P<dtype>[<>|][iufU]\d{1,9})', 'fortran_order': False, "
    rb"'shape': \((?P<shape>[\d, ]{0,80})\), \} *\n",
    re.DOTALL,
)


def to_bytes(head: str, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The content of a file with this text and these arrays."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{HEAD: np.array(head)}, **arrays)
    return buffer.getvalue()


def from_bytes(content: bytes) -> tuple[str, Arrays]:
    """The text and the arrays; ValueError where `to_bytes` did not write them."""
    arrays = {name.removesuffix(".npy"): _array(member) for name, member in _members(content).items()}
    if HEAD not in arrays or arrays[HEAD].dtype.kind != "U" or arrays[HEAD].shape != ():
        raise ValueError("it has no header")
    return str(arrays.pop(HEAD)), arrays


def _members(content: bytes) -> dict[str, bytes]:
    """The files in a zip file, none of them compressed, so that together they are no longer than the whole."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            is_stored = all(entry.compress_type == zipfile.ZIP_STORED for entry in entries)
            if not is_stored or len(entries) > MOST_ARRAYS or sum(entry.file_size for entry in entries) > len(content):
                raise ValueError("it is compressed or too large")
            members = {entry.filename: archive.read(entry) for entry in entries}
    except _DAMAGES as error:
        raise ValueError(f"it is not a zip file: {error}") from error
    if len(members) < len(entries):
        raise ValueError("it has the same name twice")
    return members


def _array(member: bytes) -> NDArray[Any]:
    """The array in the bytes of a file that `numpy.save` wrote."""
    found = _ARRAY.match(member)
    if found is None or int.from_bytes(found["length"], "little") != found.end() - 10:
        raise ValueError("an array has an unexpected header")
    try:
        dtype = np.dtype(found["dtype"].decode())
    except TypeError as error:
        raise ValueError(f"an array has an unknown number type: {error}") from error
    shape = tuple(int(length) for length in re.findall(rb"\d+", found["shape"]))
    if not math.prod(shape) * dtype.itemsize == len(member) - found.end() > 0:
        raise ValueError("the length of an array differs from its header")
    return np.frombuffer(member, dtype, offset=found.end()).reshape(shape)
