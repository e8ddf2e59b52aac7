"""`Section`: a part of the report as Markdown and figures as plain numbers, which `drawing` turns into pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

ABSENT = "–"
# A little more than 0 to 100, so that points at the ends are seen whole.
PERCENT = (-2.0, 102.0)
Style = Literal["line", "steps", "faint", "points", "bars"]


@dataclass(frozen=True)
class Series:
    """Numbers drawn alike; low, high: ends of error bars or of a band, empty for none."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    style: Style = "line"
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    x_names, y_names: words at 0, 1, ... in place of numbers.  level: where to draw a dashed horizontal line.
    x_range, y_range: ends of the axes, empty for those of the numbers.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_names: tuple[str, ...] = ()
    y_names: tuple[str, ...] = ()
    is_log_x: bool = False
    is_log_y: bool = False
    level: float | None = None
    x_range: tuple[float, float] | tuple[()] = ()
    y_range: tuple[float, float] | tuple[()] = ()


@dataclass(frozen=True)
class Figure:
    """Panels side by side; name: of its file, without the ending."""

    name: str
    caption: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Section:
    """A headed part of the report; commands: what makes the lines it is read from."""

    title: str
    text: str
    commands: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()

    def markdown(self, folder: str = "") -> str:
        """The section as text; its figures are shown when the folder that holds them is named."""
        parts = [f"## {self.title}\n", self.text.rstrip("\n") + "\n"]
        if folder:
            parts += [f"![{figure.caption}]({folder}/{figure.name}.svg)\n" for figure in self.figures]
        if self.commands:
            parts.append("\n".join(["```console", *(f"$ {command}" for command in self.commands), "```\n"]))
        return "\n".join(parts)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], num_words: int = 1) -> str:
    """A Markdown table whose first columns hold words and the others numbers."""
    marks = ["---"] * num_words + ["---:"] * (len(header) - num_words)
    return "\n".join(markdown_row(cells) for cells in (header, marks, *rows)) + "\n"


def markdown_row(cells: Sequence[str]) -> str:
    """One line of a table; a bar or a line break inside a cell would end it."""
    return f"| {' | '.join(cell.replace('|', '&#124;').replace(chr(10), ' ') for cell in cells)} |"


def code(equation: str, longest: int = 160) -> str:
    """An equation for a cell, with an ellipsis where it is too long to read."""
    if not equation:
        return ABSENT
    return f"`{equation}`" if len(equation) <= longest else f"`{equation[:longest]}` …"
