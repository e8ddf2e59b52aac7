"""The places that CONTRIBUTING names for new forms of finders exist."""

import re
from importlib import import_module
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = TEXT.partition("## Teach a finder a form")[2].partition("\n## ")[0]
CELLS = [line.split("|")[2] for line in SECTION.splitlines() if line.startswith("| a ")]
PLACES = [
    (name, file)
    for cell in CELLS
    for part in re.split(r"; ", cell)
    for file in re.findall(r"`(\w+/\w+)\.py`", part)
    for name in re.findall(r"`(\w+)`", part)
]


@pytest.mark.parametrize(("name", "file"), PLACES)
def test_a_table_of_forms_is_where_the_guide_says(name, file):
    assert hasattr(import_module(f"mosaic_sr.proposal.{file.replace('/', '.')}"), name)


def test_every_row_of_the_guide_names_a_place():
    assert len(CELLS) == 8
    assert len(PLACES) >= len(CELLS)
