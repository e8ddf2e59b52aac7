"""The page of a report: complete, small, escaped, and readable for all."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from noisy_outcomes import ROWS
from pictured import noisy_pair, plain_outcome

from mosaic_sr.equation import Errors
from mosaic_sr.errors import InvalidFile
from mosaic_sr.html_report import Origin, report_page, write_report
from mosaic_sr.naming import NamedLaw
from mosaic_sr.pictures import observe_arrays
from mosaic_sr.report import described_constants
from mosaic_sr.verdict import noise_words, parting_words, verdict

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"' \x1b\u202e"


class Elements(HTMLParser):
    """All elements of a page, and whether they are closed in order."""

    VOID = ("meta", "link", "input", "br", "img")

    def __init__(self, page):
        super().__init__()
        self.open, self.found, self.texts = [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append(text)

    def all(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


def noisy_page(**more):
    outcome, rows = noisy_pair(outliers=(4, 9), **more)
    return outcome, report_page(outcome, rows, Origin("mosaic fit t.csv --target y", {"random_state": 3, "maxsize": 9}))


def test_the_page_has_the_sentences_of_the_command_line():
    outcome, page = noisy_page(notes=("two rows are the same",))
    text = "".join(Elements(page).texts)
    for words in (verdict(outcome), noise_words(outcome), parting_words(outcome), *described_constants(outcome.law)):
        assert words[1:] in text
    for words in ("two rows are the same", "mosaic fit t.csv --target y", "maxsize", "SHA-256", "numpy", "found by"):
        assert words in text
    assert text.count("probability 0.30") >= 1


def test_elements_are_closed_in_order_and_have_distinct_names():
    found = Elements(noisy_page()[1])
    names = [attributes["id"] for _, attributes in found.found if "id" in attributes]
    assert len(names) == len(set(names))
    labelled = [attributes["aria-labelledby"] for _, attributes in found.found if "aria-labelledby" in attributes]
    assert set(labelled) <= set(names)


def test_pictures_and_tables_have_words_for_those_who_cannot_see_them():
    found = Elements(noisy_page()[1])
    assert all(picture["aria-label"] and picture["role"] == "img" for picture in found.all("svg"))
    assert len(found.all("svg")) > 10
    assert len(found.all("table")) == len(found.all("caption"))
    assert all(cell["scope"] == "col" for cell in found.all("th"))


def test_every_equation_has_a_choice_a_header_and_details():
    _, page = noisy_page()
    found = Elements(page)
    numbers = [choice["value"] for choice in found.all("input")]
    assert numbers == ["0", "1", "2", "3"]
    assert [choice["value"] for choice in found.all("input") if "checked" in choice] == ["1"]
    parts = [attributes for _, attributes in found.found if "data-law" in attributes]
    assert [part["data-law"] for part in parts] == numbers * 2
    assert {part["data-law"] for part in parts if "hidden" not in part} == {"1"}


def test_nothing_is_loaded_and_only_our_script_may_run():
    _, page = noisy_page()
    assert not re.search(r"https?://", page)
    found = Elements(page)
    assert [attributes for attributes in found.all("script") if attributes] == []
    (policy,) = [meta for meta in found.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy["content"].startswith("default-src 'none'; script-src 'sha256-")
    assert [link["href"] for link in found.all("link")] == ["data:,"]


def test_names_notes_and_commands_of_others_are_text():
    names = (NASTY, "z", "w")
    outcome = plain_outcome("2", f"2*`{NASTY}`", names=names, target=NASTY, notes=(NASTY,), stage_seconds={NASTY: 1.0})
    law = replace(outcome.law, found_by=NASTY, constant_names=(NASTY,), standard_errors=(0.1,))
    outcome = replace(outcome, law=law, front=(outcome.front[0], law))
    rows = replace(observe_arrays(outcome, ROWS, 2.1 * ROWS[0]), source=NASTY, digest=NASTY, lacking=(NASTY,))
    page = report_page(outcome, rows, Origin(NASTY, {"guesses": [NASTY], NASTY: NASTY}))
    found = Elements(page)
    assert len(found.all("script")) == 1
    assert not found.all("img")
    assert not any(name.startswith("on") for _, attributes in found.found for name in attributes)
    assert not re.search("[\x1b\u202e]", page)


def test_a_front_of_one_has_a_report():
    outcome = plain_outcome("2*x")
    page = report_page(outcome, observe_arrays(outcome, ROWS, 2.0 * ROWS[0]), Origin())
    assert "All residuals are 0" in page
    assert [choice["value"] for choice in Elements(page).all("input")] == ["0"]


def test_a_law_that_is_not_on_the_front_is_shown():
    outcome = plain_outcome("2", "3*x")
    law = replace(outcome.law, expression=plain_outcome("x*z").law.expression)
    outcome = replace(outcome, law=law)
    found = Elements(report_page(outcome, observe_arrays(outcome, ROWS, ROWS[0]), Origin()))
    assert [choice["value"] for choice in found.all("input") if "checked" in choice] == ["2"]


def test_an_equation_without_values_is_told_in_words():
    outcome = plain_outcome("2*x", "log(0 - x)", law=0)
    page = report_page(outcome, observe_arrays(outcome, ROWS, ROWS[0]), Origin())
    assert "The equation has no value in any of these rows." in page
    assert "nan" not in re.sub(r"<script>.*", "", page, flags=re.DOTALL).lower().replace("dominant", "")


@pytest.mark.slow  # ten seconds for one number
def test_a_long_table_with_a_long_front_stays_below_two_megabytes():
    rng = np.random.default_rng(0)
    names = tuple(f"column number {i}" for i in range(40))
    columns = rng.uniform(1.0, 4.0, size=(40, 60_000))
    texts = [" + ".join(f"{j + 1}.5*`column number {(i + j) % 40}`" for j in range(1 + i // 5)) for i in range(40)]
    outcome = plain_outcome(*texts, names=names)
    page = report_page(outcome, observe_arrays(outcome, columns, columns[0] + rng.normal(size=60_000)), Origin())
    assert len(page.encode()) < 2_000_000
    assert "of 60,000 rows are drawn" in page
    assert "60,000 rows, of which 20,000 are used in this report" in page.replace("19,999", "20,000")


def test_the_same_rows_give_the_same_page():
    assert noisy_page()[1] == noisy_page()[1]


def test_outliers_are_listed_by_row():
    _, page = noisy_page()
    text = " ".join(Elements(page).texts)
    listed = text.split("farther from the law than the scatter explains")[1][:400]
    assert re.search(r"\b4 .*\b9 ", listed)


def test_the_name_of_a_law_is_shown_and_escaped():
    outcome, rows = noisy_pair()
    law = replace(outcome.law, named=NamedLaw("a <b>line</b>", "general", ""))
    outcome = replace(outcome, law=law, front=(outcome.front[0], law))
    assert "This is: a &lt;b&gt;line&lt;/b&gt;" in report_page(outcome, rows, Origin())


def test_columns_state_their_use():
    outcome, rows = noisy_pair()
    text = " ".join(Elements(report_page(outcome, rows, Origin())).texts)
    for words in ("target", "in the law", "0.05"):
        assert words in text


def test_a_law_file_without_evidence_or_course_has_a_report():
    outcome = replace(plain_outcome("2", "2*x"), trace=(), column_probabilities=(), stage_seconds={}, seconds=0.0)
    front = tuple(replace(one, validation=Errors(np.inf, np.inf)) for one in outcome.front)
    outcome = replace(outcome, law=front[1], front=front)
    page = report_page(outcome, observe_arrays(outcome, ROWS, 2.0 * ROWS[0]), Origin())
    Elements(page)


def test_a_file_that_cannot_be_written_is_refused_and_the_old_one_stays(tmp_path):
    outcome, rows = noisy_pair()
    with pytest.raises(InvalidFile, match="cannot write"):
        write_report(tmp_path / "nowhere" / "law.html", outcome, rows)
    write_report(tmp_path / "law.html", outcome, rows)
    assert (tmp_path / "law.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
