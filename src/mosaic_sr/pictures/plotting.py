"""Pictures as matplotlib figures, without its global state; the only importer of matplotlib in the package."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mosaic_sr.equation import Equation
from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.files import write_atomically
from mosaic_sr.outcome import Outcome
from mosaic_sr.pictures.axes import axes_of
from mosaic_sr.pictures.course import front_picture
from mosaic_sr.pictures.distribution import distribution_picture
from mosaic_sr.pictures.examined import Examined, examine
from mosaic_sr.pictures.numbers import fit_picture, residual_pictures, response_pictures
from mosaic_sr.pictures.observed import Observed
from mosaic_sr.pictures.picture import Picture, Points
from mosaic_sr.pictures.svg import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")
REMEDY = 'pip install "mosaic-sr[report]"'
# Inches of one of several pairs of axes, how many stand side by side, and inches of a pair alone.
WIDTH, HEIGHT, MOST_ACROSS = 4.2, 3.0, 3
ALONE = (5.6, 4.2)
# Of the formula above the axes, in small letters.
LETTERS_PER_INCH = 12
DOTS_PER_INCH = 150
STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.35,
    "text.usetex": False,
    "svg.hashsalt": "mosaic-sr",
    "svg.fonttype": "none",
}
# Colours that readers with the usual colour weaknesses distinguish.
BLUE, INK, RED, GREY = "#1f5fa8", "#1b1e22", "#b3401f", "0.45"


def _residual_kind(outcome: Outcome, seen: Examined) -> list[Picture]:
    return [*residual_pictures(seen), distribution_picture(seen)]


# What `kind` may be, with the pictures of each.
KINDS: dict[str, Callable[[Outcome, Examined], Sequence[Picture]]] = {
    "fit": lambda outcome, seen: [fit_picture(seen)],
    "residuals": _residual_kind,
    "response": lambda outcome, seen: response_pictures(seen),
    "front": lambda outcome, seen: [front_picture(outcome, seen.equation)],
}


def check_kind(kind: object) -> None:
    """Refuse a kind of picture that there is not."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidSettings(f"kind must be {', '.join(list(KINDS)[:-1])} or {list(KINDS)[-1]}, got {kind!r:.40}")


def check_ending(path: Path) -> None:
    """Refuse a file that is none of the kinds that can be written."""
    if path.suffix.lower() not in ENDINGS:
        raise InvalidFile(f"{path}: a picture is written as {', '.join(ENDINGS)}; give the file one of these endings")


def refuse_without_matplotlib() -> None:
    """Refuse to draw where matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise InvalidSettings(f"pictures need matplotlib; {REMEDY}") from error


def draw_kind(kind: str, outcome: Outcome, rows: Observed, equation: Equation) -> Figure:
    """A figure of this kind of an equation of the outcome on the rows."""
    check_kind(kind)
    refuse_without_matplotlib()
    pictures = [one for one in KINDS[kind](outcome, examine(outcome, rows, equation)) if not one.is_empty]
    return _figure(pictures, f"{outcome.target} = {equation.text(precision=5)}")


def save_figure(path: Path, figure: Figure) -> None:
    """Write a figure, whole or not at all; InvalidFile where that cannot be done."""
    import matplotlib

    check_ending(path)
    ending = path.suffix.lower()[1:]
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    stream = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(stream, format=ending, dpi=DOTS_PER_INCH, metadata=undated)
    write_atomically(path, stream.getvalue())


def _figure(pictures: Sequence[Picture], title: str) -> Figure:
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    across = max(1, min(MOST_ACROSS, len(pictures)))
    down = max(1, -(-len(pictures) // across))
    with matplotlib.rc_context(STYLE):
        size = ALONE if len(pictures) < 2 else (WIDTH * across, HEIGHT * down + 0.4)
        canvas = Canvas(figsize=size, layout="constrained", facecolor="white")
        canvas.suptitle(plain(shown(title, int(LETTERS_PER_INCH * size[0]))), fontsize=9.5)
        pairs = canvas.subplots(down, across, squeeze=False).ravel()
        for axes, picture in zip(pairs, pictures, strict=False):
            _draw(axes, picture)
        for axes in pairs[len(pictures) :]:
            axes.set_axis_off()
        if not pictures:
            pairs[0].text(0.5, 0.5, "there is nothing to draw on these rows", ha="center", color=GREY)
    return canvas


def plain(words: str) -> str:
    """Words in which matplotlib sees no formula of its own."""
    return words.replace("$", r"\$")


def _draw(axes: Axes, picture: Picture) -> None:
    if picture.histogram is not None:
        axes.stairs(picture.histogram.counts, picture.histogram.edges, fill=True, color=BLUE, alpha=0.45)
    for curve in picture.curves:
        if len(curve.low):
            axes.fill_between(curve.x, curve.low, curve.high, color=BLUE, alpha=0.14, linewidth=0.0)
        look: dict[str, Any] = {"color": GREY if curve.is_faint else INK, "linewidth": 0.9 if curve.is_faint else 1.5}
        axes.plot(curve.x, curve.y, drawstyle="steps-post" if curve.is_step else "default", zorder=3, **look)
    _draw_points(axes, picture.points, BLUE, 0.5)
    if picture.kind == "front" and picture.outliers is not None:
        axes.plot(picture.outliers.x, picture.outliers.y, marker="o", markersize=9.0, color=BLUE, zorder=5)
    else:
        _draw_points(axes, picture.outliers, RED, 1.0)
    if picture.level is not None:
        axes.axhline(picture.level, color=GREY, linestyle="--", linewidth=0.9)
    _dress(axes, picture)


def _draw_points(axes: Axes, points: Points | None, colour: str, opacity: float) -> None:
    if points is None:
        return
    if len(points.bars):
        axes.errorbar(points.x, points.y, points.bars, linestyle="none", color=colour, alpha=0.35, linewidth=0.8)
    size = 4.5 if len(points.x) <= 400 else 2.5
    look: dict[str, Any] = {"color": colour, "alpha": opacity, "markeredgewidth": 0.0, "zorder": 4}
    axes.plot(points.x, points.y, linestyle="none", marker="o", markersize=size, **look)


def _dress(axes: Axes, picture: Picture) -> None:
    """Names, scales and ends of the axes: the same ends as in a report."""
    axes.set_title(plain(shown(picture.title)), fontsize=9.5, loc="left")
    axes.set_xlabel(plain(shown(picture.x_label)))
    axes.set_ylabel(plain(shown(picture.y_label)))
    axes.set_xscale("log" if picture.is_log_x else "linear")
    axes.set_yscale("log" if picture.is_log_y else "linear")
    ends = axes_of(picture)
    if ends is None:
        return
    limits: tuple[Callable[[float, float], object], ...] = (axes.set_xlim, axes.set_ylim)
    for axis, limit in zip(ends, limits, strict=True):
        low, high = (10.0**end if axis.is_log else end * 10.0**axis.exponent for end in (axis.low, axis.high))
        if np.isfinite([low, high]).all() and low < high:
            limit(low, high)
    if picture.has_diagonal:
        line = axes.get_xlim()
        axes.plot(line, line, color=GREY, linestyle="--", linewidth=0.9, scalex=False, scaley=False)
