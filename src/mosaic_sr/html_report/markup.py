"""Pieces of HTML: everything that comes from a user is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.mathml import TIMES, to_mathml
from mosaic_sr.pictures.picture import Picture
from mosaic_sr.pictures.svg import to_svg
from mosaic_sr.visible import visible

# Of the numbers of a typeset law, where their errors leave more; the text below it has more.
FORMULA_DIGITS = 5
SPACED_TIMES = TIMES.replace("<mo>", '<mo lspace="0" rspace=".16em">')


def text(words: object) -> str:
    """Words of a user or of ours as HTML: markup is shown, hidden characters are escapes."""
    return escape(visible(str(words)))


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]], kinds: str = "") -> str:
    """A table of plain cells with a caption; kinds: one letter per column, `n` for numbers, `t` for text."""
    letters = kinds or "t" * len(head)
    named = _cells(head, letters, '<th scope="col"', "</th>")
    lines = "".join(f"<tr>{_cells(row, letters, '<td', '</td>')}</tr>" for row in rows)
    caption = f"<caption>{text(caption)}</caption>"
    return f'<div class="wide"><table>{caption}<thead><tr>{named}</tr></thead><tbody>{lines}</tbody></table></div>'


def _cells(cells: Sequence[object], letters: str, start: str, end: str) -> str:
    kinds = {"n": ' class="number"', "t": ""}
    return "".join(f"{start}{kinds[letter]}>{text(cell)}{end}" for cell, letter in zip(cells, letters, strict=True))


def pairs(entries: Iterable[tuple[str, object]]) -> str:
    """Names with their values."""
    return f"<dl>{''.join(f'<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>' for name, value in entries)}</dl>"


def sentences(lines: Iterable[str]) -> str:
    """Lines of the command as paragraphs, each with a capital letter; empty ones are left out."""
    return "".join(f"<p>{text(line[0].upper() + line[1:])}.</p>" for line in lines if line)


def figure(picture: Picture, targets: Sequence[int] = ()) -> str:
    """A picture with its title and caption; a sentence stands where there is nothing to draw."""
    drawn = to_svg(picture, targets) or "<p class='none'>There is nothing to draw on these rows.</p>"
    caption = f"<figcaption><b>{text(picture.title)}</b> {text(picture.caption)}</figcaption>"
    return f'<figure class="{picture.kind}">{drawn}{caption}</figure>'


def figures(pictures: Iterable[Picture]) -> str:
    """Pictures side by side; a caption that all of them share stands once, above."""
    drawn = [picture for picture in pictures if not picture.is_empty]
    captions = {picture.caption for picture in drawn}
    if len(drawn) < 2 or len(captions) > 1:
        return f'<div class="figures">{"".join(map(figure, drawn))}</div>'
    shown = "".join(figure(replace(picture, caption="")) for picture in drawn)
    return f'<p class="said">{text(captions.pop())}</p><div class="figures">{shown}</div>'


def formula(equation: Equation, target: str) -> str:
    """`target = equation`, typeset."""
    # Between a number and a name of several letters an invisible sign needs a little room.
    names = [visible(name) for name in equation.names]
    formula = to_mathml(equation.expression, names, visible(target), equation.digits(FORMULA_DIGITS))
    return formula.replace(TIMES, SPACED_TIMES)


def section(name: str, title: str, *parts: str) -> str:
    """A part of the page with its heading."""
    return f'<section aria-labelledby="{name}"><h2 id="{name}">{text(title)}</h2>{"".join(parts)}</section>'


def code(lines: str) -> str:
    """Lines to copy."""
    shown = "\n".join(map(text, lines.split("\n")))
    return f"<pre><code>{shown}</code></pre>"
