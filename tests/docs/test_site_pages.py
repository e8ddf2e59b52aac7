"""What the site is made of: the table of contents, the reference, links that also hold in a clone."""

import re
import sys

import pytest
from shown_pages import ROOT

import mosaic_sr
from mosaic_sr.cli.app import app

sys.path.insert(0, str(ROOT / "docs" / "site"))

from command_pages import command_pages
from plain_docstrings import to_restructured

LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?\)")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def anchors(path):
    """The headings of a page as GitHub and the site name them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    included = re.search(r"```\{include\} (\S+)", path.read_text(encoding="utf-8"))
    if included:
        return anchors(path.parent / included[1])
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_to_files_and_headings(page):
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        place = (page.parent / target) if target else page
        assert place.exists(), f"{page.name}: {target}"
        assert not anchor or anchor[1:] in anchors(place), f"{page.name}: {target}{anchor}"


def test_every_page_is_in_the_table_of_contents():
    listed = re.findall(r"^([a-z-]+)$", (ROOT / "docs" / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"} <= set(listed)
    assert len(listed) == len(set(listed))


def test_every_public_name_is_in_the_reference():
    reference = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\.\. .*:: mosaic_sr\.(\w+)$", reference, re.MULTILINE)) == set(mosaic_sr.__all__)


def test_every_command_and_option_is_in_the_reference():
    written = command_pages()
    for name in ("fit", "predict", "show", "example", "doctor", "check", "compare", "constants", "report", "plot"):
        assert f"## mosaic {name}\n" in written
    assert "## mosaic pretrain export\n" in written
    for option in ("`--target TEXT`", "`--time-limit NUMBER`", "--quiet"):
        assert option in written
    assert len(app.registered_commands) + len(app.registered_groups) <= written.count("\n## ") + 1


def test_docstrings_become_definitions_and_plain_text():
    lines = ["x_ is 2*x.", "", "Parameters", "----------", "a: first,", "    more of it", "b, c: `x*y`", "still b"]
    shown = ["x\\_ is 2\\*x.", "", "`a`", "    first,", "    more of it", "`b, c`", "    `x*y`", "    still b"]
    assert to_restructured(lines) == shown
