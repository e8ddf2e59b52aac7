"""The command `mosaic`. Heavy imports happen inside the commands, so that help is instant."""

from __future__ import annotations

import sys

from mosaic_sr.cli.app import app
from mosaic_sr.errors import MosaicError


def main() -> None:
    """Run the command line; misuse ends with one line on standard error and exit code 2."""
    import click

    try:
        code = app(standalone_mode=False)
    except MosaicError as error:
        _refuse(str(error).splitlines()[0])
    except click.ClickException as error:
        _refuse(error.format_message().replace("\n", " "))
    except (KeyboardInterrupt, click.Abort):
        print("mosaic: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _refuse(message: str) -> None:
    print(f"mosaic: {message}", file=sys.stderr)
    sys.exit(2)
