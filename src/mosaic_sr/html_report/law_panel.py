"""What a report shows of one equation: the formula, how sure it is, its numbers and its pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.latex import latex_name
from mosaic_sr.html_report.markup import code, figures, formula, pairs, section, sentences, table, text
from mosaic_sr.outcome import Outcome
from mosaic_sr.pictures.distribution import distribution_picture
from mosaic_sr.pictures.examined import Examined
from mosaic_sr.pictures.numbers import (
    columns_to_compare,
    fit_picture,
    residual_pictures,
    response_pictures,
)
from mosaic_sr.pictures.picture import Picture
from mosaic_sr.report import described_constants, r_squared
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

Floats = NDArray[np.float64]

# Of the numbers of a law that can be copied, as many as the command line prints.
SHOWN_DIGITS = 8
# Formulas of more nodes are set in smaller letters.
MOST_LARGE = 24
# Rows far from the equation that are listed, and outliers of a law.
MOST_FAR, MOST_OUTLIERS = 6, 60
# Columns beside the target in that list: a line should fit on a page.
MOST_LISTED = 5


@dataclass(frozen=True, eq=False)
class Panel:
    """One equation of the report: its number, the equation over all columns, and its values on the rows.

    label: what the list calls it.  most_points: drawn in one picture; 0 for no pictures.
    """

    number: int
    equation: Equation
    seen: Examined
    label: str
    most_points: int


def law_header(panel: Panel, outcome: Outcome, law_number: int) -> str:
    """The formula with the words about it."""
    equation, is_law = panel.equation, panel.seen.is_law
    badge = '<span class="badge">the law</span>' if is_law else f'<span class="badge other">{text(panel.label)}</span>'
    back = "" if is_law else f'<button type="button" data-show="{law_number}">back to the law</button>'
    size = " long" if equation.complexity > MOST_LARGE else ""
    words = _words_of_law(outcome) if is_law else _words_of_other(panel)
    forms = code(f"{outcome.target} = {equation.text(precision=SHOWN_DIGITS)}")
    forms += code(f"{latex_name(outcome.target)} = {equation.latex(precision=6)}")
    return (
        f'<div class="law" data-law="{panel.number}"{"" if is_law else " hidden"}>'
        f'<div class="standing">{badge}{back}</div>'
        f'<div class="formula{size}">{formula(equation, outcome.target)}</div>'
        f'<div class="beside"><div>{_name(equation)}{words}{pairs(_numbers(panel))}</div>{_constants(equation)}</div>'
        f"<details><summary>copy as text or LaTeX</summary>{forms}</details></div>"
    )


def _name(equation: Equation) -> str:
    """What the law is called in its field, where it is known."""
    return "" if equation.named is None else f'<p class="name">This is: {text(equation.named.sentence())}</p>'


def law_details(panel: Panel) -> str:
    """Pictures and the rows that are farthest off."""
    hidden = "" if panel.seen.is_law else " hidden"
    return f'<div data-law="{panel.number}"{hidden}>{"".join(_parts(panel))}</div>'


def _parts(panel: Panel) -> Iterator[str]:
    number, seen, most = panel.number, panel.seen, panel.most_points
    if not most:
        yield "<section><p>This report has pictures of the equations nearest to the law only.</p></section>"
    else:
        if curves := response_pictures(seen, most):
            words = _words_on_curves(seen, curves)
            yield section(f"curves-{number}", "The equation over its columns", words, figures(curves))
        pictures = (fit_picture(seen, most), *residual_pictures(seen, most), distribution_picture(seen))
        yield section(f"residuals-{number}", "Fit and residuals", _words_on_residuals(seen), figures(pictures))
    if rows := _far_rows(seen):
        title = "Outliers" if seen.is_law and seen.is_outlier.any() else "Rows farthest off"
        yield section(f"far-{number}", title, rows)


def _words_on_curves(seen: Examined, curves: Sequence[Picture]) -> str:
    count = len(seen.equation.expression.columns)
    words = f"{len(curves)} of {count} columns are drawn: those over which the equation changes most."
    return f'<p class="said">{words}</p>' if len(curves) < count else ""


def _words_on_residuals(seen: Examined) -> str:
    """Why there are no pictures of residuals, or which columns they are drawn against."""
    if not seen.is_known.any():
        return "<p>The equation has no value in any of these rows.</p>"
    if not np.nan_to_num(seen.residuals).any():
        return "<p>All residuals are 0: the equation gives every digit of the target.</p>"
    drawn, varying = len(columns_to_compare(seen)), sum(fact.num_distinct > 1 for fact in seen.rows.facts[:-1])
    words = f"{drawn} of {varying} columns are drawn: those in the equation, and others that the residuals follow most."
    return f'<p class="said">{words}</p>' if drawn < varying else ""


def _words_of_law(outcome: Outcome) -> str:
    said = [f"noise: {words}" if (words := noise_words(outcome)) else "", chi2_words(outcome)]
    said += [f"columns: {words}" if (words := column_words(outcome)) else "", parting_words(outcome)]
    said += [coverage_words(outcome), stability_words(outcome)]
    if outcome.scatter is not None:
        said.append(summary(outcome))
    head = verdict(outcome)
    return f'<p class="verdict">{text(head[0].upper() + head[1:])}</p><div class="said">{sentences(said)}</div>'


def _words_of_other(panel: Panel) -> str:
    share = panel.equation.probability
    if share is not None:
        return f'<p class="verdict">Probability {text(chance(share))}</p>'
    return '<p class="verdict">Not chosen as the law</p>'


def _numbers(panel: Panel) -> list[tuple[str, object]]:
    equation, seen = panel.equation, panel.seen
    return [
        ("validation R²", r_squared(equation.validation.nmse)),
        ("R² on the rows shown", _plain(seen.r_squared, 6)),
        ("median residual", _plain(seen.median_residual, 3)),
        ("complexity", equation.complexity),
        ("found by", equation.found_by),
    ]


def _plain(value: float, digits: int) -> str:
    return f"{value:.{digits}g}" if math.isfinite(value) else "not known"


def _constants(equation: Equation) -> str:
    rows = list(enumerate(described_constants(equation), start=1))
    shown = table("Constants in reading order", ("", "value ± standard error"), rows, "nt")
    return f"<div>{shown}</div>" if rows else ""


def _far_rows(seen: Examined) -> str:
    """The outliers of the law, or the rows that are farthest from the equation."""
    left = seen.seen_residuals if seen.scatter is None else _shares(seen)
    sizes = np.where(np.isfinite(left), np.abs(left), -1.0)
    if not np.any(sizes > 0.0):
        return ""
    outliers = np.flatnonzero(seen.is_outlier & seen.is_law)
    chosen = outliers if len(outliers) else np.argsort(-sizes, kind="stable")[:MOST_FAR]
    chosen = chosen[sizes[chosen] > 0.0][:MOST_OUTLIERS]
    columns = list(seen.equation.expression.columns)[:MOST_LISTED]
    head = [seen.rows.place_word, *(seen.rows.names[column] for column in columns), seen.outcome.target, "predicted"]
    head += ["residual", *(["residual / scatter"] if seen.scatter is not None else [])]
    rows = [_far_row(seen, int(row), columns) for row in chosen]
    caption = _far_caption(seen, len(outliers), len(chosen))
    return table(caption, head, rows, "n" * len(head))


@np.errstate(all="ignore")
def _shares(seen: Examined) -> Floats:
    """Residuals over the scatter: (rows,)."""
    return seen.residuals if seen.scatter is None else seen.residuals / seen.scatter


def _far_caption(seen: Examined, num_outliers: int, num_listed: int) -> str:
    if not num_outliers:
        used = f" of the {len(seen.rows.target):,} rows used" if len(seen.rows.target) < seen.rows.num_rows else ""
        return f"The {num_listed} rows with the largest residuals{used}."
    listed = "" if num_listed == num_outliers else f" The first {num_listed} are listed."
    return f"Rows that are farther from the law than the scatter explains.{listed}"


def _far_row(seen: Examined, row: int, columns: list[int]) -> list[str]:
    numbers = [*(seen.rows.columns[column][row] for column in columns), seen.rows.target[row], seen.values[row]]
    shown = [str(seen.rows.places[row]), *(f"{value:.6g}" for value in numbers), f"{seen.residuals[row]:.3g}"]
    return shown if seen.scatter is None else [*shown, f"{_shares(seen)[row]:.2g}"]
