"""The command `mosaic`. Heavy imports happen inside the commands, so that help is instant."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from typing import Any

import typer

from mosaic_sr.cli.app import app
from mosaic_sr.cli.output import tell, write_any_character
from mosaic_sr.cli.signals import signals_like_ctrl_c
from mosaic_sr.errors import MosaicError

# typer brings a click of its own and names only the leaves of its errors; their base is every misuse of the words.
UsageError: Any = typer.BadParameter.__mro__[1]

INTERRUPTED = 130
# Messages about formulas show below where they are wrong; for somebody who sees what they typed one line is enough.
BELOW = "\n    "


def main() -> None:
    """Run the command line; misuse ends with one line on standard error and exit code 2."""
    warnings.showwarning = tell
    write_any_character(sys.stdout, sys.stderr)
    with signals_like_ctrl_c():
        sys.exit(_run(sys.argv[1:] or ["--help"]))


def _run(words: list[str]) -> int:
    """The exit code of a command.

    0: done, and also a search that was stopped but has a law.  1: something could not be written.  2: misuse.
    130: stopped, by Ctrl-C or another signal, before there was a law.
    """
    try:
        code = _code_of(words)
        if sys.stdout is not None:
            sys.stdout.flush()  # now, while a failure can still be told
    except OSError as error:
        _leave_stdout()
        # Who reads no more, as `head`, wants to hear no more.
        if not isinstance(error, BrokenPipeError):
            tell(f"cannot write {error.filename or 'to standard output'}: {error.strerror}")
        return 1
    return code


def _code_of(words: list[str]) -> int:
    try:
        code = app(words, prog_name="mosaic", standalone_mode=False)
    except MosaicError as error:
        tell(str(error).split(BELOW, 1)[0])
        return 2
    except UsageError as error:
        tell(error.format_message().replace("\n", " "))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:  # some releases of typer return it, others raise
        tell("interrupted")
    return code if isinstance(code, int) else 0


def _leave_stdout() -> None:
    """Write what is left for standard output to nowhere: Python would try again at its end, and complain."""
    with suppress(OSError, ValueError):  # a test's stand-in has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
