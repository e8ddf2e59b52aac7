"""`python -m mosaic_sr.kernel.beside MODULE:NAME ...` compiles entry points onto disk for another process."""

from __future__ import annotations

import sys
from importlib import import_module


def main(words: list[str]) -> None:
    """Compile each named entry point that is not on disk yet, until nothing more can be written."""
    for word in words:
        module, _, name = word.partition(":")
        entry = getattr(import_module(module), name)
        entry.prepare()
        if not entry.is_kept():
            return


if __name__ == "__main__":
    main(sys.argv[1:])
