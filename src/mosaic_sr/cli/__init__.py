"""The command `mosaic`. Heavy imports happen inside the commands, so that help is instant."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import typer

from mosaic_sr.cli.app import app
from mosaic_sr.errors import MosaicError

# typer brings a click of its own and names only the leaves of its errors; their base is every misuse of the words.
UsageError: Any = typer.BadParameter.__mro__[1]


def main() -> None:
    """Run the command line; misuse ends with one line on standard error and exit code 2."""
    warnings.showwarning = _tell
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except MosaicError as error:
        _refuse(str(error).splitlines()[0])
    except UsageError as error:
        _refuse(error.format_message().replace("\n", " "))
    except (KeyboardInterrupt, typer.Abort):
        print("mosaic: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _tell(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as one line; the place in the source says nothing to a user."""
    print(f"mosaic: {message}", file=sys.stderr)


def _refuse(message: str) -> None:
    print(f"mosaic: {message}", file=sys.stderr)
    sys.exit(2)
