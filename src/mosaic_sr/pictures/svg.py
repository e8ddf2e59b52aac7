"""Pictures as SVG without any library; colours come from the style sheet of the page, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.pictures.axes import Axis, axes_of
from mosaic_sr.pictures.picture import Curve, Histogram, Picture, Points
from mosaic_sr.visible import visible

Floats = NDArray[np.float64]

WIDTH, HEIGHT = 376, 256
TOP, RIGHT, BOTTOM = 10, 14, 42
# Of a digit at 11 pixels, and what the title of the vertical axis takes.
DIGIT_WIDTH, TITLE_WIDTH = 6.2, 26
# Fewer points are drawn larger: up to so many points, so many pixels wide.
POINT_SIZES = ((80, 6), (400, 4.5), (10**9, 3))
# More points are drawn below the line, which they would hide.
MOST_ABOVE = 200
# Of a name in a label: longer ones would leave the picture.
MOST_LETTERS = 44


def picture_style() -> str:
    """The style sheet of the pictures; the page sets its colours: --ink, --soft, --line, --accent, --tint, --mark."""
    return files("mosaic_sr.pictures").joinpath("pictures.css").read_text(encoding="utf-8")


class Frame:
    """The place of the axes in the picture."""

    def __init__(self, horizontal: Axis, vertical: Axis) -> None:
        self.horizontal, self.vertical = horizontal, vertical
        longest = max((len(label) for _, label in vertical.ticks), default=1)
        self.left = round(TITLE_WIDTH + DIGIT_WIDTH * longest)
        self.width, self.height = WIDTH - self.left - RIGHT, HEIGHT - TOP - BOTTOM

    def x(self, values: Floats) -> Floats:
        """Pixels from the left."""
        return self.left + self.width * self.horizontal.place(values)

    def y(self, values: Floats) -> Floats:
        """Pixels from the top."""
        return TOP + self.height * (1.0 - self.vertical.place(values))


def to_svg(picture: Picture, targets: Sequence[int] = ()) -> str:
    """The picture as an element; empty where there is nothing to draw.

    targets: for each point the number of the equation that a click on it shows; () where points are rows.
    """
    axes = axes_of(picture)
    if axes is None:
        return ""
    frame = Frame(*axes)
    layers = [_grid(frame)]
    if picture.histogram is not None:
        layers.append(_bars(frame, picture.histogram))
    layers += [_band(frame, curve) for curve in picture.curves]
    layers += [_diagonal(frame)] if picture.has_diagonal else []
    layers += [_level(frame, picture.level)] if picture.level is not None else []
    if targets and picture.points is not None:
        layers += [_line(frame, curve) for curve in picture.curves]
        layers.append(_targets(frame, picture.points, targets))
    else:
        lines, marks = [_line(frame, curve) for curve in picture.curves], _marks(frame, picture)
        layers += [*lines, *marks] if _has_few(picture) else [*marks, *lines]
    label = escape(shown(f"{picture.title}. {picture.caption}", 400), quote=True)
    inside = "".join([*layers, _labels(frame, picture)])
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}"{_ranges(frame)}>{inside}</svg>'


def _has_few(picture: Picture) -> bool:
    """Whether points are so few that they can be drawn over a line and not hide it."""
    return picture.points is not None and len(picture.points.x) <= MOST_ABOVE


def shown(name: str, most_letters: int = MOST_LETTERS) -> str:
    """A name of the user's as a label: without hidden characters, and not too long."""
    text = visible(name)
    return text if len(text) <= most_letters else text[: most_letters - 1] + "…"


def _ranges(frame: Frame) -> str:
    """What the script needs to turn a place into numbers: the frame, and the ends of both axes."""
    ends = (
        f"{axis.low:.9g} {axis.high:.9g} {int(axis.is_log)} {axis.exponent}"
        for axis in (frame.horizontal, frame.vertical)
    )
    return f' data-frame="{frame.left} {TOP} {frame.width} {frame.height} {" ".join(ends)}"'


def _grid(frame: Frame) -> str:
    right, bottom = frame.left + frame.width, TOP + frame.height
    lines, texts = [], []
    for share, label in frame.horizontal.ticks:
        at = round(frame.left + frame.width * share, 1)
        lines.append(f"M{at:g} {TOP}V{bottom}")
        texts.append(f'<text x="{at:g}" y="{bottom + 15}" text-anchor="middle">{label}</text>')
    for share, label in frame.vertical.ticks:
        at = round(bottom - frame.height * share, 1)
        lines.append(f"M{frame.left} {at:g}H{right}")
        texts.append(f'<text x="{frame.left - 6}" y="{at + 3.5:g}" text-anchor="end">{label}</text>')
    return f'<path class="grid" d="{"".join(lines)}"/><g class="ticks">{"".join(texts)}</g>'


