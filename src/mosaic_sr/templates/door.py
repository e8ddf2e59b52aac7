"""The door of templates: the table with the columns that a template reads, or the reason why it cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mosaic_sr.errors import InvalidFormula, InvalidSettings
from mosaic_sr.expressions.definitions import functions_with
from mosaic_sr.expressions.lexer import shorten
from mosaic_sr.operators import NAMES
from mosaic_sr.presets import SearchConfig
from mosaic_sr.table import Table, narrowed, unscaled
from mosaic_sr.template_form import Template, parse_template
from mosaic_sr.templates.smooth_parts import Model
from mosaic_sr.templates.targets import wanted_values

# More rows of the wrong sign than this share are no noise about a zero of the unknown.
MOST_WRONG = 0.25
ROWS_TO_CHECK = 1000


def template_of(table: Table, config: SearchConfig) -> Template:
    """The template of the settings over the columns of the table."""
    assert config.template is not None
    functions = functions_with(name for name in config.proposal.operators if name not in NAMES)
    return parse_template(config.template.text, table.names, table.target_name, functions)


def with_template(table: Table, config: SearchConfig, names: Sequence[str], guesses: object) -> Table:
    """The table in the user's units with the columns that the template reads; as it is where there is no template.

    names: of all the user's columns.
    """
    if config.template is None:
        return table
    if guesses:
        raise InvalidSettings("guesses cannot be used together with a template; write what you know into the template")
    text = config.template.text
    functions = functions_with(name for name in config.proposal.operators if name not in NAMES)
    whole = parse_template(text, names, table.target_name, functions)
    ignored = [names[column] for column in whole.columns if column not in table.used]
    if ignored:
        why = "; ".join(note for note in table.notes if f"column {ignored[0]!r}" in note)
        raise InvalidFormula(f"the template {shorten(text)!r} uses column {ignored[0]!r}, which is ignored: {why}")
    if len(whole.constants) > table.num_rows:
        raise InvalidFormula(f"the template has {len(whole.constants)} constants for {table.num_rows} distinct rows")
    chosen = [place for place, column in enumerate(table.used) if column in whole.columns] or [0]
    narrow = narrowed(unscaled(table), chosen)
    _refuse_signs(narrow, config)
    notes = tuple(dict.fromkeys((*table.notes, *whole.notes, _reading(whole))))
    return replace(narrow, notes=notes)


def _reading(template: Template) -> str:
    """How the template was read, for the user."""
    unknowns = ", ".join(template.label(place) for place in range(len(template.unknowns)))
    parts = [f"unknown functions {unknowns}"] if unknowns else []
    parts += [f"constants to fit {', '.join(template.constants)}"] if template.constants else []
    return f"template: {' and '.join(parts) or 'nothing to fit'}"


def _refuse_signs(table: Table, config: SearchConfig) -> None:
    """Refuse the sign of an unknown that most rows contradict, where they tell it alone."""
    template = template_of(table, config)
    is_alone = len(template.unknowns) == len(template.slots) == 1 and not template.constants
    if config.template is None or not is_alone or not (sign := config.template.options_of(template.unknowns[0]).sign):
        return
    rows = table.some_training(ROWS_TO_CHECK)
    start = np.full((1, rows.num_rows), 1.0 if sign == "positive" else -1.0)
    with np.errstate(all="ignore"):
        wanted = wanted_values(template, 0, rows, start, np.empty(0), np.zeros(rows.num_rows))
    if wanted is None:
        return
    is_wrong = wanted.values < 0.0 if sign == "positive" else wanted.values > 0.0
    # A square or a root has a value of either sign: what counts is that the law has none of this one.
    if np.mean(is_wrong) > MOST_WRONG and not _is_met(template, table, np.abs(wanted.values), sign):
        count, total, label = int(np.sum(is_wrong)), len(is_wrong), template.label(0)
        opposite = "negative" if sign == "positive" else "positive"
        raise InvalidSettings(
            f"the sign {sign!r} of {template.unknowns[0]!r} contradicts the rows: in {count} of {total} of them the "
            f"template needs a {opposite} {label}; change the sign or the template"
        )


def _is_met(template: Template, table: Table, sizes: np.ndarray[tuple[int], np.dtype[np.float64]], sign: str) -> bool:
    rows = table.some_training(ROWS_TO_CHECK)
    if len(sizes) != rows.num_rows:
        return False
    values = Model(template, rows).values((sizes if sign == "positive" else -sizes)[None], np.empty(0))
    return bool(np.mean(np.abs(values - rows.target) <= 1e-6 * np.max(np.abs(rows.target))) > 1.0 - MOST_WRONG)
