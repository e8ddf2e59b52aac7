"""An outcome as a piece of HTML: the law in MathML, its constants, pictures and the front; nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice

from mosaic_sr.equation import Equation
from mosaic_sr.group_words import group_lines
from mosaic_sr.html_report.markup import formula
from mosaic_sr.losses import SQUARED
from mosaic_sr.outcome import Outcome
from mosaic_sr.pictures import Observed, examine
from mosaic_sr.pictures.course import front_picture
from mosaic_sr.pictures.numbers import fit_picture, residual_pictures, response_pictures
from mosaic_sr.pictures.picture import Picture
from mosaic_sr.pictures.svg import picture_style, to_svg
from mosaic_sr.report import described_constants, front_cells
from mosaic_sr.verdict import (
    chance,
    chi2_words,
    column_words,
    coverage_words,
    noise_words,
    parting_words,
    stability_words,
    summary,
    verdict,
)
from mosaic_sr.visible import visible

# Of a picture: a notebook keeps what its cells show, and a few thousand rows would make it heavy.
MOST_POINTS = 400
# The law over its columns is drawn for so many; for more, prediction against measurement says it in one picture.
MOST_CURVES = 2
# Colours come from the page, so that dark themes keep theirs; those of rows and outliers are seen on both.
STYLE = (
    ".mosaic-law{margin:.5em 0;--ink:currentColor;--soft:color-mix(in srgb,currentColor 70%,transparent);"
    "--line:color-mix(in srgb,currentColor 16%,transparent);--accent:#3d85c6;--tint:#3d85c633;--mark:#d9592b;"
    "math{display:inline math;font-size:1.15em;vertical-align:middle}.law math{font-size:1.5em}"
    "table{border-collapse:collapse;margin:.4em 0}th,td{text-align:left;padding:.15em .9em .15em 0}"
    ".chosen{font-weight:bold}.figures{display:flex;flex-wrap:wrap;gap:1em 1.6em;margin:.6em 0}"
    "figure{margin:0;width:320px;max-width:100%}figcaption{font-size:.85em;opacity:.8}"
)


def to_html(outcome: Outcome, rows: Observed | None = None) -> str:
    """The law, how good it is, its constants, pictures of it on the rows, and the front folded away."""
    law = outcome.law
    facts = (
        f"{summary(outcome)} · validation R² {1.0 - law.validation.nmse:.9g} · complexity {law.complexity}"
        f" · {outcome.evaluations:,} candidates in {outcome.seconds:.1f} s · found by {law.found_by}"
    )
    constants = _table(("constant", "value ± standard error"), enumerate(described_constants(law)))
    parts = "".join(f"<p>{_part(label, part)}</p>" for label, part in outcome.parts)
    others = "".join(f"<p>{_label(tie, outcome)}: {formula(tie, outcome.target)}</p>" for tie in law.ties)
    style = f"<style>{STYLE}{picture_style()}}}</style>"
    return (
        f'{style}<div class="mosaic-law"><div class="law">{formula(law, outcome.target)}</div>'
        f"{_name(law)}{_noisy(outcome)}<p>{escape(facts)}</p>{constants if law.expression.num_constants else ''}"
        f"{parts}{_groups(outcome)}{_figures(outcome, rows)}{others}{_front(outcome)}</div>"
    )


def _figures(outcome: Outcome, rows: Observed | None) -> str:
    """The law over its columns or against the measured target, what it leaves over, and the front."""
    pictures = [*(() if rows is None else _on_rows(outcome, rows)), front_picture(outcome, outcome.law)]
    drawn = ((picture, to_svg(picture)) for picture in pictures if not picture.is_empty)
    shown = (
        f"<figure>{svg}<figcaption>{escape(visible(picture.title))}</figcaption></figure>"
        for picture, svg in drawn
        if svg
    )
    return f'<div class="figures">{"".join(shown)}</div>'


def _on_rows(outcome: Outcome, rows: Observed) -> Iterator[Picture]:
    seen = examine(outcome, rows, outcome.law)
    if 0 < len(outcome.law.expression.columns) <= MOST_CURVES:
        yield from response_pictures(seen, MOST_POINTS)
    else:
        yield fit_picture(seen, MOST_POINTS)
    yield from islice(residual_pictures(seen, MOST_POINTS), 1)


def _part(label: str, part: Equation) -> str:
    """What stands for an unknown of a template."""
    return formula(part, label)


def _groups(outcome: Outcome) -> str:
    """The constants of groups, with the lines that the terminal shows."""
    lines = group_lines(outcome)
    return f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else ""


def _name(law: Equation) -> str:
    return "" if law.named is None else f"<p>this is: {escape(law.named.sentence())}</p>"


def _label(tie: Equation, outcome: Outcome) -> str:
    if outcome.scatter is None:
        return "fits equally well"
    return "rival" if tie.probability is None else escape(f"rival, probability {chance(tie.probability)}")


def _noisy(outcome: Outcome) -> str:
    """What is known of noisy rows: how sure the law is, the noise, the columns, where more rows would help."""
    if outcome.loss != SQUARED:
        return f"<p><b>{escape(verdict(outcome))}</b></p>"
    if outcome.scatter is None:
        return ""
    columns = column_words(outcome)
    lines = (f"noise: {noise_words(outcome)}", f"columns: {columns}" if columns else "", parting_words(outcome))
    more = (chi2_words(outcome), coverage_words(outcome), stability_words(outcome))
    shown = [escape(line) for line in (*lines, *more) if line]
    return f"<p><b>{escape(verdict(outcome))}</b><br>{'<br>'.join(shown)}</p>"


def _front(outcome: Outcome) -> str:
    head, rows = front_cells(outcome.front, outcome.law)
    table = _table(head, rows, chosen=">>>>")
    return f"<details><summary>front: {len(rows)} equations in order of complexity</summary>{table}</details>"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]], chosen: object = None) -> str:
    """A table of escaped cells; the row that starts with `chosen` stands out."""
    lines = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    for row in rows:
        mark = ' class="chosen"' if chosen is not None and row[0] == chosen else ""
        lines.append(f"<tr{mark}>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>")
    return f"<table>{''.join(lines)}</table>"
