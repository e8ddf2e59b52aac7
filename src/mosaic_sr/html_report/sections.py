"""The parts of a report that belong to the whole search: front, rivals, course, data, how to reproduce it."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from mosaic_sr.html_report.law_panel import SHOWN_DIGITS, Panel
from mosaic_sr.html_report.markup import code, figure, formula, pairs, section, table, text
from mosaic_sr.outcome import Outcome
from mosaic_sr.pictures.course import course_picture, front_picture
from mosaic_sr.pictures.examined import examine
from mosaic_sr.pictures.observed import ColumnFacts, Observed
from mosaic_sr.report import constants_text, front_probabilities
from mosaic_sr.verdict import chance

PACKAGES = ("mosaic-sr", "numpy", "scipy", "numba")
# Settings that say nothing of the law.
UNTOLD = ("progress", "n_jobs", "output_directory", "warm_start", "random_state")
# A loss so many times as large is no matter of weights; below the least one it is rounding.
MUCH_WORSE, LEAST_LOSS = 4.0, 1e-20
# Columns of the summary: of hundreds nobody reads more.
MOST_FACTS = 60


@dataclass(frozen=True)
class Origin:
    """How a law was found.  command: of the shell, or empty.  settings: those of the estimator."""

    command: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


def choices(panels: Sequence[Panel], outcome: Outcome) -> str:
    """The picture of the front and the list of equations to choose from."""
    on_front = panels[: len(outcome.front)]
    picture = figure(front_picture(outcome), [panel.number for panel in on_front])
    beside = panels[len(outcome.front) :]
    listed = _choices([*on_front, *(panel for panel in beside if panel.seen.is_law)], "front", outcome)
    others = [panel for panel in beside if not panel.seen.is_law]
    more = f"<h3>{'Rivals' if outcome.scatter is not None else 'Fit equally well'}</h3>" if others else ""
    more += _choices(others, "other", outcome) if others else ""
    hint = "<p class='said'>Choose an equation: formula, numbers and pictures follow.</p>"
    return f'<aside aria-labelledby="front"><h2 id="front">Front</h2>{picture}{hint}{listed}{more}</aside>'


def _choices(panels: Sequence[Panel], name: str, outcome: Outcome) -> str:
    shares = front_probabilities([panel.equation for panel in panels], outcome.law)
    num_front = len(outcome.front)
    rows = "".join(_choice(panel, share, num_front) for panel, share in zip(panels, shares, strict=True))
    return f'<div class="choices" role="radiogroup" aria-label="{name}">{rows}</div>'


def _choice(panel: Panel, share: float, num_front: int) -> str:
    equation, is_law = panel.equation, panel.seen.is_law
    facts = f"index {panel.number} · " if panel.number < num_front else ""
    facts += f"complexity {equation.complexity} · loss {equation.validation.loss:.2g}"
    facts += f" · probability {chance(share)}" if share == share else ""
    return (
        f'<label{" class=chosen" if is_law else ""}><input type="radio" name="law" value="{panel.number}"'
        f'{" checked" if is_law else ""}><span class="formula">{text(equation.text(precision=5))}</span>'
        f'<span class="facts">{text(facts)}{" · the law" if is_law else ""}</span></label>'
    )


def rivals(panels: Sequence[Panel], outcome: Outcome) -> str:
    """Laws that may be right instead, typeset; empty where there is none."""
    shown = [_rival(panels, outcome, tie) for tie in outcome.law.ties]
    if not shown:
        return ""
    title = "Rivals" if outcome.scatter is not None else "Laws that fit equally well"
    return section("rivals", title, f'<ul class="rivals">{"".join(shown)}</ul>')


def parts(outcome: Outcome) -> str:
    """What stands for each unknown of a template, typeset with its constants; empty where there is none."""
    if not outcome.parts:
        return ""
    shown = [
        f"<li>{formula(part, label)}<p>{text(f'constants {constants}' if constants else '')}</p></li>"
        for label, part in outcome.parts
        for constants in [constants_text(part)]
    ]
    return section("parts", "Unknowns of the template", f'<ul class="rivals">{"".join(shown)}</ul>')


def constraints(outcome: Outcome) -> str:
    """How the law keeps each of the user's constraints; empty where there is none."""
    if not outcome.constraints:
        return ""
    rows = [(one.constraint, one.how) for one in outcome.constraints]
    return section("constraints", "Constraints", table("Of the law", ("constraint", "decided"), rows, "tt"))


def _rival(panels: Sequence[Panel], outcome: Outcome, tie: Any) -> str:
    number = next(panel.number for panel in panels if panel.equation.expression == tie.expression)
    share = "" if tie.probability is None else f"probability {chance(tie.probability)}"
    constants = constants_text(tie)
    words = " · ".join(filter(None, (share, f"constants {constants}" if constants else "")))
    button = f'<button type="button" data-show="{number}">show</button>'
    return f"<li>{formula(tie, outcome.target)}<p>{text(words)} {button}</p></li>"


