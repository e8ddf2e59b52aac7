"""What the command prints: one place, so that no name or file can send escapes to the terminal."""

from __future__ import annotations

import io
import sys
from contextlib import suppress
from typing import Any, TextIO

from mosaic_sr.visible import visible


def tell(message: object, *_: Any, **__: Any) -> None:
    """One line for the user on standard error; the place of a warning in the source says nothing to them."""
    with suppress(OSError):  # nobody listens
        print(f"mosaic: {visible(str(message))}", file=sys.stderr, flush=True)


def say(line: str = "") -> None:
    """One line of the answer on standard output."""
    print(visible(line), flush=True)


def write_any_character(*streams: TextIO | None) -> None:
    """Let streams of another encoding than UTF-8 show characters that they lack as escapes, in place of failing."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
