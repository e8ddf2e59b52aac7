"""`python -m mosaic_sr.kernel.beside MODULE:NAME ...` compiles entry points onto disk for another process."""

from __future__ import annotations

import sys
from importlib import import_module


def main(words: list[str]) -> None:
    """Compile each named entry point that is not on disk yet."""
    for word in words:
        module, _, name = word.partition(":")
        getattr(import_module(module), name).prepare()


if __name__ == "__main__":
    main(sys.argv[1:])
