"""Sphinx extension: the command reference, written from the commands themselves where a page has the marker."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from mosaic_sr.cli.app import app as mosaic

MARKER = "<!-- commands -->"
# What typer calls the kinds of values, and what a reader calls them.
KINDS = {"str": "TEXT", "path": "PATH", "int": "INTEGER", "float": "NUMBER"}


def command_pages() -> str:
    """Every command in Markdown: a heading, how it is called, and what its arguments and options mean."""
    return "\n".join(_command("mosaic", typer.main.get_command(mosaic)))


def _command(path: str, command: Any) -> Iterator[str]:
    inner = getattr(command, "commands", {})  # only groups have commands of their own
    if not inner or command.invoke_without_command:
        yield from _leaf(path, command)
    for name in inner:
        yield from _command(f"{path} {name}", inner[name])


def _leaf(path: str, command: Any) -> Iterator[str]:
    context = command.context_class(command, info_name=path)
    usage = re.sub(r"{(\w+)}", lambda name: name[1].upper(), " ".join([path, *command.collect_usage_pieces(context)]))
    yield f"## {path}\n\n{_text(command.help)}\n\n```text\n{usage}\n```\n"
    for one in command.params:
        if record := one.get_help_record(context):
            yield f"`{_spelling(record[0])}`\n: {_text(record[1])}\n"


def _spelling(shown: str) -> str:
    """An option and the kind of its value, as in `--seed INTEGER`."""
    name, _, kind = shown.partition(" <")
    bare = kind.strip("<>").removeprefix("list[").rstrip("]")
    return f"{name} {KINDS.get(bare, bare)}".strip()


def _text(words: str | None) -> str:
    """Help as Markdown: what looks like markup is text."""
    plain = " ".join((words or "").split())
    return "".join(f"\\{letter}" if letter in r"\`*_[]<>#|$^" else letter for letter in plain)


def _process(app: Any, name: str, source: list[str]) -> None:
    if MARKER in source[0]:
        source[0] = source[0].replace(MARKER, command_pages())


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", _process)
    return {"parallel_read_safe": True}