def _labels(frame: Frame, picture: Picture) -> str:
    middle, height = frame.left + frame.width / 2, TOP + frame.height / 2
    x, y = (
        escape(f"{shown(label)} {axis.factor}".strip())
        for label, axis in ((picture.x_label, frame.horizontal), (picture.y_label, frame.vertical))
    )
    return (
        f'<g class="names"><text x="{middle:g}" y="{HEIGHT - 8}" text-anchor="middle">{x}</text>'
        f'<text transform="translate(13 {height:g}) rotate(-90)" text-anchor="middle">{y}</text></g>'
    )


def _marks(frame: Frame, picture: Picture) -> list[str]:
    return [
        _points(frame, points, name)
        for points, name in ((picture.points, "rows"), (picture.outliers, "outliers"))
        if points is not None and len(points.x)
    ]


def _points(frame: Frame, points: Points, name: str) -> str:
    """All points as one path of dots, which browsers draw at once."""
    size = next(size for most, size in POINT_SIZES if len(points.x) <= most)
    x, y = frame.x(points.x), frame.y(points.y)
    is_drawn = np.isfinite(x) & np.isfinite(y)
    dots = "".join(f"M{a:g} {b:g}h0" for a, b in _rounded(x[is_drawn], y[is_drawn]))
    rows = f' data-rows="{" ".join(map(str, points.rows[is_drawn].tolist()))}"' if len(points.rows) else ""
    errors = _error_bars(frame, points) if len(points.bars) else ""
    return f'{errors}<path class="{name}" stroke-width="{size}" d="{dots}"{rows}/>'


def _error_bars(frame: Frame, points: Points) -> str:
    x = frame.x(points.x)
    low, high = (np.clip(frame.y(points.y + way * points.bars), TOP, TOP + frame.height) for way in (-1.0, 1.0))
    spans = zip(_rounded(x, low), high.tolist(), strict=True)
    lines = "".join(f"M{a:g} {b:g}V{c:.1f}" for (a, b), c in spans if np.isfinite([a, b, c]).all())
    return f'<path class="errors" d="{lines}"/>'


def _targets(frame: Frame, points: Points, targets: Sequence[int]) -> str:
    """Points that can be clicked."""
    spots = _rounded(frame.x(points.x), frame.y(points.y))
    circles = (
        f'<circle cx="{x:g}" cy="{y:g}" r="5" data-show="{target}"/>'
        for (x, y), target in zip(spots, targets, strict=True)
        if np.isfinite(x) and np.isfinite(y)
    )
    return f'<g class="targets">{"".join(circles)}</g>'


def _line(frame: Frame, curve: Curve) -> str:
    name = "faint line" if curve.is_faint else "line"
    return f'<path class="{name}" d="{_path(frame, curve.x, curve.y, curve.is_step)}"/>'


def _path(frame: Frame, x: Floats, y: Floats, is_step: bool = False) -> str:
    """A line with gaps where there is no value or one outside of the frame."""
    parts, is_open = [], False
    for a, b in _rounded(frame.x(x), frame.y(y)):
        if not (np.isfinite(a) and TOP <= b <= TOP + frame.height):
            is_open = False
            continue
        step = f"H{a:g}V{b:g}" if is_step else f"L{a:g} {b:g}"
        parts.append(step if is_open else f"M{a:g} {b:g}")
        is_open = True
    return "".join(parts)


def _band(frame: Frame, curve: Curve) -> str:
    is_known = np.isfinite(curve.low) & np.isfinite(curve.high)
    if not is_known.any():
        return ""
    x = frame.x(curve.x[is_known])
    bottom = TOP + frame.height
    # On a logarithmic axis the low end of a band may be negative: it then reaches to the bottom.
    ends = (np.nan_to_num(frame.y(end[is_known]), nan=bottom) for end in (curve.low, curve.high))
    low, high = (np.clip(end, TOP, bottom) for end in ends)
    there = " ".join(f"{a:g} {b:g}" for a, b in _rounded(x, high))
    back = " ".join(f"{a:g} {b:g}" for a, b in _rounded(x[::-1], low[::-1]))
    return f'<path class="band" d="M{there} {back}Z"/>'


def _bars(frame: Frame, histogram: Histogram) -> str:
    edges, tops = frame.x(histogram.edges), frame.y(histogram.counts)
    floor = float(frame.y(np.zeros(1))[0])
    bars = "".join(
        f"M{left:.1f} {floor:.1f}V{top:.1f}H{right:.1f}V{floor:.1f}Z"
        for left, right, top in zip(edges[:-1], edges[1:], tops, strict=True)
    )
    return f'<path class="bars" d="{bars}"/>'


def _diagonal(frame: Frame) -> str:
    return f'<path class="guide" d="M{frame.left} {TOP + frame.height}L{frame.left + frame.width} {TOP}"/>'


def _level(frame: Frame, level: float) -> str:
    at = float(frame.y(np.array([level]))[0])
    return f'<path class="guide" d="M{frame.left} {at:.1f}H{frame.left + frame.width}"/>'


def _rounded(x: Floats, y: Floats) -> list[tuple[float, float]]:
    """Pixels to a tenth: finer than any screen, and short."""
    return list(zip(np.round(x, 1).tolist(), np.round(y, 1).tolist(), strict=True))
