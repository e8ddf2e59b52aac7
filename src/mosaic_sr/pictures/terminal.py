"""A picture in characters: rows as dots and the law as a line, four by two to a character of Braille."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.pictures.axes import Axis, axes_of
from mosaic_sr.pictures.picture import Picture
from mosaic_sr.visible import visible

Floats = NDArray[np.float64]
Dots = NDArray[np.bool_]

# Characters of the picture itself.
WIDTH, HEIGHT = 60, 15
# Dots of a character, from the left and from the top, as Unicode numbers them.
BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
BLANK = 0x2800
# Room for the labels of the vertical axis.
LABEL_WIDTH = 9
# What a piece of a line shows.
CURVE, ROWS, FRAME = "curve", "rows", "frame"
Piece = tuple[str, str]


def draw_text(picture: Picture) -> Iterator[list[Piece]]:
    """Lines of pieces: text, and what it shows; none where there is nothing to draw."""
    axes = axes_of(picture)
    if axes is None or picture.points is None:
        return
    horizontal, vertical = axes
    yield [(f"{'':{LABEL_WIDTH}}{_named(picture.y_label, vertical)}", FRAME)]
    rows, curve = _row_dots(picture, horizontal, vertical), _curve_dots(picture, horizontal, vertical)
    labels = _labels(vertical)
    for line in range(HEIGHT):
        cells = slice(4 * line, 4 * line + 4)
        yield [(f"{labels.get(line, ''):>{LABEL_WIDTH - 1}} ", FRAME), *_characters(rows[cells], curve[cells])]
    yield [(f"{'':{LABEL_WIDTH}}{_below(horizontal)}", FRAME)]
    yield [(f"{'':{LABEL_WIDTH}}{_named(picture.x_label, horizontal):^{WIDTH}}".rstrip(), FRAME)]


def _named(label: str, axis: Axis) -> str:
    return visible(f"{label} {axis.factor}".strip())[:WIDTH]


def _characters(rows: Dots, curve: Dots) -> Iterator[Piece]:
    """One line of the picture; rows, curve: (4, 2 * WIDTH), which dots are set."""
    cells = [(rows | curve)[:, 2 * place : 2 * place + 2] for place in range(WIDTH)]
    has_curve = np.asarray(curve.reshape(4, WIDTH, 2).any(axis=(0, 2)))
    letters = [chr(BLANK + int(BITS[cell].sum())) if cell.any() else " " for cell in cells]
    for is_curve, run in groupby(range(WIDTH), key=lambda place: bool(has_curve[place])):
        yield "".join(letters[place] for place in run), CURVE if is_curve else ROWS


def _row_dots(picture: Picture, horizontal: Axis, vertical: Axis) -> Dots:
    """Rows as squares of two by two dots, so that they differ from a line also without colours."""
    dots = _no_dots()
    for points in filter(None, (picture.points, picture.outliers)):
        x, y = _places(points.x, points.y, horizontal, vertical)
        for across, down in ((0, 0), (0, 1), (1, 0), (1, 1)):
            dots[np.minimum(y + down, dots.shape[0] - 1), np.minimum(x + across, dots.shape[1] - 1)] = True
    return dots


def _curve_dots(picture: Picture, horizontal: Axis, vertical: Axis) -> Dots:
    dots = _no_dots()
    for curve in picture.curves:
        # Between the places of a curve, as many as a steep line needs.
        places = np.linspace(0.0, len(curve.x) - 1.0, 16 * len(curve.x))
        numbers = np.arange(len(curve.x))
        x, y = _places(np.interp(places, numbers, curve.x), np.interp(places, numbers, curve.y), horizontal, vertical)
        dots[y, x] = True
    return dots


def _places(x: Floats, y: Floats, horizontal: Axis, vertical: Axis) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Columns and lines of the dots that are inside of the picture."""
    across, up = horizontal.place(x), vertical.place(y)
    is_inside = (across >= 0.0) & (across <= 1.0) & (up >= 0.0) & (up <= 1.0)
    lines, columns = _no_dots().shape
    return (
        np.round(across[is_inside] * (columns - 1)).astype(np.intp),
        np.round((1.0 - up[is_inside]) * (lines - 1)).astype(np.intp),
    )


def _no_dots() -> Dots:
    return np.zeros((4 * HEIGHT, 2 * WIDTH), dtype=np.bool_)


def _labels(vertical: Axis) -> dict[int, str]:
    """Ticks of the vertical axis by the line that they stand beside."""
    return {round((1.0 - share) * (HEIGHT - 1)): label[: LABEL_WIDTH - 1] for share, label in vertical.ticks}


def _below(horizontal: Axis) -> str:
    """Ticks of the horizontal axis, each centred below its place; those that would touch are left out."""
    line = [" "] * (WIDTH + LABEL_WIDTH)
    for share, label in horizontal.ticks:
        start = max(0, round(share * (WIDTH - 1)) - len(label) // 2)
        if "".join(line[max(0, start - 1) : start + len(label) + 1]).strip() == "" and start + len(label) <= len(line):
            line[start : start + len(label)] = label
    return "".join(line).rstrip()
