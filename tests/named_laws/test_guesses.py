"""The forms of named laws as guesses: only on request, over all columns, and the outcome states it."""

import json

import numpy as np
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.expressions.expression import operator_names
from mosaic_sr.law_file import read_law
from mosaic_sr.named_laws.guesses import MOST_FORMULAS, named_forms
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal import PROPOSERS

ONLY_GUESSES = PROPOSERS[1:]


@pytest.fixture(scope="module")
def decay():
    time = np.linspace(0.1, 9.0, 60).reshape(-1, 1)
    return time, 5.13 * np.exp(-0.37 * time[:, 0])


def test_forms_are_bound_to_every_choice_of_columns():
    forms = named_forms((2, 5), NAMES, num_rows=50)
    assert {form.columns for form in forms} == {(2,), (5,), (2, 5)}
    assert len({form.key for form in forms}) == len(forms)
    assert all(form.num_constants for form in forms)


@pytest.mark.parametrize("num_columns", [1, 2, 3, 40])
def test_there_are_never_too_many(num_columns):
    assert 100 < len(named_forms(range(num_columns), NAMES, num_rows=50)) <= MOST_FORMULAS


def test_forms_use_allowed_operators_and_no_more_constants_than_rows():
    forms = named_forms((0, 1), ("add", "mul", "div"), num_rows=2)
    assert forms
    assert all(operator_names(form) <= {"add", "mul", "div"} and form.num_constants <= 2 for form in forms)


def test_named_forms_find_a_law_and_say_so(decay, tmp_path):
    model = MosaicRegressor(guesses="named", without=ONLY_GUESSES, max_evaluations=300, random_state=0).fit(*decay)
    assert model.found_by_ == "named_forms"
    assert model.law_.name == "exponential decay"
    [note] = [note for note in model.notes_ if "named laws were tried" in note]
    assert not any(note.startswith("guess ") for note in model.notes_)
    model.save(tmp_path / "law.json")
    content = json.loads((tmp_path / "law.json").read_text())
    assert content["settings"]["guesses"] == "named"
    assert note in content["notes"]
    assert MosaicRegressor.load(tmp_path / "law.json").guesses == "named"


def test_own_guesses_and_named_forms_go_together(decay):
    model = MosaicRegressor(guesses=["a*x0 + b", "named"], without=ONLY_GUESSES, max_evaluations=300, random_state=0)
    model.fit(*decay)
    assert [note for note in model.notes_ if note.startswith("guess ")]
    assert model.law_.name == "exponential decay"


def test_without_the_word_no_named_form_is_tried(decay):
    model = MosaicRegressor(without=ONLY_GUESSES, max_evaluations=300, random_state=0).fit(*decay)
    assert model.found_by_ == "start"
    assert not any("named" in note for note in model.notes_)


def test_a_law_file_keeps_the_name(decay, tmp_path):
    model = MosaicRegressor(max_evaluations=200, random_state=0).fit(*decay)
    model.save(tmp_path / "law.json")
    again, _ = read_law(tmp_path / "law.json")
    assert again.law.named == model.law_.named
    assert [one.name for one in again.front] == model.equations_["name"].tolist()


def test_files_without_names_are_read_and_named(decay, tmp_path):
    model = MosaicRegressor(max_evaluations=200, random_state=0).fit(*decay)
    model.save(tmp_path / "law.json")
    content = json.loads((tmp_path / "law.json").read_text())
    del content["named"]
    for entry in content["front"]:
        entry.pop("named", None)
    (tmp_path / "law.json").write_text(json.dumps(content))
    assert MosaicRegressor.load(tmp_path / "law.json").law_.named == model.law_.named
