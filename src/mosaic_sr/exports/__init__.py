"""A law in the words of other programs: one row per language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.exports.c import JAVASCRIPT, C
from mosaic_sr.exports.excel import EXCEL
from mosaic_sr.exports.matlab import JULIA, MATLAB
from mosaic_sr.exports.python import JAX, PYTHON, SYMPY, TORCH
from mosaic_sr.exports.source import arguments_of, renamings, to_program
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.latex import latex_name, to_latex

__all__ = ["LANGUAGES", "export", "notes_on", "refuse_unknown"]

# Significant digits of constants in LaTeX, which is for reading.
LATEX_DIGITS = 6


def _latex(expression: Expression, names: Sequence[str], target: str | None = None) -> str:
    law = to_latex(expression, names, LATEX_DIGITS)
    return law if target is None else f"{latex_name(target)} = {law}"


PROGRAMS = {row.name: row for row in (PYTHON, C, EXCEL, MATLAB, JULIA, JAVASCRIPT, TORCH, JAX, SYMPY)}
# What people also call them.
OTHER_WORDS = {
    **{
        "numpy": "python",
        "py": "python",
        "c++": "c",
        "cpp": "c",
        "js": "javascript",
        "octave": "matlab",
        "m": "matlab",
    },
    **{"calc": "excel", "libreoffice": "excel", "xlsx": "excel", "jl": "julia", "pytorch": "torch", "tex": "latex"},
}
# language -> what writes a law, given its expression, the names of the columns and the name of the target
LANGUAGES: dict[str, Callable[[Expression, Sequence[str], str | None], str]] = {
    **{name: partial(to_program, row) for name, row in PROGRAMS.items()},
    "latex": _latex,
}


def export(expression: Expression, names: Sequence[str], language: str, target: str | None = None) -> str:
    """The law in another language; target: what the function is called, or what stands left of the equals sign."""
    refuse_unknown(language)
    return LANGUAGES[language](expression, names, target)


def refuse_unknown(language: str) -> None:
    """Refuse a language that has no row."""
    if language not in LANGUAGES:
        word = str(language).lower()
        close = [OTHER_WORDS[word]] if word in OTHER_WORDS else get_close_matches(word, LANGUAGES, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise InvalidSettings(f"unknown language {language!r:.40}{hint}; the languages are: {', '.join(LANGUAGES)}")


def notes_on(expression: Expression, names: Sequence[str], language: str) -> list[str]:
    """What columns are called where the language does not take their names and has no comments to say so."""
    row = PROGRAMS.get(language)
    return [] if row is None or row.comment else renamings(*arguments_of(row, expression, names)[:-1])