def course(outcome: Outcome) -> str:
    """How the search went: error over time, seconds of each stage, who found the law."""
    facts: list[tuple[str, object]] = [
        ("found by", outcome.law.found_by),
        ("candidates", f"{outcome.evaluations:,}"),
        ("seconds", f"{outcome.seconds:.1f}"),
        ("ended", "stopped early" if outcome.stopped_early else "finished"),
    ]
    picture = course_picture(outcome)
    drawn = "" if picture.is_empty else figure(picture)
    stages = [(stage, f"{seconds:.2f}") for stage, seconds in outcome.stage_seconds.items()]
    listed = table("Seconds of each stage", ("stage", "seconds"), stages, "tn") if stages else ""
    return section("search", "Search", pairs(facts), f'<div class="course-of-search">{drawn}{listed}</div>')


def data_summary(outcome: Outcome, rows: Observed) -> str:
    """The columns in numbers, and what is worth knowing of the rows."""
    drawn = "" if len(rows.target) == rows.num_rows else f", of which {len(rows.target):,} are used in this report"
    size = f"<p>{rows.num_rows:,} rows{drawn}.</p>"
    notes = [*dict.fromkeys((*outcome.notes, *rows.notes))]
    notes += _doubts(outcome, rows)
    if rows.lacking:
        notes.append(f"the table lacks {len(rows.lacking)} columns of the search: {', '.join(rows.lacking[:8])}")
    listed = "".join(f"<li>{text(note)}</li>" for note in notes)
    shown = [rows.facts[-1], *rows.facts[:-1][:MOST_FACTS]]
    more = len(outcome.names) - len(shown) + 1
    caption = "The target first." + (f" {more:,} more columns are not listed." if more > 0 else "")
    caption += " Medians and numbers of distinct values are those of the rows used." if drawn else ""
    head = ["column", "use", *(["probability"] if outcome.column_probabilities else [])]
    head += ["smallest", "median", "largest", "mean", "std", "distinct"]
    kinds = "tt" + "n" * (len(head) - 2)
    table_of_columns = table(caption, head, [_fact_row(fact, outcome) for fact in shown], kinds)
    return section("data", "Data", size, f'<ul class="notes">{listed}</ul>' if notes else "", table_of_columns)


def _doubts(outcome: Outcome, rows: Observed) -> list[str]:
    """A sentence where the law is much worse on these rows than on those of the search: they may be others."""
    if rows.are_of_search:
        return []
    left = 1.0 - examine(outcome, rows, outcome.law).r_squared
    usual = max(outcome.law.training.nmse, outcome.law.validation.nmse, LEAST_LOSS)
    words = f"the loss of the law on these rows is {left:.2g}, in the search it was {usual:.2g}: are these other rows?"
    return [words] if left > MUCH_WORSE * usual else []


def _fact_row(fact: ColumnFacts, outcome: Outcome) -> list[str]:
    numbers = (fact.low, fact.median, fact.high, fact.mean, fact.deviation)
    column = outcome.names.index(fact.name) if fact.name != outcome.target else None
    shares = outcome.column_probabilities
    known = ["" if column is None else chance(shares[column])] if shares else []
    return [
        fact.name,
        _use(column, fact, outcome),
        *known,
        *(f"{value:.5g}" for value in numbers),
        f"{fact.num_distinct:,}",
    ]


def _use(column: int | None, fact: ColumnFacts, outcome: Outcome) -> str:
    if column is None:
        return "target"
    if column in outcome.law.expression.columns:
        return "in the law"
    return "constant" if fact.num_distinct == 1 else "not in the law"


def reproduction(rows: Observed, origin: Origin) -> str:
    """Command, settings, versions and what the table hashes to."""
    settings = {name: value for name, value in origin.settings.items() if name not in UNTOLD and _is_set(value)}
    seed = origin.settings.get("random_state")
    known = [("random_state", "not set" if seed is None else seed), *settings.items()]
    words = ", ".join(f"{name}={value!r}" for name, value in known if value != "not set")
    versions = [(name, _version(name)) for name in PACKAGES] + [("Python", platform.python_version())]
    what = "the numbers of X and y as float64" if rows.source == "arrays" else rows.source
    digest = f'<p class="digest">SHA-256 of {text(what)}: <code>{text(rows.digest)}</code></p>' if rows.digest else ""
    return section(
        "reproduce",
        "How to reproduce",
        f"<p>The command that wrote this report:</p>{code(origin.command)}" if origin.command else "",
        f"<p>The search in Python:</p>{code(f'MosaicRegressor({words}).fit(X, y)')}" if origin.settings else "",
        digest,
        table("Settings that were given; random_state is the seed.", ("setting", "value"), known),
        table("Versions that wrote this report.", ("package", "version"), versions),
    )


def _is_set(value: object) -> bool:
    return value not in (None, (), [], False, 0, "default")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not known"


def law_text(outcome: Outcome) -> str:
    """The law as a line of text."""
    return f"{outcome.target} = {outcome.law.text(precision=SHOWN_DIGITS)}"
