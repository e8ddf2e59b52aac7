"""Sphinx extension: docstrings as this project writes them, plain text with `code`, as reStructuredText."""

import re
from typing import Any

# `name: what it is`, or several names; further lines are indented.
ENTRY = re.compile(r"^(?P<names>[A-Za-z_]\w*(?:, [A-Za-z_]\w*)*): (?P<text>.*)$")
RULE = re.compile(r"^-{3,}$")
CODE = re.compile(r"(`[^`]*`)")
MARKUP = re.compile(r"[\\*|_]")


def to_restructured(lines: list[str]) -> list[str]:
    """The lines of a docstring with its entries as definitions and all that is not code as plain text."""
    written: list[str] = []
    is_in_entry = False
    for place, line in enumerate(lines):
        if RULE.match(line) or (place + 1 < len(lines) and RULE.match(lines[place + 1])):
            continue  # the heading of the parameters, which stand out by themselves
        entry = ENTRY.match(line)
        if entry is not None:
            written += [""] if written and written[-1] and not is_in_entry else []
            written += [f"`{entry['names']}`", f"    {_plain(entry['text'])}"]
        else:
            written.append(f"    {_plain(line.strip())}" if is_in_entry and line else _plain(line))
        is_in_entry = entry is not None or (is_in_entry and bool(line))
    return written


def _plain(line: str) -> str:
    """A line in which only code between backticks has a meaning."""
    parts = CODE.split(line)
    return "".join(part if CODE.match(part) else MARKUP.sub(r"\\\g<0>", part) for part in parts)


def _process(app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]) -> None:
    lines[:] = to_restructured(lines)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}
