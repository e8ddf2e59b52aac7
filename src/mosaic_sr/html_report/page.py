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
from mosaic_sr.html_report.sections import Origin, choices, course, data_summary, law_text, reproduction, rivals
from mosaic_sr.outcome import Outcome
from mosaic_sr.pictures.examined import candidates, examine
from mosaic_sr.pictures.numbers import MOST_POINTS
from mosaic_sr.pictures.observed import Observed

# Points of all pictures of all other equations together: some 15 bytes each, so that a report stays below 2 MB.
POINTS_OF_OTHERS = 40_000
# Pictures of one equation, about: curves, fit, residuals.
PICTURES = 12
# Equations with pictures beside the law; each takes some 15 kB even without points.
MOST_DRAWN = 24
# Fewer points of a long table would say nothing.
LEAST_POINTS = 100


def write_report(path: Path, outcome: Outcome, rows: Observed, origin: Origin | None = None) -> None:
    """Write the report as one file of HTML; InvalidFile where that cannot be done."""
    page = report_page(outcome, rows, Origin() if origin is None else origin)
    # Half of a character, as in a name of a file that is no UTF-8, becomes a question mark.
    write_atomically(path, page.encode("utf-8", "replace"))


def report_page(outcome: Outcome, rows: Observed, origin: Origin) -> str:
    """The report as HTML."""
    panels = _panels(outcome, rows)
    law_number = next(panel.number for panel in panels if panel.seen.is_law)
    header = "".join(law_header(panel, outcome, law_number) for panel in panels)
    details = "".join(law_details(panel, outcome) for panel in panels)
    source = "" if rows.source == "arrays" else f"<span>{text(Path(rows.source).name)}</span>"
    end = course(outcome) + data_summary(outcome, rows) + reproduction(outcome, rows, origin)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{_policy()}
<title>{text(law_text(outcome))}</title>
<link rel="icon" href="data:,">
<style>{_resource("report.css")}</style>
</head>
<body data-place="{text(rows.place_word)}">
<header>
<div class="top"><h1>The law of {text(outcome.target)}</h1>{source}</div>
<noscript><p>This page shows the law; with JavaScript it shows all equations of the front.</p></noscript>
<div aria-live="polite">{header}</div>
</header>
<main>{choices(panels, outcome)}<div>{details}{rivals(panels, outcome)}{end}</div></main>
<footer>Written by MOSAIC-SR. This file is complete: it loads nothing.</footer>
<p id="tip" role="status" hidden></p>
<script>{_resource("report.js")}</script>
</body>
</html>
"""


def _panels(outcome: Outcome, rows: Observed) -> list[Panel]:
    """One for each equation of the front, and then for rivals."""
    equations = candidates(outcome)
    drawn = _drawn(equations, outcome)
    most = max(LEAST_POINTS, min(MOST_POINTS, POINTS_OF_OTHERS // (PICTURES * max(1, len(drawn)))))
    panels = []
    for number, equation in enumerate(equations):
        seen = examine(outcome, rows, equation)
        points = MOST_POINTS if seen.is_law else most if number in drawn else 0
        shown = outcome.law if seen.is_law else equation
        panels.append(Panel(number, shown, seen, _label(number, len(outcome.front), outcome), points))
    return panels


def _drawn(equations: Sequence[Equation], outcome: Outcome) -> set[int]:
    """Numbers of the equations that have pictures: those nearest to the law in complexity, where there are many."""
    own = outcome.law.complexity
    by_distance = sorted(range(len(equations)), key=lambda number: abs(equations[number].complexity - own))
    return set(by_distance[:MOST_DRAWN])


def _label(number: int, num_front: int, outcome: Outcome) -> str:
    if number < num_front:
        return f"equation {number} of the front"
    return "rival of the law" if outcome.scatter is not None else "fits equally well"


def _policy() -> str:
    """Forbids the page to load anything and to run any script but its own, whatever a name in it may hold."""
    digest = base64.b64encode(hashlib.sha256(_resource("report.js").encode()).digest()).decode()
    rules = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


def _resource(name: str) -> str:
    return files("mosaic_sr.html_report").joinpath(name).read_text(encoding="utf-8")
