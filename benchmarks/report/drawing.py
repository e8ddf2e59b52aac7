"""Figures as SVG files; the only importer of matplotlib. Equal numbers give equal files."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.report.section import Figure, Panel, Series
from mosaic_sr import InvalidFile, InvalidSettings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL_WIDTH, PANEL_HEIGHT = 4.6, 3.4
INCHES_PER_NAME = 0.85
INCHES_PER_LINE = 0.28
MOST_LEVEL_NAMES = 5  # more would run into each other
# Colours that readers with the usual colour weaknesses can tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
# Fewer than colours, so that the pairs repeat late.
MARKERS = ("o", "s", "^", "D", "v")
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "mosaic-sr",
    # Text stays text: files are small, and the same whatever fonts a machine has.
    "svg.fonttype": "none",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
}


def draw_into(folder: Path, figures: Iterable[Figure]) -> None:
    """One file per figure, in a folder that is made where its parent exists."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InvalidFile(f"cannot create the folder {folder}: {error.strerror}") from error
    for figure in figures:
        draw(figure, folder / f"{figure.name}.svg")


def draw(figure: Figure, path: Path) -> None:
    """Write one figure."""
    try:
        import matplotlib
        from matplotlib.figure import Figure as Canvas
    except ModuleNotFoundError as error:
        raise InvalidSettings("figures need matplotlib: pip install 'mosaic-sr[report]'") from error
    with matplotlib.rc_context(STYLE):
        canvas = Canvas(figsize=_size(figure), layout="constrained", facecolor="white")
        axes = canvas.subplots(1, len(figure.panels), squeeze=False)[0]
        for pair, panel in zip(axes, figure.panels, strict=True):
            _draw_panel(pair, panel)
        handles, labels = axes[0].get_legend_handles_labels()
        if labels:
            canvas.legend(handles, labels, loc="outside lower center", ncols=min(3, len(labels)))
        try:
            canvas.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
        except OSError as error:
            raise InvalidFile(f"cannot write {path}: {error.strerror}") from error


def _size(figure: Figure) -> tuple[float, float]:
    """Inches: room for every named place, and for the lines of the legend."""
    width = sum(max(PANEL_WIDTH, INCHES_PER_NAME * len(panel.x_names)) for panel in figure.panels)
    names = max(len(panel.y_names) for panel in figure.panels)
    labels = len({series.label for panel in figure.panels for series in panel.series if series.label})
    return width, PANEL_HEIGHT + INCHES_PER_LINE * (names + labels / 3)


def _draw_panel(axes: Axes, panel: Panel) -> None:
    looks = zip(cycle(COLOURS), cycle(MARKERS), strict=False)
    bars = [series for series in panel.series if series.style == "bars"]
    for series in panel.series:
        if series.style == "faint":
            axes.step(series.x, series.y, where="post", color="0.8", linewidth=0.6, zorder=1)
        elif series.style == "bars":
            _draw_bars(axes, series, bars.index(series), len(bars), next(looks)[0])
        else:
            _draw_series(axes, series, next(looks), is_sideways=bool(panel.y_names))
    _dress(axes, panel)


def _dress(axes: Axes, panel: Panel) -> None:
    """Titles, scales, names and ends of the axes."""
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    if panel.is_log_x:
        axes.set_xscale("log")
    if panel.is_log_y and any(value > 0.0 for series in panel.series for value in series.y):
        axes.set_yscale("log")
    if panel.x_names:
        is_crowded = len(panel.x_names) > MOST_LEVEL_NAMES
        tilt: dict[str, Any] = {"rotation": 30, "ha": "right"} if is_crowded else {}
        axes.set_xticks(range(len(panel.x_names)), panel.x_names, **tilt)
    if panel.y_names:
        axes.set_yticks(range(len(panel.y_names)), panel.y_names)
        axes.invert_yaxis()
    if panel.level is not None:
        axes.axhline(panel.level, color="0.4", linestyle="--", linewidth=0.8)
    if panel.x_range:
        axes.set_xlim(*panel.x_range)
    if panel.y_range:
        axes.set_ylim(*panel.y_range)


def _draw_series(axes: Axes, series: Series, colour_and_marker: tuple[str, str], is_sideways: bool) -> None:
    """A curve with its band, steps with theirs, or points with error bars."""
    colour, marker = colour_and_marker
    look: dict[str, Any] = {"color": colour, "label": series.label}
    if series.style == "points":
        _draw_points(axes, series, {**look, "marker": marker, "linestyle": "none"}, is_sideways)
        return
    if series.style == "steps":
        axes.step(series.x, series.y, where="post", **look)
    else:
        axes.plot(series.x, series.y, marker=marker, **look)
    if series.low:
        look = {"step": "post"} if series.style == "steps" else {}
        axes.fill_between(series.x, series.low, series.high, color=colour, alpha=0.2, linewidth=0.0, **look)


def _draw_points(axes: Axes, series: Series, look: dict[str, Any], is_sideways: bool) -> None:
    if not series.low:
        axes.plot(series.x, series.y, **look)
        return
    middle = series.x if is_sideways else series.y
    ends = [
        [value - low for value, low in zip(middle, series.low, strict=True)],
        [high - value for value, high in zip(middle, series.high, strict=True)],
    ]
    look |= {"xerr" if is_sideways else "yerr": ends}
    axes.errorbar(series.x, series.y, **look)


def _draw_bars(axes: Axes, series: Series, index: int, count: int, colour: str) -> None:
    width = 0.8 / count
    places = [place + (index - (count - 1) / 2) * width for place in series.x]
    half = [(high - low) / 2 for low, high in zip(series.low, series.high, strict=True)]
    # Labels stand above error bars that the bars know of.
    errors: dict[str, Any] = {"yerr": half, "error_kw": {"ecolor": "0.2", "elinewidth": 0.8}} if any(half) else {}
    bars = axes.bar(places, series.y, width, color=colour, label=series.label, **errors)
    axes.bar_label(bars, fmt="%.0f", fontsize=7.0, padding=1.0)
