"""The page of a report: one file that needs no other, no network and, for the law itself, no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from mosaic_sr.equation import Equation
from mosaic_sr.files import write_atomically
from mosaic_sr.html_report.law_panel import Panel, law_details, law_header
from mosaic_sr.html_report.markup import text
from mosaic_sr.html_report.sections import (
    Origin,
    choices,
    constraints,
    course,
    data_summary,
    law_text,
    parts,
    reproduction,
    rivals,
)
from mosaic_sr.outcome import Outcome
from mosaic_sr.pictures.examined import Examined, candidates, examine
from mosaic_sr.pictures.numbers import MOST_POINTS
from mosaic_sr.pictures.observed import Observed
from mosaic_sr.pictures.svg import picture_style

# A report stays below 2 MB, so that it can be sent by mail and opens at once.
MOST_BYTES = 1_900_000
# Equations with pictures and points of each picture, the law apart: the first pair that keeps the page small is taken.
LIMITS = ((40, 1000), (30, 300), (20, 200), (12, 150), (6, 100), (0, 0))


def write_report(path: Path, outcome: Outcome, rows: Observed, origin: Origin | None = None) -> None:
    """Write the report as one file of HTML; InvalidFile where that cannot be done."""
    page = report_page(outcome, rows, Origin() if origin is None else origin)
    # Half of a character, as in a name of a file that is no UTF-8, becomes a question mark.
    write_atomically(path, page.encode("utf-8", "replace"))


def report_page(outcome: Outcome, rows: Observed, origin: Origin) -> str:
    """The report as HTML, with as many pictures and points as fit into a page of a size to send."""
    seen = [examine(outcome, rows, equation) for equation in candidates(outcome)]
    for limits in LIMITS:
        page = _page(outcome, rows, origin, _panels(outcome, seen, *limits))
        if len(page.encode("utf-8", "replace")) <= MOST_BYTES:
            break
    return page


def _page(outcome: Outcome, rows: Observed, origin: Origin, panels: Sequence[Panel]) -> str:
    law_number = next(panel.number for panel in panels if panel.seen.is_law)
    header = "".join(law_header(panel, outcome, law_number) for panel in panels)
    details = "".join(law_details(panel) for panel in panels)
    source = "" if rows.source == "arrays" else f"<span>{text(Path(rows.source).name)}</span>"
    known = parts(outcome) + constraints(outcome)
    end = course(outcome) + data_summary(outcome, rows) + reproduction(rows, origin)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{_policy()}
<title>{text(law_text(outcome))}</title>
<link rel="icon" href="data:,">
<style>{_resource("report.css")}{picture_style()}</style>
</head>
<body data-place="{text(rows.place_word)}">
<header>
<div class="top"><h1>The law of {text(outcome.target)}</h1>{source}</div>
<noscript><p>This page shows the law; with JavaScript it shows all equations of the front.</p></noscript>
<div aria-live="polite">{header}</div>
</header>
<main>{choices(panels, outcome)}<div>{details}{known}{rivals(panels, outcome)}{end}</div></main>
<footer>Written by MOSAIC-SR. This file is complete: it loads nothing.</footer>
<p id="tip" aria-hidden="true" hidden></p>
<script>{_resource("report.js")}</script>
</body>
</html>
"""


def _panels(outcome: Outcome, seen: Sequence[Examined], most_drawn: int, most_points: int) -> list[Panel]:
    """One for each equation of the front, and then for rivals; so many beside the law have pictures."""
    equations = candidates(outcome)
    drawn = _nearest(equations, outcome.law)[:most_drawn]
    panels = []
    for number, (equation, own) in enumerate(zip(equations, seen, strict=True)):
        points = MOST_POINTS if own.is_law else most_points if number in drawn else 0
        shown = outcome.law if own.is_law else equation
        panels.append(Panel(number, shown, own, _label(number, len(outcome.front), outcome), points))
    return panels


def _nearest(equations: Sequence[Equation], law: Equation) -> list[int]:
    """Numbers of the other equations, those nearest to the law in complexity first."""
    others = [number for number, equation in enumerate(equations) if equation.expression != law.expression]
    return sorted(others, key=lambda number: abs(equations[number].complexity - law.complexity))


def _label(number: int, num_front: int, outcome: Outcome) -> str:
    if number < num_front:
        return f"index {number} of the front"
    return "rival of the law" if outcome.scatter is not None else "fits equally well"


def _policy() -> str:
    """Forbids the page to load anything and to run any script but its own, whatever a name in it may hold."""
    digest = base64.b64encode(hashlib.sha256(_resource("report.js").encode()).digest()).decode()
    rules = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


def _resource(name: str) -> str:
    return files("mosaic_sr.html_report").joinpath(name).read_text(encoding="utf-8")
