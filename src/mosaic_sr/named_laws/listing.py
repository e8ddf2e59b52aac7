"""The list of named laws in `docs/named-laws.md`; `python -m mosaic_sr.named_laws.listing FILE` writes it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from mosaic_sr.named_laws.catalogue import CATALOGUE
from mosaic_sr.named_laws.law import Law

BEGIN, END = "<!-- laws: python -m mosaic_sr.named_laws.listing docs/named-laws.md -->", "<!-- end of laws -->"


def listing() -> str:
    """A table of the rows of the catalogue, in its order."""
    head = ["| law | field | form | variables | constants |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([BEGIN, *head, *map(_row, CATALOGUE), END])


def _row(law: Law) -> str:
    cells = (law.name, law.field, f"`{law.form}`", _meanings(law.variables), _meanings(law.constants))
    return f"| {' | '.join(cells)} |"


def _meanings(words: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {meaning}" for name, meaning in words.items())


def with_listing(page: str) -> str:
    """The page with the list between its marks brought up to date."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + listing() + after


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(with_listing(path.read_text(encoding="utf-8")), encoding="utf-8")
