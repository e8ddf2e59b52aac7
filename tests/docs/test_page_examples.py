"""Every example of the pages runs; pages with a test of their own are named here with it."""

import re

import pytest
from shown_pages import ROOT, blocks_of, run_page

# Page, tables that it expects (as `mosaic example NAME`), commands that it has, names that it leaves.
PAGES = [
    ("docs/first-law.md", [], 8, {"model"}),
    ("docs/noise.md", [], 5, {"values", "std"}),
    ("docs/few-rows.md", [], 5, {"found"}),
    ("docs/many-columns.md", [], 2, {"used", "wide"}),
    ("docs/operators.md", [], 2, {"model"}),
    ("docs/reading.md", ["noisy"], 0, {"again"}),
    ("docs/long-searches.md", ["clean"], 2, {"model"}),
    ("docs/coming-from.md", ["clean"], 0, {"simple"}),
]
# `make docs` runs their cells, in CI too; here they run as other pages do.
NOTEBOOKS = [
    ("docs/notebook.md", [], 0, {"model"}),
    ("docs/paper.md", [], 5, {"figure", "law"}),
]
# Elsewhere, because they need more than a folder.
TESTED_ELSEWHERE = {
    "docs/big-tables.md": "tests/test_big_tables_page.py",
    "docs/checking.md": "tests/test_checking_page.py",
    "docs/clusters.md": "tests/test_clusters_page.py",
    "docs/constraints.md": "tests/test_constraints_page.py",
    "docs/errors-and-losses.md": "tests/test_errors_and_losses_page.py",
    "docs/exports.md": "tests/exports/test_docs.py",
    "docs/groups.md": "tests/test_groups_page.py",
    "docs/index.md": "tests/docs/test_page_examples.py",
    "docs/named-laws.md": "tests/named_laws/test_page.py",
    "docs/own-prior.md": "tests/pretraining/test_own_prior_page.py",
    "docs/report.md": "tests/html_report/test_report_docs.py",
    "docs/templates.md": "tests/test_templates_page.py",
    "docs/units.md": "tests/test_units_page.py",
    "docs/writing.md": "tests/writing/test_docs_page.py",
    "README.md": "tests/docs/test_readme.py",
}


def slow(row):
    return pytest.param(*row, marks=pytest.mark.slow)  # the build of the site runs them


@pytest.mark.parametrize(
    ("page", "tables", "num_commands", "left"),
    [*PAGES, *map(slow, NOTEBOOKS)],
    ids=[page for page, *_ in (*PAGES, *NOTEBOOKS)],
)
def test_the_examples_of_a_page_run(page, tables, num_commands, left, tmp_path, monkeypatch, capsys):
    from mosaic_sr.cli.examples import run_example

    if page.endswith(("paper.md", "reading.md")):
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    for table in tables:
        run_example(tmp_path, table, is_forced=False)
    names, commands = run_page(page, monkeypatch, capsys)
    assert len(commands) == num_commands
    assert left <= names.keys()
    if "wide" in left:
        assert any(note.startswith("x17 could be x203: correlation 0.999") for note in names["wide"].notes_)


def test_every_page_with_examples_is_tested():
    tested = {page for page, *_ in (*PAGES, *NOTEBOOKS)} | set(TESTED_ELSEWHERE)
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / "README.md", *ROOT.glob("docs/*.md"))]
    assert {page for page in pages if blocks_of(page)} <= tested


def test_the_tests_of_pages_elsewhere_name_their_page():
    there = {page: test for page, test in TESTED_ELSEWHERE.items() if (ROOT / page).exists()}
    for page, test in there.items():
        assert page.rsplit("/", 1)[-1] in (ROOT / test).read_text(encoding="utf-8"), test


def test_the_first_page_shows_the_first_commands_of_the_readme():
    index, readme = (
        re.findall(r"^\$ (\S+ \S+)", blocks_of(page)[0][1], re.M) for page in ("docs/index.md", "README.md")
    )
    assert index == readme
