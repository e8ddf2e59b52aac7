"""An outcome as a piece of HTML: the law in MathML, its constants and the front; nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.mathml import to_mathml
from mosaic_sr.group_words import group_lines
from mosaic_sr.losses import SQUARED
from mosaic_sr.outcome import Outcome
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

# Of the constants of a law; their errors mostly leave fewer.
SHOWN_DIGITS = 5
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
    facts = (
        f"{summary(outcome)} · validation R² {1.0 - law.validation.nmse:.9g} · complexity {law.complexity}"
        f" · {outcome.evaluations:,} candidates in {outcome.seconds:.1f} s · found by {law.found_by}"
    )
    constants = _table(("constant", "value ± standard error"), enumerate(described_constants(law)))
    parts = "".join(f"<p>{_part(label, part)}</p>" for label, part in outcome.parts)
    others = "".join(f"<p>{_label(tie, outcome)}: {_formula(tie, outcome)}</p>" for tie in law.ties)
    return (
        f'{STYLE}<div class="mosaic-law">{_formula(law, outcome)}'
        f"{_name(law)}{_noisy(outcome)}<p>{escape(facts)}</p>{constants if law.expression.num_constants else ''}"
        f"{parts}{_groups(outcome)}{others}{_front(outcome)}</div>"
    )


def _formula(law: Equation, outcome: Outcome) -> str:
    return to_mathml(law.expression, law.names, outcome.target, law.digits(SHOWN_DIGITS))


def _part(label: str, part: Equation) -> str:
    """What stands for an unknown of a template."""
    return to_mathml(part.expression, part.names, label, part.digits(SHOWN_DIGITS))


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
