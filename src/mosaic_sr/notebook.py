"""An outcome as a piece of HTML: the law in MathML, its constants and the front; nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from mosaic_sr.expressions.mathml import to_mathml
from mosaic_sr.outcome import Outcome
from mosaic_sr.report import describe_closeness, described_constants

# Colours come from the page, so that dark themes keep theirs.
STYLE = (
    "<style>.mosaic-law{margin:.5em 0}.mosaic-law math{font-size:1.4em;text-align:left}"
    ".mosaic-law table{border-collapse:collapse;margin:.4em 0}"
    ".mosaic-law th,.mosaic-law td{text-align:left;padding:.15em .9em .15em 0}"
    ".mosaic-law .chosen{font-weight:bold}</style>"
)


def to_html(outcome: Outcome) -> str:
    """The law, how good it is, its constants, and the front folded away."""
    law = outcome.law
    verdict = describe_closeness(law)
    early = ", stopped early" if outcome.stopped_early else ""
    facts = (
        f"{verdict}{early} · validation R² {1.0 - law.validation.nmse:.9g} · complexity {law.complexity}"
        f" · {outcome.evaluations:,} candidates in {outcome.seconds:.1f} s · found by {law.found_by}"
    )
    constants = _table(("constant", "value ± standard error"), enumerate(described_constants(law)))
    ties = "".join(
        f"<p>fits equally well: {to_mathml(tie.expression, tie.names, outcome.target)}</p>" for tie in law.ties
    )
    return (
        f'{STYLE}<div class="mosaic-law">{to_mathml(law.expression, law.names, outcome.target)}'
        f"<p>{escape(facts)}</p>{constants if law.expression.num_constants else ''}{ties}{_front(outcome)}</div>"
    )


def _front(outcome: Outcome) -> str:
    rows = [
        (equation.complexity, f"{equation.validation.nmse:.2e}", equation.text(precision=5))
        for equation in outcome.front
    ]
    table = _table(("complexity", "validation loss", "equation"), rows, chosen=outcome.law.complexity)
    return f"<details><summary>front: {len(rows)} equations in order of complexity</summary>{table}</details>"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]], chosen: object = None) -> str:
    """A table of escaped cells; the row that starts with `chosen` stands out."""
    lines = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    for row in rows:
        mark = ' class="chosen"' if chosen is not None and row[0] == chosen else ""
        lines.append(f"<tr{mark}>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>")
    return f"<table>{''.join(lines)}</table>"
